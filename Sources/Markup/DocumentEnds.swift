import SyncCore

/// Watches the bytes of a page for how it starts and ends, which the repairing parser hides: it closes everything
/// itself where the page stops.
struct DocumentEnds {
    /// Whether the page ended where its writer meant it to.
    var isWhole: Bool { !isInTag && !isAfterLess && (!opened || closed) }

    private var opened = false
    private var closed = false
    private var opening = Pattern("<html")
    private var closing = Pattern("</html")
    private var isInTag = false
    private var isAfterLess = false

    /// Looks at the next bytes.
    mutating func look(at bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if isAfterLess {
                isAfterLess = false
                // Any other byte makes the `<` a plain character.
                isInTag = isInTag || isLetter(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!")
            }
            if byte == UInt8(ascii: "<") {
                isAfterLess = true
            } else if byte == UInt8(ascii: ">") {
                isInTag = false
            }
            if opening.takes(byte) { opened = true }
            if closing.takes(byte) { closed = true }
        }
    }

    /// A text that starts with `<` and has no other.
    private struct Pattern {
        private let text: [UInt8]
        private var matched = 0

        init(_ text: String) { self.text = Array(text.utf8) }

        /// Takes a byte and tells whether it completes the text.
        mutating func takes(_ byte: UInt8) -> Bool {
            let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if lower == text[matched] {
                matched += 1
            } else {
                matched = lower == text[0] ? 1 : 0
            }
            guard matched == text.count else { return false }
            matched = 0
            return true
        }
    }
}
