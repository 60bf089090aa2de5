package import DLSync

/// What a run came to, as reports, metrics and hooks tell it.
package struct RunReport: Hashable, Sendable {
    /// A source, and how it was read.
    package struct SourceState: Hashable, Sendable {
        package var name: String
        /// Why it could not be read to its end; nil where nothing is known to be wrong with it.
        package var reason: String?
    }

    /// A file that failed.
    package struct FailedFile: Hashable, Sendable {
        package var path: RelativePath
        package var url: String
        package var reason: String
        package var failingSince: HTTPDate?
        package var runs: Int64

        package init(_ outcome: Outcome) {
            path = outcome.path
            url = outcome.url
            reason = outcome.reason
            failingSince = outcome.failingSince
            runs = outcome.failedRuns
        }

        package init(_ finding: Verification) {
            path = finding.path
            url = finding.url
            reason = finding.reason
            runs = 0
        }
    }

    /// So many failures, and so many listings that could not be read, are named; the others are counted. Every one of
    /// them is an event.
    package static let mostNamed = 1000

    /// `sync`, `verify` or `repair`.
    package var mode: String
    package var destination: [UInt8]
    package var started: HTTPDate
    package var ended: HTTPDate
    package var seconds: Double = 0
    package var status = ExitStatus.failed
    /// Why the run was ended before its work was.
    package var stopped: String?
    /// Why the run could not be begun, or not be ended well.
    package var error: String?
    package var sources: [SourceState] = []
    /// Listings below the sources that could not be read to their end.
    package var unreadListings: [SourceState] = []
    package var summary = SyncSummary()
    package var failures: [FailedFile] = []
    package var hostWaits: [HostWait] = []
    package var freeSpace: Int64?
    /// When the last run ended that left everything in sync, this one included.
    package var lastSuccess: HTTPDate?

    /// A run that has just begun.
    package init(mode: String, destination: [UInt8], sources: [String], started: HTTPDate) {
        self.mode = mode
        self.destination = destination
        self.sources = sources.map { SourceState(name: $0) }
        self.started = started
        ended = started
    }

    /// Counts an event in.
    package mutating func count(_ event: SyncEvent) {
        summary.count(event)
        switch event {
        case .outcome(let outcome)
        where outcome.status == .failed && outcome.failure?.code != .interrupted && failures.count < Self.mostNamed:
            failures.append(FailedFile(outcome))
        case .verified(let finding) where finding.failure != nil && failures.count < Self.mostNamed:
            failures.append(FailedFile(finding))
        case .sourceFailed(let source, let failure):
            if let index = sources.firstIndex(where: { $0.name == source }) {
                sources[index].reason = failure.message
            } else if unreadListings.count < Self.mostNamed {
                unreadListings.append(SourceState(name: source, reason: failure.message))
            }
        case .outcome, .verified, .problem, .planned, .plannedDeletion, .deletionsKept, .listed, .listing:
            break
        }
    }

    /// How many entries failed for themselves, not because the run was ended.
    package var failed: Int { summary.failed - summary.interrupted }
}
