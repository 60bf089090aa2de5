import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// Trees of index pages that do not end by themselves.
    @Suite struct DeepListing {
        /// Serves a page with a file of the name `f`, and these directories.
        private func serve(_ server: FaultServer, _ path: String, _ directories: String..., size: Int64 = 10) {
            let rows = directories.map { IndexRow($0) } + [IndexRow("f", size: size)]
            server.serve(path, .html(nginxIndexPage(of: path, rows)))
            server.serve(path + "f", Resource(.pattern(seed: 1, count: size)))
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

        @Test("A name that stands four times in a row is followed three times, and told; the rest goes on")
        func loop() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for level in 0..<10 {
                    let path = "/pub/" + String(repeating: "loop/", count: level)
                    // A page that shows the hour at which it was asked for is never the same.
                    serve(server, path, "loop/", "other/", size: Int64(10 + level))
                    serve(server, path + "other/")
                }
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.problems.map(\.code) == [.unsafePath], "\(told.complaints)")
                #expect(told.problems.first?.message.contains("/loop/loop/loop/loop/ repeats itself") == true)
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 8)
                #expect(told.outcomes.count == 8)
                #expect(bench.holds("loop/loop/loop/other/f", seed: 1, 10))
                #expect(bench.holds("loop/loop/f", seed: 1, 12))
            }
        }

        @Test("Two directories that lead to each other are followed three times") func pair() async throws {
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
                #expect(told.problems.first?.message.contains("/a/b/a/b/a/b/ says the same as one above") == true)
                #expect(told.outcomes.count == 7 && told.summary.failed == 0)
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 7)
            }
        }

        @Test("case 161: a server that has one page for every directory is asked for each that the page names, once")
        func samePage() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let page = nginxIndexPage(of: "/", [IndexRow("a/"), IndexRow("b/"), IndexRow("f", size: 10)])
                for path in ["/pub/", "/pub/a/", "/pub/b/", "/pub/a/a/", "/pub/a/b/", "/pub/b/a/", "/pub/b/b/"] {
                    server.serve(path, .html(page))
                    server.serve(path + "f", Resource(.pattern(seed: 1, count: 10)))
                }
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.problems.map(\.code) == [.unsafePath, .unsafePath], "\(told.complaints)")
                #expect(told.problems.allSatisfy { $0.message.contains("says the same as one above it") })
                #expect(told.outcomes.keys.sorted() == ["a/f", "b/f", "f"])
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 3)
            }
        }

        @Test("case 161: directories that lead to their own, each under its own title, end on the third turn")
        func links() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                func serveAll(_ path: String, level: Int) {
                    serve(server, path, "a/", "b/")
                    for name in ["a/", "b/"] where level < 5 { serveAll(path + name, level: level + 1) }
                }
                serveAll("/pub/", level: 0)
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                let repeating = told.problems.filter { $0.message.contains("says the same as one above it") }
                #expect(repeating.count == 8 && told.summary.failed == 0, "\(told.complaints)")
                #expect(server.requests.count { $0.path.hasSuffix("/") } == 15)
            }
        }

        @Test("case 161: nothing below a listing that repeats one above it is deleted; elsewhere it goes on")
        func keeps() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, "/pub/", "a/", "b/")
                serve(server, "/pub/a/", "deep/")
                serve(server, "/pub/a/deep/")
                serve(server, "/pub/b/", "deep/")
                serve(server, "/pub/b/deep/")
                let source = Source(argument: server.url("/pub/"))
                #expect(try await bench.run([source]).isAllWell)
                let rows = [IndexRow("a/"), IndexRow("b/"), IndexRow("f", size: 10)]
                let page = nginxIndexPage(of: "/pub/", rows)
                server.serve("/pub/a/", .html(page))
                server.serve("/pub/b/", .html(nginxIndexPage(of: "/pub/b/", [rows[2]])))
                let told = try await bench.run([source]) { $0.deletion.scope = .owned }
                #expect(told.problems.map(\.code) == [.unsafePath], "\(told.complaints)")
                #expect(exists(bench.path("a/f")) && exists(bench.path("a/deep/f")) && exists(bench.path("b/f")))
                #expect(!exists(bench.path("b/deep/f")))
                #expect(told.summary.deleted == 1 && told.summary.deletionsUnknown == 1)
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
