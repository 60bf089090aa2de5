internal import Compression
internal import Markup
internal import SyncCore

/// Reads one document of a format that shows only with its first bytes.
struct DocumentReader {
    /// A format is recognised by so many first bytes.
    private static let recognisedBytes = 4096

    private var context: ManifestContext
    private let format: String?
    private let unpacker: Unpacker
    private var start: [UInt8] = []
    private var reader: (any ManifestReader)?
    private var formatName = ""
    /// Where it is told what links were taken for; nil where nobody asks.
    private let explanations: ExplanationLog?
    /// The first entry of the document.
    private(set) var firstEntry: WebURL?
    /// Where the listing goes on, if the document says so.
    private(set) var nextPage: WebURL?

    init(context: ManifestContext, format: String?, explanations: ExplanationLog? = nil) {
        self.context = context
        self.context.explainsLinks = explanations != nil
        self.explanations = explanations
        self.format = format
        unpacker = Unpacker(sourceName: context.sourceName)
    }

    /// Takes the next bytes, compressed or not, and gives what they complete.
    mutating func read(_ bytes: [UInt8]) throws(Failure) -> [ManifestItem] {
        try collect { (document, items) throws(ManifestError) in
            try document.unpacker.read(bytes[...]) { piece throws(ManifestError) in
                try document.take(piece, into: &items)
            }
        }
    }

    /// Ends the document and gives what was still open.
    mutating func finish() throws(Failure) -> [ManifestItem] {
        try collect { (document, items) throws(ManifestError) in
            try document.unpacker.finish { piece throws(ManifestError) in try document.take(piece, into: &items) }
            if document.reader == nil { try document.recognise(into: &items) }
            try document.reader?.finish(into: &items)
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        guard reader == nil else {
            try reader?.read(bytes, into: &items)
            return
        }
        start += bytes
        if start.count >= Self.recognisedBytes { try recognise(into: &items) }
    }

    private mutating func recognise(into items: inout [ManifestItem]) throws(ManifestError) {
        let found = try chooseFormat(start: start.prefix(Self.recognisedBytes), context: context, named: format)
        reader = found.makeReader(context)
        formatName = found.name
        let bytes = start
        start = []
        try reader?.read(bytes[...], into: &items)
    }

    private mutating func collect(
        _ body: (inout DocumentReader, inout [ManifestItem]) throws(ManifestError) -> Void
    ) throws(Failure) -> [ManifestItem] {
        var items: [ManifestItem] = []
        // A page that is no listing is explained as well: most of all that.
        defer { explanations?.note(items, format: formatName) }
        do {
            try body(&self, &items)
        } catch {
            throw Failure(.unreadable, error.message)
        }
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
