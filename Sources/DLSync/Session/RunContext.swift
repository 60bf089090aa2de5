internal import SyncCore
internal import Synchronization

/// What all jobs of one plan or one run share.
final class RunContext: Sendable {
    /// Whether entries are only planned, or brought up to date.
    enum Purpose: Sendable {
        case plan
        case run
    }

    let purpose: Purpose
    let planner: Planner
    let transfer: TransferPolicy
    let desk: PublishDesk
    let progress: ProgressBoard
    let events: EventQueue<SyncEvent>
    /// Whether a digest is recorded of files that none was given for.
    let recordsDigests: Bool
    /// Where entries wait that the server does not have; nil where they are failures at once.
    let vanished: VanishedEntries?
    private let onProgress: (@Sendable (ProgressSnapshot.ActiveFile) -> Void)?
    /// What is put in place only when everything else is (`--publish-last`).
    private let publishLast: [PathPattern]
    private let open = Mutex(Open())

    private struct Open {
        var jobs = 0
        var isReading = true
        /// The jobs whose files are whole and held back.
        var held: Set<JobID> = []
        /// Whether anything of the run has failed.
        var hasFailed = false
        /// Who waits until every job has ended or is held back.
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            guard jobs == held.count else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    init(
        purpose: Purpose, planner: Planner, transfer: TransferPolicy, desk: PublishDesk, progress: ProgressBoard,
        recordsDigests: Bool = false, publishLast: [PathPattern] = [], vanished: VanishedEntries? = nil,
        onProgress: (@Sendable (ProgressSnapshot.ActiveFile) -> Void)? = nil
    ) {
        self.recordsDigests = recordsDigests
        self.vanished = vanished
        self.onProgress = onProgress
        self.publishLast = publishLast
        self.purpose = purpose
        self.planner = planner
        self.transfer = transfer
        self.desk = desk
        self.progress = progress
        events = EventQueue()
    }

    /// Tells the progress of one file.
    func show(_ file: ProgressSnapshot.ActiveFile) {
        progress.fetches(file)
        onProgress?(file)
    }

    /// Notes that so many jobs begin.
    func began(_ count: Int) {
        progress.found(count)
        open.withLock { $0.jobs += count }
    }

    /// Notes that a job has told its result.
    func ended() {
        let (isLast, waiter) = open.withLock { open in
            open.jobs -= 1
            return (open.jobs == 0 && !open.isReading, open.takeWaiter())
        }
        waiter?.resume()
        if isLast { events.finish() }
    }

    /// Notes that no job begins any more. When the last has told its result, the events end.
    func readAll() {
        progress.foundAll()
        let isOver = open.withLock { open in
            open.isReading = false
            return open.jobs == 0
        }
        if isOver { events.finish() }
    }

    // MARK: What comes last

    /// Tells an event that is of no job.
    func tell(_ event: SyncEvent) {
        switch event {
        case .problem, .sourceFailed: noteFailure()
        default: break
        }
        events.push(event)
    }

    /// Notes that something has failed, so that nothing is put in place that counts on it.
    func noteFailure() { open.withLock { $0.hasFailed = true } }

    /// Notes that an entry could not be brought up to date, also for the runs to come; gives what is told of it. A run that
    /// was interrupted is no failure of its entries.
    func failed(_ outcome: Outcome, _ facts: EntryFacts) -> Outcome {
        noteFailure()
        var outcome = outcome
        outcome.entry = facts.entry
        guard let failure = outcome.failure, failure.code != .interrupted else { return outcome }
        let now = currentDate()
        desk.note(.failed(facts.path, resource: facts.resource, message: failure.message, at: now))
        outcome.failingSince = facts.failure?.firstDate ?? now
        outcome.failedRuns = (facts.failure?.runs ?? 0) + 1
        return outcome
    }

    /// Whether anything of the run has failed.
    var hasFailed: Bool { open.withLock { $0.hasFailed } }

    /// Whether a file is put in place only when everything else is.
    func comesLast(_ path: RelativePath) -> Bool { publishLast.contains { $0.matches(path.bytes) } }

    /// Notes that a job's file is whole and held back.
    func hold(_ job: JobID) {
        let waiter = open.withLock { open in
            open.held.insert(job)
            return open.takeWaiter()
        }
        waiter?.resume()
    }

    /// Notes that a job does not hold its file back any more.
    func letGo(_ job: JobID) { open.withLock { _ = $0.held.remove(job) } }

    /// The jobs whose files are held back, which are the caller's to release.
    func takeHeld() -> [JobID] {
        open.withLock { open in
            defer { open.held = [] }
            return open.held.sorted { $0.number < $1.number }
        }
    }

    /// Waits until all jobs that began have told their results or hold their files back. There is one caller at a time.
    func settled() async {
        await withCheckedContinuation { continuation in
            let waiter = open.withLock { open in
                open.waiter = continuation
                return open.takeWaiter()
            }
            waiter?.resume()
        }
    }
}
