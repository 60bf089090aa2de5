import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 8 << 20
private let original = Resource(.pattern(seed: 1, count: size), etag: "\"v1\"")

extension Bench {
    /// Fetches `/a` until every transfer stands still at a gate, and interrupts the session there.
    fileprivate func interruptAtGate(
        _ server: FaultServer, line: String, arrivals: Int = 1, _ change: (inout SyncConfiguration) -> Void = { _ in }
    ) async throws -> Told {
        let list = try list([line])
        let clock = ManualClock()
        let sentBefore = server.bodyBytesSent
        return try await session(
            {
                $0.stallTimeout = .seconds(1_000_000); change(&$0)
            }, clock: clock
        ) { session in
            async let told = session.tell([list])
            try await server.gate("stop").waitForArrivals(arrivals)
            await session.settle(server, clock, from: sentBefore)
            await session.interrupt()
            return await told
        }
    }

    /// What the state has of the partial of `a`.
    fileprivate func record() throws -> PartialRecord? {
        let destination = try Destination(path: destination, access: .existing)
        let state = try StateStore.open(in: destination, bootID: currentBootID()).store
        defer { state.close() }
        return try state.partials(for: [RelativePath("a")])[0]
    }

    /// Has the session begin anew with what the state says of the partial of `a` changed.
    fileprivate func changeRecord(_ change: (inout PartialRecord) -> Void) throws {
        let destination = try Destination(path: destination, access: .existing)
        let state = try StateStore.open(in: destination, bootID: currentBootID()).store
        defer { state.close() }
        var record = try #require(try state.partials(for: [RelativePath("a")])[0])
        change(&record)
        try state.apply([.partial(record)])
    }
}

extension SessionTests {
    @Suite struct Resume {
        @Test("What an interrupted run brought is not asked for again", arguments: [SegmentLimit.fixed(1), .fixed(4)])
        func resumes(segments: SegmentLimit) async throws {
            let bench = try Bench()
            let configure: @Sendable (inout SyncConfiguration) -> Void = {
                $0.segments = segments
                $0.connectionsPerHost = 4
            }
            try await FaultServer.run { server in
                let isSplit = segments == .fixed(4)
                server.serve(
                    "/a", original,
                    script: [.times(isSplit ? 4 : 1, .stall(after: isSplit ? 1_000_000 : 5_000_001, gate: "stop"))])
                let line = server.url("/a") + " size=\(size)"
                let told = try await bench.interruptAtGate(server, line: line, arrivals: isSplit ? 4 : 1, configure)
                #expect(told.outcomes["a"]?.failure?.code == .interrupted)
                #expect(try bench.tree().isEmpty && bench.partials().count == 1)
                try await server.waitUntilIdle()
                let record = try #require(try bench.record())
                #expect(record.extents.count == server.bodyBytesSent)
                #expect(record.syncedExtents == record.extents)

                let before = server.requests.count
                let again = try await bench.run([line], configure)
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(again.outcomes["a"]?.action == .resume)
                #expect(bench.holds("a", seed: 1, size))
                #expect(server.bodyBytesSent == size)
                for request in server.requests.dropFirst(before) {
                    let (start, end) = try #require(request.asked)
                    let range = ByteRange(start, end ?? size)
                    #expect(record.extents.gaps(in: range) == [range], "\(range) of \(record.extents)")
                    #expect(request.field("If-Range") == "\"v1\"")
                }
                #expect(bench.partials().isEmpty)
                #expect(try bench.record() == nil)
            }
        }

        /// What happens between the two runs.
        enum Between: CaseIterable, Sendable {
            case newVersion, newVersionOfOtherLength, otherURL, dataMissing, dataShorter, recordMissing, dataReplaced
        }

