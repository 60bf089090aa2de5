internal import SyncCore
internal import Synchronization

/// What the entries of sources are given to.
protocol EntryTaker: Sendable {
    /// Takes a batch of entries, and waits while there is no room for more work.
    func take(_ entries: [Entry], of place: ListingPlace) async
    /// Hears of a listing below another one; false where nothing in it can be wanted.
    func found(_ listing: SubListing) -> Bool
    /// Hears that a document was read to its end, and how many rows it had.
    func read(_ place: ListingPlace, rows: Int)
    /// Hears that something below a place may be named that is not read.
    ///
    /// - Parameter isFailure: Whether that is against the user's will.
    func shield(_ place: ListingPlace, isFailure: Bool)
    /// Tells an event of the reading.
    func tell(_ event: SyncEvent)
}

/// Reads sources, and the listings that they name, and gives every entry to whoever takes them.
struct SourceReading: Sendable {
    let configuration: SyncConfiguration
    let loop: TransferLoop
    let taker: any EntryTaker
    /// What relative names in files are resolved against; nil for what the configuration says of all sources.
    private let baseOfFiles: WebURL?
    /// Where it is told what links were taken for; nil where nobody asks.
    private let explanations: ExplanationLog?
    /// What remembers how listings are read, so that they can be read once more; nil where nobody will.
    private let register: ListingRegister?
    /// How many entries each source has yielded.
    private let yielded = YieldCounter()

    init(
        configuration: SyncConfiguration, loop: TransferLoop, taker: any EntryTaker, baseOfFiles: WebURL? = nil,
        explanations: ExplanationLog? = nil, register: ListingRegister? = nil
    ) {
        self.register = register
        self.configuration = configuration
        self.loop = loop
        self.taker = taker
        self.baseOfFiles = baseOfFiles
        self.explanations = explanations
    }

    /// So many listings are read at once; their transfers need permits like all others.
    private static let listingsAtOnce = 8
    /// Entries are looked at and handed on in batches of this size.
    private static let batchSize = 256
    /// No listing is followed deeper than this, whatever the user allows.
    private static let mostDepth = 64
    /// The format whose documents are asked for by another method than GET.
    private static let collectionFormat = "webdav"

    /// One document to read.
    struct Document: Sendable {
        var source: Source
        var place: ListingPlace
        var depth = 0
        /// What the listings on the way to it say.
        var ancestors: [ListingPrint] = []
        /// The name of its format, where that is known.
        var format: String?
        /// The first entry of the page before it, if it is a further page of a listing.
        var pageBefore: PageBefore?
    }

    struct PageBefore: Sendable {
        var firstEntry: WebURL?
    }

    /// Reads the sources to their end.
    func read(_ sources: [Source]) async {
        await withTaskGroup(of: [Document].self) { group in
            var waiting = sources.enumerated().map { index, source in
                Document(source: source, place: ListingPlace(source: index), format: configuration.format)
            }
            var seen: [String: ListingPlace] = [:]
            var running = 0
            var next = 0
            while true {
                while next < waiting.count, running < Self.listingsAtOnce {
                    let document = waiting[next]
                    next += 1
                    if case .url(let url) = document.source {
                        if let first = seen[url.string] {
                            // What it names counts for the place where it was read first, and is unknown of this one.
                            if first != document.place { taker.shield(document.place, isFailure: false) }
                            if document.pageBefore != nil {
                                taker.shield(document.place, isFailure: true)
                                taker.tell(repeated(url))
                            }
                            continue
                        }
                        seen[url.string] = document.place
                        if document.pageBefore == nil { register?.note(document) }
                    }
                    running += 1
                    group.addTask { await read(document) }
                }
                guard running > 0, let found = await group.next() else { return }
                running -= 1
                waiting.removeFirst(next)
                next = 0
                waiting += found
            }
        }
    }

    /// Reads one document and nothing that it names.
    func readAlone(_ source: Source) async {
        _ = await read(Document(source: source, place: ListingPlace(source: 0), format: configuration.format))
    }

    /// Reads a listing of a server once more, with its further pages. The taker follows no listing below it.
    func readAgain(_ document: Document) async {
        var pages = [document]
        var seen: Set<String> = []
        while let page = pages.popLast() {
            if case .url(let url) = page.source, !seen.insert(url.string).inserted {
                return taker.shield(page.place, isFailure: true)
            }
            pages += await read(page)
        }
    }

