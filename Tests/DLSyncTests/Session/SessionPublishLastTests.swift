import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// What is put in place last, and what is not begun at all.
    @Suite struct PublishLast {
        private let names = ["a", "b", "index", "meta/index"]

        private func serve(_ server: FaultServer, seed: UInt64, size: Int64 = 200_000) -> [String] {
            for name in names { server.serve("/pub/\(name)", Resource(.pattern(seed: seed, count: size))) }
            return names.map { server.url("/pub/\($0)") + " out=\($0)" }
        }

        private func last(_ configuration: inout SyncConfiguration) {
            configuration.publishLast = [try? PathPattern(Array("index".utf8))].compactMap { $0 }
            configuration.retries = 0
        }

        @Test(
            "Index files are put in place once all else is there, be they small or big",
            arguments: [100, 200_000, 3_000_000])
        func comesLast(size: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let lines = serve(server, seed: 1, size: size)
                server.setScript("/pub/b", [.always(on: .get, .hold("b"))])
                let list = try bench.list(lines)
                try await bench.session(last) { session in
                    async let told = session.tell([list])
                    try await server.gate("b").waitForArrivals()
                    try await session.turn { exists(bench.path("a")) }
                    // The index files are whole by now, as far as their server goes.
                    #expect(!exists(bench.path("index")) && !exists(bench.path("meta/index")))
                    server.gate("b").open()
                    let result = await told
                    #expect(result.isAllWell && result.summary.actions == [.fetch: 4], "\(result.complaints)")
                }
                for name in names { #expect(bench.holds(name, seed: 1, size), "\(name)") }
                #expect(bench.partials().isEmpty)
                #expect(try await bench.run([list], last).summary.actions == [.upToDate: 4])
            }
        }

        @Test(
            "case 42: where something failed the old index files stay, and the next run need not fetch the new ones again",
            arguments: [100, 200_000])
        func staysBack(size: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                var lines = serve(server, seed: 1, size: size)
                #expect(try await bench.run(lines, last).isAllWell)
                lines = serve(server, seed: 2, size: size)
                server.setScript("/pub/b", [.always(.status(500))])
                let told = try await bench.run(lines, last)
                #expect(told.summary.failed == 1, "\(told.complaints)")
                #expect(bench.holds("a", seed: 2, size))
                for name in ["index", "meta/index"] {
                    #expect(told.outcomes[name]?.status == .kept, "\(String(describing: told.outcomes[name]))")
                    #expect(bench.holds(name, seed: 1, size))
                }
                let before = server.bodyBytesSent
                server.setScript("/pub/b", [])
                let again = try await bench.run(lines, last)
                #expect(again.isAllWell, "\(again.complaints)")
                for name in names { #expect(bench.holds(name, seed: 2, size), "\(name)") }
                #expect(server.bodyBytesSent - before <= size + 1000, "only what failed was fetched")
            }
        }

        @Test(
            "A listing that could not be read keeps index files back as well, and so does an interruption",
            arguments: [false, true])
        func unreadListing(isInterrupted: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let list = try bench.list(serve(server, seed: 1))
                let other = Source(argument: server.url("/missing"))
                if isInterrupted { server.setScript("/pub/b", [.always(on: .get, .hold("b"))]) }
                try await bench.session(last) { session in
                    async let told = session.tell(isInterrupted ? [list] : [list, other])
                    if isInterrupted {
                        try await server.gate("b").waitForArrivals()
                        try await session.turn { exists(bench.path("a")) }
                        await session.interrupt()
                    }
                    let result = await told
                    #expect(result.outcomes["index"]?.status == (isInterrupted ? .failed : .kept))
                    #expect(result.summary.failed == (isInterrupted ? 3 : 0))
                }
                #expect(exists(bench.path("a")) && !exists(bench.path("index")))
            }
        }

        @Test("More files than the loop has jobs may be held back") func many() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<TransferLoop.mostJobs + 300).map { "i\($0)" }
                for name in names { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 10))) }
                let told = try await bench.run(names.map { server.url("/\($0)") }) { configuration in
                    configuration.publishLast = [try? PathPattern(Array("i*".utf8))].compactMap { $0 }
                }
                #expect(told.isAllWell && told.summary.succeeded == names.count, "\(told.summary)")
                #expect(try bench.tree().count == names.count)
            }
        }

        @Test("Deletions come after the last index file") func deletesLast() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let lines = serve(server, seed: 1)
                #expect(try await bench.run(lines, last).isAllWell)
                let order = Mutex<[String]>([])
                let calls = SystemCalls(intercept: nil) { effect, path in
                    switch effect {
                    case .renamed where path.hasSuffix("/index"): order.withLock { $0.append("publish") }
                    case .removed where path.hasSuffix("/a"): order.withLock { $0.append("delete") }
                    default: break
                    }
                }
                let later = Array(serve(server, seed: 2).dropFirst())
                let told = try await bench.run(
                    later,
                    {
                        last(&$0)
                        $0.deletion.scope = .owned
                    }, calls: calls)
                #expect(told.isAllWell && told.summary.deleted == 1)
                #expect(order.withLock { $0 } == ["publish", "publish", "delete"])
            }
        }

        @Test("No file is begun that would leave less free than is to stay free") func minimumFree() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let lines = serve(server, seed: 1, size: 100)
                let told = try await bench.run(lines) { $0.minimumFree = .max }
                #expect(told.summary.failed == 4 && told.summary.failures == [.diskFull])
                #expect(told.complaints.allSatisfy { $0.contains("--min-free") }, "\(told.complaints)")
                #expect(server.requests.isEmpty)
                #expect(try await bench.run(lines) { $0.minimumFree = 1 }.isAllWell)
            }
        }

        @Test("Sizes outside of the bounds are left out, the server's word counting where the list has none")
        func sizes() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for (name, size) in [("small", 10), ("right", 100), ("big", 1000)] as [(String, Int64)] {
                    server.serve("/\(name)", Resource(.pattern(seed: 1, count: size)))
                    server.serve("/known-\(name)", Resource(.pattern(seed: 1, count: size)))
                }
                let lines =
                    ["small", "right", "big"].map { server.url("/\($0)") }
                    + [("small", 10), ("right", 100), ("big", 1000)].map { "\(server.url("/known-\($0)")) size=\($1)" }
                let told = try await bench.run(lines) {
                    $0.filter.minimumSize = 50
                    $0.filter.maximumSize = 500
                }
                #expect(told.isAllWell && told.summary.actions == [.skip: 2, .fetch: 2], "\(told.summary.actions)")
                #expect(try bench.tree() == ["known-right", "right"])
                #expect(told.outcomes["big"]?.reason.contains("--max-size") == true)
                #expect(server.requests.allSatisfy { $0.path.hasSuffix("right") || $0.method == "HEAD" })
                #expect(server.requests(to: "/known-big").isEmpty)
            }
        }
    }
}
