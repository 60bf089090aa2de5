import SyncCore
import Testing

@Suite struct RateBucketTests {
    @Test(arguments: [Int64(1), 7, 99, 1000, 12_345, 1_000_003, 250_000_000], [1, 3, 16])
    func `transfers that take their share get the rate to within a byte each`(rate: Int64, transfers: Int) {
        var bucket = RateBucket(bytesPerSecond: rate, now: .zero)
        var taken: Int64 = 0
        var (ahead, behind): (Int64, Int64) = (0, 0)
        for turn in 1...20_000 {
            let share = bucket.deal(to: transfers, now: MonotonicTime(sinceStart: RateBucket.interval * turn))
            for _ in 0..<transfers {
                bucket.spent(share)
                taken += share
            }
            let due = rate * Int64(turn) / 100
            ahead = max(ahead, taken - due)
            behind = max(behind, due - taken)
        }
        #expect(ahead == 0)
        #expect(behind < Int64(transfers), "only what does not divide evenly is left")
    }

    @Test(arguments: 0..<8)
    func `transfers that take buffers of any size, late and early, get the rate in the long run`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let rate = Int64.random(in: 50_000...5_000_000, using: &random)
        var bucket = RateBucket(bytesPerSecond: rate, now: .zero)
        let transfers = 4
        var now = MonotonicTime.zero
        var taken: Int64 = 0
        var (ahead, behind): (Int64, Int64) = (0, 0)
        let buffer: Int64 = 16_384
        for _ in 0..<20_000 {
            now = now + .microseconds(Int.random(in: 5_000...20_000, using: &random))
            let share = bucket.deal(to: transfers, now: now)
            for _ in 0..<transfers {
                // As a transfer does whose bytes come in buffers: each is booked whole, until the share is used up.
                var rest = share
                while rest > 0 {
                    let size = Int64.random(in: 1...buffer, using: &random)
                    bucket.spent(size)
                    taken += size
                    rest -= size
                }
            }
            let due = Int64(Double(rate) * now.sinceStart.seconds)
            ahead = max(ahead, taken - due)
            behind = max(behind, due - taken)
        }
        #expect(ahead <= Int64(transfers) * buffer)
        #expect(behind <= Int64(transfers), "nothing that was due is lost")
    }

    @Test func `what slow transfers leave is saved up to the burst and no further`() {
        var bucket = RateBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.deal(to: 2, now: MonotonicTime(sinceStart: .milliseconds(100))) == 50)
        bucket.spent(10)
        #expect(bucket.deal(to: 2, now: MonotonicTime(sinceStart: .milliseconds(200))) == 95)
        #expect(bucket.deal(to: 2, now: MonotonicTime(sinceStart: .seconds(3600))) == 125)
        #expect(bucket.deal(to: 0, now: MonotonicTime(sinceStart: .seconds(3601))) == 0)
        #expect(bucket.balance == 250)
    }

    @Test func `a debt is paid before anything is dealt`() {
        var bucket = RateBucket(bytesPerSecond: 1000, now: .zero)
        bucket.spent(500)
        #expect(bucket.deal(to: 1, now: MonotonicTime(sinceStart: .milliseconds(500))) == 0)
        #expect(bucket.deal(to: 1, now: MonotonicTime(sinceStart: .milliseconds(510))) == 10)
    }

    @Test func `a rate below a byte for each transfer and interval reaches them all`() {
        var bucket = RateBucket(bytesPerSecond: 2, now: .zero)
        var taken: Int64 = 0
        for turn in 1...10_000 {
            let share = bucket.deal(to: 50, now: MonotonicTime(sinceStart: RateBucket.interval * turn))
            for _ in 0..<50 { bucket.spent(share) }
            taken += share * 50
        }
        #expect(taken == 200)
    }

    @Test(arguments: [Int64.min, 0, 1, .max / 2, .max], [Duration.zero, .nanoseconds(1), .seconds(Int64.max)])
    func `no rate, time or amount overflows`(rate: Int64, time: Duration) {
        var bucket = RateBucket(bytesPerSecond: rate, now: .zero)
        for amount in [Int64.max, .max, .min, 0] { bucket.spent(amount) }
        var now = MonotonicTime.zero
        for transfers in [1, 1, 0, -3, .max] {
            now = MonotonicTime(sinceStart: max(now.sinceStart, time))
            #expect(bucket.deal(to: transfers, now: now) >= 0)
        }
        #expect(bucket.deal(to: 1, now: .zero) >= 0, "a clock that goes back changes nothing")
    }
}
