extension [UInt8] {
    /// Parses a host and appends its serialisation; false where it is none
    /// (https://url.spec.whatwg.org/#host-parsing).
    ///
    /// Of the mapping of names that are not ASCII (UTS 46) this does what needs no tables: lower case, full-width
    /// forms and dots, characters that vanish or are not allowed. Normalisation and Punycode are left to the resolver.
    mutating func appendHost(_ raw: ArraySlice<UInt8>, isSpecial: Bool) -> Bool {
        if raw.first == UInt8(ascii: "[") {
            guard raw.count > 2, raw.last == UInt8(ascii: "]"),
                let address = IPv6Address(raw.dropFirst().dropLast())
            else { return false }
            append(contentsOf: "[\(address.text)]".utf8)
            return true
        }
        guard isSpecial else {
            guard !raw.contains(where: isForbiddenInHost) else { return false }
            append(raw, encoding: .control)
            return true
        }
        let decoded = percentDecoded(raw)
        guard let domain = decoded.allSatisfy({ $0 < 0x80 }) ? decoded.map(asciiLowercased) : mappedDomain(decoded),
            !domain.isEmpty, !domain.contains(where: isForbiddenInDomain),
            domain.split(separator: UInt8(ascii: ".")).allSatisfy(isDecodable)
        else { return false }
        guard endsInNumber(domain) else {
            append(contentsOf: domain)
            return true
        }
        guard let address = ipv4Address(domain) else { return false }
        append(contentsOf: "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)".utf8)
        return true
    }
}

private func isForbiddenInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00, 0x09, 0x0A, 0x0D, UInt8(ascii: " "), UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ":"),
        UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["),
        UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "|"):
        true
    default: false
    }
}

private func isForbiddenInDomain(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || isForbiddenInHost(byte)
}

/// A name that is not ASCII in lower case; nil where it is no UTF-8 or holds what no name may.
private func mappedDomain(_ bytes: [UInt8]) -> [UInt8]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var mapped = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x3002, 0xFF0E, 0xFF61: mapped.append(".")
        case 0xFF01...0xFF5E:
            let ascii = UInt8(truncatingIfNeeded: scalar.value &- 0xFF01 &+ 0x21)
            mapped.unicodeScalars.append(Unicode.Scalar(asciiLowercased(ascii)))
        case 0x00AD, 0x200B, 0x2060, 0xFEFF, 0xFE00...0xFE0F: break
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .unassigned, .privateUse, .surrogate, .spaceSeparator, .lineSeparator,
                .paragraphSeparator:
                guard scalar.isASCII else { return nil }
                mapped.unicodeScalars.append(scalar)
            default: mapped += scalar.properties.lowercaseMapping
            }
        }
    }
    guard !mapped.unicodeScalars.contains("\u{FFFD}") else { return nil }
    return Array(mapped.utf8)
}

/// Whether a label is none of Punycode, or can be decoded to a name that needs it (RFC 3492 §6.2). The name itself is left to
/// the resolver.
private func isDecodable(_ label: ArraySlice<UInt8>) -> Bool {
    guard label.starts(with: "xn--".utf8) else { return true }
    let encoded = label.dropFirst(4)
    let hyphen = encoded.lastIndex(of: UInt8(ascii: "-"))
    var digits = hyphen.map { encoded[($0 + 1)...] } ?? encoded
    var length = hyphen.map { $0 - encoded.startIndex } ?? 0
    guard !digits.isEmpty, digits.count <= 255 else { return false }
    var scalar = 128
    var index = 0
    var bias = 72
    while !digits.isEmpty {
        let oldIndex = index
        var weight = 1
        var place = 36
        while true {
            guard let byte = digits.popFirst() else { return false }
            let digit: Int
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = Int(byte) - 0x61
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) - 0x30 + 26
            default: return false
            }
            index += digit * weight
            let threshold = min(max(place - bias, 1), 26)
            if digit < threshold { break }
            weight *= 36 - threshold
            // Nothing that is a character is as far away.
            guard weight < 1 << 32, index < 1 << 32 else { return false }
            place += 36
        }
        length += 1
        var delta = oldIndex == 0 ? (index - oldIndex) / 700 : (index - oldIndex) / 2
        delta += delta / length
        bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        bias += 36 * delta / (delta + 38)
        scalar += index / length
        guard Unicode.Scalar(UInt32(min(scalar, 0x11_0000))) != nil else { return false }
        index = index % length + 1
    }
    return true
}

