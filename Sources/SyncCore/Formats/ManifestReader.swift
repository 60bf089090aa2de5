/// What a reader finds in a source.
package enum ManifestItem: Hashable, Sendable {
    /// A wanted file.
    case entry(Entry)
    /// A listing below this one, to be read too.
    case listing(SubListing)
    /// The document is only a part of its listing, which goes on there.
    case nextPage(WebURL)
    /// A line or row that cannot be used; the rest goes on.
    case problem(ManifestProblem)
    /// How a link was classified; only where the context asks for it.
    case explained(ExplainedLink)
}

/// A listing that a listing names.
public struct SubListing: Hashable, Sendable {
    /// Where it is.
    public var url: WebURL
    /// Its directory below the destination, as raw bytes without a last slash; empty for the destination itself.
    public var path: [UInt8]
    /// Where it was named.
    public var origin: EntryOrigin
    /// Its date in the listing.
    public var modified: ListedDate?
    /// The name of its format, where that is known beforehand; it may have to be asked for in a way of its own.
    package var format: String?

    package init(
        url: WebURL, path: [UInt8], origin: EntryOrigin, modified: ListedDate? = nil, format: String? = nil
    ) {
        self.url = url
        self.path = path
        self.origin = origin
        self.modified = modified
        self.format = format
    }
}

/// A line or row that was passed over, and why.
package struct ManifestProblem: Hashable, Sendable {
    package var origin: EntryOrigin
    /// What is wrong and what would cure it, as one sentence without its full stop.
    package var message: String

    package init(origin: EntryOrigin, message: String) {
        self.origin = origin
        self.message = message
    }
}

/// A source that cannot be read at all, or not to its end: nothing may be concluded from what it did not name.
package struct ManifestError: Error, Hashable, Sendable {
    /// What is wrong and what would cure it, as one sentence without its full stop.
    package var message: String

    package init(_ message: String) { self.message = message }
}

/// What a reader needs to know of the document it reads.
package struct ManifestContext: Hashable, Sendable {
    /// The source's name for messages.
    package var sourceName: String
    /// What relative references are resolved against: the final response's URL, or `--base-url`. Nil for a file or
    /// standard input without one.
    package var baseURL: WebURL?
    /// The media type without parameters, in lower case, where a server gave one.
    package var mediaType: String?
    /// The charset parameter of the media type, in lower case.
    package var charset: String?
    /// The directory below the destination that a listing's entries belong to: raw bytes, no last slash.
    package var directory: [UInt8]
    /// The countries whose mirrors are asked before all others (`--location`).
    package var locations: Set<CountryCode> = []
    /// Whether each link is told with the reason for what it was taken for.
    package var explainsLinks = false

    package init(
        sourceName: String, baseURL: WebURL? = nil, mediaType: String? = nil, charset: String? = nil,
        directory: [UInt8] = []
    ) {
        self.sourceName = sourceName
        self.baseURL = baseURL
        self.mediaType = mediaType
        self.charset = charset
        self.directory = directory
    }
}

/// Reads one format: takes a document's bytes however they are cut, and gives what it finds as it finds it.
package protocol ManifestReader {
    /// Takes the next bytes and appends what they complete to `items`.
    ///
    /// - Throws: ``ManifestError`` where the document is not of the format or breaks a limit. The reader is not used
    ///   again then.
    mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError)

    /// Ends the document and appends what was still open.
    ///
    /// - Throws: ``ManifestError`` where the document was cut short.
    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError)
}

/// One row of the table of formats: a name, how it is recognised, and its reader.
package struct ManifestFormat: Sendable {
    /// The name that `--format` takes.
    package let name: String
    /// Whether a document is of this format, by its first bytes (up to 4 KiB, all of a shorter one) and its context.
    package let recognises: @Sendable (_ start: ArraySlice<UInt8>, _ context: ManifestContext) -> Bool
    /// A reader for one document.
    package let makeReader: @Sendable (_ context: ManifestContext) -> any ManifestReader

    package init(
        name: String,
        recognises: @escaping @Sendable (_ start: ArraySlice<UInt8>, _ context: ManifestContext) -> Bool,
        makeReader: @escaping @Sendable (_ context: ManifestContext) -> any ManifestReader
    ) {
        self.name = name
        self.recognises = recognises
        self.makeReader = makeReader
    }
}
