/// An absolute URL, parsed and resolved as the URL standard has it (https://url.spec.whatwg.org), kept as its
/// serialisation.
///
/// The serialisation is ASCII but for a host that was not; it never has a fragment unless ``fragment`` says so. Hosts
/// that are not ASCII stay UTF-8 in lower case, with full-width forms mapped to ASCII: Punycode is left to libcurl.
/// A URL of more than ``maximumLength`` bytes is refused.
public struct WebURL: Sendable {
    /// The URL as text, credentials included: for requests, never for messages. See ``redacted``.
    public let string: String

    /// The offset of the colon behind the scheme. This and the following are offsets into the string's UTF-8.
    private let schemeEnd: UInt32
    /// Where the path starts.
    private let pathStart: UInt32
    /// Where the path ends.
    private let pathEnd: UInt32
    /// Where the query ends: the length, or the offset of the fragment's `#`.
    private let queryEnd: UInt32

    /// The most bytes that a URL or a reference may have. Longer ones are `data:` URLs or attacks.
    package static let maximumLength = 1 << 20

    /// Reads an absolute URL. Nil for a relative reference, and for what the standard calls a failure: a bad host, a bad
    /// port, no host where the scheme needs one.
    public init?(_ text: String) {
        if let offsets = URLOffsets(plain: text.utf8.span) {
            self.init(serialisation: text, offsets)
            return
        }
        guard let url = URLParser.parse(Array(text.utf8)[...], base: nil) else { return nil }
        self = url
    }

    /// Reads an absolute URL from bytes. What is not ASCII is percent-encoded byte by byte, whether it is UTF-8 or not;
    /// only in a host it must be UTF-8.
    package init?(bytes: ArraySlice<UInt8>) {
        guard let url = URLParser.parse(bytes, base: nil) else { return nil }
        self = url
    }

    /// Takes a serialisation and its offsets from the parser.
    init(serialisation string: String, _ offsets: URLOffsets) {
        self.string = string
        schemeEnd = UInt32(truncatingIfNeeded: offsets.schemeEnd)
        pathStart = UInt32(truncatingIfNeeded: offsets.pathStart)
        pathEnd = UInt32(truncatingIfNeeded: offsets.pathEnd)
        queryEnd = UInt32(truncatingIfNeeded: offsets.queryEnd)
    }

    /// Resolves a reference as found in a document against this URL (the base).
    public func resolve(_ reference: String) -> WebURL? {
        if let offsets = URLOffsets(plain: reference.utf8.span) {
            return WebURL(serialisation: reference, offsets)
        }
        return URLParser.parse(Array(reference.utf8)[...], base: self)
    }

    /// Resolves a reference as the bytes that a document holds. What is not ASCII is percent-encoded byte by byte,
    /// whether it is UTF-8 or not: that is how a server's own names come back to it.
    package func resolve(bytes reference: ArraySlice<UInt8>) -> WebURL? { URLParser.parse(reference, base: self) }
}

extension WebURL: Hashable {
    /// Whether two URLs are the same bytes. (`String` would call two hosts equal that only look alike.)
    public static func == (left: WebURL, right: WebURL) -> Bool {
        // Texts that are only the same to a reader (canonical equivalence) are different addresses.
        let (left, right) = (left.string.utf8.span, right.string.utf8.span)
        return left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
    }

    /// Feeds the serialisation to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension WebURL: CustomStringConvertible {
    /// The URL without its secrets, as ``redacted``, so that no message tells one by accident.
    public var description: String { redacted }
}

extension WebURL {
    /// The scheme in lower case, without the colon.
    public var scheme: String { text(0, Int(schemeEnd)) }
    /// The user name, percent-encoded; nil where there is none.
    public var user: String? { authority.user.map { text($0.lowerBound, $0.upperBound) } }
    /// The password, percent-encoded; nil where there is none.
    public var password: String? { authority.password.map { text($0.lowerBound, $0.upperBound) } }
    /// The host in lower case, an IPv6 address with its brackets; empty where there is none.
    public var host: String {
        let host = authority.host
        return text(host.lowerBound, host.upperBound)
    }
    /// The port: the URL's own or the scheme's default (80, 443, 21, 22).
    public var port: Int? {
        let digits = authority.port
        return digits.isEmpty ? Self.defaultPort(of: scheme) : Int(text(digits.lowerBound, digits.upperBound))
    }
    /// The path, percent-encoded, with its leading slash.
    public var path: String { text(Int(pathStart), Int(pathEnd)) }
    /// The query without its question mark, percent-encoded; nil where there is none.
    public var query: String? { queryEnd > pathEnd ? text(Int(pathEnd) + 1, Int(queryEnd)) : nil }
    /// The fragment without its `#`, percent-encoded; nil where there is none.
    public var fragment: String? {
        let utf8 = string.utf8
        return utf8.count > Int(queryEnd) ? text(Int(queryEnd) + 1, utf8.count) : nil
    }

    /// User name and password, percent-decoded, as a request's credentials need them; nil where the URL has neither.
    package var userinfo: (user: [UInt8], password: [UInt8])? {
        let authority = authority
        guard let user = authority.user else { return nil }
        let password = authority.password ?? 0..<0
        return (
            percentDecoded(slice(user.lowerBound, user.upperBound)),
            percentDecoded(slice(password.lowerBound, password.upperBound))
        )
    }

