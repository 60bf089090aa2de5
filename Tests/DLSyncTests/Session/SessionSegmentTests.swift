import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let mebibyte: Int64 = 1 << 20

/// The bytes that requests asked for, as ranges; a request without one counts as the whole.
private func ranges(_ requests: [RecordedRequest], size: Int64) -> [ByteRange] {
    requests.filter { $0.method == "GET" }.map { request in
        guard let (start, end) = request.asked else { return ByteRange(0, size) }
        return ByteRange(start, min(size, end ?? size))
    }
}

extension SessionTests {
    @Suite struct Segment {
        @Test(
            "Four segments ask for every byte once", arguments: [true, false])
        func tiles(isSizeKnown: Bool) async throws {
            let bench = try Bench()
            let size = 9 * mebibyte + 17
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 5, count: size)),
                    script: [.always(on: .get, .stall(after: 1000, gate: "go"))])
                let list = try bench.list([server.url("/a") + (isSizeKnown ? " size=\(size)" : "")])
                let told = try await bench.session {
                    $0.segments = .fixed(4)
                    // So long that none of the four can be halved.
                    $0.minimumSegment = 2 * mebibyte
                } _: { session in
                    async let told = session.tell([list])
                    // None is done before all have begun.
                    try await server.gate("go").waitForArrivals(4)
                    server.gate("go").open()
                    return await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 5, size))
                let asked = ranges(server.requests, size: size)
                #expect(asked.reduce(0) { $0 + $1.count } == size, "\(server.requests)")
                #expect(ByteRangeSet(asked).ranges == [ByteRange(0, size)])
                #expect(asked.count >= 4)
                #expect(server.bodyBytesSent == size)
                #expect(told.outcomes["a"]?.bytes == size)
            }
        }

        @Test("A segment that is stuck loses its tail to the others, and keeps what it has") func steals() async throws
        {
            let bench = try Bench()
            let size = 16 * mebibyte
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 6, count: size)),
                    script: [.once(on: .rangeStarting(at: 0), .stall(after: 100_000, gate: "stuck"))])
                let list = try bench.list([server.url("/a") + " size=\(size)"])
                let told = try await bench.session {
                    $0.segments = .fixed(4)
                    $0.minimumSegment = 256 << 10
                } _: { session in
                    async let told = session.tell([list])
                    // The first segment is halved again and again until its rest is too short to be worth another.
                    try await server.gate("stuck").waitForArrivals()
                    try await server.waitForRequests(7, .ranged)
                    #expect(session.progress.filesSettled == 0)
                    server.gate("stuck").open()
                    return await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 6, size))
                #expect(told.outcomes["a"]?.size == size)
                // A request that lost its tail is cut where that begins; what libcurl had in hand then came in vain.
                let wasted = try #require(told.outcomes["a"]?.bytes) - size
                #expect(wasted <= Int64(server.requests.count) * (256 << 10), "\(server.requests)")
            }
        }

        @Test("Two files share what permits there are, and no byte is asked for twice") func shares() async throws {
            let bench = try Bench()
            let size = 6 * mebibyte
            try await FaultServer.run { server in
                for name in ["a", "b", "c"] { server.serve("/\(name)", Resource(.pattern(seed: 8, count: size))) }
                let told = try await bench.run(["a", "b", "c"].map { server.url("/\($0)") + " size=\(size)" }) {
                    $0.segments = .fixed(3)
                    $0.connectionsPerHost = 4
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.statistics.peakActiveRequests <= 4)
                for name in ["a", "b", "c"] {
                    #expect(bench.holds(name, seed: 8, size))
                    let asked = ranges(server.requests(to: "/\(name)"), size: size)
                    #expect(ByteRangeSet(asked).ranges == [ByteRange(0, size)])
                }
            }
        }

        @Test("One segment that fails is gone on with where it ended, the others are left alone") func oneFails()
            async throws
        {
            let bench = try Bench()
            let size = 8 * mebibyte
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 6, count: size)),
                    script: [.once(on: .rangeStarting(at: 2 * mebibyte), .cut(after: 700_000, by: .reset))])
                let told = try await bench.run([server.url("/a") + " size=\(size)"]) {
                    $0.segments = .fixed(4)
                    $0.minimumSegment = 2 * mebibyte
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 6, size))
                #expect(server.requests(to: "/a").contains { $0.asked?.start == 2 * mebibyte + 700_000 })
            }
        }
    }
}
