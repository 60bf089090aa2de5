import SyncCore
import Testing

@Suite struct SegmentGrowthTests {
    @Test(arguments: [
        (SegmentLimit.auto, 8, 1), (.auto, 0, 1), (.fixed(4), 8, 4), (.fixed(16), 8, 8), (.fixed(0), 8, 1),
        (.fixed(-3), 8, 1), (.fixed(4), 0, 1),
    ])
    func `a file begins with so many`(limit: SegmentLimit, most: Int, allowed: Int) {
        #expect(SegmentGrowth(limit, most: most).allowed == allowed)
    }

    /// Lets a file of `missing` bytes be fetched at a rate that depends on the number of transfers.
    private func grown(
        most: Int, missing: Int64, seconds: Int = 60, rate: (Int) -> Int64
    ) -> SegmentGrowth {
        var growth = SegmentGrowth(.auto, most: most)
        var missing = missing
        for second in 0..<seconds {
            growth.sample(missing: missing, active: growth.allowed, now: MonotonicTime(sinceStart: .seconds(second)))
            missing = max(0, missing - rate(growth.allowed))
        }
        return growth
    }

    @Test func `transfers are added while each brings its share`() {
        #expect(grown(most: 8, missing: 1 << 30) { Int64($0) * 1000 }.allowed == 8)
        #expect(grown(most: 6, missing: 1 << 30) { Int64($0) * 1000 }.allowed == 6)
        #expect(grown(most: 1, missing: 1 << 30) { Int64($0) * 1000 }.allowed == 1)
    }

    @Test func `one doubling that brings nothing is the last`() {
        #expect(grown(most: 8, missing: 1 << 30) { _ in 1000 }.allowed == 2)
        #expect(grown(most: 8, missing: 1 << 30) { Int64(min($0, 4)) * 1000 }.allowed == 8)
        #expect(grown(most: 32, missing: 1 << 30) { Int64(min($0, 4)) * 1000 }.allowed == 8)
    }

    @Test func `one look that shows too little is not believed`() {
        var growth = SegmentGrowth(.auto, most: 8)
        var (missing, half): (Int64, Int) = (1 << 30, 0)
        func look(_ bytes: Int64) {
            missing -= bytes
            half += 1
            growth.sample(
                missing: missing, active: growth.allowed, now: MonotonicTime(sinceStart: .milliseconds(500 * half)))
        }
        look(0)
        look(500)
        #expect(growth.allowed == 1, "the first transfer is watched for a second")
        look(500)
        #expect(growth.allowed == 2)
        // All of them have to run before anything is judged.
        look(0)
        for _ in 1..<SegmentGrowth.patience { look(600) }
        #expect(growth.allowed == 2)
        look(1000)
        #expect(growth.allowed == 4)
        look(0)
        for _ in 1...SegmentGrowth.patience { look(1000) }
        look(8000)
        #expect(growth.allowed == 4)
    }

    @Test func `a file that is soon done gets no other`() {
        #expect(grown(most: 8, missing: 3000) { Int64($0) * 1000 }.allowed == 1)
    }

    @Test func `a file of which nothing comes stays as it is`() {
        #expect(grown(most: 8, missing: 1 << 30) { _ in 0 }.allowed == 1)
        #expect(grown(most: 8, missing: .max) { _ in Int64.max / 64 }.allowed <= 8)
    }

    @Test func `a rate is watched only while all that are allowed run`() {
        var growth = SegmentGrowth(.auto, most: 8)
        for second in 0..<10 {
            growth.sample(
                missing: 1_000_000 - Int64(second) * 1000, active: 0, now: MonotonicTime(sinceStart: .seconds(second)))
        }
        #expect(growth.allowed == 1)
    }

    @Test(arguments: [
        // One that is soon done, one that asked for a number, one of a host with a limit.
        (SegmentLimit.auto, 8, 1, 2), (.auto, 8, 5, 6), (.auto, 8, 8, 8), (.fixed(4), 8, 4, 4), (.fixed(4), 8, 2, 4),
        (.auto, 1, 1, 1),
    ])
    func `one more than are active is allowed on invitation`(limit: SegmentLimit, most: Int, active: Int, allowed: Int)
    {
        var growth = SegmentGrowth(limit, most: most)
        growth.invite(active: active)
        #expect(growth.allowed == allowed)
    }

    @Test func `a rate is not judged before its time`() {
        var growth = SegmentGrowth(.auto, most: 8)
        for step in 0..<9 {
            growth.sample(
                missing: 1_000_000 - Int64(step) * 100, active: 1,
                now: MonotonicTime(sinceStart: .milliseconds(100 * step)))
        }
        #expect(growth.allowed == 1)
    }

    @Test(arguments: [(3, 3), (1, 1), (0, 1), (9, 4)])
    func `a refusal ends the growth at what runs`(active: Int, allowed: Int) {
        var growth = SegmentGrowth(.fixed(4), most: 8)
        growth.refused(active: active)
        #expect(growth.allowed == allowed)
        var automatic = SegmentGrowth(.auto, most: 8)
        automatic.refused(active: 1)
        for second in 0..<20 {
            automatic.sample(
                missing: 1_000_000 - Int64(second) * 1000, active: 1, now: MonotonicTime(sinceStart: .seconds(second)))
        }
        #expect(automatic.allowed == 1)
    }
}
