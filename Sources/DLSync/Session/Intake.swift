internal import SyncCore
internal import Synchronization

/// Takes entries as the readers give them: finds each its place, looks at what is there, and hands them on in batches, to
/// the loop or to be verified.
final class Intake: EntryTaker {
    private let sieve: EntrySieve
    private let surveyor: Surveyor
    private let context: RunContext
    private let handOn: @Sendable ([EntryFacts]) async -> Void
    private let registry: Mutex<PathRegistry>
    /// Nil where nothing is noted of what sources name.
    private let ownership: Ownership?
    /// Whether entries wait in whose way something stands that the run may delete.
    private let waitsForDeletions: Bool
    private let blocked = Mutex<[EntryFacts]>([])
    /// More do not wait: they are conflicts at once.
    private static let mostBlocked = 10_000

    /// - Parameter handOn: What is done with entries that were looked at; waits while there is no room for more.
    init(
        sieve: EntrySieve, surveyor: Surveyor, context: RunContext, ownership: Ownership? = nil,
        waitsForDeletions: Bool = false,
        handOn: @escaping @Sendable ([EntryFacts]) async -> Void
    ) {
        self.sieve = sieve
        self.surveyor = surveyor
        registry = Mutex(PathRegistry(folds: context.desk.destination.foldsNames))
        self.context = context
        self.handOn = handOn
        self.ownership = ownership
        self.waitsForDeletions = waitsForDeletions
    }

    /// Takes a batch of entries, and waits while the loop is full of work.
    func take(_ entries: [Entry], of place: ListingPlace) async {
        var placed: [EntryFacts] = []
        var unwanted: [RelativePath] = []
        var wanted: [RelativePath] = []
        for entry in entries {
            do {
                let path = try sieve.placement.path(of: entry)
                guard sieve.wants(entry, at: path) else {
                    unwanted.append(path)
                    continue
                }
                // Whoever has the path, this source names it too.
                wanted.append(path)
                guard try claim(path, for: entry) else { continue }
                var facts = EntryFacts(entry: entry, path: path)
                facts.listing = place
                placed.append(facts)
            } catch {
                context.tell(.problem(entry.origin, error))
            }
        }
        if let ownership {
            await surveyor.onQueue { [wanted, unwanted] in
                ownership.note(wanted: wanted, unwanted: unwanted, by: place)
            }
        }
        guard !placed.isEmpty else { return }
        let surveyed = setAside(await surveyor.survey(placed))
        context.began(surveyed.count)
        // What failed in an earlier run comes first, as far as the source has been read.
        await handOn(surveyed.filter { $0.failure != nil } + surveyed.filter { $0.failure == nil })
    }

    /// The entries without those that have to wait until deletions have cleared their way.
    private func setAside(_ facts: [EntryFacts]) -> [EntryFacts] {
        guard waitsForDeletions else { return facts }
        return blocked.withLock { blocked in
            facts.filter { facts in
                guard facts.local.mayGoAway, blocked.count < Self.mostBlocked else { return true }
                blocked.append(facts)
                return false
            }
        }
    }

    /// Whether entries wait for deletions.
    var hasBlocked: Bool { blocked.withLock { !$0.isEmpty } }

    /// Goes on with the entries that waited for deletions, whether these came or not.
    func takeBlocked() async {
        let waiting = blocked.withLock { blocked in
            defer { blocked = [] }
            return blocked
        }
        guard !waiting.isEmpty else { return }
        context.began(waiting.count)
        await handOn(await surveyor.survey(waiting))
    }

    func found(_ listing: SubListing) -> Bool { sieve.mayWant(below: listing) }

    func read(_ place: ListingPlace, rows: Int) { ownership?.read(place, rows: rows) }

    func shield(_ place: ListingPlace, isFailure: Bool) { ownership?.shield(place, isFailure: isFailure) }

    func tell(_ event: SyncEvent) { context.tell(event) }

    /// Whether an entry of this run has a path, or on a file system that folds names one that is the same there.
    func isClaimed(_ path: RelativePath) -> Bool { registry.withLock { $0.isClaimed(path) } }

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

/// Finds entries their places, and passes over those that are not wanted.
struct EntrySieve: Sendable {
    let placement: Placement
    private let filter: EntryFilter

    init(_ configuration: SyncConfiguration) {
        placement = configuration.placement
        filter = configuration.filter
    }

    /// Whether an entry is wanted, as far as can be told before the server is asked.
    func wants(_ entry: Entry, at path: RelativePath) -> Bool {
        filter.wants(path) && filter.verdict(on: entry.size) != .unwanted
    }

    /// Whether anything in a listing may be wanted. Only where files lie below the destination as in the listing does the
    /// listing's own path tell.
    func mayWant(below listing: SubListing) -> Bool {
        guard placement.layout == .tree else { return true }
        let components = listing.path.split(separator: UInt8(ascii: "/")).dropFirst(max(0, placement.directoriesToCut))
        return !filter.excludesAll(below: Array(components.joined(separator: "/".utf8)))
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
    ///
    /// - Parameter mended: What the record says of the file, where it is to be mended.
    func run(_ entries: [PlannedEntry], mended: Mended? = nil, context: RunContext) async {
        for planned in entries {
            await waitForRoom()
            begin(
                EntryJob(
                    id: newJobID(), facts: planned.facts, decision: planned.decision, mended: mended, context: context))
        }
    }

    func begin(_ job: EntryJob) {
        add(job)
        guard !isInterrupted else { return }
        job.begin(in: self)
        refresh(job)
    }
}
