/// How a link of a listing was classified, and why: for people who wonder why a file is missing from what a page yields.
public struct ExplainedLink: Hashable, Sendable {
    /// What a link was taken for.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A wanted file.
        case entry
        /// A listing below this one.
        case listing
        /// The listing above.
        case parent
        /// A link that sorts the listing.
        case sorting
        /// A place in a page.
        case fragment
        /// The page itself.
        case page
        /// Names what a link before it names.
        case duplicate
        /// On another host, or another port or scheme of this one.
        case otherHost = "other-host"
        /// On this host, and not below the listing.
        case outside
        /// Of another scheme than http and https.
        case notHTTP = "not-http"
        /// No address at all.
        case invalid
    }

    /// What it was taken for.
    public var kind: Kind
    /// The link as the document has it, character references decoded. Of a format without links, the address.
    public var reference: [UInt8]
    /// The address that it leads to; nil where it is none.
    public var url: WebURL?
    /// Its place below the destination, of an entry or a listing: raw bytes, no last slash.
    public var path: [UInt8]?
    /// Why, as words without a full stop.
    public var reason: String

    package init(_ kind: Kind, reference: [UInt8], url: WebURL? = nil, path: [UInt8]? = nil, reason: String) {
        self.kind = kind
        self.reference = reference
        self.url = url
        self.path = path
        self.reason = reason
    }

    /// What a format without links says by an item; nil for one that is no file and no listing.
    package init?(_ item: ManifestItem, format: String) {
        switch item {
        case .entry(let entry):
            guard let url = entry.urls.first else { return nil }
            self.init(
                .entry, reference: Array(url.withoutCredentials.string.utf8), url: url, path: entry.suggestedPath,
                reason: "a file of the \(format) document")
        case .listing(let listing):
            self.init(
                .listing, reference: Array(listing.url.withoutCredentials.string.utf8), url: listing.url,
                path: listing.path, reason: "a listing that the \(format) document names")
        case .nextPage, .problem, .explained: return nil
        }
    }
}
