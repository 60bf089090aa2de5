/// Decodes every `%` that two hexadecimal digits follow, once; any other `%` stays as it is.
package func percentDecoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index != bytes.endIndex {
        let byte = bytes[index]
        bytes.formIndex(after: &index)
        if byte == UInt8(ascii: "%"), index != bytes.endIndex, let high = hexValue(bytes[index]) {
            let second = bytes.index(after: index)
            if second != bytes.endIndex, let low = hexValue(bytes[second]) {
                decoded.append(high << 4 | low)
                index = bytes.index(after: second)
                continue
            }
        }
        decoded.append(byte)
    }
    return decoded
}

/// Encodes a file's name as one segment of a path: everything but unreserved characters (RFC 3986 §2.3), so that the
/// segment means the same to every reader. The names `.` and `..` cannot be told from the path's own dots and are no
/// segments.
package func percentEncodedSegment(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var encoded: [UInt8] = []
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            encoded.append(byte)
        default: encoded.appendPercentEncoded(byte)
        }
    }
    return encoded
}

/// The sets of bytes that the URL standard percent-encodes, by the part of the URL
/// (https://url.spec.whatwg.org/#percent-encoded-bytes).
enum PercentEncodeSet {
    case control
    case fragment
    case query
    case specialQuery
    case path
    case userinfo

    /// Whether a byte must be encoded. Bytes that are not ASCII always are.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        if byte < 0x20 || byte > 0x7E { return true }
        switch self {
        case .control: return false
        case .fragment: return Self.isFragmentByte(byte)
        case .query: return Self.isQueryByte(byte)
        case .specialQuery: return Self.isQueryByte(byte) || byte == UInt8(ascii: "'")
        case .path: return Self.isPathByte(byte)
        case .userinfo: return Self.isUserinfoByte(byte)
        }
    }

    private static func isFragmentByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"): true
        default: false
        }
    }

    private static func isQueryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: isQueryByte(byte)
        }
    }

    private static func isUserinfoByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "@"),
            UInt8(ascii: "["), UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "|"):
            true
        default: isPathByte(byte)
        }
    }
}

extension [UInt8] {
    /// Appends bytes, with those of a set percent-encoded.
    mutating func append(_ bytes: ArraySlice<UInt8>, encoding set: PercentEncodeSet) {
        var start = bytes.startIndex
        for index in bytes.indices where set.contains(bytes[index]) {
            append(contentsOf: bytes[start..<index])
            appendPercentEncoded(bytes[index])
            start = index + 1
        }
        append(contentsOf: bytes[start...])
    }

    /// Appends a byte as `%XX`.
    mutating func appendPercentEncoded(_ byte: UInt8) {
        append(UInt8(ascii: "%"))
        append(Self.upperHexDigit(byte >> 4))
        append(Self.upperHexDigit(byte & 15))
    }

    private static func upperHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ (value &- 10)
    }
}
