import SyncCore
import Testing

struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sun Nov 06 08:49:37 1994 GMT", 784_111_777),
            ("  sun, 6 NOV 1994 08:49:37 gmt ", 784_111_777),
            ("Sun, 6 Nov 1994 8:49:37", 784_111_777),
            ("06 Nov 1994 08:49:37 +0000", 784_111_777),
            ("Sun, 06-Nov-1994 08:49:37 UTC", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Friday, 01-Jan-70 00:00:00 GMT", 0),
            ("Tuesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
        ] as [(String, Int64)])
    func readsTheThreeForms(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate(fieldValue: text)?.secondsSinceEpoch == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Mon, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 06 Nov 94 08:49:37 GMT x", "Sun, 06 Nov 194 08:49:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 06 Brumaire 1994 08:49:37 GMT",
        "Sun, 06Nov1994 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z",
        "Sun, 06 Nov 1994 08:49:37GMTGMT", "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
    ])
    func refusesAnythingElse(_ text: String) {
        #expect(HTTPDate(fieldValue: text) == nil)
    }

    @Test(arguments: [
        ("2026-01-31T12:00:00Z", "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("2026-01-31T12:00:00Z", "Friday, 31-Jan-76 12:00:00 GMT", "2076-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00Z", "Friday, 31-Jan-76 12:00:01 GMT", "1976-01-31T12:00:01Z"),
        ("2026-01-31T12:00:00Z", "Friday, 01-Jan-26 00:00:00 GMT", "2026-01-01T00:00:00Z"),
        ("2060-01-31T12:00:00Z", "Friday, 01-Jan-05 00:00:00 GMT", "2105-01-01T00:00:00Z"),
        ("2060-01-31T12:00:00Z", "Friday, 01-Jan-20 00:00:00 GMT", "2020-01-01T00:00:00Z"),
    ])
    func readsYearsOfTwoDigitsAtMostFiftyYearsAhead(_ now: String, _ text: String, _ expected: String) throws {
        let numbers = now.split { !$0.isNumber }.compactMap { Int($0) }
        let present = try #require(
            HTTPDate(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
                second: numbers[5]))
        #expect(present.iso8601 == now)
        #expect(HTTPDate(fieldValue: text, now: present)?.iso8601 == expected)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT", "0000-01-01T00:00:00Z"),
        ] as [(Int64, String, String)])
    func writesTheDate(_ seconds: Int64, _ field: String, _ iso: String) {
        let date = HTTPDate(secondsSinceEpoch: seconds)
        #expect(date.fieldValue == field)
        #expect(date.iso8601 == iso)
    }

    @Test func anyDateOfFourDigitYearsComesBack() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<5_000 {
            let date = HTTPDate(secondsSinceEpoch: Int64.random(in: -62_167_219_200...253_402_300_799, using: &random))
            #expect(HTTPDate(fieldValue: date.fieldValue) == date)
            let parts = date.components
            #expect(
                HTTPDate(
                    year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
                    second: parts.second) == date)
        }
    }

    @Test(arguments: [Int64.min, Int64.max, -1 << 40, 1 << 55])
    func writesTheStrangestDateWithoutATrap(_ seconds: Int64) {
        let date = HTTPDate(secondsSinceEpoch: seconds)
        #expect(date.fieldValue.hasSuffix(" GMT"))
        #expect(date.iso8601.hasSuffix("Z"))
    }

    @Test(
        arguments: [
            (0, false), (31_535_999, false), (31_536_000, true), (1_000_000_000, true), (1_000_086_400, true),
            (1_000_086_401, false), (-5, false),
        ] as [(Int64, Bool)])
    func believesWhatAClockCanShow(_ seconds: Int64, _ isBelievable: Bool) {
        let now = HTTPDate(secondsSinceEpoch: 1_000_000_000)
        #expect(HTTPDate(secondsSinceEpoch: seconds).isBelievable(now: now) == isBelievable)
    }

    @Test func believesDatesAgainstTheEndOfTime() {
        let end = HTTPDate(secondsSinceEpoch: .max)
        #expect(end.isBelievable(now: end))
    }

    @Test(arguments: [("Jan", 1), ("DEC", 12), ("sep", 9), ("Foo", nil), ("June", nil), ("", nil)] as [(String, Int?)])
    func knowsTheMonths(_ name: String, _ number: Int?) {
        #expect(HTTPDate.monthNumber(Array(name.utf8)[...]) == number)
    }
}

struct EntityTagTests {
    @Test(arguments: [
        ("\"abc\"", "\"abc\"", false),
        (" \"abc\"\t", "\"abc\"", false),
        ("W/\"abc\"", "\"abc\"", true),
        ("w/\"abc\"", "\"abc\"", true),
        ("\"a b\"", "\"a b\"", false),
        ("abc", "\"abc\"", true),
        ("W/abc", "\"abc\"", true),
        ("\"abc", "\"abc\"", true),
        ("\"a\"b\"", "\"ab\"", true),
        ("\"caf\u{E9}\"", "\"caf\u{E9}\"", true),
    ])
    func readsATag(_ text: String, _ opaque: String, _ isWeak: Bool) {
        #expect(EntityTag(fieldValue: text) == EntityTag(opaque: opaque, isWeak: isWeak))
    }

    @Test(arguments: ["", "  ", "\"\"", "W/\"\"", "W/", "\"", "\"a\u{7F}\"", "\"a\u{0}\"", "\"a\r\nX: y\""])
    func refusesWhatTellsNothing(_ text: String) {
        #expect(EntityTag(fieldValue: text) == nil)
    }

    @Test func refusesBytesThatAreNotUTF8() { #expect(EntityTag(bytes: [0x22, 0xE9, 0x22]) == nil) }

    @Test(arguments: ["\"abc\"", "W/\"abc\""])
    func writesWhatItRead(_ text: String) { #expect(EntityTag(fieldValue: text)?.fieldValue == text) }
}
