/// A line of a checksum list, taken apart.
struct ChecksumLine: Hashable {
    /// The file's name; nil where the line is a digest alone.
    var name: [UInt8]?
    var digest: Digest?
    var size: Int64?
    /// Whether the line names its algorithm: such lists often name a file once for each.
    var isTagged = false

    /// What a line is that names no file.
    enum Fault: Error, Hashable {
        /// Not of any style that is known.
        case unknown
        /// In an escaped name a backslash with another letter behind it than `n`, `r` or itself.
        case badEscape
        /// A tag whose value is not of its algorithm's length.
        case badValue(String)
    }

    /// Reads a line of GNU's or BSD's style, or BagIt's, or a digest alone.
    ///
    /// - Parameters:
    ///   - line: The line without its end; it is not empty.
    ///   - list: What the list's own name says of its algorithms.
    ///   - isBagIt: Whether blanks in front of a name are no part of it, and its `%` escapes line ends (RFC 8493 §2.1.3).
    init(_ line: ArraySlice<UInt8>, list: ListAlgorithms, isBagIt: Bool = false) throws(Fault) {
        let isEscaped = line.first == UInt8(ascii: "\\")
        let text = isEscaped ? line.dropFirst() : line
        let digits = text.prefix { hexValue($0) != nil }
        let isNameNext = digits.endIndex == text.endIndex || isBlank(text[digits.endIndex])
        if isNameNext, let kind = ChecksumKind(digits: digits.count, in: list) {
            if case .known(let algorithm) = kind { digest = Digest(algorithm, hex: digits) }
            name = try Self.unescaped(Self.name(behind: text[digits.endIndex...], isBagIt: isBagIt), isEscaped)
        } else {
            try readTagged(text, isEscaped: isEscaped)
        }
    }

    /// The name behind a digest; nil where there is none.
    ///
    /// GNU puts a blank and then a blank or `*` there, others (BSD's `md5 -r`, BagIt) one blank only, some a TAB.
    private static func name(behind rest: ArraySlice<UInt8>, isBagIt: Bool) -> ArraySlice<UInt8>? {
        guard let first = rest.first else { return nil }
        var name = rest.dropFirst()
        if first == 0x20, name.count > 1, let mode = name.first, mode == 0x20 || mode == UInt8(ascii: "*") {
            name = name.dropFirst()
        }
        if isBagIt { name = name.drop(while: isBlank) }
        return trimmed(name).isEmpty ? nil : name
    }

    /// `SHA256 (name) = hex` of BSD, `SHA2-256(name)= hex` of OpenSSL, and base64 in hexadecimal's place.
    private mutating func readTagged(_ text: ArraySlice<UInt8>, isEscaped: Bool) throws(Fault) {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
            open < close, let kind = ChecksumKind(tag: trimmed(text[..<open]))
        else { throw .unknown }
        isTagged = true
        let behind = trimmed(text[(close + 1)...])
        guard behind.first == UInt8(ascii: "=") else { throw .unknown }
        let value = trimmed(behind.dropFirst())
        switch kind {
        case .other: break
        case .size:
            // NetBSD writes "Size (name) = 123 bytes".
            size = decimalValue(value.prefix { !isBlank($0) })
            if size == nil { throw .badValue("a size") }
        case .known(let algorithm):
            digest = Digest(algorithm, hex: value)
            if digest == nil, value.count == (algorithm.byteCount + 2) / 3 * 4 {
                digest = base64Decoded(value).flatMap { Digest(algorithm, bytes: $0) }
            }
            if digest == nil { throw .badValue("a \(algorithm.rawValue) digest") }
        }
        name = try Self.unescaped(text[(open + 1)..<close], isEscaped)
    }

    /// A name as coreutils escapes it in lines that begin with a backslash.
    private static func unescaped(_ name: ArraySlice<UInt8>?, _ isEscaped: Bool) throws(Fault) -> [UInt8]? {
        guard let name else { return nil }
        guard isEscaped else { return Array(name) }
        var plain: [UInt8] = []
        var bytes = name.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            switch bytes.next() {
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "\\"): plain.append(UInt8(ascii: "\\"))
            default: throw .badEscape
            }
        }
        return plain
    }

    /// Reads a line of an SFV file: the name, a blank, and eight hexadecimal digits of CRC-32, which is not kept.
    init(sfv line: ArraySlice<UInt8>) throws(Fault) {
        let sum = line.suffix(8)
        guard sum.count == 8, sum.allSatisfy({ hexValue($0) != nil }) else { throw .unknown }
        let name = line[..<sum.startIndex]
        guard let blank = name.last, isBlank(blank), !trimmed(name).isEmpty else { throw .unknown }
        self.name = Array(name.dropLast())
    }
}
