/// A size as an index page shows it.
///
/// A number without a unit, or in bytes, is exact. With a unit it was rounded or cut, which the page does not tell, and
/// a unit such as "MB" may stand for powers of 1000 or of 1024. So the interval is as wide as any of these readings
/// needs: one unit of the last digit shown to both sides.
package struct ListedSize: Hashable, Sendable {
    /// What is known by it; unknown for a mark that stands in a size's place, such as `-`.
    package var size: SizeKnowledge
    /// Whether a unit says that the number is a size.
    package var hasUnit: Bool
    /// Where it ends in the text.
    package var end: Int

    /// Reads a size at the start of a text, behind blanks. Nil where there is none, or another word is joined to it.
    package init?(startOf text: ArraySlice<UInt8>) {
        var scanner = TextScanner(text)
        scanner.skipBlanks()
        if let end = Self.endOfMark(scanner.rest) {
            self.init(size: .unknown, hasUnit: false, end: end)
            return
        }
        guard let number = Number(&scanner) else { return nil }
        let afterNumber = scanner
        scanner.skipBlanks(atMost: 3)
        let word = scanner.letters()
        if let unit = Unit(word), scanner.isAtBlank {
            guard let size = number.size(in: unit) else { return nil }
            self.init(size: size, hasUnit: true, end: scanner.position)
            return
        }
        scanner = afterNumber
        guard scanner.isAtBlank, let exact = number.whole else { return nil }
        self.init(size: .exact(exact), hasUnit: false, end: scanner.position)
    }

    /// Reads a text that is a size and nothing else.
    package init?(whole text: ArraySlice<UInt8>) {
        let text = trimmed(text)
        guard let size = ListedSize(startOf: text), size.end == text.endIndex else { return nil }
        self = size
    }

    private init(size: SizeKnowledge, hasUnit: Bool, end: Int) {
        self.size = size
        self.hasUnit = hasUnit
        self.end = end
    }

    /// The end of a mark that stands where a directory has no size.
    private static func endOfMark(_ text: ArraySlice<UInt8>) -> Int? {
        let word = text.prefix { !isBlank($0) }
        let marks = ["-", "--", "\u{2014}", "\u{2013}", "dir", "<dir>", "[dir]", "directory"]
        let lower = asciiLowercase(word)
        return marks.contains { lower.elementsEqual($0.utf8) } ? word.endIndex : nil
    }
}

/// A decimal number as pages write it: `1234`, `1,234`, `1.2`, `1,2`.
private struct Number {
    /// All digits without separators.
    var digits: Int64
    /// How many of them are decimals.
    var decimals = 0

    init?(_ scanner: inout TextScanner) {
        var digits = Array(scanner.digits(atMost: 19))
        guard !digits.isEmpty else { return nil }
        while let separator = scanner.peek, separator == UInt8(ascii: ",") || separator == UInt8(ascii: ".") {
            var ahead = scanner
            ahead.advance()
            let group = ahead.digits(atMost: 19)
            guard !group.isEmpty else { break }
            let isThousands = separator == UInt8(ascii: ",") && group.count == 3 && decimals == 0 && digits.count <= 16
            guard isThousands || decimals == 0 else { break }
            if !isThousands { decimals = group.count }
            digits += group
            scanner = ahead
        }
        guard let value = decimalValue(digits), decimals <= 6 else { return nil }
        self.digits = value
    }

    /// The number if it has no decimals.
    var whole: Int64? { decimals == 0 ? digits : nil }

    /// The bytes that it stands for in a unit; nil where they are more than can be counted.
    func size(in unit: Unit) -> SizeKnowledge? {
        guard unit.power > 0 else { return whole.map { .exact($0) } }
        var divisor: Int64 = 1
        for _ in 0..<decimals { divisor = divisor &* 10 }
        guard let low = Self.product(max(0, digits &- 1), unit.smallest),
            let high = digits == .max ? nil : Self.product(digits &+ 1, unit.largest)
        else { return nil }
        return .within((low / divisor)...(high / divisor &+ 1))
    }

    private static func product(_ left: Int64, _ right: Int64) -> Int64? {
        let (product, overflows) = left.multipliedReportingOverflow(by: right)
        // Room for the one that is added to a quotient.
        return overflows || product == .max ? nil : product
    }
}

/// A unit of bytes by its prefix.
private struct Unit {
    /// The power: 0 for bytes, 1 for K, 2 for M …
    let power: Int
    /// Whether the unit may be one of powers of 1000: `MB` may, `M` (Apache, nginx) and `MiB` are not.
    let mayBeDecimal: Bool

    init?(_ word: ArraySlice<UInt8>) {
        let lower = asciiLowercase(word)
        switch String(decoding: lower, as: UTF8.self) {
        case "b", "byte", "bytes":
            power = 0
            mayBeDecimal = false
            return
        case "kb", "mb", "gb", "tb", "pb": mayBeDecimal = true
        case "k", "m", "g", "t", "p", "kib", "mib", "gib", "tib", "pib": mayBeDecimal = false
        default: return nil
        }
        let prefixes = Array("kmgtp".utf8)
        guard let first = lower.first, let index = prefixes.firstIndex(of: first) else { return nil }
        power = index + 1
    }

    var smallest: Int64 { mayBeDecimal ? (0..<power).reduce(1) { product, _ in product &* 1000 } : largest }
    var largest: Int64 { 1 << Int64(power &* 10) }
}
