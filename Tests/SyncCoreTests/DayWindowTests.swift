import Testing

@testable import SyncCore

private func minute(_ hour: Int, _ minute: Int = 0) -> Int { hour * 60 + minute }

@Suite("Parts of the day, and when a run has to end")
struct DayWindowTests {
    @Test(
        "A window holds its first minute and not its last one, over midnight too",
        arguments: [
            ("08:00-18:00", [(8, 0, true), (17, 59, true), (18, 0, false), (7, 59, false), (0, 0, false)]),
            (
                "22:00-06:00",
                [(22, 0, true), (23, 59, true), (0, 0, true), (5, 59, true), (6, 0, false), (21, 59, false)]
            ),
            ("22:00-24:00", [(23, 59, true), (0, 0, false), (21, 59, false)]),
            ("22:00-00:00", [(23, 59, true), (0, 0, false)]),
            ("00:00-24:00", [(0, 0, true), (23, 59, true)]),
            ("00:00-00:01", [(0, 0, true), (0, 1, false), (23, 59, false)]),
        ] as [(String, [(Int, Int, Bool)])])
    func contains(text: String, rows: [(Int, Int, Bool)]) throws {
        let window = try #require(DayWindow(text))
        for (hour, minutes, isInside) in rows {
            #expect(window.contains(minute: minute(hour, minutes)) == isInside, "\(hour):\(minutes)")
        }
        #expect(DayWindow(window.description) == window)
    }

    @Test(
        "What is no two different times of the day is no window",
        arguments: [
            "", "8:00-18:00", "08:00", "08:00-", "-18:00", "08:00-08:00", "24:00-08:00", "08:00-24:01", "08:60-09:00",
            "25:00-26:00", "08:00-18:00-", "08.00-18.00", "08:00 - 18:00", "+8:00-18:00", "08:00-18:0x", "00:00-00:00",
        ])
    func refuses(text: String) { #expect(DayWindow(text) == nil) }

    /// What the clock on the wall shows, minute by minute, in the night of a change.
    private static func night(skipping skipped: Range<Int>? = nil, repeating repeated: Range<Int>? = nil) -> [Int] {
        var minutes: [Int] = []
        for now in 0..<minute(6) {
            if skipped?.contains(now) == true { continue }
            minutes.append(now)
            if let repeated, now == repeated.upperBound - 1 { minutes += repeated }
        }
        return minutes
    }

    @Test(
        "Where clocks are put forward or back, a run ends at the first minute that the clock shows outside of the window",
        arguments: [
            // Put forward from 02:00 to 03:00: the end may be left out.
            ("00:00-02:30", night(skipping: 120..<180), 120, 180),
            ("00:00-02:00", night(skipping: 120..<180), 120, 180),
            ("00:00-03:30", night(skipping: 120..<180), 150, 210),
            // Put back from 03:00 to 02:00: an end in between comes twice, and the first one counts.
            ("00:00-02:30", night(repeating: 120..<180), 150, 150),
            ("00:00-03:00", night(repeating: 120..<180), 240, 180),
            // Neither touches a window that lies elsewhere.
            ("00:00-01:00", night(skipping: 120..<180), 60, 60), ("00:00-01:00", night(repeating: 120..<180), 60, 60),
        ] as [(String, [Int], Int, Int)])
    func followsTheWall(text: String, night: [Int], elapsed: Int, shown: Int) throws {
        var curfew = Curfew()
        curfew.window = DayWindow(text)
        let end = try #require(
            night.indices.first { curfew.reason(after: .seconds($0 * 60), atMinute: night[$0]) != nil })
        #expect(end == elapsed)
        #expect(night[end] == shown)
    }

    @Test("A run ends after its time, and at once if its time is over on all counts")
    func ends() throws {
        var curfew = Curfew()
        #expect(curfew.reason(after: .seconds(1 << 40), atMinute: 0) == nil)
        curfew.maxDuration = .seconds(3600)
        #expect(curfew.reason(after: .milliseconds(3_599_999), atMinute: 0) == nil)
        #expect(curfew.reason(after: .seconds(3600), atMinute: 0) == .maxDuration(.seconds(3600)))
        let window = try #require(DayWindow("22:00-06:00"))
        curfew.window = window
        #expect(curfew.reason(after: .zero, atMinute: minute(12)) == .window(window))
        #expect(curfew.reason(after: .seconds(3600), atMinute: minute(12)) == .maxDuration(.seconds(3600)))
        #expect("\(StopReason.window(window))" == "outside of 22:00-06:00, as --window says")
        #expect("\(StopReason.maxDuration(.seconds(3600)))" == "after 1:00:00, as --max-duration says")
    }
}

@Suite("Rates by the time of the day")
struct RateTimetableTests {
    @Test(
        "The first part of the day that fits says the rate, else the one without a time",
        arguments: [
            ("500k", [(0, 500 << 10), (12, 500 << 10)]), ("none", [(0, nil)]),
            ("08:00-18:00=1M,500k", [(7, 500 << 10), (8, 1 << 20), (17, 1 << 20), (18, 500 << 10)]),
            ("500k,08:00-18:00=1M", [(7, 500 << 10), (8, 1 << 20)]),
            ("08:00-18:00=1M", [(7, nil), (8, 1 << 20)]),
            ("22:00-06:00=none,1M/s", [(23, nil), (5, nil), (6, 1 << 20)]),
            ("12:00-13:00=1k,08:00-18:00=2k", [(12, 1024), (13, 2048), (18, nil)]),
        ] as [(String, [(Int, Int64?)])])
    func rates(text: String, rows: [(Int, Int64?)]) throws {
        let table = try #require(RateTimetable(parsing: text))
        for (hour, rate) in rows { #expect(table.rate(atMinute: minute(hour)) == rate, "\(hour):00") }
        #expect(table.isLimited == rows.contains { $0.1 != nil })
    }

    @Test(
        "What is no timetable is refused",
        arguments: [
            "", ",", "0", "1k,", "1k,2k", "none,none", "08:00-18:00", "08:00-18:00=", "=1k", "08:00-08:00=1k", "1k=2k",
            "08:00-18:00=1k=2k", "-1", "08:00-18:00=0",
        ])
    func refuses(text: String) { #expect(RateTimetable(parsing: text) == nil) }
}
