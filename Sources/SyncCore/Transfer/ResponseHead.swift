/// The status and the fields of one answer, as far as dlsync uses them.
public struct ResponseHead: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// `Content-Length`; nil where it is missing, two of them differ, or a transfer coding makes it void (RFC 9112 §6.3).
    public var contentLength: Int64?
    /// `Content-Range`; nil where it is missing or cannot be read.
    public var contentRange: ContentRange?
    /// The representation that the answer speaks of; its length is the complete one (of a 206 the one behind the slash).
    public var representation: Representation
    /// The media type's charset parameter in lower case.
    public var charset: String?
    /// `Location` as sent: a reference, which may hold bytes that are not ASCII. See ``WebURL/resolve(bytes:)``.
    public var location: [UInt8]?
    /// `Retry-After`, as a delay from now or as a date.
    public var retryAfter: RetryAfter?
    /// `Date`: the server's clock, which dates of `Retry-After` are best measured against.
    public var date: HTTPDate?
    /// `Content-Disposition`'s file name, decoded; not yet made safe.
    public var suggestedName: [UInt8]?
    /// Digests of the whole representation, from `Repr-Digest` (RFC 9530), `Digest` (RFC 3230) and, of a whole answer,
    /// `Content-MD5`.
    public var digests: [Digest]
    /// Where the same file is to be had, by `Link` fields whose relation is `duplicate` (RFC 6249 §3), best first: references
    /// as sent.
    package var duplicates: [[UInt8]] = []
    /// `Accept-Ranges: none`: the server says that it has no ranges. (The contrary proves nothing.)
    public var refusesRanges: Bool
    /// `multipart/byteranges`, which is never asked for and never taken.
    public var isMultipart: Bool

    /// Whether nothing but the connection's end tells where the body ends: no length, no transfer coding, and no frames of
    /// HTTP/2 (RFC 9112 §6.3). Only of an answer whose body is a representation, or a part of one.
    public var endsWithConnection: Bool

    /// A head of which some facts are known.
    package init(
        status: Int, contentLength: Int64? = nil, contentRange: ContentRange? = nil,
        representation: Representation = Representation(), charset: String? = nil, location: [UInt8]? = nil,
        retryAfter: RetryAfter? = nil, date: HTTPDate? = nil, suggestedName: [UInt8]? = nil, digests: [Digest] = [],
        refusesRanges: Bool = false, isMultipart: Bool = false, endsWithConnection: Bool = false
    ) {
        self.status = status
        self.contentLength = contentLength
        self.contentRange = contentRange
        self.representation = representation
        self.charset = charset
        self.location = location
        self.retryAfter = retryAfter
        self.date = date
        self.suggestedName = suggestedName
        self.digests = digests
        self.refusesRanges = refusesRanges
        self.isMultipart = isMultipart
        self.endsWithConnection = endsWithConnection
    }
}

/// A `Retry-After` field (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable {
    /// Seconds from the answer on; never negative.
    case delay(Duration)
    /// A date by the server's clock.
    case date(HTTPDate)

    /// The longest delay that is believed, some 68 years: more cannot be meant, and sums of times must not overflow.
    static let longestDelay: Int64 = 0x7FFF_FFFF

    /// Reads a field's value: whole seconds, or a date. A negative number is no delay at all.
    package init?(bytes: ArraySlice<UInt8>, now: HTTPDate?) {
        let value = trimmedField(bytes)
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        if let seconds = decimal(digits, cappedAt: Self.longestDelay) {
            self = .delay(.seconds(isNegative ? 0 : seconds))
        } else if let date = HTTPDate(bytes: value, now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }
}

/// A `Content-Range` field in bytes (RFC 9110 §14.4).
public struct ContentRange: Hashable, Sendable {
    /// The range that the body holds; nil in a 416, which has `*`.
    public var range: ByteRange?
    /// The complete length; nil for `*`.
    public var completeLength: Int64?

    /// A content range of known parts.
    public init(range: ByteRange?, completeLength: Int64?) {
        self.range = range
        self.completeLength = completeLength
    }

    /// Reads a field's value, as in `bytes 0-499/1234`, `bytes 0-499/*`, `bytes */1234`; nil for anything else: another
    /// unit, a range that runs backward or beyond the complete length, numbers that no file has.
    public init?(fieldValue: String) { self.init(bytes: Array(fieldValue.utf8)[...]) }

    /// Reads a field's value from its bytes, as ``init(fieldValue:)``.
    package init?(bytes: ArraySlice<UInt8>) {
        var text = trimmedField(bytes)
        guard equalsIgnoringCase(text.prefix(5), "bytes") else { return nil }
        text = text.dropFirst(5)
        guard text.first == UInt8(ascii: " ") else { return nil }
        text = text.drop { $0 == UInt8(ascii: " ") }
        var range: ByteRange?
        if !Self.skip("*", in: &text) {
            guard let first = takeDecimal(&text), Self.skip("-", in: &text), let last = takeDecimal(&text),
                last >= first, last < .max
            else { return nil }
            range = ByteRange(first, last + 1)
        }
        guard Self.skip("/", in: &text) else { return nil }
        if range != nil, Self.skip("*", in: &text) {
            guard text.isEmpty else { return nil }
            self.init(range: range, completeLength: nil)
            return
        }
        guard let length = takeDecimal(&text), text.isEmpty, length >= range?.end ?? 0 else { return nil }
        self.init(range: range, completeLength: length)
    }

    private static func skip(_ character: Unicode.Scalar, in text: inout ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, UInt32(first) == character.value else { return false }
        text = text.dropFirst()
        return true
    }
}
