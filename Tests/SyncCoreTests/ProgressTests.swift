import SyncCore
import Testing

private func moment(_ milliseconds: Int) -> MonotonicTime { MonotonicTime(sinceStart: .milliseconds(milliseconds)) }

@Suite struct ProgressMeterTests {
    @Test(arguments: [10, 100, 250, 1000, 3000])
    func `a steady flow has its rate, however often it is sampled`(step: Int) throws {
        var meter = ProgressMeter()
        for time in stride(from: 0, through: 30_000, by: step) {
            meter.sample(bytes: Int64(time) * 5, now: moment(time))
            guard time >= 1000 else { continue }
            let rate = try #require(meter.rate(now: moment(time)))
            #expect(rate.rounded() == 5000)
        }
        #expect(meter.timeLeft(remaining: 50_000, now: moment(30_000))?.seconds.rounded() == 10)
    }

    @Test func `too little tells nothing`() {
        var meter = ProgressMeter()
        #expect(meter.rate(now: moment(9000)) == nil)
        meter.sample(bytes: 0, now: moment(0))
        meter.sample(bytes: 1_000_000, now: moment(100))
        #expect(meter.rate(now: moment(100)) == nil)
        #expect(meter.timeLeft(remaining: 1, now: moment(100)) == nil)
        #expect(meter.timeLeft(remaining: 0, now: moment(100)) == .zero)
    }

    @Test func `follows a change within the window and falls to zero in a stall`() throws {
        var meter = ProgressMeter()
        for time in stride(from: 0, through: 20_000, by: 100) {
            meter.sample(bytes: Int64(time), now: moment(time))
        }
        #expect(meter.rate(now: moment(20_000)) == 1000)
        let later = try #require(meter.rate(now: moment(28_000)))
        #expect(later < 600, "nobody samples any more")
        for time in stride(from: 20_000, through: 29_000, by: 100) {
            meter.sample(bytes: 20_000, now: moment(time))
        }
        #expect(meter.rate(now: moment(29_000)) == 0)
        #expect(meter.timeLeft(remaining: 5, now: moment(29_000)) == nil)
    }

    @Test func `a count that falls begins anew, a clock that goes back changes nothing`() {
        var meter = ProgressMeter()
        meter.sample(bytes: 1_000_000, now: moment(0))
        meter.sample(bytes: 2_000_000, now: moment(1000))
        meter.sample(bytes: 0, now: moment(2000))
        meter.sample(bytes: 500, now: moment(3000))
        meter.sample(bytes: 900_000, now: moment(1500))
        #expect(meter.rate(now: moment(3000)) == 500)
    }

    @Test func `extremes neither overflow nor promise an end`() {
        var meter = ProgressMeter()
        meter.sample(bytes: .min, now: moment(0))
        meter.sample(bytes: .max, now: moment(1000))
        #expect(meter.rate(now: moment(1000)) == Double(Int64.max))
        var slow = ProgressMeter()
        slow.sample(bytes: 0, now: moment(0))
        slow.sample(bytes: 1, now: moment(1000))
        #expect(slow.timeLeft(remaining: .max, now: moment(1000)) == nil)
    }
}

@Suite struct StallWatchTests {
    @Test func `a transfer stalls a timeout after it last moved`() {
        var watch = StallWatch(startedAt: moment(1000))
        #expect(watch.deadline(timeout: .seconds(30)) == moment(31_000))
        watch.progressed(at: moment(5000))
        watch.progressed(at: moment(4000))
        #expect(watch.lastProgress == moment(5000))
        #expect(!watch.isStalled(now: moment(34_999), timeout: .seconds(30)))
        #expect(watch.isStalled(now: moment(35_000), timeout: .seconds(30)))
    }
}
