internal import SyncCore
internal import Synchronization

/// Reads the lists that are sources of digests alone, before any entry is taken, and then the sources.
struct DigestReading: Sendable {
    let configuration: SyncConfiguration
    let loop: TransferLoop
    /// What remembers how the listings of the sources are read.
    var register: ListingRegister?

    /// Reads the lists, and then the sources, whose entries are given on with the digests that the lists have of them. Where
    /// a list cannot be read no source is: what was to be verified must not come unverified.
    func readSources(_ sources: [Source], taker: any EntryTaker) async {
        guard let table = await readLists(taker) else {
            for index in sources.indices { taker.shield(ListingPlace(source: index), isFailure: true) }
            return
        }
        let reading = SourceReading(
            configuration: configuration, loop: loop,
            taker: table.isEmpty ? taker : DigestedTaker(table: table, taker: taker), register: register)
        await reading.read(sources)
    }

    /// The digests of all lists; nil where one cannot be read, which was told then.
    func readLists(_ taker: any EntryTaker) async -> DigestTable? {
        guard !configuration.digests.isEmpty else { return DigestTable() }
        let digestTaker = DigestTaker(telling: taker)
        // What is said of the sources is not said of these.
        var own = configuration
        own.format = nil
        own.baseURL = nil
        own.depth = nil
        own.mostEntries = nil
        let reading = SourceReading(
            configuration: own, loop: loop, taker: digestTaker,
            baseOfFiles: configuration.baseURL ?? WebURL(DigestTable.nowhere))
        await reading.read(configuration.digests)
        return Task.isCancelled ? nil : digestTaker.table
    }
}

/// Takes the digests of entries, and nothing else of them.
private final class DigestTaker: EntryTaker {
    private let state = Mutex((table: DigestTable(), isWhole: true))
    private let other: any EntryTaker

    /// - Parameter other: Who tells what is to be told.
    init(telling other: any EntryTaker) { self.other = other }

    /// The digests; nil where a list could not be read to its end.
    var table: DigestTable? { state.withLock { $0.isWhole ? $0.table : nil } }

    func take(_ entries: [Entry], of place: ListingPlace) async {
        for entry in entries {
            do {
                try state.withLock { (state) throws(Failure) in try state.table.take(entry) }
            } catch {
                other.tell(.problem(entry.origin, error))
            }
        }
    }

    func found(_ listing: SubListing) -> Bool { true }
    func read(_ place: ListingPlace, rows: Int) {}
    func shield(_ place: ListingPlace, isFailure: Bool) {}

    func tell(_ event: SyncEvent) {
        if case .sourceFailed = event { state.withLock { $0.isWhole = false } }
        other.tell(event)
    }
}

/// Gives entries on with the digests that are known of them.
private struct DigestedTaker: EntryTaker {
    let table: DigestTable
    let taker: any EntryTaker

    func take(_ entries: [Entry], of place: ListingPlace) async {
        await taker.take(entries.map(table.digested), of: place)
    }

    func found(_ listing: SubListing) -> Bool { taker.found(listing) }
    func read(_ place: ListingPlace, rows: Int) { taker.read(place, rows: rows) }
    func shield(_ place: ListingPlace, isFailure: Bool) { taker.shield(place, isFailure: isFailure) }
    func tell(_ event: SyncEvent) { taker.tell(event) }
}
