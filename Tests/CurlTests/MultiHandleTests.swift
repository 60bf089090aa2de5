import Curl
import SyncCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct MultiHandleTests {
    @Test("Many transfers side by side each end once, with bytes of their own") func many() throws {
        let multi = try MultiHandle()
        multi.limitConnections(perHost: 4, kept: 4, streams: 16)
        try FaultServer.run { server in
            for number in 0..<40 {
                server.serve("/\(number)", Resource(.pattern(seed: UInt64(number), count: Int64(number) * 1000)))
            }
            let all = try (0..<40).map { try Prepared(server.url("/\($0)"), tag: $0) }
            for get in all { try multi.add(get.easy) }
            let ends = try multi.run(until: all.count)
            #expect(ends == Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, CurlCode.ok) }))
            for (number, get) in all.enumerated() {
                #expect(get.received.body == pattern(seed: UInt64(number), ByteRange(0, Int64(number) * 1000)))
            }
            #expect(server.requests.count == 40)
            #expect(server.statistics.peakConnections <= 4)
            #expect(multi.nextEnded() == nil)
        }
    }

    @Test("A transfer that is taken out is over: nothing comes of it, and its handle serves again")
    func removes() throws {
        let multi = try MultiHandle()
        try FaultServer.run { server in
            server.serve(
                "/a", Resource(.pattern(seed: 1, count: 100_000)), script: [.once(.stall(after: 50_000, gate: "half"))])
            let get = try Prepared(server.url("/a"))
            try multi.add(get.easy)
            for _ in 0..<10_000 where get.received.body.count < 50_000 {
                try multi.perform()
                try multi.wait(milliseconds: 100)
            }
            #expect(get.received.body.count == 50_000)
            multi.remove(get.easy)
            multi.remove(get.easy)
            server.gate("half").open()
            for _ in 0..<10 { try multi.perform() }
            #expect(multi.nextEnded() == nil)
            let again = try Prepared(server.url("/a"), tag: 7, on: get.easy)
            #expect(try multi.run(again) == .ok)
            #expect(again.received.body == pattern(seed: 1, ByteRange(0, 100_000)))
            #expect(get.received.body.count == 50_000)
        }
    }

    @Test("A multi handle that is let go lets its transfers go first") func letsGo() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)), script: [.once(.hold("never"))])
            let get = try Prepared(server.url("/a"))
            do {
                let multi = try MultiHandle()
                try multi.add(get.easy)
                for _ in 0..<10_000 where server.requests.isEmpty {
                    try multi.perform()
                    try multi.wait(milliseconds: 10)
                }
            }
            let again = try Prepared(server.url("/a"), on: get.easy)
            #expect(try MultiHandle().run(again) == .ok)
            #expect(again.received.body.count == 1000)
        }
    }

    @Test("Any thread wakes a handle that sleeps, also one that is only about to") func wakes() throws {
        let multi = try MultiHandle()
        let waker = multi.waker
        let clock = ContinuousClock()
        let start = clock.now
        // A wake before the sleep is not lost.
        waker.wake()
        try multi.wait(milliseconds: 600_000)
        for _ in 0..<100 {
            let thread = try JoinableThread { waker.wake() }
            try multi.wait(milliseconds: 600_000)
            thread.join()
        }
        // Bounds a fault: not one of them slept to its end.
        #expect(clock.now - start < .seconds(600))
    }
}
