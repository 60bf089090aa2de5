internal import SyncCore
internal import Synchronization

/// Entries that were named by a listing and that the server did not have a little later: they wait until their listings were
/// looked at once more, and are no failures where those do not name them any more.
final class VanishedEntries: Sendable {
    /// An entry, and what is told of it if it is a failure.
    struct Waiting: Sendable {
        var outcome: Outcome
        var facts: EntryFacts
        var place: ListingPlace
    }

    /// Where more vanish than this, something else is wrong than a file that was removed a moment ago.
    static let most = 10_000

    private let register: ListingRegister
    private let waiting = Mutex<[Waiting]>([])

    init(_ register: ListingRegister) { self.register = register }

    /// Takes an entry that the server does not have; false where it is a failure at once, as its listing cannot be asked.
    func take(_ outcome: Outcome, of facts: EntryFacts) -> Bool {
        guard let place = facts.listing, register.document(at: place) != nil else { return false }
        return waiting.withLock { waiting in
            guard waiting.count < Self.most else { return false }
            waiting.append(Waiting(outcome: outcome, facts: facts, place: place))
            return true
        }
    }

    /// All that wait, which are the caller's to tell of.
    func takeAll() -> [Waiting] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// Looks at listings once more, of which entries have vanished.
struct SecondLook: Sendable {
    let configuration: SyncConfiguration
    let loop: TransferLoop
    let context: RunContext
    let register: ListingRegister
    let vanished: VanishedEntries

    /// So many listings are read at once.
    private static let listingsAtOnce = 8

    /// Tells what became of all entries that wait: to be called when everything else was fetched.
    func perform() async {
        let places = Dictionary(grouping: vanished.takeAll(), by: \.place)
        await withTaskGroup(of: Void.self) { group in
            for (index, (place, entries)) in places.enumerated() {
                if index >= Self.listingsAtOnce { await group.next() }
                group.addTask { await judge(entries, at: place) }
            }
        }
    }

    private func judge(_ entries: [VanishedEntries.Waiting], at place: ListingPlace) async {
        let named = await namedStill(Set(entries.map(\.facts.resource)), at: place)
        for var entry in entries {
            guard let named, !named.contains(entry.facts.resource) else {
                context.tell(.outcome(context.failed(entry.outcome, entry.facts)))
                continue
            }
            entry.outcome.action = .skip
            entry.outcome.status = .kept
            entry.outcome.reason = "the server has it no more, and its listing does not name it any more either"
            entry.outcome.failure = nil
            entry.outcome.isGone = true
            if entry.facts.failure != nil { context.desk.note(.forgetFailure(entry.facts.path)) }
            context.tell(.outcome(entry.outcome))
        }
    }

    /// Which of some resources a listing names now; nil where that cannot be said. A listing that is gone itself names none,
    /// if the one above it says so.
    private func namedStill(_ resources: Set<String>, at place: ListingPlace) async -> Set<String>? {
        guard let document = register.document(at: place) else { return nil }
        let taker = NameTaker(resources: resources)
        await reading(for: taker).readAgain(document)
        if let named = taker.named { return named }
        var below = place
        while let above = below.parent, !Task.isCancelled {
            guard let document = register.document(at: above) else { return nil }
            let taker = NameTaker(resources: [], listing: below)
            await reading(for: taker).readAgain(document)
            if taker.named != nil { return taker.namesListing ? nil : [] }
            below = above
        }
        return nil
    }

    private func reading(for taker: NameTaker) -> SourceReading {
        SourceReading(configuration: configuration, loop: loop, taker: taker)
    }
}

/// Takes which of some resources a listing names.
private final class NameTaker: EntryTaker {
    private struct Found {
        var named: Set<String> = []
        var rows = 0
        var isWhole = true
        var namesListing = false
    }

    private let resources: Set<String>
    private let listing: ListingPlace?
    private let found = Mutex(Found())

    /// - Parameter listing: A listing below the one that is read, if it is looked for.
    init(resources: Set<String>, listing: ListingPlace? = nil) {
        self.resources = resources
        self.listing = listing
    }

    /// Those that are named; nil where the listing was not read to its end, or has no row: a server that lost its disk shows
    /// empty pages.
    var named: Set<String>? { found.withLock { $0.isWhole && $0.rows > 0 ? $0.named : nil } }

    /// Whether the listing is named that is looked for.
    var namesListing: Bool { found.withLock { $0.namesListing } }

    func take(_ entries: [Entry], of place: ListingPlace) async {
        found.withLock { found in
            for entry in entries {
                let resource = entry.urls[0].resourceIdentity
                if resources.contains(resource) { found.named.insert(resource) }
            }
        }
    }

    func found(_ listing: SubListing) -> Bool {
        if listing.path == self.listing?.directory { found.withLock { $0.namesListing = true } }
        return false
    }

    func read(_ place: ListingPlace, rows: Int) { found.withLock { $0.rows += rows } }

    func shield(_ place: ListingPlace, isFailure: Bool) {
        if isFailure { found.withLock { $0.isWhole = false } }
    }

    // What is wrong with the listing was told when it was read first, or is told by its entries.
    func tell(_ event: SyncEvent) {}
}
