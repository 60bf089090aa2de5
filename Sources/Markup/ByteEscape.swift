import SyncCore

/// Makes valid UTF-8 of any bytes so that the very bytes can be had back: what is not UTF-8 travels as code points from
/// U+10FF80 to U+10FFFF, private ones at the end of Unicode, one for each byte.
///
/// libxml2 must be given one encoding and takes the rest of a page for Latin-1 after one wrong byte. Index pages mix
/// encodings, since names are bytes; and a link's bytes are what the server wants back, whatever they spell. So no
/// encoding is guessed at all: every one that contains ASCII (UTF-8, Latin-1, Windows-1251, Shift_JIS, GBK …) passes
/// through unchanged.
struct ByteEscape {
    /// The start of a sequence whose end has not arrived yet: up to three bytes.
    private var held: [UInt8] = []

    /// Takes the next bytes and gives valid UTF-8 without NUL, which is replaced by U+FFFD as the HTML standard has it.
    mutating func escape(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if held.isEmpty, bytes.allSatisfy({ $0 < 0x80 && $0 != 0 }) { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 4 + 16)
        let input = held + bytes
        held = []
        var index = 0
        while index < input.count {
            let byte = input[index]
            if byte < 0x80 {
                if byte == 0 { output.append(scalar: 0xFFFD) } else { output.append(byte) }
                index += 1
                continue
            }
            switch Self.sequence(input[index...]) {
            case .whole(let length):
                output.append(contentsOf: input[index..<(index + length)])
                index += length
            case .partial:
                held = Array(input[index...])
                return output[...]
            case .invalid:
                output.append(scalar: 0x10FF00 + UInt32(byte))
                index += 1
            }
        }
        return output[...]
    }

    /// Ends the document: a sequence that was cut short travels byte by byte.
    mutating func finish() -> ArraySlice<UInt8> {
        var output: [UInt8] = []
        for byte in held { output.append(scalar: 0x10FF00 + UInt32(byte)) }
        held = []
        return output[...]
    }

    /// Gives the bytes back that ``escape(_:)`` hid.
    static func restore(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard text.contains(0xF4) else { return Array(text) }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == 0xF4, index + 3 < text.count, text[index + 1] == 0x8F, text[index + 2] >= 0xBE {
                // F4 8F BE 80...BF stand for 80...BF, F4 8F BF 80...BF for C0...FF.
                output.append(text[index + 2] == 0xBE ? text[index + 3] : text[index + 3] &+ 0x40)
                index += 4
            } else {
                output.append(text[index])
                index += 1
            }
        }
        return output
    }

    private enum Sequence {
        case whole(Int)
        case partial
        case invalid
    }

    /// Looks at the start of a text for a well-formed sequence (RFC 3629 §4) that is not one of our own code points.
    private static func sequence(_ text: ArraySlice<UInt8>) -> Sequence {
        guard let first = text.first else { return .partial }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return .invalid
        }
        for (offset, byte) in text.prefix(length).dropFirst().enumerated() {
            guard (offset == 0 ? second : 0x80...0xBF).contains(byte) else { return .invalid }
        }
        guard text.count >= length else { return .partial }
        return text.prefix(3).elementsEqual([0xF4, 0x8F, 0xBE]) || text.prefix(3).elementsEqual([0xF4, 0x8F, 0xBF])
            ? .invalid : .whole(length)
    }
}
