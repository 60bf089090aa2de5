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
    private let onProgress: (@Sendable (ProgressSnapshot.ActiveFile) -> Void)?
    private let open: Mutex<(jobs: Int, isReading: Bool)>

    init(
        purpose: Purpose, planner: Planner, transfer: TransferPolicy, desk: PublishDesk, progress: ProgressBoard,
        recordsDigests: Bool = false, onProgress: (@Sendable (ProgressSnapshot.ActiveFile) -> Void)? = nil
    ) {
        self.recordsDigests = recordsDigests
        self.onProgress = onProgress
        self.purpose = purpose
        self.planner = planner
        self.transfer = transfer
        self.desk = desk
        self.progress = progress
        events = EventQueue()
        open = Mutex((jobs: 0, isReading: true))
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
        let isLast = open.withLock { open in
            open.jobs -= 1
            return open.jobs == 0 && !open.isReading
        }
        if isLast { events.finish() }
    }

    /// Notes that no job begins any more.
    func readAll() {
        progress.foundAll()
        let isOver = open.withLock { open in
            open.isReading = false
            return open.jobs == 0
        }
        if isOver { events.finish() }
    }
}
