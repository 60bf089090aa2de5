internal import SyncCore
internal import Synchronization

/// Takes entries as the readers give them: finds each its place, looks at what is there, and hands them on in batches, to
/// the loop or to be verified.
final class Intake: EntryTaker {
    private let placement: Placement
    private let surveyor: Surveyor
    private let context: RunContext
    private let handOn: @Sendable ([EntryFacts]) async -> Void
    private let registry: Mutex<PathRegistry>

    /// - Parameter handOn: What is done with entries that were looked at; waits while there is no room for more.
    init(
        placement: Placement, surveyor: Surveyor, context: RunContext,
        handOn: @escaping @Sendable ([EntryFacts]) async -> Void
    ) {
        self.placement = placement
        self.surveyor = surveyor
        registry = Mutex(PathRegistry(folds: context.desk.destination.foldsNames))
        self.context = context
        self.handOn = handOn
    }

    /// Takes a batch of entries, and waits while the loop is full of work.
    func take(_ entries: [Entry]) async {
        var placed: [EntryFacts] = []
        for entry in entries {
            do {
                let path = try placement.path(of: entry)
                if try claim(path, for: entry) { placed.append(EntryFacts(entry: entry, path: path)) }
            } catch {
                context.events.push(.problem(entry.origin, error))
            }
        }
        guard !placed.isEmpty else { return }
        context.began(placed.count)
        let surveyed = await surveyor.survey(placed)
        // What failed in an earlier run comes first, as far as the source has been read.
        await handOn(surveyed.filter { $0.failure != nil } + surveyed.filter { $0.failure == nil })
    }

    func found(_ listing: SubListing) {}

    /// Whether an entry is the first to claim its path. One that only repeats another is passed over.
    private func claim(_ path: RelativePath, for entry: Entry) throws(Failure) -> Bool {
        let claim = registry.withLock { $0.claim(path, for: entry.urls[0].resourceIdentity) }
        let name = entry.urls[0].redacted
        switch claim {
        case .new: return true
        case .duplicate: return false
        case .taken:
            throw Failure(
                .collision,
                "\(name) would land at '\(path)', where another entry lands; give one of them another name with out=, "
                    + "or use --layout host")
        case .isDirectory:
            throw Failure(
                .collision, "\(name) would land at '\(path)', which other entries need as a directory")
        case .leadsThroughFile(let file):
            throw Failure(
                .collision, "\(name) would land at '\(path)', but '\(file)' is the file of another entry")
        }
    }
}

extension TransferLoop {
    /// Takes jobs on for entries, as room for them comes up.
    func run(_ entries: [EntryFacts], context: RunContext) async {
        for facts in entries {
            await waitForRoom()
            begin(EntryJob(id: newJobID(), facts: facts, context: context))
        }
    }

    /// Takes jobs on for what a plan decided.
    func run(_ entries: [PlannedEntry], context: RunContext) async {
        for planned in entries {
            await waitForRoom()
            begin(EntryJob(id: newJobID(), facts: planned.facts, decision: planned.decision, context: context))
        }
    }

    func begin(_ job: EntryJob) {
        add(job)
        guard !isInterrupted else { return }
        job.begin(in: self)
        refresh(job)
    }
}
