import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let sizes: [Int64] = [0, 1, 2, 1000, 4096, 65_535, 65_536, 262_144, 262_145, 1 << 20, 3_000_001, 5 << 20]

/// Serves a file of each size as `/f0`, `/f1` and so on; the file's number is its pattern's seed.
private func serveSizes(_ server: FaultServer) -> [String] {
    for (index, size) in sizes.enumerated() {
        server.serve("/f\(index)", Resource(.pattern(seed: UInt64(index), count: size)))
    }
    return sizes.indices.map { server.url("/f\($0)") }
}

extension SessionTests {
    @Suite struct Main {
        @Test("Files of all sizes are fetched by one request each, with the server's time") func fetchesAll()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let told = try await bench.run(serveSizes(server))
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes.count == sizes.count)
                for (index, size) in sizes.enumerated() {
                    #expect(bench.holds("f\(index)", seed: UInt64(index), size))
                    #expect(try modified(bench.path("f\(index)")) == Resource.ordinaryDate)
                    #expect(server.asked("/f\(index)") == ["GET"])
                    let outcome = try #require(told.outcomes["f\(index)"])
                    #expect(outcome.status == .done && outcome.action == .fetch && outcome.size == size)
                    #expect(outcome.bytes == size && outcome.requests == 1)
                }
                #expect(bench.partials().isEmpty)
                #expect(told.summary.bytesReceived == sizes.reduce(0, +))
            }
        }

        @Test("What is current costs a HEAD and no byte of a body") func unchanged() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let urls = serveSizes(server)
                _ = try await bench.run(urls)
                let before = (server.bodyBytesSent, server.requests.count)
                let told = try await bench.run(urls)
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.summary.actions == [.upToDate: sizes.count])
                #expect(server.bodyBytesSent == before.0)
                #expect(server.requests.dropFirst(before.1).map(\.method) == sizes.map { _ in "HEAD" })
                #expect(told.outcomes.values.allSatisfy { $0.status == .kept && $0.bytes == 0 })
            }
        }

        @Test(
            "A file that changed is fetched anew though its size is the same, and nothing else is",
            arguments: [
                Resource(.pattern(seed: 77, count: 4096), etag: "\"other\""),
                Resource(.pattern(seed: 77, count: 4096), etag: nil, lastModified: Resource.ordinaryDate + 1),
                Resource(.pattern(seed: 77, count: 4096), etag: nil, lastModified: Resource.ordinaryDate - 100),
            ])
        func changed(other: Resource) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let urls = serveSizes(server)
                var first = other
                first.body = .pattern(seed: 4, count: 4096)
                first.etag = other.etag == nil ? nil : "\"first\""
                first.lastModified = Resource.ordinaryDate
                server.replace("/f4", first)
                _ = try await bench.run(urls)
                server.replace("/f4", other)
                let before = server.bodyBytesSent
                let told = try await bench.run(urls)
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["f4"]?.action == .replace && told.outcomes["f4"]?.status == .done)
                #expect(told.summary.actions[.upToDate] == sizes.count - 1)
                #expect(server.bodyBytesSent - before == 4096)
                #expect(bench.holds("f4", seed: 77, 4096))
                #expect(try modified(bench.path("f4")) == other.lastModified)
            }
        }

        @Test("case 63: Where HEAD is refused, the first byte is asked for", arguments: [400, 403, 405, 501])
        func withoutHead(status: Int) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: 100_000)), script: [.always(on: .head, .status(status))])
                _ = try await bench.run([server.url("/a")])
                let told = try await bench.run([server.url("/a")])
                #expect(told.outcomes["a"]?.action == .upToDate, "\(told.complaints)")
                #expect(server.asked("/a") == ["GET", "HEAD", "GET 0-0"])
                #expect(server.bodyBytesSent <= 100_001)
            }
        }

        @Test("A file that is not there costs its own outcome and nothing else") func missing() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let urls = serveSizes(server)
                let told = try await bench.run([server.url("/gone")] + urls)
                #expect(told.outcomes["gone"]?.status == .failed)
                #expect(told.outcomes["gone"]?.failure?.code == .missing)
                #expect(told.outcomes["gone"]?.requests == 1)
                #expect(told.summary.failed == 1 && told.summary.succeeded == sizes.count)
                #expect(!exists(bench.path("gone")))
                // A file that was here stays when its server forgets it.
                server.remove("/f3")
                let again = try await bench.run(urls)
                #expect(again.outcomes["f3"]?.failure?.code == .missing)
                #expect(bench.holds("f3", seed: 3, 1000))
            }
        }

        @Test("Hundreds of requests share the connections of one host") func keepsAlive() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for index in 0..<400 {
                    server.serve("/d/\(index)", Resource(.pattern(seed: UInt64(index), count: Int64(index * 7))))
                }
                let urls = (0..<400).map { server.url("/d/\($0)") }
                let told = try await bench.run(urls) { $0.connectionsPerHost = 5 }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.statistics.connectionsAccepted <= 5)
                #expect(server.statistics.peakActiveRequests <= 5)
                let again = try await bench.run(urls) { $0.connectionsPerHost = 5 }
                #expect(again.isAllWell && server.statistics.connectionsAccepted <= 10)
                #expect(server.requests.count == 800)
            }
        }

        @Test("A destination that is in use is refused, and is free again when its session has ended") func locked()
            async throws
        {
            let bench = try Bench()
            try await bench.session { _ in
                _ = await #expect(throws: Failure.self) { try await bench.session { _ in } }
            }
            try await bench.session { _ in }
        }

        @Test("A body that throws leaves nothing running, and its error comes out") func throwing() async throws {
            struct Enough: Error {}
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 1 << 20)), script: [.always(.stall(after: 1000))])
                let list = try bench.list([server.url("/a")])
                await #expect(throws: Enough.self) {
                    try await bench.session { session in
                        _ = session.run([list])
                        try await server.waitForRequests(1)
                        throw Enough()
                    }
                }
                try await server.waitUntilIdle()
            }
        }

        @Test("A cancelled task interrupts its session, which tells so of every entry") func cancelled() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 1 << 20)), script: [.always(.stall(after: 1000))])
                let list = try bench.list([server.url("/a")])
                let task = Task { try await bench.session { session in await session.tell([list]) } }
                try await server.waitForRequests(1)
                task.cancel()
                let told = try await task.value
                #expect(told.outcomes["a"]?.failure?.code == .interrupted)
            }
        }
    }
}
