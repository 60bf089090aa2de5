/// A half-open range of byte offsets of a representation: `start` is in it, `end` is not.
///
/// HTTP's ranges include their last byte; the difference exists only in ``fieldValue`` and in ``ContentRange``
/// (RFC 9110 §14).
public struct ByteRange: Hashable, Sendable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset behind the last byte.
    public var end: Int64

    /// A range from `start` up to, not including, `end`. An `end` before `start` is a fault of the caller.
    public init(_ start: Int64, _ end: Int64) {
        precondition(start >= 0 && end >= start, "a byte range runs forward: \(start)..<\(end)")
        self.start = start
        self.end = end
    }

    /// How many bytes lie in the range.
    public var count: Int64 { end - start }
    /// Whether the range holds no byte.
    public var isEmpty: Bool { start == end }

    /// The offsets of its first and its last byte, as people and range requests give them. The range holds a byte at least.
    package var words: String { "\(start)-\(end - 1)" }

    /// The value of a `Range` field that asks for these bytes (RFC 9110 §14.2). The range holds a byte at least.
    package var fieldValue: String { "bytes=\(start)-\(end - 1)" }

    /// The bytes that both ranges hold; nil where they share none.
    package func intersection(_ other: ByteRange) -> ByteRange? {
        let start = max(start, other.start)
        let end = min(end, other.end)
        return start < end ? ByteRange(start, end) : nil
    }
}

extension ByteRange: CustomStringConvertible {
    /// The range as in `0..<10`.
    public var description: String { "\(start)..<\(end)" }
}
