/// One part of a JSON text.
enum JSONToken: Hashable {
    case beginObject
    case endObject
    case beginArray
    case endArray
    /// The name of an object's member.
    case name(JSONText)
    case string(JSONText)
    /// A number as it is written.
    case number([UInt8])
    case bool(Bool)
    case null
}

/// The characters of a JSON string, decoded.
struct JSONText: Hashable {
    /// UTF-8, or other bytes where the text has others: names of files are bytes.
    var bytes: [UInt8] = []
    /// Whether these are all of them, and each could be decoded: the string is not longer than the limit, and holds no half
    /// of a surrogate pair.
    var isWhole = true
}

/// Cuts a JSON text (RFC 8259) into tokens however its bytes arrive, with bounded memory.
///
/// Bytes that are not UTF-8 pass through strings unchanged, since servers write names as the disk has them. A lone low
/// surrogate from U+DC80 to U+DCFF is the byte that Python stands it for.
struct JSONTokenizer {
    /// The most containers within each other.
    static let depthLimit = 64
    /// The most bytes of a string that are kept.
    static let stringLimit = 64 * 1024
    /// The most bytes of a number.
    static let numberLimit = 64

    /// What is wrong with a text, as words that complete "… is no valid JSON: ".
    struct Fault: Error, Hashable {
        var message: String
    }

    /// What may come next.
    private enum Expectation {
        case value
        case valueOrEnd
        case nameOrEnd
        case name
        case colon
        case commaOrEnd
        case end
    }

    private enum State {
        case between
        case string
        case escape
        /// Behind `\u`: the digits so far, and their value.
        case unicode(Int, UInt32)
        case number
        case word
    }

    private var expectation = Expectation.value
    private var state = State.between
    /// Whether each open container is an object, outermost first.
    private var isObject: [Bool] = []
    private var text = JSONText()
    private var highSurrogate: UInt32?
    private var word: [UInt8] = []

    /// Reads on until a token is complete, and takes what was read off the bytes; nil where they do not suffice.
    mutating func next(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> JSONToken? {
        while let byte = bytes.first {
            switch state {
            case .string:
                let plain = bytes.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
                if !plain.isEmpty {
                    endSurrogate()
                    append(plain)
                    bytes = bytes[plain.endIndex...]
                    continue
                }
                bytes = bytes.dropFirst()
                guard byte >= 0x20 else { throw Fault(message: "a control character stands in a string") }
                if byte == UInt8(ascii: "\\") {
                    state = .escape
                } else {
                    return endString()
                }
            case .escape:
                bytes = bytes.dropFirst()
                try takeEscape(byte)
            case .unicode(let count, let value):
                bytes = bytes.dropFirst()
                guard let digit = hexValue(byte) else { throw Fault(message: "\\u has no four hexadecimal digits") }
                let unit = value << 4 | UInt32(digit)
                if count == 3 {
                    state = .string
                    takeUnit(unit)
                } else {
                    state = .unicode(count &+ 1, unit)
                }
            case .number:
                if isNumberByte(byte) {
                    bytes = bytes.dropFirst()
                    word.append(byte)
                    guard word.count <= Self.numberLimit else { throw Fault(message: "a number is too long") }
                } else {
                    return try endNumber()
                }
            case .word:
                if isLetter(byte) {
                    bytes = bytes.dropFirst()
                    word.append(byte)
                    guard word.count <= 5 else { throw unknownWord }
                } else {
                    return try endWord()
                }
            case .between:
                bytes = bytes.dropFirst()
                if let token = try begin(byte) { return token }
            }
        }
        return nil
    }

    /// Whether the text's one value has ended.
    var isWhole: Bool { expectation == .end && isBetween }

    private var isBetween: Bool { if case .between = state { true } else { false } }
}

// Between tokens.
extension JSONTokenizer {
    private mutating func begin(_ byte: UInt8) throws(Fault) -> JSONToken? {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return nil
        case UInt8(ascii: ","):
            guard expectation == .commaOrEnd else { throw unexpected(byte) }
            expectation = isObject.last == true ? .name : .value
            return nil
        case UInt8(ascii: ":"):
            guard expectation == .colon else { throw unexpected(byte) }
            expectation = .value
            return nil
        case UInt8(ascii: "]"), UInt8(ascii: "}"): return try close(byte)
        case UInt8(ascii: "\""):
            guard expectation != .end, expectation != .colon, expectation != .commaOrEnd else { throw unexpected(byte) }
            state = .string
            text = JSONText()
            return nil
        default: break
        }
        guard expectation == .value || expectation == .valueOrEnd else { throw unexpected(byte) }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            guard isObject.count < Self.depthLimit else {
                throw Fault(message: "more than \(Self.depthLimit) arrays and objects stand within each other")
            }
            let opensObject = byte == UInt8(ascii: "{")
            isObject.append(opensObject)
            expectation = opensObject ? .nameOrEnd : .valueOrEnd
            return opensObject ? .beginObject : .beginArray
        case UInt8(ascii: "-"), 0x30...0x39:
            word = [byte]
            state = .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            word = [byte]
            state = .word
        default: throw unexpected(byte)
        }
        return nil
    }

    private mutating func close(_ byte: UInt8) throws(Fault) -> JSONToken {
        let closesObject = byte == UInt8(ascii: "}")
        let mayEnd =
            expectation == .commaOrEnd || expectation == (closesObject ? .nameOrEnd : .valueOrEnd)
        guard mayEnd, isObject.last == closesObject else { throw unexpected(byte) }
        isObject.removeLast()
        endValue()
        return closesObject ? .endObject : .endArray
    }

    private mutating func endValue() { expectation = isObject.isEmpty ? .end : .commaOrEnd }

    private func unexpected(_ byte: UInt8) -> Fault { Fault(message: "\(quoted([byte])) stands where it may not") }

    private var unknownWord: Fault { Fault(message: "\(quoted(word)) is no value") }
}

