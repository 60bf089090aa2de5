/// A date found in a text of an index page.
package struct FoundDate: Hashable, Sendable {
    /// The date; nil where its day cannot be told from its month, or there is no such day: it is no hint then.
    package var date: ListedDate?
    /// Where it stands in the text.
    package var range: Range<Int>
}

/// Finds the first date in a text, in any of the forms that index pages use.
///
/// Day, month and year come as `03-Mar-2023`, `2023-03-03`, `2023-Mar-03`, `14Mar2022`, `Jun 11, 2022`, `03 Mar 2023`,
/// `1/16/2014` and `16.01.2014`, the time, if any, as `23:04`, `23:04:28` or with AM and PM, and a zone as `Z`, `GMT` or
/// `+0100`.
package func findListedDate(in text: ArraySlice<UInt8>) -> FoundDate? {
    var isInWord = false
    for start in text.indices {
        let byte = text[start]
        let isWord = isDigit(byte) || isLetter(byte)
        if isWord, !isInWord, let found = date(startOf: text[start...]) { return found }
        isInWord = isWord
    }
    return nil
}

/// Reads a text that is a date and nothing else.
package func listedDate(whole text: ArraySlice<UInt8>) -> FoundDate? {
    let text = trimmed(text)
    guard let found = findListedDate(in: text), found.range.upperBound == text.endIndex else { return nil }
    // A weekday may stand in front.
    let before = trimmed(text[..<found.range.lowerBound])
    guard before.count <= 10, before.allSatisfy({ isLetter($0) || $0 == UInt8(ascii: ",") }) else { return nil }
    return found
}

private func date(startOf text: ArraySlice<UInt8>) -> FoundDate? {
    var scanner = TextScanner(text)
    guard let day = Day(&scanner), scanner.peek.map({ !isDigit($0) }) ?? true else { return nil }
    let dayEnd = scanner.position
    let time = TimeOfDay(&scanner)
    guard let (month, dayOfMonth) = day.resolved(hasMeridiem: time?.hasMeridiem ?? false),
        let days = daysSince1970(year: day.year, month: month, day: dayOfMonth)
    else {
        return FoundDate(date: nil, range: text.startIndex..<max(dayEnd, scanner.position))
    }
    let midnight = Int64(days) * 86_400
    guard let time else {
        let date = ListedDate(secondsSinceEpoch: midnight, hasZone: false, precision: .day)
        return FoundDate(date: date, range: text.startIndex..<dayEnd)
    }
    let zone = zoneOffset(&scanner)
    let date = ListedDate(
        secondsSinceEpoch: midnight + Int64(time.seconds) - Int64(zone ?? 0), hasZone: zone != nil,
        precision: time.precision)
    return FoundDate(date: date, range: text.startIndex..<scanner.position)
}

/// A day as it is written.
private struct Day {
    var year: Int
    private enum Order {
        case known(month: Int, day: Int)
        /// Two numbers with slashes: Americans write the month first, others the day.
        case either(Int, Int)
    }
    private var order: Order

    init?(_ scanner: inout TextScanner) {
        if let year = scanner.number(digits: 4...4) {
            self.init(after: year, &scanner)
        } else if let first = scanner.number(digits: 1...2) {
            self.init(afterShort: first, &scanner)
        } else {
            self.init(monthFirst: &scanner)
        }
    }

    /// `2023-03-03`, `2023/03/03`, `2023-Mar-03`.
    private init?(after year: Int, _ scanner: inout TextScanner) {
        guard let separator = scanner.peek, [0x2D, 0x2E, 0x2F].contains(separator) else { return nil }
        scanner.advance()
        guard let month = scanner.number(digits: 1...2) ?? Self.month(&scanner), scanner.peek == separator else {
            return nil
        }
        scanner.advance()
        guard let day = scanner.number(digits: 1...2) else { return nil }
        self.year = year
        order = .known(month: month, day: day)
    }

    /// `03-Mar-2023`, `03 Mar 2023`, `14Mar2022`, `1/16/2014`, `16.01.2014`.
    private init?(afterShort first: Int, _ scanner: inout TextScanner) {
        let separator = scanner.peek.flatMap { [0x20, 0x2D, 0x2E, 0x2F].contains($0) ? $0 : nil }
        if separator != nil { scanner.advance() }
        if let month = Self.month(&scanner) {
            if let separator {
                guard scanner.peek == separator else { return nil }
                scanner.advance()
            }
            guard let year = scanner.number(digits: 4...4) else { return nil }
            self.year = year
            order = .known(month: month, day: first)
            return
        }
        guard let separator, separator != 0x20, let second = scanner.number(digits: 1...2), scanner.peek == separator
        else { return nil }
        scanner.advance()
        guard let year = scanner.number(digits: 4...4) else { return nil }
        self.year = year
        order = separator == 0x2E ? .known(month: second, day: first) : .either(first, second)
    }

