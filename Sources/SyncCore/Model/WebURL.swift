/// An absolute URL, parsed and resolved as the URL standard has it (https://url.spec.whatwg.org), kept as its
/// serialisation.
///
/// The serialisation is ASCII but for a host that was not; it never has a fragment unless ``fragment`` says so.
public struct WebURL: Hashable, Sendable {
    /// The URL as text, credentials included: for requests, never for messages. See ``redacted``.
    public let string: String

    /// Reads an absolute URL.
    public init?(_ text: String) {
        self.string = text
    }

    /// Resolves a reference as found in a document against this URL (the base).
    public func resolve(_ reference: String) -> WebURL? { nil }

    /// The scheme in lower case, without the colon.
    public var scheme: String { "" }
    /// The user name, percent-encoded; nil where there is none.
    public var user: String? { nil }
    /// The password, percent-encoded.
    public var password: String? { nil }
    /// The host in lower case, an IPv6 address with its brackets; empty where there is none.
    public var host: String { "" }
    /// The port: the URL's own or the scheme's default (80, 443, 21, 22).
    public var port: Int? { nil }
    /// The path, percent-encoded, with its leading slash.
    public var path: String { "" }
    /// The query without its question mark, percent-encoded.
    public var query: String? { nil }
    /// The fragment without its `#`, percent-encoded.
    public var fragment: String? { nil }

    /// Scheme, host and port: what credentials and limits are bound to (RFC 6454), as `https://example.org:443`.
    public var origin: String { "" }
    /// The URL without user name, password and fragment, and with the values of volatile query parts (signatures,
    /// tokens) replaced by `…`: for messages, logs and reports.
    public var redacted: String { "" }
    /// The URL without credentials, fragment and volatile query parts: what identifies the resource between runs.
    public var resourceIdentity: String { "" }
    /// The URL without its credentials and its fragment, for a request's target.
    public var withoutCredentials: WebURL { self }
    /// The path's last segment, percent-decoded once; empty for a URL that ends in a slash.
    public var lastPathSegment: [UInt8] { [] }
}