// Tokens of several bytes.
extension JSONTokenizer {
    private mutating func append(_ bytes: some Collection<UInt8>) {
        guard text.isWhole else { return }
        if text.bytes.count &+ bytes.count > Self.stringLimit {
            text = JSONText(bytes: [], isWhole: false)
        } else {
            text.bytes.append(contentsOf: bytes)
        }
    }

    private mutating func takeEscape(_ byte: UInt8) throws(Fault) {
        if byte == UInt8(ascii: "u") {
            state = .unicode(0, 0)
            return
        }
        endSurrogate()
        state = .string
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append([byte])
        case UInt8(ascii: "b"): append([0x08])
        case UInt8(ascii: "f"): append([0x0C])
        case UInt8(ascii: "n"): append([0x0A])
        case UInt8(ascii: "r"): append([0x0D])
        case UInt8(ascii: "t"): append([0x09])
        default: throw Fault(message: "\(quoted([0x5C, byte])) is no escape")
        }
    }

    private mutating func takeUnit(_ unit: UInt32) {
        if let high = highSurrogate, (0xDC00...0xDFFF).contains(unit) {
            highSurrogate = nil
            append(scalar: 0x10000 &+ ((high &- 0xD800) << 10) &+ (unit &- 0xDC00))
            return
        }
        endSurrogate()
        switch unit {
        case 0xD800...0xDBFF: highSurrogate = unit
        case 0xDC80...0xDCFF: append([UInt8(truncatingIfNeeded: unit)])
        case 0xDC00...0xDFFF: text.isWhole = false
        default: append(scalar: unit)
        }
    }

    private mutating func append(scalar: UInt32) {
        var encoded: [UInt8] = []
        encoded.append(scalar: scalar)
        append(encoded)
    }

    /// A high surrogate that no low one follows makes the string none that can be used.
    private mutating func endSurrogate() {
        guard highSurrogate != nil else { return }
        highSurrogate = nil
        text.isWhole = false
    }

    private mutating func endString() -> JSONToken {
        endSurrogate()
        state = .between
        let ended = text
        text = JSONText()
        if expectation == .name || expectation == .nameOrEnd {
            expectation = .colon
            return .name(ended)
        }
        endValue()
        return .string(ended)
    }

    private func isNumberByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
    }

    /// Checks the number by the grammar of RFC 8259 §6.
    private mutating func endNumber() throws(Fault) -> JSONToken {
        state = .between
        endValue()
        var rest = word[...]
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest[whole.endIndex...]
        var isValid = !whole.isEmpty && (whole.count == 1 || whole.first != UInt8(ascii: "0"))
        if rest.first == UInt8(ascii: ".") {
            let decimals = rest.dropFirst().prefix(while: isDigit)
            isValid = isValid && !decimals.isEmpty
            rest = rest[decimals.endIndex...]
        }
        if let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            let exponent = rest.prefix(while: isDigit)
            isValid = isValid && !exponent.isEmpty
            rest = rest[exponent.endIndex...]
        }
        guard isValid, rest.isEmpty else { throw Fault(message: "\(quoted(word)) is no number") }
        return .number(word)
    }

    private mutating func endWord() throws(Fault) -> JSONToken {
        state = .between
        endValue()
        switch String(decoding: word, as: UTF8.self) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: throw unknownWord
        }
    }
}
