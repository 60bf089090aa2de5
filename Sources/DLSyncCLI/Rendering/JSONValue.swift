/// A value of JSON (RFC 8259) to be written. Objects keep the order of their members.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// An object of JSON: its members in the order in which they were added.
package struct JSONObject: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSONValue
    }

    /// The members in order.
    package private(set) var members: [Member] = []

    /// An object without members.
    package init() {}

    /// Adds a member. A name may be added once only: what readers make of two is not defined (RFC 8259 §4).
    package mutating func add(_ name: String, _ value: JSONValue) {
        assert(!members.contains { $0.name == name }, "the member \(name) was added before")
        members.append(Member(name: name, value: value))
    }

    /// Adds a number, or null where there is none.
    package mutating func add(_ name: String, integer: Int64?) { add(name, integer.map(JSONValue.integer) ?? .null) }

    /// Adds a text, or null where there is none.
    package mutating func add(_ name: String, string: String?) { add(name, string.map(JSONValue.string) ?? .null) }

    /// Adds a name that is bytes, such as a path.
    ///
    /// JSON holds text only. A name that is not UTF-8 is written with U+FFFD for what is wrong in it, and a second
    /// member, called as the first with `Bytes` behind it, holds all of its bytes in hexadecimal: a reader that wants
    /// the exact name takes that one if it is there.
    package mutating func add(_ name: String, bytes: [UInt8]) {
        add(name, .string(String(decoding: bytes, as: UTF8.self)))
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        add("\(name)Bytes", .string(bytes.map(Self.hexadecimal).joined()))
    }

    /// The object as one line of NDJSON, with its line feed.
    package var line: String {
        var text = ""
        JSONValue.object(self).write(to: &text)
        return text + "\n"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON, without a line break.
    package var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    fileprivate func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        // JSON knows neither infinity nor what is not a number.
        case .double(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let object):
            text += "{"
            for (index, member) in object.members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    /// Writes a text in quotes. Besides what RFC 8259 §7 demands, everything is escaped that some reader takes for the
    /// end of a line or a terminal for a command: DEL, U+0080 to U+009F, U+2028 and U+2029.
    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x08: text += "\\b"
            case 0x09: text += "\\t"
            case 0x0A: text += "\\n"
            case 0x0C: text += "\\f"
            case 0x0D: text += "\\r"
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral values: JSONValue...) { self = .array(values) }

    package init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in members { object.add(name, value) }
        self = .object(object)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init()
        for (name, value) in members { add(name, value) }
    }
}
