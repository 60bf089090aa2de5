/// A date of HTTP, in whole seconds (RFC 9110 §5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var secondsSinceEpoch: Int64

    /// A date by its seconds.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Reads a field's value in any of the three forms; nil for anything else.
    ///
    /// A year of two digits, which only the obsolete RFC 850 form has, is read as one of 1970 to 2069. Where the time is
    /// known, ``init(fieldValue:now:)`` follows the standard's rule instead.
    public init?(fieldValue: String) { self.init(bytes: Array(fieldValue.utf8)[...], now: nil) }

    /// Reads a field's value in any of the three forms; nil for anything else.
    ///
    /// A year of two digits that would lie more than 50 years ahead of `now` is the last one in the past with these
    /// digits, as the standard has it.
    public init?(fieldValue: String, now: HTTPDate) { self.init(bytes: Array(fieldValue.utf8)[...], now: now) }

    /// Whether one date comes before another.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// Whether a server can mean this as the date of a change: not before 1971, since clocks that were never set and
    /// files without a date stand at 1970, and not more than a day ahead of `now`.
    public func isBelievable(now: HTTPDate) -> Bool {
        secondsSinceEpoch >= 365 * 86_400 && secondsSinceEpoch <= now.secondsSinceEpoch.addingCapped(86_400)
    }
}

// The calendar: the Gregorian one, extended to all times, without leap seconds.
extension HTTPDate {
    /// A date and time of UTC; nil where there is no such day or time. A leap second (60) is the next minute's first.
    package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.dayCount(year: year, month: month),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Years are counted from March here, so that the leap day is a year's last.
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let era = marchYear >= 0 ? marchYear / 400 : -1
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.epochDay
        self.init(secondsSinceEpoch: Int64(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The date's parts in UTC. The weekday counts from Sunday, 0.
    package var components: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int) {
        var (days, second) = Int(secondsSinceEpoch).quotientAndRemainder(dividingBy: 86_400)
        if second < 0 {
            second += 86_400
            days -= 1
        }
        let weekday = ((days % 7) + 11) % 7
        days += Self.epochDay
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (year, month, day, second / 3600, second / 60 % 60, second % 60, weekday)
    }

    /// The days from 0000-03-01 to 1970-01-01.
    private static let epochDay = 719_468

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension HTTPDate {
    /// The date in the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var fieldValue: String {
        let date = components
        return "\(Self.weekdays[date.weekday]), \(Self.digits(date.day)) \(Self.months[date.month - 1]) "
            + "\(Self.digits(date.year, 4)) \(timeOfDay(date.hour, date.minute, date.second)) GMT"
    }

    /// The date as RFC 3339 has it, `1994-11-06T08:49:37Z`: for reports and for people.
    public var iso8601: String {
        let date = components
        return "\(Self.digits(date.year, 4))-\(Self.digits(date.month))-\(Self.digits(date.day))T"
            + "\(timeOfDay(date.hour, date.minute, date.second))Z"
    }

    private func timeOfDay(_ hour: Int, _ minute: Int, _ second: Int) -> String {
        "\(Self.digits(hour)):\(Self.digits(minute)):\(Self.digits(second))"
    }

    private static func digits(_ number: Int, _ count: Int = 2) -> String {
        let text = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The number, from 1, of a month by its English name's first three letters in any case; nil for others.
    package static func monthNumber(_ name: ArraySlice<UInt8>) -> Int? {
        guard name.count == 3 else { return nil }
        switch name.reduce(0, { $0 << 8 | UInt32($1 | 0x20) }) {
        case 0x6A_616E: return 1
        case 0x66_6562: return 2
        case 0x6D_6172: return 3
        case 0x61_7072: return 4
        case 0x6D_6179: return 5
        case 0x6A_756E: return 6
        case 0x6A_756C: return 7
        case 0x61_7567: return 8
        case 0x73_6570: return 9
        case 0x6F_6374: return 10
        case 0x6E_6F76: return 11
        case 0x64_6563: return 12
        default: return nil
        }
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The date as ``iso8601``.
    public var description: String { iso8601 }
}

extension Int64 {
    /// The sum, or the greatest number where there is none.
    fileprivate func addingCapped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
