// What the readers of text formats share: blanks, numbers, and quoting for messages.

/// Whether a byte is a blank or a TAB.
package func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// A line without the blanks and TABs at both of its ends.
package func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let first = line.first, isBlank(first) { line = line.dropFirst() }
    while let last = line.last, isBlank(last) { line = line.dropLast() }
    return line
}

/// The parts of a text between separators, without empty ones: `split` without its array.
package struct Parts: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private let separator: UInt8

    /// The parts of a text.
    package init(of text: ArraySlice<UInt8>, separatedBy separator: UInt8) {
        rest = text
        self.separator = separator
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        var start = rest.startIndex
        while start < rest.endIndex, rest[start] == separator { start &+= 1 }
        guard start < rest.endIndex else { return nil }
        var end = start
        while end < rest.endIndex, rest[end] != separator { end &+= 1 }
        let part = rest[start..<end]
        rest = rest[end...]
        return part
    }
}

/// The value of decimal digits; nil where there is none, another byte, or more than an Int64 holds.
package func decimalValue(_ digits: some Collection<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in digits {
        guard isDigit(digit) else { return nil }
        let (product, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit &- 0x30))
        guard !overflows, !overflowsToo else { return nil }
        value = sum
    }
    return value
}

/// Whether a byte is an ASCII digit.
package func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

/// Whether a byte is an ASCII letter.
package func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

/// The bytes with ASCII letters in lower case.
package func asciiLowercase(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
}

/// The scheme in front of a reference, in lower case without the colon (RFC 3986 §3.1); nil for a relative one.
package func schemePrefix(_ reference: ArraySlice<UInt8>) -> String? {
    guard let first = reference.first, isLetter(first), let colon = reference.firstIndex(of: UInt8(ascii: ":")),
        reference[..<colon].allSatisfy({ isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) })
    else { return nil }
    return String(decoding: asciiLowercase(reference[..<colon]), as: UTF8.self)
}

/// Schemes that a reference's first colon can end even without slashes behind it. Any other word before a colon is
/// part of a file's name, such as `a:b.txt`.
private let knownSchemes: Set<String> = [
    "about", "blob", "data", "file", "ftp", "ftps", "git", "gs", "http", "https", "irc", "javascript", "magnet",
    "mailto", "news", "rsync", "s3", "scp", "sftp", "sms", "ssh", "tel", "urn", "ws", "wss",
]

/// The scheme of a reference that is absolute in practice: a known scheme, or any before `://`. Nil for relative ones.
package func practicalScheme(_ reference: ArraySlice<UInt8>) -> String? {
    guard let scheme = schemePrefix(reference) else { return nil }
    let rest = reference.dropFirst(scheme.utf8.count + 1)
    return rest.starts(with: "//".utf8) || knownSchemes.contains(scheme) ? scheme : nil
}

/// A piece of a document in single quotes for a message: short, printable, without credentials or query.
package func quoted(_ bytes: some Sequence<UInt8>) -> String {
    var text = Array(bytes.prefix(2048))[...]
    if let query = text.firstIndex(of: UInt8(ascii: "?")) { text = text[..<query] + Array("?…".utf8) }
    if let scheme = text.firstIndex(of: UInt8(ascii: ":")), text[scheme...].starts(with: "://".utf8) {
        let authority = text[(scheme + 3)...].prefix { $0 != UInt8(ascii: "/") }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            text = text[..<(scheme + 3)] + text[(at + 1)...]
        }
    }
    return "'\(plainText(text))'"
}

/// A text for a message: without characters that would disturb a terminal, and not longer than a line.
package func plainText(_ text: some Sequence<UInt8>) -> String {
    var shown = ""
    for character in String(decoding: Array(text), as: UTF8.self) {
        guard shown.count < 80 else {
            shown += "…"
            break
        }
        let isPlain = character.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: true
            }
        }
        shown.append(isPlain ? character : "\u{FFFD}")
    }
    return shown
}

/// Decodes one segment of a URL's path once, but for an encoded slash, which stays as `%2F`: it is part of a name and
/// must never become a directory.
package func decodedPathSegment(_ segment: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    for byte in percentDecoded(segment) {
        if byte == UInt8(ascii: "/") { decoded.append(contentsOf: "%2F".utf8) } else { decoded.append(byte) }
    }
    return decoded
}

/// The last segment of a URL's path as a file's name, by ``decodedPathSegment(_:)``; empty behind a last slash.
package func decodedLastSegment(of url: WebURL) -> [UInt8] {
    let path = Array(url.path.utf8)
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return decodedPathSegment(path[start...])
}
