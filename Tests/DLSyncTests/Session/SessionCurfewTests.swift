import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 8 << 20
private let piece: Int64 = 1 << 20
private let forEver: Duration = .seconds(1_000_000)

extension SessionTests {
    @Suite struct CurfewTests {
        @Test("A run ends in order when its time is over, and the next one asks for the rest alone")
        func stops() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: size)),
                    script: [.once(.drip(bytes: piece, gate: "flow"))])
                let list = try bench.list([server.url("/a")])
                let (told, reason) = try await bench.session(
                    {
                        $0.stallTimeout = forEver; $0.segments = .fixed(1); $0.curfew.maxDuration = .seconds(3600)
                    }, clock: clock
                ) { session in
                    let events = session.run([list])
                    try await server.waitForRequests(1)
                    server.gate("flow").allow(3)
                    try await session.turn {
                        clock.advance(by: .milliseconds(1))
                        return session.progress.bytesReceived >= 2 * piece
                    }
                    #expect(session.stopReason == nil)
                    clock.advance(by: .seconds(3600))
                    return (await Told(of: events), session.stopReason)
                }
                #expect(reason == .maxDuration(.seconds(3600)))
                #expect(told.outcomes["a"]?.failure?.code == .interrupted)
                server.gate("flow").open()
                try await server.waitUntilIdle()
                let again = try await bench.run([list])
                #expect(again.isAllWell, "\(again.complaints)")
                let start = try #require(server.requests(to: "/a").last?.asked?.start)
                #expect(start >= 2 * piece)
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("Outside of its window a run asks no server for anything, and a run ends when the window does")
        func window() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 10)), script: [.once(.hold("body"))])
                let list = try bench.list([server.url("/a")])
                let window = try #require(DayWindow("22:00-06:00"))
                // The clock starts at midnight.
                for start in [6, 12, 21] {
                    let clock = ManualClock()
                    clock.advance(by: .seconds(start * 3600))
                    let reason = try await bench.session({ $0.curfew.window = window }, clock: clock) { session in
                        let told = await session.tell([list])
                        #expect(told.outcomes.values.allSatisfy { $0.failure?.code == .interrupted })
                        return session.stopReason
                    }
                    #expect(reason == .window(window))
                }
                #expect(server.requests.isEmpty)
                let clock = ManualClock()
                clock.advance(by: .seconds(5 * 3600 + 59 * 60))
                let reason = try await bench.session(
                    {
                        $0.curfew.window = window; $0.stallTimeout = forEver
                    }, clock: clock
                ) { session in
                    let events = session.run([list])
                    try await server.waitForRequests(1)
                    #expect(session.stopReason == nil)
                    clock.advance(by: .seconds(60))
                    _ = await Told(of: events)
                    return session.stopReason
                }
                #expect(reason == .window(window))
                server.gate("body").open()
                let night = ManualClock()
                night.advance(by: .seconds(23 * 3600))
                let told = try await bench.session({ $0.curfew.window = window }, clock: night) { session in
                    await session.tell([list])
                }
                #expect(told.isAllWell, "\(told.complaints)")
            }
        }

        @Test("A rate changes with the time of the day while a run works")
        func timetable() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 24 << 20)))
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session(
                    {
                        $0.stallTimeout = forEver
                        $0.rates = RateTimetable(parsing: "00:00-01:00=1k,none") ?? $0.rates
                    }, clock: clock
                ) { session in
                    let events = session.run([list])
                    try await server.waitForRequests(1)
                    for _ in 0..<2000 {
                        clock.advance(by: .microseconds(10))
                        _ = await session.loop.newSeed()
                    }
                    #expect(server.bodyBytesSent < 20 << 20)
                    // In the second hour nothing holds the transfer back, whatever the clock does.
                    clock.advance(by: .seconds(3600))
                    return await Told(of: events)
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, 24 << 20))
            }
        }

        @Test("case 41: what failed is tried first the next time, and tells since when and in how many runs it failed")
        func failuresFirst() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<20).map { "/f\($0)" }
                for name in names { server.serve(name, Resource(.pattern(seed: 1, count: 100))) }
                let list = try bench.list(names.map { server.url($0) })
                server.setScript("/f17", [.times(2, .status(404))])
                let first = try await bench.run([list])
                let since = try #require(first.outcomes["f17"]?.failingSince)
                #expect(first.outcomes["f17"]?.failedRuns == 1)
                #expect(first.outcomes["f17"]?.entry?.urls.map(\.string) == [server.url("/f17")])
                #expect(first.outcomes["f16"]?.failedRuns == 0 && first.outcomes["f16"]?.failingSince == nil)
                // A list with more, so that others wait to be fetched too.
                for number in 20..<40 { server.serve("/f\(number)", Resource(.pattern(seed: 1, count: 100))) }
                let longer = try bench.list((18..<40).map { server.url("/f\($0)") } + [server.url("/f17")])
                let before = server.requests.count
                let second = try await bench.run([longer]) { $0.connections = 1 }
                #expect(second.outcomes["f17"]?.failedRuns == 2)
                #expect(second.outcomes["f17"]?.failingSince == since)
                let fetched = server.requests[before...].filter { $0.method == "GET" }
                #expect(fetched.first?.target == "/f17")
                let third = try await bench.run([list])
                #expect(third.isAllWell, "\(third.complaints)")
                let status = try DestinationStatus(of: Array(bench.destination.utf8))
                #expect(status.failures.isEmpty)
            }
        }

        @Test("A failure is forgotten once its file is found to be well")
        func forgetsFailures() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 100)))
                let list = try bench.list([server.url("/a")])
                #expect(try await bench.run([list]).isAllWell)
                server.setScript("/a", [.always(.status(404))])
                #expect(try await !bench.run([list]).isAllWell)
                #expect(try DestinationStatus(of: Array(bench.destination.utf8)).failures.count == 1)
                server.setScript("/a", [])
                let told = try await bench.run([list])
                #expect(told.outcomes["a"]?.status == .kept)
                #expect(try DestinationStatus(of: Array(bench.destination.utf8)).failures.isEmpty)
            }
        }

        @Test("The status can be read while a run works, and changes nothing")
        func status() async throws {
            let bench = try Bench()
            let absent = Array(bench.directory.path("nowhere").utf8)
            #expect(throws: Failure.self) { try DestinationStatus(of: absent) }
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 100)))
                server.serve("/b", Resource(.pattern(seed: 1, count: 100)), script: [.once(.hold("body"))])
                let list = try bench.list([server.url("/a"), server.url("/b")])
                _ = try await bench.run([bench.list([server.url("/a")], name: "first")])
                _ = try await bench.session { session in
                    let events = session.run([list])
                    try await server.gate("body").waitForArrivals()
                    let status = try DestinationStatus(of: Array(bench.destination.utf8))
                    #expect(status.isBusy && status.files == 1 && status.bytes == 100 && status.runs.count == 2)
                    #expect(status.runs.first?.ended == nil)
                    server.gate("body").open()
                    return await Told(of: events)
                }
                let status = try DestinationStatus(of: Array(bench.destination.utf8))
                #expect(!status.isBusy && status.files == 2)
            }
        }
    }
}
