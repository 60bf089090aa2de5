/// The status and the fields of one answer, as far as dlsync uses them.
public struct ResponseHead: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// `Content-Length`; nil where it is missing, or two of them differ.
    public var contentLength: Int64?
    /// `Content-Range`; nil where it is missing or cannot be read.
    public var contentRange: ContentRange?
    /// The representation that the answer speaks of; its length is the complete one (of a 206 the one behind the slash).
    public var representation: Representation
    /// `Location`, as sent.
    public var location: String?
    /// `Retry-After`, as a delay from now or as a date.
    public var retryAfter: RetryAfter?
    /// `Content-Disposition`'s file name, decoded; not yet made safe.
    public var suggestedName: [UInt8]?
    /// `Accept-Ranges: none`: the server says that it has no ranges. (The contrary proves nothing.)
    public var refusesRanges: Bool
    /// `multipart/byteranges`, which is never asked for and never taken.
    public var isMultipart: Bool
}

/// A `Retry-After` field (RFC 9110 §10.2.3).
public enum RetryAfter: Hashable, Sendable {
    case delay(Duration)
    case date(HTTPDate)
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

    /// Reads a field's value, as in `bytes 0-499/1234`, `bytes 0-499/*`, `bytes */1234`; nil for anything else.
    public init?(fieldValue: String) {
        return nil
    }
}
