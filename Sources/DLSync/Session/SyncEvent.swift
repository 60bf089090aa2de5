public import SyncCore

/// What is told while sources are listed, while a session plans, and while it runs.
public enum SyncEvent: Sendable {
    /// An entry, and the path that it has below a destination: while listing.
    case listed(Entry, RelativePath)
    /// A listing below another one: while listing.
    case listing(SubListing)
    /// What would be done about an entry: while planning.
    case planned(PlannedEntry)
    /// What would become of a file that no source names any more: while planning.
    case plannedDeletion(PlannedDeletion)
    /// What became of an entry, or of a file that no source names any more: while running.
    case outcome(Outcome)
    /// What a verification found of a file.
    case verified(Verification)
    /// A line or row of a source that could not be used; the rest goes on.
    case problem(EntryOrigin, Failure)
    /// A source, or a listing below one, that could not be read to its end.
    case sourceFailed(source: String, Failure)
    /// Why files stay that no source named. It comes after everything else.
    case deletionsKept(KeptDeletions)
}

/// A file that no source names any more.
public struct PlannedDeletion: Hashable, Sendable {
    /// Its path below the destination.
    public var path: RelativePath
    /// Where it came from; nil for a file that dlsync did not bring.
    public var url: String?
    /// Its size.
    public var size: Int64
    /// Whether it is deleted; otherwise it is kept.
    public var isDeleted: Bool
    /// Why, in words that complete "because …".
    public var reason: String
}

/// Why files stay that no source named.
public struct KeptDeletions: Hashable, Sendable {
    /// How many files.
    public var count: Int
    /// Why, as one sentence without its full stop.
    public var reason: String
    /// Whether they would have been deleted if a guard had not refused. Otherwise nobody knows whether they are gone.
    public var isRefused: Bool
}

/// The events of a plan or a run, in the order in which they happen. It has one reader, and loses nothing.
public struct SyncEvents: AsyncSequence, Sendable {
    let queue: EventQueue<SyncEvent>

    /// Gives the events one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let queue: EventQueue<SyncEvent>

        /// The next event; nil when all is done.
        public mutating func next() async -> SyncEvent? { await queue.next() }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }
}

/// What a plan or a run came to: a function of the set of its events, never of their order.
public struct SyncSummary: Hashable, Sendable {
    /// How many entries have each action.
    public private(set) var actions: [Action: Int] = [:]
    /// How many entries there were.
    public private(set) var entries = 0
    /// How many files were brought, changed or taken away.
    public private(set) var done = 0
    /// How many entries nothing was to be done about.
    public private(set) var kept = 0
    /// How many are here and right in the end: kept or done.
    public private(set) var succeeded = 0
    /// How many failed.
    public private(set) var failed = 0
    /// How many of those only failed because the run was interrupted.
    public private(set) var interrupted = 0
    /// How many files a verification found in each state.
    public private(set) var verdicts: [Verification.Verdict: Int] = [:]
    /// Bytes that a verification read.
    public private(set) var bytesVerified: Int64 = 0
    /// How many the server does not have (any more): those that failed for it, and those that no listing names any more.
    public private(set) var vanished = 0
    /// How many files were deleted, or are to be.
    public private(set) var deleted = 0
    /// Their bytes.
    public private(set) var bytesDeleted: Int64 = 0
    /// How many files were not deleted as a guard refused.
    public private(set) var deletionsRefused = 0
    /// How many files stay of which nobody knows whether they are gone.
    public private(set) var deletionsUnknown = 0
    /// Whether a guard refused deletions.
    public private(set) var isGuarded = false
    /// How many lines or rows could not be used.
    public private(set) var problems = 0
    /// How many sources or listings could not be read to their end.
    public private(set) var sourcesFailed = 0
    /// Body bytes that were received for entries.
    public private(set) var bytesReceived: Int64 = 0
    /// Bytes that are here already, of a plan.
    public private(set) var have: Int64 = 0
    /// Bytes that are to be fetched, of a plan, as far as is known.
    public private(set) var fetch: Int64 = 0
    /// How many entries of a plan are of unknown size.
    public private(set) var unknownSizes = 0
    /// The kinds of failures that happened.
    public private(set) var failures: Set<Failure.Code> = []

    /// Nothing yet.
    public init() {}

    /// Counts an event in.
    public mutating func count(_ event: SyncEvent) {
        switch event {
        case .listed:
            entries += 1
            succeeded += 1
        case .listing:
            break
        case .planned(let planned):
            let decision = planned.decision
            entries += 1
            actions[decision.action, default: 0] += 1
            have += decision.have
            fetch += decision.fetch ?? 0
            if decision.fetch == nil { unknownSizes += 1 }
            if case .failed(let failure) = decision.work { note(failure) } else { succeeded += 1 }
        case .plannedDeletion(let deletion):
            guard deletion.isDeleted else { return }
            actions[.delete, default: 0] += 1
            deleted += 1
            bytesDeleted += deletion.size
        case .deletionsKept(let kept):
            isGuarded = isGuarded || kept.isRefused
            if kept.isRefused { deletionsRefused += kept.count } else { deletionsUnknown += kept.count }
        case .outcome(let outcome) where outcome.action == .delete:
            if let failure = outcome.failure {
                note(failure)
            } else if outcome.status == .done {
                actions[.delete, default: 0] += 1
                deleted += 1
                bytesDeleted += outcome.size ?? 0
            }
        case .outcome(let outcome):
            entries += 1
            actions[outcome.action, default: 0] += 1
            bytesReceived += outcome.bytes
            if outcome.status == .done { done += 1 }
            if outcome.status == .kept { kept += 1 }
            if outcome.isGone { vanished += 1 }
            if let failure = outcome.failure { note(failure) } else { succeeded += 1 }
        case .verified(let finding):
            verdicts[finding.verdict, default: 0] += 1
            bytesVerified += finding.bytes
            if let failure = finding.failure { note(failure) }
        case .problem(_, let failure):
            problems += 1
            failures.insert(failure.code)
        case .sourceFailed(_, let failure):
            sourcesFailed += 1
            failures.insert(failure.code)
        }
    }

    /// Counts a failure in that is of the run as a whole.
    public mutating func count(runFailure failure: Failure) { failures.insert(failure.code) }

    private mutating func note(_ failure: Failure) {
        failed += 1
        if failure.code == .missing { vanished += 1 }
        if failure.code == .interrupted { interrupted += 1 }
        failures.insert(failure.code)
    }
}
