import SyncCore
import Testing

@Suite struct SizeTextTests {
    @Test(arguments: [
        ("0", 0), ("500", 500), ("500B", 500), ("500 b", 500), ("500k", 512_000), ("500K", 512_000),
        ("500Ki", 512_000), ("500KiB", 512_000), ("500kib", 512_000), ("500kB", 500_000), ("500KB", 500_000),
        ("1M", 1_048_576), ("10MB", 10_000_000), ("10 MB", 10_000_000), ("1.5GiB", 1_610_612_736),
        ("2.5k", 2560), ("1.1K", 1126), ("0.5", 0), ("1T", 1 << 40), ("1P", 1 << 50), ("7E", 7 << 60),
        ("7.999999999999999999E", 9_223_372_036_854_775_806), ("0.0000000000000000001E", 0),
        ("9223372036854775807", Int64.max), ("007", 7),
    ])
    func `reads a size`(text: String, bytes: Int64) { #expect(SizeText.parse(text) == bytes) }

    @Test(arguments: [
        "", " ", "k", "-1", "+1", "1 2", "1..5", ".5", "1.", "1.k", "1,5", "1e6", "0x10", "5X", "5KKB", "5Bi", "5iB",
        "1M ", " 1M", "8E", "9223372036854775808", "99999999999999999999", "9223372036854775807k", "1Ｍ", "１", "5M/s",
        "NaN", "1.5.5", "5\u{0}",
    ])
    func `refuses what is no size, or too great`(text: String) { #expect(SizeText.parse(text) == nil) }

    @Test(arguments: [("1M", 1_048_576), ("1M/s", 1_048_576), ("1 MB/s", 1_000_000), ("/s", nil), ("1M/h", nil)])
    func `reads a rate`(text: String, bytes: Int64?) { #expect(SizeText.parseRate(text) == bytes) }

    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1075, "1.0 KiB"), (1076, "1.1 KiB"),
        (1536, "1.5 KiB"), (102_348, "99.9 KiB"), (102_349, "100 KiB"), (1_048_063, "1023 KiB"),
        (1_048_064, "1.0 MiB"), (1_610_612_736, "1.5 GiB"), (Int64.max, "8.0 EiB"), (-2048, "-2.0 KiB"),
    ])
    func `writes a size`(bytes: Int64, text: String) { #expect(SizeText.size(bytes) == text) }

    @Test(arguments: [
        (0.0, "0 B/s"), (-5, "0 B/s"), (.nan, "0 B/s"), (0.4, "0 B/s"), (12_897_484.8, "12.3 MiB/s"),
        (.infinity, "8.0 EiB/s"),
    ])
    func `writes a rate`(rate: Double, text: String) { #expect(SizeText.rate(rate) == text) }

    @Test func `every size fits its columns and is padded to them`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2000 {
            let bytes = Int64(random.next() >> UInt64.random(in: 1...63, using: &random))
            #expect(SizeText.size(bytes, paddedTo: SizeText.sizeWidth).count == SizeText.sizeWidth)
            #expect(SizeText.rate(Double(bytes), paddedTo: SizeText.rateWidth).count == SizeText.rateWidth)
        }
        #expect(SizeText.size(5, paddedTo: 8) == "     5 B")
    }
}

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0", Duration.zero), ("30", .seconds(30)), ("1.5", .milliseconds(1500)), ("30s", .seconds(30)),
        ("500ms", .milliseconds(500)), ("5m", .seconds(300)), ("2h", .seconds(7200)), ("1d", .seconds(86_400)),
        ("1w", .seconds(604_800)), ("1h30m", .seconds(5400)), ("1d2h3m4s5ms", .milliseconds(93_784_005)),
        ("1.5h", .seconds(5400)), ("1m0.5s", .milliseconds(60_500)), ("9223372036s", .seconds(9_223_372_036)),
    ])
    func `reads a duration`(text: String, duration: Duration) { #expect(DurationText.parse(text) == duration) }

    @Test(arguments: [
        "", "s", "-5", "+5", "5 s", "1h30", "30m1h", "1h1h", "1.5h30m", "5M", "5min", "1:30", "5us", "1e3",
        "9223372037s",
        "15251w", "99999999999999999999", "15250w99999h", ".5s", "5ms5", "1h ", "∞",
    ])
    func `refuses what is no duration, or too long`(text: String) { #expect(DurationText.parse(text) == nil) }

    @Test(arguments: [
        (Duration.zero, "0 s"), (.seconds(-5), "0 s"), (.microseconds(1), "0 s"), (.milliseconds(350), "350 ms"),
        (.milliseconds(999), "999 ms"), (.milliseconds(1999), "1 s"), (.seconds(45), "45 s"), (.seconds(60), "1:00"),
        (.seconds(754), "12:34"), (.seconds(3723), "1:02:03"), (.seconds(359_999), "99:59:59"),
        (.seconds(360_000), "4d 04h"), (.seconds(86_399_999), "999d 23h"), (.seconds(86_400_000), "1000 d"),
        (.seconds(Int64.max), "106751 d"),
    ])
    func `writes a duration`(duration: Duration, text: String) {
        #expect(DurationText.text(duration) == text)
        #expect(DurationText.text(duration, paddedTo: DurationText.width).count == DurationText.width)
    }
}
