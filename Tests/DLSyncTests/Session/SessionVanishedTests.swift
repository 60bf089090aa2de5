import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// Files that go between the reading of their listing and the request for them.
    @Suite struct Vanished {
        private static func failures(_ bench: Bench) throws -> Int {
            try DestinationStatus(of: Array(bench.destination.utf8)).failures.count
        }

        /// Runs over a tree in which files go while they are asked for.
        ///
        /// - Parameter change: What happens on the server between the request for the first and its answer.
        private static func run(
            _ bench: Bench, _ server: FaultServer, _ tree: MirroredTree, vanishing paths: [String],
            _ configure: (inout SyncConfiguration) -> Void = { _ in }, change: @escaping @Sendable () -> Void
        ) async throws -> Told {
            for path in paths { server.setScript("/pub/\(path)", [.always(.hold("go"), .status(404))]) }
            return try await bench.session(configure) { session in
                async let told = session.tell([tree.source])
                try await server.gate("go").waitForArrivals()
                change()
                server.gate("go").open()
                return await told
            }
        }

        @Test(
            "case 182: a file that its listing, read once more, does not name any more is gone, and no failure",
            arguments: [false, true])
        func gone(isHere: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                if isHere { #expect(try await bench.run([tree.source]).isAllWell) }
                let before = server.asked("/pub/d1/").count
                let told = try await Self.run(bench, server, tree, vanishing: ["d1/f1"], { $0.deletion.scope = .owned })
                {
                    tree.remove("f1", in: "d1/")
                }
                #expect(told.isAllWell && told.summary.vanished == 1, "\(told.complaints)")
                let outcome = try #require(told.outcomes["d1/f1"])
                #expect(outcome.action == .skip && outcome.status == .kept && outcome.isGone)
                #expect(server.asked("/pub/d1/").count == before + 2)
                #expect(try Self.failures(bench) == 0)
                #expect(told.summary.deleted == 0 && exists(bench.path("d1/f1")) == isHere)
                // The next run does not hear of it, and takes it away.
                let next = try await bench.run([tree.source]) { $0.deletion.scope = .owned }
                #expect(next.isAllWell && next.summary.deleted == (isHere ? 1 : 0))
                #expect(!exists(bench.path("d1/f1")))
            }
        }

        @Test("A file that its listing still names is a failure, and its listing is read once more and not again")
        func named() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                for name in ["f1", "f2"] { server.setScript("/pub/d1/\(name)", [.always(.status(410))]) }
                let told = try await bench.run([tree.source])
                #expect(told.summary.failed == 2 && told.summary.vanished == 2, "\(told.summary)")
                #expect(told.outcomes["d1/f1"]?.failedRuns == 1 && told.outcomes["d1/f1"]?.entry != nil)
                #expect(server.asked("/pub/d1/").count == 2 && server.asked("/pub/").count == 1)
                #expect(try Self.failures(bench) == 2)
            }
        }

        @Test(
            "Where the listing cannot be read once more, or is empty then, files that vanished are failures",
            arguments: ListingFault.allCases.filter { $0 != .missing })
        func unreadable(fault: ListingFault) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let told = try await Self.run(bench, server, tree, vanishing: ["d1/f1"], { $0.retries = 1 }) {
                    fault.apply(to: "/pub/d1/", of: tree, on: server)
                }
                #expect(told.summary.failed == 1 && told.summary.vanished == 1, "\(told.summary)")
                #expect(told.unread.isEmpty, "\(told.complaints)")
                #expect(told.outcomes["d1/f1"]?.failure?.code == .missing)
            }
        }

        @Test(
            "Files of a directory that is gone with its page are gone, if the page above it says so",
            arguments: [true, false])
        func directory(isNamed: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let paths = (0..<4).map { "d1/f\($0)" }
                let told = try await Self.run(bench, server, tree, vanishing: paths) {
                    if isNamed { server.remove("/pub/d1/") } else { tree.remove(directory: "d1/") }
                }
                #expect(told.summary.failed == (isNamed ? 4 : 0), "\(told.complaints)")
                #expect(told.summary.vanished == 4)
                #expect(server.asked("/pub/d1/").count == 2 && server.asked("/pub/").count == 2)
            }
        }

        @Test("A list in a file is the user's word: what it names and the server has not is a failure at once")
        func list() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let told = try await bench.run([server.url("/a")])
                #expect(told.summary.failed == 1 && told.summary.vanished == 1)
                // A list on a server is asked once more.
                server.serve("/b", Resource(.pattern(seed: 1, count: 10)))
                server.serve(
                    "/list", Resource(.text("\(server.url("/b"))\n")),
                    script: [.once(.body(.text("\(server.url("/a"))\n\(server.url("/b"))\n")))])
                let other = try await bench.run([Source(argument: server.url("/list"))])
                #expect(other.isAllWell && other.summary.vanished == 1, "\(other.complaints)")
                #expect(server.asked("/list").count == 2)
            }
        }

        @Test("What comes last does not wait for a file that is gone")
        func comesLast() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let told = try await Self.run(
                    bench, server, tree, vanishing: ["d1/f1"],
                    { $0.publishLast = [try? PathPattern(Array("/f0".utf8))].compactMap { $0 } }
                ) {
                    tree.remove("f1", in: "d1/")
                }
                #expect(told.isAllWell && exists(bench.path("f0")))
            }
        }
    }
}
