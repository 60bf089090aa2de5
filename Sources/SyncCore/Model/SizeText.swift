/// Sizes and rates as people write and read them.
///
/// `K`, `M`, `G`, `T`, `P` and `E`, alone or with `i` or `iB`, are powers of 1024, as in curl, wget, aria2, rclone and
/// rsync; with a `B` alone (`kB`, `MB`) they are powers of 1000, as in rsync and the GNU tools. Case does not matter.
package enum SizeText {
    /// The columns that ``size(_:paddedTo:)`` takes at most.
    package static let sizeWidth = 8
    /// The columns that ``rate(_:paddedTo:)`` takes at most.
    package static let rateWidth = 10

    private static let prefixes: [UInt8] = Array("kmgtpe".utf8)

    /// Reads a size as in `500`, `500k`, `1.5GiB`, `10 MB`; nil for anything else, a sign, and a size that is no `Int64`.
    /// A fraction of a byte is dropped.
    package static func parse(_ text: String) -> Int64? {
        var bytes = Array(text.utf8)[...]
        guard let number = DecimalText(readingFrom: &bytes) else { return nil }
        while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
        guard let unit = unit(bytes.map { $0 | 0x20 }[...]) else { return nil }
        return number.times(unit)
    }

    /// Reads a rate in bytes a second: a size, which may have `/s` behind it.
    package static func parseRate(_ text: String) -> Int64? {
        parse(text.hasSuffix("/s") ? String(text.dropLast(2)) : text)
    }

    /// A size for people, as in `512 B`, `1.5 GiB`, `123 MiB`: rounded to the nearest, with a digit behind the point
    /// below 100. Padded on the left to a width.
    package static func size(_ bytes: Int64, paddedTo width: Int = 0) -> String {
        var text = magnitude(bytes.magnitude)
        if bytes < 0 { text = "-" + text }
        return padded(text, to: width)
    }

    /// A rate for people, as in `12.3 MiB/s`; what is no number or negative counts as zero.
    package static func rate(_ bytesPerSecond: Double, paddedTo width: Int = 0) -> String {
        let known = bytesPerSecond > 0 ? bytesPerSecond : 0
        let bytes = known < Double(Int64.max) ? UInt64(known + 0.5) : UInt64(Int64.max)
        return padded(magnitude(bytes) + "/s", to: width)
    }

    /// The bytes of a unit in lower case; nil for what is none.
    private static func unit(_ name: ArraySlice<UInt8>) -> Int64? {
        guard let first = name.first else { return 1 }
        if name.elementsEqual("b".utf8) { return 1 }
        guard let power = prefixes.firstIndex(of: first) else { return nil }
        let base: Int64
        switch String(decoding: name.dropFirst(), as: UTF8.self) {
        case "", "i", "ib": base = 1024
        case "b": base = 1000
        default: return nil
        }
        return (0...power).reduce(1) { unit, _ in unit * base }
    }

    private static func magnitude(_ bytes: UInt64) -> String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        for (index, prefix) in "KMGTPE".enumerated() {
            let shift = 10 * (index + 1)
            let whole = bytes >> shift
            let part = bytes & (1 << shift - 1)
            let half: UInt64 = 1 << (shift - 1)
            let tenths = whole * 10 + (part * 10 + half) >> shift
            if tenths < 1000 { return "\(tenths / 10).\(tenths % 10) \(prefix)iB" }
            let rounded = whole + (part + half) >> shift
            if rounded < 1024 { return "\(rounded) \(prefix)iB" }
        }
        preconditionFailure("a size beyond what an integer holds")
    }
}

/// A text with blanks before it, as many as make it `width` columns wide.
package func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A decimal number without a sign, kept as its digits, so that no fraction is rounded before it is multiplied.
struct DecimalText {
    private var whole: Int64
    /// The fraction in units of 1 / `scale`.
    private var fraction: Int64 = 0
    private var scale: Int64 = 1

    /// Whether digits stand behind a point.
    var hasFraction: Bool { scale > 1 }

    /// Takes `12` or `12.5` from the start of some bytes; nil where none is there, or its whole part is no `Int64`.
    /// Digits behind the eighteenth of the fraction are too small to matter.
    init?(readingFrom bytes: inout ArraySlice<UInt8>) {
        var digits = 0
        whole = 0
        while let digit = Self.digit(bytes.first) {
            let (tenfold, overflowed) = whole.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tenfold.addingReportingOverflow(digit)
            guard !overflowed, !overflows else { return nil }
            whole = sum
            digits += 1
            bytes.removeFirst()
        }
        guard digits > 0 else { return nil }
        guard bytes.first == UInt8(ascii: ".") else { return }
        bytes.removeFirst()
        guard Self.digit(bytes.first) != nil else { return nil }
        while let digit = Self.digit(bytes.first) {
            if scale < 1_000_000_000_000_000_000 {
                fraction = fraction * 10 + digit
                scale *= 10
            }
            bytes.removeFirst()
        }
    }

    /// The number of `unit`s as a whole number, rounded down; nil for one that is no `Int64`.
    func times(_ unit: Int64) -> Int64? {
        // The fraction is less than its scale, so that the quotient is less than the unit.
        let part = scale.dividingFullWidth(fraction.multipliedFullWidth(by: unit)).quotient
        let (product, overflowed) = whole.multipliedReportingOverflow(by: unit)
        let (sum, overflows) = product.addingReportingOverflow(part)
        return overflowed || overflows ? nil : sum
    }

    private static func digit(_ byte: UInt8?) -> Int64? {
        guard let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        return Int64(byte - UInt8(ascii: "0"))
    }
}
