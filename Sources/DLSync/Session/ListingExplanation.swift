internal import Markup
public import SyncCore
internal import Synchronization

/// What is told of one document's links.
public struct ListingExplanation: Sendable {
    /// The links in the document's order, and what each was taken for.
    public var links: [ExplainedLink] = []
    /// Lines and rows that could not be used.
    public var problems: [(origin: EntryOrigin, failure: Failure)] = []
    /// Why the document could not be read to its end, or is no listing.
    public var failure: Failure?
}

/// Reads one document as a source is read, and tells what each of its links was taken for, and why. No listing below it is
/// read.
///
/// - Parameters:
///   - source: The document.
///   - configuration: How it is read; what is about comparing and storing files has no meaning here.
/// - Throws: ``Failure`` where no transfer can be made at all.
public func explainListing(
    _ source: Source, _ configuration: SyncConfiguration = SyncConfiguration()
) async throws(Failure) -> ListingExplanation {
    let loop = try await TransferLoop.running(configuration.loop, progress: ProgressBoard())
    let events = EventQueue<SyncEvent>()
    let log = ExplanationLog()
    let reading = SourceReading(
        configuration: configuration, loop: loop, taker: NobodyTakes(events: events), explanations: log)
    await withTaskCancellationHandler {
        await reading.readAlone(source)
    } onCancel: {
        loop.post { loop in loop.interruptAll() }
    }
    events.finish()
    await loop.stop()
    await loop.waitUntilStopped()
    var explanation = ListingExplanation(links: log.links)
    while let event = await events.next() {
        switch event {
        case .problem(let origin, let failure): explanation.problems.append((origin, failure))
        case .sourceFailed(_, let failure): explanation.failure = failure
        case .listed, .listing, .planned, .plannedDeletion, .outcome, .verified, .deletionsKept: break
        }
    }
    return explanation
}

/// Gathers what a document's links were taken for.
final class ExplanationLog: Sendable {
    private let gathered = Mutex<[ExplainedLink]>([])

    var links: [ExplainedLink] { gathered.withLock { $0 } }

    /// Forgets all: the document is told once more from its start.
    func begin() { gathered.withLock { $0.removeAll() } }

    /// Takes what a reader gave. Formats without links name files, which are told in their place.
    func note(_ items: [ManifestItem], format: String) {
        let hasLinks = format == ManifestFormat.html.name
        let links = items.compactMap { item -> ExplainedLink? in
            if case .explained(let link) = item { return link }
            return hasLinks ? nil : ExplainedLink(item, format: format)
        }
        gathered.withLock { $0 += links }
    }
}

/// What a document names is not wanted.
private struct NobodyTakes: EntryTaker {
    let events: EventQueue<SyncEvent>

    func take(_ entries: [Entry], of place: ListingPlace) async {}
    func found(_ listing: SubListing) -> Bool { true }
    func read(_ place: ListingPlace, rows: Int) {}
    func shield(_ place: ListingPlace, isFailure: Bool) {}
    func tell(_ event: SyncEvent) { events.push(event) }
}