        @Test("What does not belong together any more is fetched anew", arguments: Between.allCases)
        func restarts(between: Between) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original, script: [.once(.stall(after: 5_000_001, gate: "stop"))])
                server.serve("/other/a", Resource(.pattern(seed: 2, count: size), etag: "\"v1\""))
                var line = server.url("/a")
                _ = try await bench.interruptAtGate(server, line: line)
                try await server.waitUntilIdle()
                let data = bench.path(".dlsync/partial/\(try #require(bench.partials().first))")
                var (seed, length): (UInt64, Int64) = (1, size)
                switch between {
                case .newVersion:
                    server.replace("/a", Resource(.pattern(seed: 2, count: size), etag: "\"v2\""))
                    seed = 2
                case .newVersionOfOtherLength:
                    length = 1000
                    server.replace("/a", Resource(.pattern(seed: 2, count: length), etag: "\"v2\""))
                    seed = 2
                case .otherURL:
                    line = server.url("/other/a")
                    seed = 2
                case .dataMissing: #expect(unlink(data) == 0)
                case .dataShorter: #expect(truncate(data, 1_000_000) == 0)
                case .recordMissing:
                    let destination = try Destination(path: bench.destination, access: .existing)
                    let state = try StateStore.open(in: destination, bootID: currentBootID()).store
                    try state.apply([.forgetPartial(RelativePath("a"))])
                    state.close()
                case .dataReplaced:
                    #expect(unlink(data) == 0 && mkdir(data, 0o777) == 0)
                }
                let before = server.bodyBytesSent
                let told = try await bench.run([line])
                #expect(told.isAllWell, "\(told.complaints) \(server.requests.map(\.short))")
                #expect(bench.holds("a", seed: seed, length))
                #expect(server.bodyBytesSent - before >= length)
                #expect(try bench.record() == nil)
                if between != .dataReplaced {
                    // What nothing remembers is gone with the next run at the latest.
                    try await bench.session { _ in }
                    #expect(bench.partials().isEmpty)
                }
            }
        }

        @Test("A partial that was complete already is only put in place") func completeAlready() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original, script: [.once(.stall(after: size - 1, gate: "stop"))])
                _ = try await bench.interruptAtGate(server, line: server.url("/a"))
                try await server.waitUntilIdle()
                let data = bench.path(".dlsync/partial/\(try #require(bench.partials().first))")
                try writePatternFile(data, seed: 1, count: size)
                try bench.changeRecord { $0.extents.insert(ByteRange(0, size)) }
                let before = server.requests.count
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.requests.dropFirst(before).map(\.short) == ["HEAD"])
                #expect(bench.holds("a", seed: 1, size))
                #expect(try modified(bench.path("a")) == Resource.ordinaryDate)
            }
        }

        @Test("A new version of a file that is here is gone on with, and the old one stays until then") func replacing()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 7, count: 1000)))
                _ = try await bench.run([server.url("/a")])
                server.serve("/a", original, script: [.once(on: .get, .stall(after: 3_000_000, gate: "stop"))])
                _ = try await bench.interruptAtGate(server, line: server.url("/a"))
                #expect(bench.holds("a", seed: 7, 1000))
                try await server.waitUntilIdle()
                let told = try await bench.run([server.url("/a")])
                #expect(told.outcomes["a"]?.action == .resume, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, size))
                #expect(server.asked("/a").last == "GET 3000000-\(size - 1)")
            }
        }

        @Test("Interrupting twice, early, late and from several tasks ends everything") func interruptions()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original, script: [.always(.hold("never"))])
                let list = try bench.list((0..<500).map { server.url("/a?\($0)") + " out=f\($0)" })
                let told = try await bench.session { session in
                    async let told = session.tell([list])
                    try await server.waitForRequests(8)
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<5 { group.addTask { await session.interrupt() } }
                    }
                    return await told
                }
                #expect(told.outcomes.values.allSatisfy { $0.failure?.code == .interrupted })
                let late = try await bench.session { session in
                    await session.interrupt()
                    return await session.tell([list, Source(argument: server.url("/l/"))])
                }
                #expect(late.outcomes.values.allSatisfy { $0.failure?.code == .interrupted })
                #expect(try bench.tree().isEmpty && bench.partials().isEmpty)
            }
        }
    }
}
