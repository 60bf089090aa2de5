internal import SyncCore

/// What the entries of sources are given to.
protocol EntryTaker: Sendable {
    /// Takes a batch of entries, and waits while there is no room for more work.
    func take(_ entries: [Entry]) async
    /// Hears of a listing below another one, before it is decided whether it is followed.
    func found(_ listing: SubListing)
}

/// Reads sources, and the listings that they name, and gives every entry to whoever takes them.
struct SourceReading: Sendable {
    let configuration: SyncConfiguration
    let loop: TransferLoop
    let taker: any EntryTaker
    let events: EventQueue<SyncEvent>
    /// What relative names in files are resolved against; nil for what the configuration says of all sources.
    var baseOfFiles: WebURL?
    /// Where it is told what links were taken for; nil where nobody asks.
    var explanations: ExplanationLog?

    /// So many listings are read at once; their transfers need permits like all others.
    private static let listingsAtOnce = 8
    /// Entries are looked at and handed on in batches of this size.
    private static let batchSize = 256
    /// No listing is followed deeper than this, whatever the user allows.
    private static let mostDepth = 64
    /// The format whose documents are asked for by another method than GET.
    private static let collectionFormat = "webdav"

    /// One document to read.
    private struct Document {
        var source: Source
        var directory: [UInt8] = []
        var depth = 0
        /// The name of its format, where that is known.
        var format: String?
        /// The first entry of the page before it, if it is a further page of a listing.
        var pageBefore: PageBefore?
    }

    private struct PageBefore {
        var firstEntry: WebURL?
    }

    /// Reads the sources to their end. Gives whether all of them, and all listings below them, could be read.
    @discardableResult
    func read(_ sources: [Source]) async -> Bool {
        await withTaskGroup(of: [Document]?.self) { group in
            var isWhole = true
            var waiting = sources.map { Document(source: $0, format: configuration.format) }
            var seen = Set<String>()
            var running = 0
            var next = 0
            while true {
                while next < waiting.count, running < Self.listingsAtOnce {
                    let document = waiting[next]
                    next += 1
                    if case .url(let url) = document.source, !seen.insert(url.string).inserted {
                        if document.pageBefore != nil {
                            events.push(repeated(url))
                            isWhole = false
                        }
                        continue
                    }
                    running += 1
                    group.addTask { await read(document) }
                }
                guard running > 0, let found = await group.next() else { return isWhole }
                running -= 1
                isWhole = isWhole && found != nil
                waiting.removeFirst(next)
                next = 0
                waiting += found ?? []
            }
        }
    }

    /// Reads one document and nothing that it names.
    func readAlone(_ source: Source) async { _ = await read(Document(source: source, format: configuration.format)) }

    /// A listing whose pages lead back to one that was read has no end.
    private func repeated(_ page: WebURL) -> SyncEvent {
        .sourceFailed(
            source: page.redacted,
            Failure(.unreadable, "\(page.redacted) is named as a further page of its listing a second time"))
    }

    /// Reads one document; gives the listings that it names, and nil where it could not be read.
    private func read(_ document: Document) async -> [Document]? {
        do {
            switch document.source {
            case .file(let path): return try await readFile(FileBytes(path: path), document)
            case .standardInput: return try await readFile(FileBytes(standardInput: ()), document)
            case .url(let url): return try await readURL(url, document)
            }
        } catch {
            if error.code != .interrupted {
                events.push(.sourceFailed(source: document.source.name, error))
            }
            return nil
        }
    }

    private func readFile(_ bytes: FileBytes, _ document: Document) async throws(Failure) -> [Document] {
        let context = ManifestContext(
            sourceName: document.source.name, baseURL: baseOfFiles ?? configuration.baseURL,
            directory: document.directory)
        var reader = DocumentReader(context: context, format: document.format, explanations: explanations)
        var found: [Document] = []
        while let piece = try await bytes.next() {
            guard !Task.isCancelled else { throw Failure(.interrupted, "interrupted") }
            found += await handOn(try reader.read(piece), document)
        }
        found += await handOn(try reader.finish(), document)
        return found + (try nextPage(reader, document))
    }

    private func readURL(_ url: WebURL, _ document: Document) async throws(Failure) -> [Document] {
        let channel = await loop.fetchListing(url, asCollection: document.format == Self.collectionFormat)
        defer { channel.stopReading() }
        var reader: DocumentReader?
        var found: [Document] = []
        while true {
            switch await channel.next() {
            case .begin(let head, let finalURL):
                // The user's base is that of the source, not of the listings that it names, nor of its further pages.
                let isSource = document.depth == 0 && document.pageBefore == nil
                let given = isSource ? configuration.baseURL : nil
                // After a cut the listing is told once more from its start; entries that were taken are passed over then.
                reader = DocumentReader(
                    context: ManifestContext(
                        sourceName: document.source.name, baseURL: given ?? finalURL,
                        mediaType: head.representation.mediaType, charset: head.charset,
                        directory: document.directory),
                    format: document.format, explanations: explanations)
                explanations?.begin()
                found = []
            case .bytes(let bytes):
                found += await handOn(try reader?.read(bytes) ?? [], document)
            case .end:
                found += await handOn(try reader?.finish() ?? [], document)
                guard let reader else { return found }
                return found + (try nextPage(reader, document))
            case .failed(let failure):
                throw failure
            }
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
                source: .url(url), directory: document.directory, depth: document.depth, format: document.format,
                pageBefore: PageBefore(firstEntry: reader.firstEntry))
        ]
    }

    /// Gives entries to the intake, and tells of problems; gives the listings that are to be followed.
    private func handOn(_ items: [ManifestItem], _ document: Document) async -> [Document] {
        var entries: [Entry] = []
        var listings: [Document] = []
        for item in items {
            switch item {
            case .entry(let entry):
                entries.append(entry)
                if entries.count == Self.batchSize {
                    await taker.take(entries)
                    entries.removeAll(keepingCapacity: true)
                }
            case .listing(let listing):
                if let next = follow(listing, from: document) { listings.append(next) }
            case .nextPage, .explained: break
            case .problem(let problem):
                events.push(.problem(problem.origin, Failure(.badEntry, problem.message)))
            }
        }
        if !entries.isEmpty { await taker.take(entries) }
        return listings
    }

    private func follow(_ listing: SubListing, from document: Document) -> Document? {
        taker.found(listing)
        let depth = document.depth + 1
        if let most = configuration.depth, depth > most { return nil }
        let name = listing.url.redacted
        guard depth <= Self.mostDepth, !listing.path.repeatsItself else {
            let why = depth > Self.mostDepth ? "lies more than \(Self.mostDepth) listings deep" : "repeats itself"
            events.push(
                .problem(listing.origin, Failure(.unsafePath, "the listing \(name) \(why) and is not followed")))
            return nil
        }
        return Document(source: .url(listing.url), directory: listing.path, depth: depth, format: listing.format)
    }
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
