/// Durations as people write and read them.
package enum DurationText {
    /// The columns that ``text(_:paddedTo:)`` takes at most.
    package static let width = 8

    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
        ("s", 1_000_000_000), ("ms", 1_000_000),
    ]

    /// Reads a duration as in `30` (seconds), `1.5`, `500ms`, `5m`, `1h30m`, `2d`, `1w`. The units go from the greatest
    /// to the least, each once, without blanks, and only the last number may have a fraction. Nil for anything else, and
    /// for more than 292 years.
    package static func parse(_ text: String) -> Duration? {
        var rest = Array(text.utf8)[...]
        var total: Int64 = 0
        var lastUnit = -1
        var isOver = false
        repeat {
            guard !isOver, let number = DecimalText(readingFrom: &rest) else { return nil }
            let letters = rest.prefix { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
            rest = rest.dropFirst(letters.count)
            let name = letters.isEmpty && lastUnit < 0 && rest.isEmpty ? "s" : String(decoding: letters, as: UTF8.self)
            guard let unit = units.firstIndex(where: { $0.name == name }), unit > lastUnit,
                let part = number.times(units[unit].nanoseconds)
            else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
            lastUnit = unit
            isOver = number.hasFraction
        } while !rest.isEmpty
        return .nanoseconds(total)
    }

    /// A duration for people, rounded down: `350 ms`, `45 s`, `12:34` (minutes and seconds), `1:02:03`, and from a hundred
    /// hours on `4d 04h`, then `1234 d`. A negative one counts as zero. Padded on the left to a width.
    package static func text(_ duration: Duration, paddedTo width: Int = 0) -> String {
        padded(text(milliseconds: max(0, duration.clampedNanoseconds) / 1_000_000), to: width)
    }

    private static func text(milliseconds: Int64) -> String {
        guard milliseconds == 0 || milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let (seconds, minutes, hours) = (milliseconds / 1000, milliseconds / 60_000, milliseconds / 3_600_000)
        let days = hours / 24
        if minutes == 0 { return "\(seconds) s" }
        if hours == 0 { return "\(minutes):\(twoDigits(seconds % 60))" }
        if hours < 100 { return "\(hours):\(twoDigits(minutes % 60)):\(twoDigits(seconds % 60))" }
        if days < 1000 { return "\(days)d \(twoDigits(hours % 24))h" }
        return "\(days) d"
    }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension Duration {
    /// The whole nanoseconds of a duration, those of the nearest that `Int64` holds (292 years) beyond that.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed || overflows ? (seconds < 0 ? .min : .max) : sum
    }
}
