internal import SyncCore
internal import Synchronization

/// What all jobs of one run share.
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
    let results: EventQueue<EntryResult>
    private let unsettled = Mutex(0)

    init(
        purpose: Purpose, planner: Planner, transfer: TransferPolicy, desk: PublishDesk, progress: ProgressBoard,
        results: EventQueue<EntryResult>
    ) {
        self.purpose = purpose
        self.planner = planner
        self.transfer = transfer
        self.desk = desk
        self.progress = progress
        self.results = results
    }
}

/// What a run tells of one entry.
enum EntryResult: Sendable {
    case planned(PlannedEntry)
    case outcome(Outcome)
}
