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

    /// Reads an `ETag` field's value.
    ///
    /// A tag that breaks the grammar, as one without quotes, which some servers send, is quoted and taken as weak: it
    /// still tells change, but is never sent back in `If-Range`. The same holds for one that is not ASCII, which might
    /// not come back to the server as it was sent. Nil for an empty tag, which tells nothing, and for control characters
    /// or bytes that are no UTF-8.
    public init?(fieldValue: String) { self.init(bytes: Array(fieldValue.utf8)[...]) }

    /// Reads an `ETag` field's value from its bytes, as ``init(fieldValue:)``.
    package init?(bytes: ArraySlice<UInt8>) {
        var tag = bytes.drop(while: Self.isBlank)
        while let last = tag.last, Self.isBlank(last) { tag.removeLast() }
        var isWeak = false
        if tag.starts(with: "W/".utf8) || tag.starts(with: "w/".utf8) {
            isWeak = true
            tag = tag.dropFirst(2)
        }
        let quote = UInt8(ascii: "\"")
        if tag.count > 2, tag.first == quote, tag.last == quote,
            tag.dropFirst().dropLast().allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != quote })
        {
            self.init(opaque: String(decoding: tag, as: UTF8.self), isWeak: isWeak)
            return
        }
        let inner = tag.filter { $0 != quote }
        guard !inner.isEmpty, !inner.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let text = String(validating: inner, as: UTF8.self)
        else { return nil }
        self.init(opaque: "\"\(text)\"", isWeak: true)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }

    /// The field's value.
    public var fieldValue: String { isWeak ? "W/\(opaque)" : opaque }
}
