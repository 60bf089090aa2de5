extension HTTPDate {
    /// Reads the three forms of RFC 9110 §5.6.7 from a field's bytes:
    ///
    /// - `Sun, 06 Nov 1994 08:49:37 GMT`, the preferred one
    /// - `Sunday, 06-Nov-94 08:49:37 GMT`, of RFC 850
    /// - `Sun Nov  6 08:49:37 1994`, of C's `asctime`
    ///
    /// Servers that write days of one digit, leave the zone out, write `UTC` or `+0000`, or give RFC 850's form four
    /// digits of the year are understood too. The weekday is not checked against the date. Any other zone is refused:
    /// a date must not be off by hours.
    package init?(bytes: ArraySlice<UInt8>, now: HTTPDate?) {
        if let date = Self.preferredForm(bytes) {
            self = date
            return
        }
        var text = DateText(rest: bytes)
        text.skipBlanks()
        let weekday = text.word()
        if text.skip(UInt8(ascii: ",")) || weekday.isEmpty {
            guard let date = Self.dayFirst(&text, now: now) else { return nil }
            self = date
        } else {
            guard weekday.count >= 3, let date = Self.monthFirst(&text) else { return nil }
            self = date
        }
    }

    /// The preferred form exactly, which nearly every server sends: every part is where it must be.
    private static func preferredForm(_ bytes: ArraySlice<UInt8>) -> HTTPDate? {
        guard bytes.count == 29 else { return nil }
        let start = bytes.startIndex
        func digit(_ offset: Int) -> Int? {
            let byte = bytes[start + offset]
            return UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte & 15) : nil
        }
        func number(_ offset: Int) -> Int? {
            guard let tens = digit(offset), let ones = digit(offset + 1) else { return nil }
            return tens * 10 + ones
        }
        func isAt(_ offset: Int, _ character: Unicode.Scalar) -> Bool {
            UInt32(bytes[start + offset]) == character.value
        }
        guard isAt(3, ","), isAt(4, " "), isAt(7, " "), isAt(11, " "), isAt(16, " "), isAt(19, ":"), isAt(22, ":"),
            isAt(25, " "), isAt(26, "G"), isAt(27, "M"), isAt(28, "T"), let day = number(5),
            let month = monthNumber(bytes[(start + 8)..<(start + 11)]), let century = number(12),
            let yearOfCentury = number(14), let hour = number(17), let minute = number(20), let second = number(23)
        else { return nil }
        return HTTPDate(
            year: century * 100 + yearOfCentury, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`.
    private static func dayFirst(_ text: inout DateText, now: HTTPDate?) -> HTTPDate? {
        text.skipBlanks()
        guard let (day, _) = text.number(upTo: 2), text.skipBlanksOrDash(), let month = monthNumber(text.word()),
            text.skipBlanksOrDash(), let (number, digits) = text.number(upTo: 4), digits == 2 || digits == 4,
            text.skipBlanks(), let (hour, minute, second) = text.timeOfDay(), text.skipsRestOfUTC()
        else { return nil }
        let year = digits == 4 ? number : number + (number < 70 ? 2000 : 1900)
        guard let date = HTTPDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        guard digits == 2, let now else { return date }
        return nearest(to: now, yearOfCentury: number, date.components)
    }

    /// The latest date with a year's last two digits that is not more than 50 years ahead.
    private static func nearest(
        to now: HTTPDate, yearOfCentury: Int,
        _ date: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int)
    ) -> HTTPDate? {
        let today = now.components
        let limit = (today.year + 50, today.month, today.day, today.hour * 3600 + today.minute * 60 + today.second)
        var century = (today.year + 50) / 100 * 100
        let time = date.hour * 3600 + date.minute * 60 + date.second
        if (century + yearOfCentury, date.month, date.day, time) > limit { century -= 100 }
        return HTTPDate(
            year: century + yearOfCentury, month: date.month, day: date.day, hour: date.hour, minute: date.minute,
            second: date.second)
    }

    /// `Nov  6 08:49:37 1994`.
    private static func monthFirst(_ text: inout DateText) -> HTTPDate? {
        guard text.skipBlanks(), let month = monthNumber(text.word()), text.skipBlanks(),
            let (day, _) = text.number(upTo: 2), text.skipBlanks(), let (hour, minute, second) = text.timeOfDay(),
            text.skipBlanks(), let (year, digits) = text.number(upTo: 4), digits == 4, text.skipsRestOfUTC()
        else { return nil }
        return HTTPDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}

/// A date's text while it is read from left to right.
private struct DateText {
    var rest: ArraySlice<UInt8>

    /// Passes one byte if it is next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// Passes blanks and says whether there were any.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        let before = rest.count
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 }
        return rest.count < before
    }

    mutating func skipBlanksOrDash() -> Bool { skip(UInt8(ascii: "-")) || skipBlanks() }

    /// The letters that come next; maybe none.
    mutating func word() -> ArraySlice<UInt8> {
        let letters = rest.prefix(while: isASCIILetter)
        rest = rest[letters.endIndex...]
        return letters
    }

    /// One to `most` digits as a number, and how many there were; nil where there are none or more.
    mutating func number(upTo most: Int) -> (value: Int, digits: Int)? {
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard !digits.isEmpty, digits.count <= most else { return nil }
        rest = rest[digits.endIndex...]
        return (digits.reduce(0) { $0 * 10 + Int($1 & 15) }, digits.count)
    }

    mutating func timeOfDay() -> (hour: Int, minute: Int, second: Int)? {
        guard let (hour, _) = number(upTo: 2), skip(UInt8(ascii: ":")), let (minute, _) = number(upTo: 2),
            skip(UInt8(ascii: ":")), let (second, _) = number(upTo: 2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Whether nothing but a name of UTC follows, or nothing at all.
    mutating func skipsRestOfUTC() -> Bool {
        skipBlanks()
        while let last = rest.last, last == UInt8(ascii: " ") || last == 0x09 { rest.removeLast() }
        switch String(decoding: rest.map(asciiLowercased), as: UTF8.self) {
        case "", "gmt", "utc", "ut", "z", "+0000", "-0000": return true
        default: return false
        }
    }
}
