import SyncCore
import Testing

@Suite struct DeadlinesTests {
    private func moment(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceStart: .seconds(seconds)) }

    @Test func `without a moment nothing is due`() {
        var deadlines = Deadlines<Int>()
        #expect(deadlines.earliest == nil)
        let key = deadlines.next(now: moment(100))
        #expect(key == nil)
    }

    @Test func `a key comes when its moment has come, not before`() {
        var deadlines = Deadlines<String>()
        deadlines.add("late", at: moment(9))
        deadlines.add("early", at: moment(3))
        #expect(deadlines.earliest == moment(3))
        let keys = [2, 3, 3, 9, 9].map { deadlines.next(now: moment($0)) }
        #expect(keys == [nil, "early", nil, "late", nil])
    }

    @Test(arguments: 0..<10)
    func `in a random walk every key comes once, by its moment`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var deadlines = Deadlines<Int>()
        var waiting: [Int: Int] = [:]
        var now = 0
        for key in 0..<500 {
            let time = now + Int.random(in: 0...50, using: &random)
            deadlines.add(key, at: moment(time))
            waiting[key] = time
            now += Int.random(in: 0...3, using: &random)
            var last = 0
            while Bool.random(using: &random), let due = deadlines.next(now: moment(now)) {
                let time = waiting.removeValue(forKey: due)
                #expect(time.map { $0 <= now && $0 >= last } == true)
                last = time ?? last
            }
            #expect(deadlines.earliest == waiting.values.min().map(moment))
        }
        while let due = deadlines.next(now: moment(10_000)) { #expect(waiting.removeValue(forKey: due) != nil) }
        #expect(waiting.isEmpty)
    }
}
