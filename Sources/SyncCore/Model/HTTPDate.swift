/// A date of HTTP, in whole seconds (RFC 9110 §5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var secondsSinceEpoch: Int64

    /// A date by its seconds.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Reads a field's value in any of the three forms; nil for anything else.
    public init?(fieldValue: String) {
        return nil
    }

    /// The date in the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var fieldValue: String { "" }

    /// Whether one date comes before another.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}
