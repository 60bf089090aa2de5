import SyncCore
import TestSupport
import Testing

@Suite struct FormatTextTests {
    @Test(
        "a size without a unit or in bytes is exact",
        arguments: [
            ("0", 0), ("  34  ", 34), ("5368709120", 5_368_709_120), ("78 bytes", 78), ("0B", 0), ("1 byte", 1),
            ("5,368,709,120 bytes", 5_368_709_120), ("4,096", 4096), ("34  B", 34),
        ] as [(String, Int64)])
    func exactSize(_ text: String, _ bytes: Int64) {
        #expect(ListedSize(whole: Array(text.utf8)[...])?.size == .exact(bytes))
    }

    /// The sizes are the ones that Apache, nginx, lighttpd, IIS and Caddy show for them.
    @Test(
        "a rounded size is an interval that the true one lies in",
        arguments: [
            ("1.0K", [973, 1000, 1024, 1075]), ("1.5K", [1536, 1500]), ("118M", [123_456_789]), ("0.1K", [0, 1, 102]),
            ("9.9K", [10_188]), ("5.0G", [5_368_709_120]), ("1.26 MB", [1_320_000, 1_260_000]), ("38.0 kb", [38_912]),
            ("4260 KB", [4_362_240, 4_260_000]), ("5.0 GiB", [5_368_709_120]), ("1,5 MB", [1_500_000, 1_572_864]),
            ("1024 KiB", [1_048_575]), ("1P", [1_125_899_906_842_624]),
        ] as [(String, [Int64])])
    func roundedSize(_ text: String, _ sizes: [Int64]) throws {
        let size = try #require(ListedSize(whole: Array(text.utf8)[...])?.size)
        for bytes in sizes { #expect(size.allows(bytes), "\(size) and \(bytes)") }
        guard case .within(let bounds) = size, let first = sizes.first else {
            Issue.record("\(text) is not taken for a rounded size")
            return
        }
        #expect(!size.allows(bounds.upperBound + 1) && !size.allows(first * 3 + 300))
    }

    @Test(
        "what is no size is not taken for one",
        arguments: [
            "", " ", "abc", "12abc", "1.2.3", "12 files", "K", "99999999999999999999", "99999999P", "1,2,3",
            "2024-01-01", "12:30",
            "1.5", "9223372036854775807G",
        ])
    func noSize(_ text: String) {
        #expect(ListedSize(whole: Array(text.utf8)[...]) == nil)
    }

    @Test("marks stand for no size", arguments: ["-", " - ", "DIR", "<dir>", "—", "[DIR]"])
    func mark(_ text: String) {
        #expect(ListedSize(whole: Array(text.utf8)[...])?.size == .unknown)
    }

    /// All of these are 2023-03-03, 01:21 or 13:21.
    @Test(
        "dates are read in every form that servers use",
        arguments: [
            ("03-Mar-2023 01:21", 0, false, .minute), ("2023-03-03 01:21", 0, false, .minute),
            ("2023-03-03 01:21:25", 25, false, .second), ("2023-Mar-03 01:21:25", 25, false, .second),
            ("2023-MAR-03 01:21:25", 25, false, .second), ("03Mar2023 01:21", 0, false, .minute),
            ("Mar 3, 2023, 1:21:25 AM", 25, false, .second), ("Mar 3, 2023 1:21:25\u{202F}PM", 43_225, false, .second),
            ("3/3/2023 1:21 AM", 0, false, .minute), ("03/03/2023 01:21:25 PM", 43_225, false, .second),
            ("03.03.2023 01:21", 0, false, .minute), ("2023-03-03 오전 1:21", 0, false, .minute),
            ("2023-03-03 오후 1:21", 43_200, false, .minute), ("Fri, 03 Mar 2023 01:21:25 GMT", 25, true, .second),
            ("2023-03-03T01:21:25Z", 25, true, .second),
            ("2023-03-03T01:21:25.120Z", 25, true, .fraction(nanoseconds: 120_000_000, digits: 3)),
            ("2023-03-03T01:21:25.000Z", 25, true, .second),
            ("2023-03-03T01:21:25.023456789Z", 25, true, .fraction(nanoseconds: 23_456_789, digits: 9)),
            ("2023-03-03 01:21:25 +0000 UTC", 25, true, .second), ("2023-03-03T03:21:25+02:00", 25, true, .second),
            ("2023-03-02 23:21 -0200", 0, true, .minute), ("2023-03-02 23:21-02", 0, true, .minute),
            ("03-Mar-2023  1:21", 0, false, .minute), ("2023/03/03 01:21", 0, false, .minute),
        ] as [(String, Int64, Bool, ListedDate.Precision)])
    func date(_ text: String, _ seconds: Int64, _ hasZone: Bool, _ precision: ListedDate.Precision) {
        let expected = ListedDate(
            secondsSinceEpoch: 1_677_806_460 + seconds, hasZone: hasZone, precision: precision)
        #expect(listedDate(whole: Array(text.utf8)[...])?.date == expected)
    }

    @Test(
        "a day without a time is a date of that precision",
        arguments: [
            "2023-03-03", "Mar 3  2023", "03-Mar-2023", "3/3/2023", "2023/03/03", "3 Mar 2023", "Fri, 03 Mar 2023",
        ])
    func day(_ text: String) {
        let expected = ListedDate(secondsSinceEpoch: 1_677_801_600, hasZone: false, precision: .day)
        #expect(listedDate(whole: Array(text.utf8)[...])?.date == expected)
    }

    @Test(
        "a date that says too little is found and is no hint",
        arguments: [
            "3/4/2023", "3/4/2023 01:21", "31-Feb-2023 01:21", "31-Feb-2023", "2023-13-01 01:21", "00-Jan-2023 00:00",
        ])
    func vagueDate(_ text: String) throws {
        let found = try #require(findListedDate(in: Array(text.utf8)[...]))
        #expect(found.date == nil)
    }

    @Test(
        "what is no date is not taken for one",
        arguments: ["", "12:30", "1-2-3", "version 2023-03", "May", "12 May", "a03-Mar-2023"])
    func noDate(_ text: String) {
        #expect(findListedDate(in: Array(text.utf8)[...]) == nil)
    }

    @Test("days count right over leap years")
    func calendar() {
        func seconds(_ text: String) -> Int64? { listedDate(whole: Array(text.utf8)[...])?.date?.secondsSinceEpoch }
        #expect(seconds("1970-01-01 00:00") == 0)
        #expect(seconds("2000-02-29 00:00") == 951_782_400)
        #expect(seconds("2000-03-01 00:00") == 951_868_800)
        #expect(seconds("1900-03-01 00:00") == -2_203_891_200)
        #expect(seconds("2038-01-19 03:14") == 2_147_483_640)
        #expect(seconds("9999-12-31 23:59") == 253_402_300_740)
    }

    @Test("sizes and dates are read from any bytes without a fault", arguments: 0..<200)
    func anyText(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("0123456789-/:.,+ KMGTPBAZTadefnru".utf8) + [0xE2, 0x80, 0xAF]
        let text = (0..<40).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        if let size = ListedSize(startOf: text[...]) { #expect((0...40).contains(size.end)) }
        if let date = findListedDate(in: text[...]) { #expect(date.range.upperBound <= 40) }
    }

    @Test("what is quoted is short, printable and holds no secret")
    func quoting() {
        #expect(quoted("http://user:pass@example.com/a?token=x".utf8) == "'http://example.com/a?…'")
        #expect(quoted("a\u{1B}[31m\u{202E}b".utf8) == "'a\u{FFFD}[31m\u{FFFD}b'")
        #expect(quoted([0xE9, 0x41]) == "'\u{FFFD}A'")
        #expect(quoted(Array(repeating: 0x78, count: 5000)).count == 83)
    }

    @Test(
        "a content that no reader takes is named",
        arguments: [
            ("", "is empty"), (" \n\n", "holds only blanks"), ("\u{89}", "looks like text whose first line is no URL"),
            ("%PDF-1.7", "looks like a PDF document"), ("{\"a\":1}", "looks like JSON"),
            ("<foo/>", "looks like XML of a kind that is not known"),
            ("a\u{0}b", "looks like binary data"), ("GIF89a", "looks like a GIF image"),
        ])
    func content(_ text: String, _ words: String) {
        #expect(describeContent(Array(text.utf8)[...]) == words)
    }
}