    /// Scheme, host and port: what credentials and limits are bound to (RFC 6454), as `https://example.org:443`.
    public var origin: String {
        // `mailto:` and its kin have no slashes behind the scheme.
        guard hasAuthority else { return "\(scheme)://" }
        let authority = authority
        let start = text(0, Int(schemeEnd) + 3)
        // Asked for several times a request, so the usual forms are parts of what is there.
        let host = text(authority.host.lowerBound, max(authority.host.upperBound, authority.port.upperBound))
        guard authority.port.isEmpty, let port = Self.defaultPort(of: scheme) else { return start + host }
        return "\(start)\(host):\(port)"
    }

    /// The host and, where it is not the scheme's default, the port, as the `Host` field has them.
    package var hostAndPort: String {
        let authority = authority
        return text(authority.host.lowerBound, max(authority.host.upperBound, authority.port.upperBound))
    }

    /// The path's last segment, percent-decoded once; empty for a URL that ends in a slash.
    public var lastPathSegment: [UInt8] {
        let bytes = string.utf8.span
        var start = Int(pathEnd)
        var isPlain = true
        while start > pathStart, bytes[start - 1] != UInt8(ascii: "/") {
            start -= 1
            if bytes[start] == UInt8(ascii: "%") { isPlain = false }
        }
        let segment = Array(slice(start, Int(pathEnd)))
        return isPlain ? segment : percentDecoded(segment)
    }

    /// The URL without its credentials and its fragment, for a request's target.
    public var withoutCredentials: WebURL {
        let authority = authority
        let removed = authority.user == nil ? 0 : authority.host.lowerBound - (Int(schemeEnd) + 3)
        guard removed > 0 || string.utf8.count > Int(queryEnd) else { return self }
        let start = Int(schemeEnd) + 3
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(queryEnd))
        if removed > 0 {
            bytes.append(contentsOf: slice(0, start))
            bytes.append(contentsOf: slice(start + removed, Int(queryEnd)))
        } else {
            bytes.append(contentsOf: slice(0, Int(queryEnd)))
        }
        return WebURL(
            serialisation: String(decoding: bytes, as: UTF8.self),
            URLOffsets(
                schemeEnd: Int(schemeEnd), pathStart: Int(pathStart) - removed, pathEnd: Int(pathEnd) - removed,
                queryEnd: Int(queryEnd) - removed))
    }

    /// The port that a scheme implies; nil for a scheme that has none.
    static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http", "ws": 80
        case "https", "wss": 443
        case "ftp": 21
        case "sftp", "ssh": 22
        default: nil
        }
    }
}

// What the parser needs of a base.
extension WebURL {
    /// Whether the URL has an authority, be it empty (`file:///x`). A path that `/.` guards is none.
    var hasAuthority: Bool {
        let bytes = string.utf8.span
        return pathStart >= schemeEnd + 3 && bytes[Int(schemeEnd) + 2] == UInt8(ascii: "/")
    }

    /// Whether the path is no hierarchy, as in `mailto:`: nothing can be resolved against it.
    var hasOpaquePath: Bool { !hasAuthority && !slice(Int(pathStart), Int(pathEnd)).starts(with: "/".utf8) }

    /// The serialisation's bytes up to, and without, the path. A `/.` that only guards a path is not part of it.
    var beforePath: Substring.UTF8View { slice(0, hasAuthority ? Int(pathStart) : Int(schemeEnd) + 1) }

    /// The path's bytes.
    var pathBytes: Substring.UTF8View { slice(Int(pathStart), Int(pathEnd)) }

    /// The query's bytes with the question mark; empty where there is no query.
    var queryBytes: Substring.UTF8View { slice(Int(pathEnd), Int(queryEnd)) }

    /// The offsets of the authority's parts; the port is empty where the URL names none.
    private struct Authority {
        var user: Range<Int>?
        var password: Range<Int>?
        var host: Range<Int> = 0..<0
        var port: Range<Int> = 0..<0
    }

    private var authority: Authority {
        var authority = Authority()
        guard hasAuthority else { return authority }
        let bytes = string.utf8.span
        let start = Int(schemeEnd) + 3
        let end = Int(pathStart)
        var hostStart = start
        var colon: Int?
        var index = start
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: ":"): if colon == nil { colon = index }
            // The colons so far were the address's own.
            case UInt8(ascii: "]"): colon = nil
            case UInt8(ascii: "@"):
                authority.user = start..<(colon ?? index)
                authority.password = colon.map { ($0 + 1)..<index }
                hostStart = index + 1
                colon = nil
            default: break
            }
            index += 1
        }
        authority.host = hostStart..<(colon ?? end)
        if let colon { authority.port = (colon + 1)..<end }
        return authority
    }

    private func slice(_ start: Int, _ end: Int) -> Substring.UTF8View {
        let utf8 = string.utf8
        return string[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)].utf8
    }

    private func text(_ start: Int, _ end: Int) -> String { String(decoding: slice(start, end), as: UTF8.self) }
}
