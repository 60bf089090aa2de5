/// Turns a text document's bytes into UTF-8 however they are cut: takes a byte order mark off and converts UTF-16.
///
/// A document without a mark passes unchanged, valid UTF-8 or not: what its other bytes mean is for the format to say,
/// and names of files are bytes. A lone surrogate becomes U+FFFD.
package struct UnicodeDecoder: Sendable {
    private enum Form {
        case undecided
        case bytes
        case utf16(bigEndian: Bool)
    }

    private var form: Form
    /// The bytes that could not be used yet: a start too short to tell its mark, or half a unit of UTF-16.
    private var held: [UInt8] = []
    private var highSurrogate: UInt32?

    /// A decoder; `charset` is the document's declared one, in lower case, which counts where there is no mark.
    package init(charset: String? = nil) {
        declared =
            switch charset {
            case "utf-16le": .utf16(bigEndian: false)
            case "utf-16be": .utf16(bigEndian: true)
            default: .bytes
            }
        form = .undecided
    }

    private let declared: Form

    /// Takes the next bytes and gives the text that they complete.
    package mutating func decode(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        switch form {
        case .bytes: return bytes
        case .utf16(let bigEndian): return decodeUnits(bytes, bigEndian: bigEndian)
        case .undecided:
            held.append(contentsOf: bytes)
            guard held.count >= 3 else { return [] }
            return decide()
        }
    }

    /// Ends the document: gives what was held back, and whether the document ended with a whole character.
    package mutating func finish() -> (rest: ArraySlice<UInt8>, isWhole: Bool) {
        var rest: ArraySlice<UInt8> = []
        if case .undecided = form { rest = decide() }
        let isWhole = held.isEmpty && highSurrogate == nil
        held = []
        highSurrogate = nil
        return (rest, isWhole)
    }

    private mutating func decide() -> ArraySlice<UInt8> {
        let start = held
        held = []
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            form = .bytes
            return start.dropFirst(3)
        }
        if start.starts(with: [0xFF, 0xFE]) {
            form = .utf16(bigEndian: false)
            return decode(start.dropFirst(2))
        }
        if start.starts(with: [0xFE, 0xFF]) {
            form = .utf16(bigEndian: true)
            return decode(start.dropFirst(2))
        }
        form = declared
        return decode(start[...])
    }

    private mutating func decodeUnits(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> ArraySlice<UInt8> {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            guard let first = held.first else {
                held.append(byte)
                continue
            }
            held.removeAll(keepingCapacity: true)
            let unit = bigEndian ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first)
            take(unit, into: &text)
        }
        return text[...]
    }

    private mutating func take(_ unit: UInt32, into text: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if (0xDC00...0xDFFF).contains(unit) {
                text.append(scalar: 0x10000 &+ ((high &- 0xD800) << 10) &+ (unit &- 0xDC00))
                return
            }
            text.append(scalar: 0xFFFD)
        }
        switch unit {
        case 0xD800...0xDBFF: highSurrogate = unit
        case 0xDC00...0xDFFF: text.append(scalar: 0xFFFD)
        default: text.append(scalar: unit)
        }
    }
}

extension [UInt8] {
    /// Appends a code point below U+110000 as UTF-8 (RFC 3629 §3).
    package mutating func append(scalar: UInt32) {
        func continuation(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case 0..<0x80: append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800: append(contentsOf: [UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6), continuation(0)])
        case 0x800..<0x10000:
            append(contentsOf: [UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12), continuation(6), continuation(0)])
        default:
            append(contentsOf: [
                UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), continuation(12), continuation(6), continuation(0),
            ])
        }
    }
}
