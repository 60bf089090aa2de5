/// A place in a text that moves forward as its parts are read.
struct TextScanner {
    private let text: ArraySlice<UInt8>
    /// The index of the next byte.
    private(set) var position: Int

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    /// The text that is not read yet.
    var rest: ArraySlice<UInt8> { text[position...] }

    /// The next byte; nil at the end.
    var peek: UInt8? { position < text.endIndex ? text[position] : nil }

    /// Whether no letter or digit follows.
    var isAtWordEnd: Bool { peek.map { !isLetter($0) && !isDigit($0) && $0 < 0x80 } ?? true }

    /// Whether a blank follows, or nothing.
    var isAtBlank: Bool { peek.map(isBlank) ?? true }

    mutating func advance() { if position < text.endIndex { position &+= 1 } }

    mutating func skipBlanks(atMost limit: Int = .max) {
        var count = 0
        while count < limit, let byte = peek, isBlank(byte) {
            position &+= 1
            count &+= 1
        }
    }

    /// Reads up to `limit` digits.
    mutating func digits(atMost limit: Int) -> ArraySlice<UInt8> {
        let start = position
        while position &- start < limit, let byte = peek, isDigit(byte) { position &+= 1 }
        return text[start..<position]
    }

    /// Reads a number whose count of digits lies within bounds; nil leaves the place where it was.
    mutating func number(digits count: ClosedRange<Int>) -> Int? {
        let start = position
        let digits = self.digits(atMost: count.upperBound &+ 1)
        guard count.contains(digits.count), let value = decimalValue(digits) else {
            position = start
            return nil
        }
        return Int(value)
    }

    /// Reads ASCII letters.
    mutating func letters() -> ArraySlice<UInt8> {
        let start = position
        while let byte = peek, isLetter(byte) { position &+= 1 }
        return text[start..<position]
    }

    /// Reads a text if it follows, without regard to the case of ASCII letters.
    mutating func take(_ expected: String) -> Bool {
        let count = expected.utf8.count
        guard asciiLowercase(rest.prefix(count)).elementsEqual(asciiLowercase(expected.utf8)) else { return false }
        position &+= count
        return true
    }
}
