internal import SyncCore
internal import Synchronization

/// Reads the lists that are sources of digests alone, before any entry is taken.
struct DigestReading: Sendable {
    let configuration: SyncConfiguration
    let loop: TransferLoop
    let events: EventQueue<SyncEvent>

    /// Reads the lists, and then the sources, whose entries are given on with the digests that the lists have of them.
    func readSources(_ sources: [Source], taker: any EntryTaker) async {
        guard let table = await read() else { return }
        let reading = SourceReading(
            configuration: configuration, loop: loop,
            taker: table.isEmpty ? taker : DigestedTaker(table: table, taker: taker), events: events)
        await reading.read(sources)
    }

    /// Gives the digests of all lists; nil where one cannot be read, which was told then: what was to be verified must
    /// not come unverified.
    private func read() async -> DigestTable? {
        guard !configuration.digests.isEmpty else { return DigestTable() }
        let taker = DigestTaker(events: events)
        // What is said of the sources is not said of these.
        var own = configuration
        own.format = nil
        own.baseURL = nil
        own.depth = nil
        let reading = SourceReading(
            configuration: own, loop: loop, taker: taker, events: events,
            baseOfFiles: configuration.baseURL ?? WebURL(DigestTable.nowhere))
        let isWhole = await reading.read(configuration.digests)
        return isWhole ? taker.table.withLock { $0 } : nil
    }
}

/// Takes the digests of entries, and nothing else of them.
private final class DigestTaker: EntryTaker {
    let table = Mutex(DigestTable())
    private let events: EventQueue<SyncEvent>

    init(events: EventQueue<SyncEvent>) { self.events = events }

    func take(_ entries: [Entry]) async {
        for entry in entries {
            do {
                try table.withLock { (table) throws(Failure) in try table.take(entry) }
            } catch {
                events.push(.problem(entry.origin, error))
            }
        }
    }

    func found(_ listing: SubListing) {}
}

/// Gives entries on with the digests that are known of them.
private struct DigestedTaker: EntryTaker {
    let table: DigestTable
    let taker: any EntryTaker

    func take(_ entries: [Entry]) async { await taker.take(entries.map(table.digested)) }

    func found(_ listing: SubListing) { taker.found(listing) }
}
