import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 4 << 20
private let have: Int64 = 3_000_000

extension SessionTests {
    @Suite struct Adopt {
        @Test(
            "Another tool's partial is compared at some places and gone on with", arguments: [1, 5000, have, size - 1])
        func adopts(length: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                try writePatternFile(bench.path("a"), seed: 1, count: length)
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.action == .resume)
                #expect(bench.holds("a", seed: 1, size))
                #expect(server.bodyBytesSent <= size - length + min(length, 8 * (16 << 10)))
                #expect(server.requests.last?.asked?.start == length)
                #expect(bench.partials().isEmpty)
            }
        }

        @Test(
            "One wrong byte where it is compared has all of it fetched anew",
            arguments: [0, 16_383, have - 1, have - 16_384])
        func refuses(wrong: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                var bytes = pattern(seed: 1, ByteRange(0, have))
                bytes[Int(wrong)] ^= 1
                try writeFile(bench.path("a"), bytes)
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, size))
                #expect(server.bodyBytesSent >= size)
                #expect(bench.partials().isEmpty)
            }
        }

        @Test("A wrong middle is found at the places between") func refusesMiddle() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                // Right at both ends, as a file is that another tool fetched in segments and left with a hole.
                var bytes = pattern(seed: 1, ByteRange(0, have))
                for index in 500_000..<2_500_000 { bytes[index] = 0 }
                try writeFile(bench.path("a"), bytes)
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("Without leave to adopt, the file is replaced") func never() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                try writePatternFile(bench.path("a"), seed: 1, count: have)
                let told = try await bench.run([server.url("/a")]) { $0.adoptsForeignPartials = false }
                #expect(told.outcomes["a"]?.action == .replace && told.isAllWell, "\(told.complaints)")
                #expect(server.asked("/a") == ["HEAD", "GET"])
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("A server without ranges brings an adopted file as a whole") func withoutRanges() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size), ranges: .none))
                try writePatternFile(bench.path("a"), seed: 1, count: have)
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("A whole file with the server's size and date is taken as it is") func whole() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                try writePatternFile(bench.path("a"), seed: 1, count: size, modified: Resource.ordinaryDate)
                for _ in 0..<2 {
                    let told = try await bench.run([server.url("/a")])
                    #expect(told.outcomes["a"]?.action == .upToDate, "\(told.complaints)")
                }
                #expect(server.asked("/a") == ["HEAD", "HEAD"])
            }
        }
    }
}
