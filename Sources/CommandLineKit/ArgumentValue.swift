/// A word of the command line, as the bytes that the shell handed over.
///
/// File names are bytes on Linux and need not be UTF-8, so that a word is kept as bytes and read as text only where
/// text is wanted. Equality is that of the bytes.
package struct ArgumentValue: Hashable, Sendable {
    /// The bytes, without the terminating NUL.
    package let bytes: [UInt8]

    /// A word of these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A word of the UTF-8 bytes of a text.
    package init(_ text: String) { self.bytes = Array(text.utf8) }

    /// The word as text; nil if it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }
}

extension ArgumentValue: ExpressibleByStringLiteral {
    /// A word of the UTF-8 bytes of a literal.
    package init(stringLiteral text: String) { self.init(text) }
}

extension ArgumentValue: CustomStringConvertible {
    /// The word for people: U+FFFD for what is not UTF-8, and control characters escaped, so that a message that quotes
    /// it cannot move the cursor of a terminal.
    package var description: String {
        var result = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x0A: result += "\\n"
            case 0x09: result += "\\t"
            case 0..<0x20, 0x7F..<0xA0:
                let digits = String(scalar.value, radix: 16)
                result += digits.count < 2 ? "\\x0\(digits)" : "\\x\(digits)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
