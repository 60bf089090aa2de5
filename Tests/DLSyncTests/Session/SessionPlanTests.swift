import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    @Suite struct Plan {
        @Test("A plan says what a run then does, writes nothing, and is not asked about again") func plans()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                func serve(_ name: String, seed: UInt64, _ count: Int64, _ script: [Step] = []) {
                    server.serve("/\(name)", Resource(.pattern(seed: seed, count: count)), script: script)
                }
                serve("current", seed: 1, 5000)
                serve("changed", seed: 2, 6000)
                serve("cut", seed: 3, 4 << 20, [.once(.stall(after: 1 << 20, gate: "stop"))])
                let list = try bench.list(["current", "changed", "cut"].map { server.url("/\($0)") })
                let clock = ManualClock()
                _ = try await bench.session(
                    {
                        $0.segments = .fixed(1)
                        $0.stallTimeout = .seconds(1_000_000)
                    }, clock: clock
                ) { session in
                    async let told = session.tell([list])
                    try await server.gate("stop").waitForArrivals()
                    while session.progress.filesSettled < 2 {
                        clock.advance(by: .milliseconds(1))
                        _ = await session.loop.newSeed()
                    }
                    await session.settle(server, clock, from: 0)
                    await session.interrupt()
                    return await told
                }
                try await server.waitUntilIdle()
                serve("changed", seed: 20, 7000)
                serve("new", seed: 4, 9000)
                serve("foreign", seed: 5, 3000)
                serve("busy", seed: 6, 10)
                try writePatternFile(bench.path("foreign"), seed: 5, count: 1000)
                try makeDirectories(bench.path("busy"))
                server.serve("/secret", Resource(.bytes([])), script: [.always(.status(403))])
                let names = ["current", "changed", "cut", "new", "foreign", "busy", "gone", "secret"]
                let sources = [try bench.list(names.map { server.url("/\($0)") })]

                let before = (try treeListing(bench.destination), server.requests.count)
                let plan = try await bench.session {
                    $0.isReadOnly = true
                } _: {
                    await $0.plan(sources)
                }
                #expect(try treeListing(bench.destination) == before.0)
                #expect(server.requests.dropFirst(before.1).allSatisfy { $0.method == "HEAD" || $0.path == "/secret" })
                let lines = Dictionary(
                    uniqueKeysWithValues: plan.entries.map {
                        (
                            $0.facts.path.description,
                            "\($0.decision.action) \($0.decision.have) \($0.decision.fetch ?? -1)"
                        )
                    })
                #expect(
                    lines == [
                        "current": "upToDate 5000 0", "changed": "replace 0 7000", "cut": "resume 1048576 3145728",
                        "new": "fetch 0 9000", "foreign": "resume 1000 2000", "busy": "conflict 0 0",
                        "gone": "skip 0 0",
                        "secret": "unknown 0 -1",
                    ])
                #expect(
                    plan.summary.have == 5000 + (1 << 20) + 1000 && plan.summary.fetch == 7000 + (3 << 20) + 9000 + 2000
                )
                #expect(plan.summary.failed == 3 && plan.summary.unknownSizes == 1)

                let heads = server.count("HEAD")
                let told = try await bench.session { session in
                    let plan = await session.plan(sources)
                    let asked = server.count("HEAD")
                    #expect(asked > heads)
                    let told = await Told(of: session.run(plan))
                    #expect(server.count("HEAD") == asked, "the run asks again what the plan knew")
                    return told
                }
                #expect(Set(told.outcomes.keys) == Set(names))
                for (name, outcome) in told.outcomes {
                    #expect(lines[name]?.hasPrefix("\(outcome.action) ") == true, "\(name): \(outcome.action)")
                    #expect(
                        (outcome.failure != nil) == ["busy", "gone", "secret"].contains(name), "\(name): \(outcome)")
                }
                #expect(bench.holds("changed", seed: 20, 7000) && bench.holds("cut", seed: 3, 4 << 20))
                #expect(bench.holds("new", seed: 4, 9000) && bench.holds("foreign", seed: 5, 3000))
            }
        }

        @Test("A destination that is missing stays missing") func missing() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 10)))
                let list = try bench.list([server.url("/a")])
                let plan = try await bench.session {
                    $0.isReadOnly = true
                } _: {
                    await $0.plan([list])
                }
                #expect(plan.entries.map(\.decision.action) == [.fetch])
                #expect(plan.freeSpace ?? 0 > 0)
                #expect(!exists(bench.destination))
            }
        }

        @Test("A plan that is interrupted ends") func interrupted() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 10)), script: [.always(.hold("never"))])
                let list = try bench.list([server.url("/a")])
                let plan = try await bench.session { session in
                    async let plan = session.plan([list])
                    try await server.waitForRequests(1)
                    await session.interrupt()
                    return await plan
                }
                #expect(plan.summary.failures == [.interrupted])
            }
        }

        @Test("A file that changed between plan and run is not mixed") func changedBetween() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 3 << 20)))
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session { session in
                    let plan = await session.plan([list])
                    server.replace("/a", Resource(.pattern(seed: 2, count: 2 << 20)))
                    return await Told(of: session.run(plan))
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 2, 2 << 20))
            }
        }
    }
}
