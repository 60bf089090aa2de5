internal import Markup
internal import SyncCore

/// Reads one document of a format that shows only with its first bytes.
struct DocumentReader {
    /// A format is recognised by so many first bytes.
    private static let recognisedBytes = 4096

    private let context: ManifestContext
    private let format: String?
    private var start: [UInt8] = []
    private var reader: (any ManifestReader)?
    /// The first entry of the document.
    private(set) var firstEntry: WebURL?
    /// Where the listing goes on, if the document says so.
    private(set) var nextPage: WebURL?

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
        note(items)
        return items
    }

    private mutating func note(_ items: [ManifestItem]) {
        for item in items {
            switch item {
            case .entry(let entry) where firstEntry == nil: firstEntry = entry.urls.first
            case .nextPage(let url): nextPage = url
            default: break
            }
        }
    }
}