    /// `Jun 11, 2022`, `Mar 14  2022`.
    private init?(monthFirst scanner: inout TextScanner) {
        guard let month = Self.month(&scanner), scanner.peek == 0x20 else { return nil }
        scanner.skipBlanks()
        guard let day = scanner.number(digits: 1...2) else { return nil }
        if scanner.peek == UInt8(ascii: ",") { scanner.advance() }
        guard scanner.peek == 0x20 else { return nil }
        scanner.skipBlanks()
        guard let year = scanner.number(digits: 4...4) else { return nil }
        self.year = year
        order = .known(month: month, day: day)
    }

    /// Month and day; nil where they cannot be told apart. A clock of twelve hours is an American's.
    func resolved(hasMeridiem: Bool) -> (month: Int, day: Int)? {
        switch order {
        case .known(let month, let day): (month, day)
        case .either(let first, let second) where second > 12: (first, second)
        case .either(let first, let second) where first > 12: (second, first)
        case .either(let first, let second): hasMeridiem || first == second ? (first, second) : nil
        }
    }

    private static func month(_ scanner: inout TextScanner) -> Int? {
        let names = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november",
            "december",
        ]
        var ahead = scanner
        let word = String(decoding: asciiLowercase(ahead.letters()), as: UTF8.self)
        guard let index = names.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else { return nil }
        scanner = ahead
        return index + 1
    }
}

/// A time of day as it is written.
private struct TimeOfDay {
    var seconds: Int
    var precision = ListedDate.Precision.minute
    var hasMeridiem = false

    /// The marks of a clock of twelve hours: English and Korean.
    private static let meridiems = [("AM", false), ("PM", true), ("a.m.", false), ("p.m.", true)]
    private static let leadingMeridiems = [("오전", false), ("오후", true)]

    init?(_ scanner: inout TextScanner) {
        var ahead = scanner
        if ahead.peek == UInt8(ascii: ",") { ahead.advance() }
        if ahead.take("T") || ahead.peek == 0x20 { ahead.skipBlanks(atMost: 4) } else { return nil }
        var isAfternoon = Self.take(Self.leadingMeridiems, &ahead)
        ahead.skipBlanks()
        guard var hour = ahead.number(digits: 1...2), hour < 24, ahead.peek == UInt8(ascii: ":") else { return nil }
        ahead.advance()
        guard let minute = ahead.number(digits: 2...2), minute < 60 else { return nil }
        var second = 0
        if ahead.peek == UInt8(ascii: ":") {
            ahead.advance()
            guard let shown = ahead.number(digits: 2...2), shown <= 60 else { return nil }
            second = min(shown, 59)
            precision = .second
            if ahead.peek == UInt8(ascii: ".") {
                ahead.advance()
                precision = ListedDate.Precision(fractionDigits: ahead.digits(atMost: 9))
            }
        }
        if isAfternoon == nil {
            var behind = ahead
            // Java writes a narrow no-break space here.
            behind.skipBlanks()
            if behind.take("\u{202F}") { behind.skipBlanks() }
            isAfternoon = Self.take(Self.meridiems, &behind)
            if isAfternoon != nil { ahead = behind }
        }
        if let isAfternoon {
            guard hour <= 12 else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
            hasMeridiem = true
        }
        seconds = hour * 3600 + minute * 60 + second
        scanner = ahead
    }

    private static func take(_ marks: [(String, Bool)], _ scanner: inout TextScanner) -> Bool? {
        for (mark, isAfternoon) in marks where scanner.take(mark) { return isAfternoon }
        return nil
    }
}

/// Reads a zone: its seconds east of Greenwich; nil where none is named.
private func zoneOffset(_ scanner: inout TextScanner) -> Int? {
    var ahead = scanner
    ahead.skipBlanks(atMost: 1)
    for name in ["GMT", "UTC", "Z"] {
        var behind = ahead
        if behind.take(name), behind.isAtWordEnd {
            scanner = behind
            return 0
        }
    }
    guard let sign = ahead.peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    ahead.advance()
    var offset: Int
    if let compact = ahead.number(digits: 4...4) {
        offset = compact / 100 * 3600 + compact % 100 * 60
    } else if let hours = ahead.number(digits: 2...2) {
        offset = hours * 3600
        if ahead.peek == UInt8(ascii: ":") {
            ahead.advance()
            guard let minutes = ahead.number(digits: 2...2) else { return nil }
            offset += minutes * 60
        }
    } else {
        return nil
    }
    guard offset <= 14 * 3600 else { return nil }
    // Go prints the name behind the offset.
    var behind = ahead
    behind.skipBlanks(atMost: 1)
    if behind.take("UTC") || behind.take("GMT"), behind.isAtWordEnd { ahead = behind }
    scanner = ahead
    return sign == UInt8(ascii: "-") ? -offset : offset
}

/// The days from 1970-01-01 to a day of the Gregorian calendar; nil for a day that there is not.
private func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400
    let dayOfYear = lengths[..<(month - 1)].reduce(0, +) + day - 1
    // 719,162 days lie between 0001-01-01 and 1970-01-01.
    return before * 365 + leapDays + dayOfYear - 719_162
}