    /// A listing whose pages lead back to one that was read has no end.
    private func repeated(_ page: WebURL) -> SyncEvent {
        .sourceFailed(
            source: page.redacted,
            Failure(.unreadable, "\(page.redacted) is named as a further page of its listing a second time"))
    }

    /// Reads one document; gives the listings that it names.
    private func read(_ document: Document) async -> [Document] {
        do {
            switch document.source {
            case .file(let path): return try await readFile(FileBytes(path: path), document)
            case .standardInput: return try await readFile(FileBytes(standardInput: ()), document)
            case .url(let url): return try await readURL(url, document)
            }
        } catch {
            taker.shield(document.place, isFailure: true)
            if error.code != .interrupted { taker.tell(.sourceFailed(source: document.source.name, error)) }
            return []
        }
    }

    private func readFile(_ bytes: FileBytes, _ document: Document) async throws(Failure) -> [Document] {
        var context = ManifestContext(
            sourceName: document.source.name, baseURL: baseOfFiles ?? configuration.baseURL,
            directory: document.place.directory)
        context.locations = configuration.locations
        var reader = DocumentReader(context: context, format: document.format, explanations: explanations)
        var found = Found(in: document)
        while let piece = try await bytes.next() {
            guard !Task.isCancelled else { throw Failure(.interrupted, "interrupted") }
            try await handOn(try reader.read(piece), document, &found)
        }
        try await handOn(try reader.finish(), document, &found)
        return try ended(document, reader, found)
    }

    private func readURL(_ url: WebURL, _ document: Document) async throws(Failure) -> [Document] {
        let channel = await loop.fetchListing(url, asCollection: document.format == Self.collectionFormat)
        defer { channel.stopReading() }
        var reader: DocumentReader?
        var found = Found(in: document)
        while true {
            switch await channel.next() {
            case .begin(let head, let finalURL):
                // The user's base is that of the source, not of the listings that it names, nor of its further pages.
                let isSource = document.depth == 0 && document.pageBefore == nil
                let given = isSource ? configuration.baseURL : nil
                // After a cut the listing is told once more from its start; entries that were taken are passed over then.
                var context = ManifestContext(
                    sourceName: document.source.name, baseURL: given ?? finalURL,
                    mediaType: head.representation.mediaType, charset: head.charset,
                    directory: document.place.directory)
                context.locations = configuration.locations
                reader = DocumentReader(context: context, format: document.format, explanations: explanations)
                explanations?.begin()
                yielded.takeBack(found.entries, of: document.place.source)
                found = Found(in: document)
            case .bytes(let bytes):
                found.print?.take(bytes)
                try await handOn(try reader?.read(bytes) ?? [], document, &found)
            case .end:
                try await handOn(try reader?.finish() ?? [], document, &found)
                guard let reader else { throw Failure(.unreadable, "\(url.redacted) sent no answer") }
                return try ended(document, reader, found)
            case .failed(let failure):
                throw failure
            }
        }
    }

    /// Notes that a document was read to its end; gives what it leads to.
    private func ended(
        _ document: Document, _ reader: DocumentReader, _ found: Found
    ) throws(Failure) -> [Document] {
        guard !Task.isCancelled else { throw Failure(.interrupted, "interrupted") }
        let next = try nextPage(reader, document)
        taker.read(document.place, rows: found.rows)
        return listingsBelow(document, found) + next
    }

    /// The listings that are followed from a document: none where it is one of those above it, told once more. What would
    /// be below it is unknown then.
    private func listingsBelow(_ document: Document, _ found: Found) -> [Document] {
        guard !found.listings.isEmpty else { return [] }
        guard let print = found.print?.finished() else { return found.listings }
        if print.repeats(document.ancestors) {
            taker.shield(document.place, isFailure: true)
            let name = document.source.name
            taker.tell(
                .problem(
                    EntryOrigin(source: name),
                    Failure(
                        .unsafePath,
                        "the listing \(name) says the same as one above it, as below a link that leads back; "
                            + "the listings that it names are not followed")))
            return []
        }
        let ancestors = document.ancestors + [print]
        return found.listings.map { listing in
            var listing = listing
            listing.ancestors = ancestors
            return listing
        }
    }

    /// The page that a document's listing goes on with.
    private func nextPage(_ reader: DocumentReader, _ document: Document) throws(Failure) -> [Document] {
        guard let url = reader.nextPage else { return [] }
        if let before = document.pageBefore?.firstEntry, before == reader.firstEntry {
            throw Failure(
                .unreadable, "\(document.source.name) answers a further page of the listing with the page before it")
        }
        return [
            Document(
                source: .url(url), place: document.place, depth: document.depth, ancestors: document.ancestors,
                format: document.format, pageBefore: PageBefore(firstEntry: reader.firstEntry))
        ]
    }

