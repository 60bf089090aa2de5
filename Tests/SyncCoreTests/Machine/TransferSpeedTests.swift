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
        #expect(steady(rate).isWorthHelping(rest: rest) == isWorth)
    }

    @Test func `a rate that is not known yet calls for no help`() {
        #expect(!steady(1000, samples: 2).isWorthHelping(rest: .max))
    }
}