/// Whether a domain's last label is a number, so that the whole must be an IPv4 address.
private func endsInNumber(_ domain: [UInt8]) -> Bool {
    var labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
    guard let last = labels.last, !last.isEmpty else { return false }
    return last.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } || ipv4Number(last) != nil
}

/// One part of an IPv4 address, decimal, octal (`0…`) or hexadecimal (`0x…`); anything above 2³² is capped there.
private func ipv4Number(_ part: ArraySlice<UInt8>) -> UInt64? {
    guard !part.isEmpty else { return nil }
    var digits = part
    var radix: UInt64 = 10
    if digits.count >= 2, digits.first == UInt8(ascii: "0") {
        if asciiLowercased(digits[digits.startIndex + 1]) == UInt8(ascii: "x") {
            digits = digits.dropFirst(2)
            radix = 16
        } else {
            digits = digits.dropFirst()
            radix = 8
        }
    }
    var value: UInt64 = 0
    for digit in digits {
        guard let number = hexValue(digit), number < radix else { return nil }
        value = min(value * radix + UInt64(number), 1 << 32)
    }
    return value
}

/// The address that one to four numbers make: each but the last is a byte, the last fills the rest.
private func ipv4Address(_ domain: [UInt8]) -> UInt32? {
    var parts = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true, parts.count > 1 { parts.removeLast() }
    guard parts.count <= 4 else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
        guard let number = ipv4Number(part) else { return nil }
        let isLast = index == parts.count - 1
        let bits = isLast ? UInt64(8 * (4 - index)) : 8
        guard number < 1 << bits else { return nil }
        address = address << bits | number
    }
    return UInt32(truncatingIfNeeded: address)
}

/// An IPv6 address as its eight pieces of sixteen bits.
private struct IPv6Address {
    private var pieces: [UInt16] = []

    /// Reads the text between the brackets; a last part may be written as an IPv4 address.
    init?(_ text: ArraySlice<UInt8>) {
        var compression: Int?
        var rest = text
        if rest.starts(with: "::".utf8) {
            compression = 0
            rest = rest.dropFirst(2)
        } else if rest.first == UInt8(ascii: ":") {
            return nil
        }
        while !rest.isEmpty {
            guard pieces.count < 8 else { return nil }
            if rest.first == UInt8(ascii: ":") {
                guard compression == nil else { return nil }
                compression = pieces.count
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { hexValue($0) != nil }
            let behind = rest[digits.endIndex...]
            if behind.first == UInt8(ascii: ".") {
                guard pieces.count <= 6, let (high, low) = Self.dottedQuad(rest) else { return nil }
                pieces.append(high)
                pieces.append(low)
                break
            }
            guard (1...4).contains(digits.count) else { return nil }
            pieces.append(digits.reduce(0) { $0 << 4 | UInt16(hexValue($1) ?? 0) })
            guard !behind.isEmpty else { break }
            guard behind.first == UInt8(ascii: ":"), behind.count > 1 else { return nil }
            rest = behind.dropFirst()
        }
        if let compression {
            // Here the standard is lenient: "::" may stand for no piece at all only if there are fewer than eight.
            guard pieces.count < 8 else { return nil }
            pieces.insert(contentsOf: Array(repeating: 0, count: 8 - pieces.count), at: compression)
        }
        guard pieces.count == 8 else { return nil }
    }

    /// Four decimal bytes without leading zeros.
    private static func dottedQuad(_ text: ArraySlice<UInt8>) -> (UInt16, UInt16)? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt16] = []
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt16 = 0
            for digit in part {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
                value = value * 10 + UInt16(digit - UInt8(ascii: "0"))
            }
            guard value <= 255 else { return nil }
            bytes.append(value)
        }
        return (bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3])
    }

    /// The shortest text (RFC 5952): the first longest run of two or more zero pieces is `::`.
    var text: String {
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || pieces[index] != 0 {
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        let hex = pieces.map { String($0, radix: 16) }
        guard !longest.isEmpty else { return hex.joined(separator: ":") }
        return hex[..<longest.lowerBound].joined(separator: ":") + "::"
            + hex[longest.upperBound...].joined(separator: ":")
    }
}

/// An ASCII letter in lower case; any other byte as it is.
func asciiLowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}

/// Whether a byte is an ASCII letter.
func isASCIILetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
