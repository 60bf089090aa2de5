import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// Trees of index pages that do not end by themselves.
    @Suite struct DeepListing {
        /// Serves a page with a file of the name `f`, and these directories.
        private func serve(_ server: FaultServer, _ path: String, _ directories: String...) {
            server.serve(
                path, .html(nginxIndexPage(of: path, directories.map { IndexRow($0) } + [IndexRow("f", size: 10)])))
            server.serve(path + "f", Resource(.pattern(seed: 1, count: 10)))
        }

        @Test("Listings deeper than sixty-four are told and not followed; the rest goes on") func deep() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                var path = "/pub/"
                for level in 0..<70 {
                    // Whoever stands beside it on the first page is read to its end.
                    if level == 0 { serve(server, path, "n0/", "beside/") } else { serve(server, path, "n\(level)/") }
                    path += "n\(level)/"
                }
                serve(server, "/pub/beside/")
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.problems.map(\.code) == [.unsafePath], "\(told.complaints)")
                #expect(told.problems.first?.message.contains("more than 64 listings deep") == true)
                #expect(told.problems.first?.message.contains("/n64/") == true)
                #expect(told.unread.isEmpty && told.summary.failed == 0)
                // The first page, sixty-four below each other, and the one beside.
                #expect(told.outcomes.count == 66)
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 66)
                #expect(bench.holds("beside/f", seed: 1, 10))
            }
        }

        @Test("A directory that leads to itself is followed three times, and told; the rest goes on")
        func loop() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for level in 0..<10 {
                    serve(server, "/pub/" + String(repeating: "loop/", count: level), "loop/", "other/")
                    serve(server, "/pub/" + String(repeating: "loop/", count: level) + "other/")
                }
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.problems.map(\.code) == [.unsafePath], "\(told.complaints)")
                #expect(told.problems.first?.message.contains("/loop/loop/loop/loop/ repeats itself") == true)
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 8)
                #expect(told.outcomes.count == 8)
                #expect(bench.holds("loop/loop/loop/other/f", seed: 1, 10))
            }
        }

        @Test("Two directories that lead to each other end at the deepest listing") func pair() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                var path = "/pub/"
                for level in 0..<70 {
                    let next = level.isMultiple(of: 2) ? "a/" : "b/"
                    serve(server, path, next)
                    path += next
                }
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.problems.map(\.code) == [.unsafePath], "\(told.complaints)")
                #expect(told.outcomes.count == 65 && told.summary.failed == 0)
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 65)
            }
        }

        @Test("case 23: no more entries are taken from a list than can be worked on") func holdsBack() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for number in 0..<8 {
                    server.serve("/\(number)", Resource(.bytes([])), script: [.always(.hold("never"))])
                }
                let list = try bench.list((0..<10_000).map { server.url("/\($0)") })
                try await bench.session { session in
                    async let told = session.tell([list])
                    try await session.turn { session.progress.filesFound >= TransferLoop.mostJobs }
                    for _ in 0..<5000 { _ = await session.loop.newSeed() }
                    // The batch that waits for room has been looked at.
                    #expect(session.progress.filesFound <= TransferLoop.mostJobs + 512)
                    await session.interrupt()
                    _ = await told
                }
                #expect(server.requests.count == 8)
            }
        }
    }
}
