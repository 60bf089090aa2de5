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
        if let plain = WebURL(plain: text) {
            self = plain
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
    init(serialisation string: String, schemeEnd: Int, pathStart: Int, pathEnd: Int, queryEnd: Int) {
        self.string = string
        self.schemeEnd = UInt32(truncatingIfNeeded: schemeEnd)
        self.pathStart = UInt32(truncatingIfNeeded: pathStart)
        self.pathEnd = UInt32(truncatingIfNeeded: pathEnd)
        self.queryEnd = UInt32(truncatingIfNeeded: queryEnd)
    }

    /// Resolves a reference as found in a document against this URL (the base).
    public func resolve(_ reference: String) -> WebURL? {
        if let plain = WebURL(plain: reference) { return plain }
        return URLParser.parse(Array(reference.utf8)[...], base: self)
    }

    /// Resolves a reference as the bytes that a document holds. What is not ASCII is percent-encoded byte by byte,
    /// whether it is UTF-8 or not: that is how a server's own names come back to it.
    package func resolve(bytes reference: ArraySlice<UInt8>) -> WebURL? { URLParser.parse(reference, base: self) }
}

extension WebURL: Hashable {
    /// Whether two URLs are the same bytes. (`String` would call two hosts equal that only look alike.)
    public static func == (left: WebURL, right: WebURL) -> Bool {
        left.string == right.string && left.string.utf8.elementsEqual(right.string.utf8)
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
    public var user: String? {
        guard let userinfo = authority.userinfo else { return nil }
        return String(decoding: userinfo.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }
    /// The password, percent-encoded; nil where there is none.
    public var password: String? {
        guard let userinfo = authority.userinfo, let colon = userinfo.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(decoding: userinfo[userinfo.index(after: colon)...], as: UTF8.self)
    }
    /// The host in lower case, an IPv6 address with its brackets; empty where there is none.
    public var host: String { String(decoding: authority.host, as: UTF8.self) }
    /// The port: the URL's own or the scheme's default (80, 443, 21, 22).
    public var port: Int? {
        let written = authority.port
        return written.isEmpty ? Self.defaultPort(of: scheme) : Int(String(decoding: written, as: UTF8.self))
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
        guard let userinfo = authority.userinfo else { return nil }
        let user = userinfo.prefix { $0 != UInt8(ascii: ":") }
        return (percentDecoded(user), percentDecoded(userinfo[user.endIndex...].dropFirst()))
    }

    /// Scheme, host and port: what credentials and limits are bound to (RFC 6454), as `https://example.org:443`.
    public var origin: String {
        guard let port else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }

    /// The host and, where it is not the scheme's default, the port, as the `Host` field has them.
    package var hostAndPort: String {
        let (_, host, port) = authority
        let name = String(decoding: host, as: UTF8.self)
        return port.isEmpty ? name : "\(name):\(String(decoding: port, as: UTF8.self))"
    }

    /// The path's last segment, percent-decoded once; empty for a URL that ends in a slash.
    public var lastPathSegment: [UInt8] {
        let path = slice(Int(pathStart), Int(pathEnd))
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return percentDecoded(path) }
        return percentDecoded(path[path.index(after: slash)...])
    }

    /// The URL without its credentials and its fragment, for a request's target.
    public var withoutCredentials: WebURL {
        let userinfo = authority.userinfo
        guard userinfo != nil || string.utf8.count > Int(queryEnd) else { return self }
        let removed = userinfo.map { $0.count + 1 } ?? 0
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
            serialisation: String(decoding: bytes, as: UTF8.self), schemeEnd: Int(schemeEnd),
            pathStart: Int(pathStart) - removed, pathEnd: Int(pathEnd) - removed, queryEnd: Int(queryEnd) - removed)
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
    /// Whether the URL has an authority, be it empty (`file:///x`).
    var hasAuthority: Bool {
        pathStart >= schemeEnd + 3 && slice(Int(schemeEnd) + 1, Int(schemeEnd) + 3).elementsEqual("//".utf8)
    }

    /// Whether the path is no hierarchy, as in `mailto:`: nothing can be resolved against it.
    var hasOpaquePath: Bool { !hasAuthority && !slice(Int(pathStart), Int(pathEnd)).starts(with: "/".utf8) }

    /// The serialisation's bytes up to, and without, the path. A `/.` that only guards a path is not part of it.
    var beforePath: Substring.UTF8View { slice(0, hasAuthority ? Int(pathStart) : Int(schemeEnd) + 1) }

    /// The path's bytes.
    var pathBytes: Substring.UTF8View { slice(Int(pathStart), Int(pathEnd)) }

    /// The query's bytes with the question mark; empty where there is no query.
    var queryBytes: Substring.UTF8View { slice(Int(pathEnd), Int(queryEnd)) }

    /// The authority's parts: user information without its `@` where there is one, host, and port without its colon,
    /// which is empty where the URL names none.
    private var authority: (userinfo: Substring.UTF8View?, host: Substring.UTF8View, port: Substring.UTF8View) {
        guard hasAuthority else {
            let nothing = slice(0, 0)
            return (nil, nothing, nothing)
        }
        var rest = slice(Int(schemeEnd) + 3, Int(pathStart))
        var userinfo: Substring.UTF8View?
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            userinfo = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        let bracket = rest.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        guard let colon = rest[bracket...].firstIndex(of: UInt8(ascii: ":")) else {
            return (userinfo, rest, rest[rest.endIndex...])
        }
        return (userinfo, rest[..<colon], rest[rest.index(after: colon)...])
    }

    private func slice(_ start: Int, _ end: Int) -> Substring.UTF8View {
        let utf8 = string.utf8
        return string[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)].utf8
    }

    private func text(_ start: Int, _ end: Int) -> String { String(decoding: slice(start, end), as: UTF8.self) }
}
