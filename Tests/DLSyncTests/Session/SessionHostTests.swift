import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    @Suite struct Host {
        @Test("case 92: how many connections a host bears is learnt, steps down, and is known to the next run")
        func learntCap() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                // Two are answered at a time; they are held until others have been refused.
                for index in 0..<40 {
                    server.serve("/f\(index)", Resource(.pattern(seed: 1, count: 2000)), script: [.always(.hold("f"))])
                }
                server.limit(.activeRequests(2))
                let lines = (0..<40).map { server.url("/f\($0)") }
                let first = try await bench.session({ $0.retries = 50 }) { session in
                    async let told = session.tell([try bench.list(lines)])
                    try await server.waitForRequests(6, RequestFilter { $0.status == 503 })
                    server.gate("f").open()
                    return try await told
                }
                #expect(first.isAllWell, "\(first.complaints)")

                let facts = try await bench.session { session in session.loop.configuration.hostFacts }
                let fact = try #require(facts.first)
                #expect(fact.permits.map { $0 < 8 } == true)

                // The next run starts with what was learnt: its first burst is no larger.
                let before = server.requests.count
                let cap = try #require(fact.permits)
                server.limit(nil)
                for index in 0..<40 {
                    server.serve("/g\(index)", Resource(.pattern(seed: 1, count: 10)), script: [.always(.hold("g"))])
                }
                let told = try await bench.session { session in
                    async let told = session.tell([try bench.list((0..<40).map { server.url("/g\($0)") })])
                    try await server.gate("g").waitForArrivals(cap)
                    #expect(server.statistics.activeRequests == cap)
                    #expect(server.requests.count == before + cap)
                    server.gate("g").open()
                    return try await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
            }
        }

        @Test("case 1: a host without ranges is remembered, and later files are not cut")
        func noRanges() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["/a", "/b"] {
                    server.serve(name, Resource(.pattern(seed: 4, count: 3 << 20), ranges: .ignored))
                }
                let first = try await bench.run([server.url("/a")]) { $0.segments = .fixed(3) }
                #expect(first.isAllWell, "\(first.complaints)")
                #expect(server.requests.contains { $0.range != nil })
                let before = server.requests.count
                let second = try await bench.run([server.url("/b")]) { $0.segments = .fixed(3) }
                #expect(second.isAllWell, "\(second.complaints)")
                #expect(server.requests.dropFirst(before).map(\.range) == [nil])
                #expect(bench.holds("a", seed: 4, 3 << 20))
                #expect(bench.holds("b", seed: 4, 3 << 20))
            }
        }

        @Test("case 90: a segment that trickles is replaced, and the others have taken what they could of it")
        func trickle() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let size: Int64 = 8 << 20
                // The last range trickles: a byte each time the test's clock has moved on by a second.
                server.serve(
                    "/a", Resource(.pattern(seed: 6, count: size)),
                    script: [.once(on: .rangeStarting(at: 6 << 20), .drip(bytes: 1, gate: "drip"))])
                let clock = ManualClock()
                let list = try bench.list([server.url("/a") + " size=\(size)"])
                let told = try await bench.session({ $0.segments = .fixed(4) }, clock: clock) { session in
                    let isDone = Flag()
                    async let told = {
                        defer { isDone.set() }
                        return await session.tell([list])
                    }()
                    try await server.gate("drip").waitForArrivals()
                    for _ in 0..<1_000_000 {
                        if isDone.isSet { break }
                        // Ten bytes a second are never silence, and never worth waiting for.
                        server.gate("drip").allow()
                        clock.advance(by: .milliseconds(100))
                        _ = await session.loop.newSeed()
                    }
                    let account = await session.loop.account
                    #expect(isDone.isSet, "\(account)")
                    server.gate("drip").open()
                    return await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 6, size))
            }
        }
    }
}
