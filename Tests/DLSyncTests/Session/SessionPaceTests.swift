import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 3_000_000
private let forEver: Duration = .seconds(1_000_000)

extension SessionTests {
    @Suite struct Pace {
        @Test(
            "A server that asks for patience gets it, and no retry is spent",
            arguments: [(503, "3000"), (429, "1"), (503, "0"), (429, "2000")])
        func retryAfter(status: Int, value: String) async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: size)),
                    script: [.once(.refusal(status, retryAfter: value)), .once(.cut(after: 10))])
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session(
                    {
                        $0.stallTimeout = forEver; $0.retries = 1
                    }, clock: clock
                ) { session in
                    try await driving(clock, of: session, by: .milliseconds(500)) { await session.tell([list]) }
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(clock.now.sinceStart >= .seconds(max(1, Int(value) ?? 0)))
                #expect(server.asked("/a") == ["GET", "GET", "GET 10-\(size - 1)"])
            }
        }

        @Test("A refusal holds back all that is for that host, and nothing of others") func pausesHost() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            let servers = try (1...2).map { try FaultServer(address: "127.0.0.\($0)") }
            defer { for server in servers { server.stop() } }
            for (number, server) in servers.enumerated() {
                for index in 0..<10 { server.serve("/\(number)-\(index)", Resource(.pattern(seed: 1, count: 10))) }
            }
            servers[0].setScript("/0-0", [.once(.refusal(503, retryAfter: "100"))])
            let list = try bench.list((0..<10).flatMap { index in (0..<2).map { servers[$0].url("/\($0)-\(index)") } })
            let told = try await bench.session(
                {
                    $0.stallTimeout = forEver; $0.connectionsPerHost = 1
                }, clock: clock
            ) {
                session in
                let events = session.run([list])
                try await session.turn {
                    clock.advance(by: .milliseconds(1))
                    return session.progress.filesSettled >= 10
                }
                #expect(servers[0].requests.count == 1 && servers[1].requests.count == 10)
                // Less than the server asked for has passed, whatever the fetching of the other host's files took.
                try #require(clock.now.sinceStart < .seconds(90))
                clock.advance(by: .seconds(9))
                for _ in 0..<100 { _ = await session.loop.newSeed() }
                #expect(servers[0].requests.count == 1)
                return try await driving(clock, of: session) { await Told(of: events) }
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(told.outcomes.count == 20)
        }

        @Test("Without time, a limited rate lets no more than a buffer through") func rate() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            let rate: Int64 = 1 << 20
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 24 << 20)))
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session(
                    {
                        $0.stallTimeout = forEver; $0.rateLimit = rate
                    }, clock: clock
                ) {
                    session in
                    let events = session.run([list])
                    try await server.waitForRequests(1)
                    for _ in 0..<2000 { _ = await session.loop.newSeed() }
                    // Nothing is dealt as long as no time passes; what may come is what libcurl hands over at once.
                    #expect(server.bodyBytesSent < 20 << 20)
                    let before = clock.now
                    let result = try await driving(clock, of: session, by: .milliseconds(10)) { await Told(of: events) }
                    #expect((clock.now - before).seconds >= Double((24 << 20) - (512 << 10)) / Double(rate))
                    return result
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, 24 << 20))
            }
        }

        @Test("A connection that stands still is given up and gone on with") func stall() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: size)),
                    script: [.once(.stall(after: 1_000_000, gate: "still")), .once(.hold("never"))])
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session({ $0.segments = .fixed(1) }, clock: clock) { session in
                    async let told = session.tell([list])
                    try await server.gate("still").waitForArrivals()
                    await session.settle(server, clock, from: 0)
                    // One step past each limit, and none while a connection is on its way: the first answer has begun,
                    // the second, which also has the time of a connection, never does.
                    for (count, limit) in [(2, 31), (3, 61)] {
                        clock.advance(by: .seconds(limit))
                        try await session.turn { server.requests.count >= count }
                    }
                    return await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.asked("/a") == ["GET"] + Array(repeating: "GET 1000000-\(size - 1)", count: 2))
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("A transfer that we hold back ourselves does not count as stalled") func heldBack() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                // A body that the sockets' buffers hold: whenever the transfer may go on, there is something to take.
                server.serve("/a", Resource(.pattern(seed: 1, count: 200_000)))
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session(
                    {
                        $0.rateLimit = 1000
                        $0.stallTimeout = .seconds(30)
                        $0.retries = 0
                        $0.segments = .fixed(1)
                    }, clock: clock
                ) { session in
                    let events = session.run([list])
                    try await server.waitForRequests(1)
                    try await server.waitUntilIdle()
                    try await session.turn {
                        clock.advance(by: .microseconds(100))
                        return session.progress.bytesReceived > 0
                    }
                    return try await driving(clock, of: session, by: .milliseconds(500)) { await Told(of: events) }
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.requests.count == 1)
            }
        }
    }
}