    /// What was found in a document so far.
    private struct Found {
        var listings: [Document] = []
        /// Entries and listings.
        var rows = 0
        var entries = 0
        /// What the document says, in sum. Nothing leads back to a file or to standard input.
        var print: ListingPrint.Maker?

        init(in document: Document) {
            guard case .url = document.source else { return }
            print = ListingPrint.Maker(directory: document.place.directory)
        }
    }

    /// Gives entries to the intake, tells of problems, and notes the listings that are to be followed.
    private func handOn(_ items: [ManifestItem], _ document: Document, _ found: inout Found) async throws(Failure) {
        var entries: [Entry] = []
        for item in items {
            found.print?.take(item)
            switch item {
            case .entry(let entry):
                found.rows += 1
                found.entries += 1
                try count(document)
                entries.append(entry)
                if entries.count == Self.batchSize {
                    await taker.take(entries, of: document.place)
                    entries.removeAll(keepingCapacity: true)
                }
            case .listing(let listing):
                found.rows += 1
                if let next = follow(listing, from: document) { found.listings.append(next) }
            case .nextPage, .explained: break
            case .problem(let problem):
                // It may be the row of anything that was here before.
                taker.shield(document.place, isFailure: true)
                taker.tell(.problem(problem.origin, Failure(.badEntry, problem.message)))
            }
        }
        if !entries.isEmpty { await taker.take(entries, of: document.place) }
    }

    /// Counts an entry, of which a source may have only so many.
    private func count(_ document: Document) throws(Failure) {
        let count = yielded.add(to: document.place.source)
        guard let most = configuration.mostEntries, count > most else { return }
        throw Failure(
            .unreadable,
            "\(document.source.name) names more than the \(most) entries that --max-entries allows its source")
    }

    private func follow(_ listing: SubListing, from document: Document) -> Document? {
        let place = ListingPlace(source: document.place.source, directory: listing.path)
        let isWanted = taker.found(listing)
        let depth = document.depth + 1
        let name = listing.url.redacted
        if !isWanted || depth > configuration.depth ?? .max {
            taker.shield(place, isFailure: false)
            return nil
        }
        guard depth <= Self.mostDepth, !listing.path.repeatsItself else {
            let why = depth > Self.mostDepth ? "lies more than \(Self.mostDepth) listings deep" : "repeats itself"
            taker.shield(place, isFailure: true)
            taker.tell(.problem(listing.origin, Failure(.unsafePath, "the listing \(name) \(why) and is not followed")))
            return nil
        }
        return Document(source: .url(listing.url), place: place, depth: depth, format: listing.format)
    }
}

/// How many entries each source has yielded.
private final class YieldCounter: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    /// Counts one more; gives how many there are.
    func add(to source: Int) -> Int {
        counts.withLock { counts in
            counts[source, default: 0] += 1
            return counts[source, default: 0]
        }
    }

    /// Forgets entries that are told once more.
    func takeBack(_ count: Int, of source: Int) { counts.withLock { $0[source, default: 0] -= count } }
}

extension [UInt8] {
    /// Whether one directory stands four times in a row, as below a link that leads to itself.
    fileprivate var repeatsItself: Bool {
        let components = split(separator: UInt8(ascii: "/"))
        var run = 1
        for index in components.indices.dropFirst() {
            run = components[index] == components[index - 1] ? run + 1 : 1
            if run == 4 { return true }
        }
        return false
    }
}

extension TransferLoop {
    /// Begins to fetch a listing or a manifest.
    ///
    /// - Parameter asCollection: Whether it is a WebDAV collection.
    func fetchListing(_ url: WebURL, asCollection: Bool = false) -> ListingChannel {
        let id = newJobID()
        let channel = ListingChannel { [weak self] wish in
            self?.post { loop in
                switch wish {
                case .more: for transfer in loop.transfers(of: id) { transfer.resume(.reader) }
                case .nothing: (loop.job(id) as? ListingJob)?.abandon(in: loop)
                }
            }
        }
        add(
            ListingJob(
                id: id, url: url, asCollection: asCollection, channel: channel, retry: configuration.transfer.retry,
                seed: newSeed()))
        return channel
    }
}
