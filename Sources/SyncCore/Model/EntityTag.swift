/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
    /// The opaque tag with its quotes.
    public let opaque: String
    /// Whether it is weak (`W/"…"`): equal bytes are not promised, so it binds no ranges.
    public let isWeak: Bool

    /// A tag of known parts; `opaque` includes the quotes.
    public init(opaque: String, isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Reads an `ETag` field's value. An unquoted one, which some servers send, is quoted and taken as weak: it still
    /// tells change, but is never sent back in `If-Range`.
    public init?(fieldValue: String) {
        var value = Substring(fieldValue)
        while value.first == " " { value.removeFirst() }
        while value.last == " " { value.removeLast() }
        guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        let weak = value.hasPrefix("W/") || value.hasPrefix("w/")
        if weak { value = value.dropFirst(2) }
        if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
            self.init(opaque: String(value), isWeak: weak)
        } else {
            self.init(opaque: "\"\(value.filter { $0 != "\"" })\"", isWeak: true)
        }
    }

    /// The field's value.
    public var fieldValue: String { isWeak ? "W/\(opaque)" : opaque }
}
