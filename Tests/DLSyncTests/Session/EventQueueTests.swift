import Synchronization
import Testing

@testable import DLSync

@Suite(.timeLimit(.minutes(10))) struct EventQueueTests {
    @Test("A long queue gives everything in order, and a writer that waits for room never runs far ahead")
    func isBounded() async throws {
        let queue = EventQueue<Int>()
        let count = 100_000
        let readCount = Atomic(0)
        async let mostAhead: Int = {
            var mostAhead = 0
            for number in 0..<count {
                queue.push(number)
                await queue.waitForRoom()
                mostAhead = max(mostAhead, number + 1 - readCount.load(ordering: .relaxed))
            }
            queue.finish()
            return mostAhead
        }()
        var expected = 0
        while let number = await queue.next() {
            #expect(number == expected)
            expected += 1
            readCount.store(expected, ordering: .relaxed)
        }
        // One more may be on its way to the reader.
        #expect(await mostAhead <= 4097)
        #expect(expected == count)
    }

    @Test("A writer that waits for room goes on when nobody reads any more")
    func endsWaiting() async throws {
        let queue = EventQueue<Int>()
        for number in 0..<10_000 { queue.push(number) }
        async let waited: Void = queue.waitForRoom()
        queue.finish()
        await waited
        #expect(await queue.next() == 0)
    }
}
