import SyncCore
import Testing

@Suite struct TransferSpeedTests {
    /// A transfer that has moved at a steady rate for a second.
    private func steady(_ bytesPerSecond: Int64, samples: Int = 10) -> TransferSpeed {
        var speed = TransferSpeed(startedAt: .zero)
        for sample in 1...samples {
            speed.sample(
                bytes: bytesPerSecond / 10, now: MonotonicTime(sinceStart: .milliseconds(100 * sample)))
        }
        return speed
    }

    /// A quarter of a second of a slow line, a second of a quick one.
    static let rests: [(rate: Int64, rest: Int64, isWorth: Bool)] = [
        (8_000_000, 1_999_000, false), (8_000_000, 2_001_000, true), (1000, 260, true), (1000, 0, false),
        (1_000_000_000, 500_000_000, false), (1_000_000_000, 1_001_000_000, true), (1_000_000_000, 0, false),
    ]

    @Test(arguments: rests)
    func `help pays where the rest takes long`(rate: Int64, rest: Int64, isWorth: Bool) {
        let time = steady(rate).timeWorthHelping(rest: rest)
        #expect((time != nil) == isWorth)
        if let time { #expect(abs(time * Double(rate) / Double(rest) - 1) < 1e-6) }
    }

    /// The shortest range for a helper: half a second's bytes, within the policy's limits.
    @Test(
        arguments: [
            (8_000_000, 1 << 20), (2_000_000, 1_000_000), (600_000, 300_000), (100_000, 65536), (0, 65536),
        ] as [(Int64, Int64)])
    func `of a slow transfer less may be taken`(rate: Int64, least: Int64) {
        #expect(steady(rate).leastShare(TransferPolicy()) == least)
        #expect(steady(rate, samples: 2).leastShare(TransferPolicy()) == 1 << 20)
        #expect(steady(rate).leastShare(TransferPolicy(minimumSegment: 10)) == 10)
        let asGiven = TransferPolicy(minimumSegment: 4 << 20, minimumShare: 4 << 20)
        #expect(steady(rate).leastShare(asGiven) == 4 << 20)
    }

    @Test func `a rate that is not known yet calls for no help`() {
        #expect(steady(1000, samples: 2).timeWorthHelping(rest: .max) == nil)
    }
}
