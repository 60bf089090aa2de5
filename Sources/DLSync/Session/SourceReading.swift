internal import Markup
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

    /// So many listings are read at once; their transfers need permits like all others.
    private static let listingsAtOnce = 8
    /// Entries are looked at and handed on in batches of this size.
    private static let batchSize = 256
    /// No listing is followed deeper than this, whatever the user allows.
    private static let mostDepth = 64

    /// One document to read.
    private struct Document {
        var source: Source
        var directory: [UInt8] = []
        var depth = 0
    }

    /// Reads the sources to their end.
    func read(_ sources: [Source]) async {
        await withTaskGroup(of: [Document].self) { group in
            var waiting = sources.map { Document(source: $0) }
            var seen = Set<String>()
            var running = 0
            var next = 0
            while true {
                while next < waiting.count, running < Self.listingsAtOnce {
                    let document = waiting[next]
                    next += 1
                    if case .url(let url) = document.source, !seen.insert(url.string).inserted { continue }
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

    /// Reads one document; gives the listings that it names.
    private func read(_ document: Document) async -> [Document] {
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
            return []
        }
    }

    private func readFile(_ bytes: FileBytes, _ document: Document) async throws(Failure) -> [Document] {
        let context = ManifestContext(
            sourceName: document.source.name, baseURL: configuration.baseURL, directory: document.directory)
        var reader = DocumentReader(context: context, format: configuration.format)
        var found: [Document] = []
        while let piece = try await bytes.next() {
            guard !Task.isCancelled else { throw Failure(.interrupted, "interrupted") }
            found += await handOn(try reader.read(piece), document)
        }
        return found + (await handOn(try reader.finish(), document))
    }

    private func readURL(_ url: WebURL, _ document: Document) async throws(Failure) -> [Document] {
        let channel = await loop.fetchListing(url)
        defer { channel.stopReading() }
        var reader: DocumentReader?
        var found: [Document] = []
        while true {
            switch await channel.next() {
            case .begin(let head, let finalURL):
                // The user's base is that of the source, not of the listings that it names.
                let given = document.depth == 0 ? configuration.baseURL : nil
                // After a cut the listing is told once more from its start; entries that were taken are passed over then.
                reader = DocumentReader(
                    context: ManifestContext(
                        sourceName: document.source.name, baseURL: given ?? finalURL,
                        mediaType: head.representation.mediaType, charset: head.charset,
                        directory: document.directory),
                    format: document.depth == 0 ? configuration.format : nil)
                found = []
            case .bytes(let bytes):
                found += await handOn(try reader?.read(bytes) ?? [], document)
            case .end:
                return found + (await handOn(try reader?.finish() ?? [], document))
            case .failed(let failure):
                throw failure
            }
        }
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
        return Document(source: .url(listing.url), directory: listing.path, depth: depth)
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

/// Reads one document of a format that shows only with its first bytes.
private struct DocumentReader {
    /// A format is recognised by so many first bytes.
    private static let recognisedBytes = 4096

    private let context: ManifestContext
    private let format: String?
    private var start: [UInt8] = []
    private var reader: (any ManifestReader)?

    init(context: ManifestContext, format: String?) {
        self.context = context
        self.format = format
    }

    mutating func read(_ bytes: [UInt8]) throws(Failure) -> [ManifestItem] {
        if reader == nil {
            start += bytes
            guard start.count >= Self.recognisedBytes else { return [] }
            return try recognise()
        }
        return try run { (reader, items) throws(ManifestError) in try reader.read(bytes[...], into: &items) }
    }

    mutating func finish() throws(Failure) -> [ManifestItem] {
        var items = reader == nil ? try recognise() : []
        items += try run { (reader, items) throws(ManifestError) in try reader.finish(into: &items) }
        return items
    }

    private mutating func recognise() throws(Failure) -> [ManifestItem] {
        do {
            reader = try chooseFormat(
                start: start.prefix(Self.recognisedBytes), context: context, named: format
            ).makeReader(context)
        } catch {
            throw Failure(.unreadable, error.message)
        }
        defer { start = [] }
        let bytes = start
        return try run { (reader, items) throws(ManifestError) in try reader.read(bytes[...], into: &items) }
    }

    private mutating func run(
        _ body: (inout any ManifestReader, inout [ManifestItem]) throws(ManifestError) -> Void
    ) throws(Failure) -> [ManifestItem] {
        guard var reader = self.reader else { return [] }
        var items: [ManifestItem] = []
        do {
            try body(&reader, &items)
        } catch {
            throw Failure(.unreadable, error.message)
        }
        self.reader = reader
        return items
    }
}

extension TransferLoop {
    /// Begins to fetch a listing or a manifest.
    func fetchListing(_ url: WebURL) -> ListingChannel {
        let id = newJobID()
        let channel = ListingChannel { [weak self] wish in
            self?.post { loop in
                switch wish {
                case .more: for transfer in loop.transfers(of: id) { transfer.resume(.reader) }
                case .nothing: (loop.job(id) as? ListingJob)?.abandon(in: loop)
                }
            }
        }
        add(ListingJob(id: id, url: url, channel: channel, retry: configuration.transfer.retry, seed: newSeed()))
        return channel
    }
}
