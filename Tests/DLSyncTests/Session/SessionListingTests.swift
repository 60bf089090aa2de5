import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let oddNames = [
    "a b", "100%", "x?y=z", "#1", "ünï", "a&amp;b", "\"q\"", "+", "semi;colon", "tilde~", "-dash", "e\u{301}",
]

/// Serves a tree of index pages three levels deep, with odd names on each, and gives its files' paths.
private func serveTree(_ server: FaultServer) -> [String] {
    var files: [String] = []
    func serve(_ path: String, _ names: String, level: Int) {
        var rows: [IndexRow] = []
        for name in oddNames {
            rows.append(IndexRow(name, size: 50))
            server.serve(path + percentEncoded(name), Resource(.pattern(seed: 1, count: 50)))
            files.append(names + name)
        }
        if level < 3 {
            for name in ["sub/", "odd dir %20/"] {
                rows.append(IndexRow(name))
                serve(path + percentEncoded(name), names + name, level: level + 1)
            }
        }
        server.serve(path, .html(nginxIndexPage(of: path, rows)))
    }
    serve("/pub/", "", level: 1)
    return files
}

extension SessionTests {
    @Suite struct Listing {
        @Test("A tree of index pages is brought whole, whatever its names are") func recursive() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let files = serveTree(server)
                let source = Source(argument: server.url("/pub/"))
                let told = try await bench.run([source])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes.count == files.count)
                let local = Set(
                    try treeListing(bench.destination, skipping: [".dlsync"]).filter { $1 == .file(size: 50) }.keys)
                #expect(local == Set(files.map { TreePath(Array($0.utf8)) }))
                let before = server.bodyBytesSent
                let again = try await bench.run([source])
                #expect(again.summary.actions == [.upToDate: files.count], "\(again.complaints)")
                let pages = server.requests.filter { $0.method == "GET" && $0.path.hasSuffix("/") }
                #expect(
                    server.bodyBytesSent - before
                        == pages.dropFirst(pages.count / 2).reduce(0) { $0 + $1.bodyBytesSent })
            }
        }

        @Test("The base that the user gives is the source's, not that of the listings below it") func base()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let files = serveTree(server)
                let told = try await bench.run([Source(argument: server.url("/pub/"))]) {
                    $0.baseURL = WebURL(server.url("/pub/"))
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes.count == files.count)
                #expect(files.allSatisfy { exists(bench.path($0)) })
            }
        }

        @Test("A checksum list is a source: its files are brought and checked, and a wrong one is not published")
        func checksums() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let digest =
                    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
                let list = "\(digest)  a b/100%41.txt\n\(digest)  wrong.txt\n\(digest)  ../out.txt\n"
                server.serve("/d/B2SUMS", Resource(.text(list), contentType: "text/plain"))
                server.serve("/d/a%20b/100%2541.txt", Resource(.text("abc"), contentType: "text/plain"))
                server.serve("/d/wrong.txt", Resource(.text("abd"), contentType: "text/plain"))
                let told = try await bench.run([Source(argument: server.url("/d/B2SUMS"))])
                #expect(exists(bench.path("a b/100%41.txt")) && !exists(bench.path("wrong.txt")))
                #expect(told.problems.count == 1 && told.summary.failed == 1)
            }
        }

        @Test("A listing is followed as deep as it may be", arguments: [0, 1, 2, 3]) func depth(depth: Int) async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let files = serveTree(server)
                let told = try await bench.run([Source(argument: server.url("/pub/"))]) { $0.depth = depth }
                let wanted = files.count { $0.count { $0 == "/" } <= depth }
                #expect(told.outcomes.count == wanted)
            }
        }

        @Test("A page that is cut is read again, and one that stays cut fails alone") func cutPages() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let files = serveTree(server)
                server.setScript("/pub/", [.once(.cut(after: 700)), .once(.cut(after: 300, by: .reset))])
                server.setScript("/pub/sub/", [.always(.cut(after: 700))])
                let told = try await bench.run([Source(argument: server.url("/pub/"))])
                #expect(told.unread.count == 1 && told.problems.isEmpty)
                #expect(told.unread.first?.source == server.url("/pub/sub/"))
                #expect(told.unread.first?.failure.code == .cutShort)
                #expect(told.summary.failed == 0)
                // Whatever does not lie below the page that could not be read is here, and each file was fetched once.
                let elsewhere = files.filter { !$0.hasPrefix("sub/") }
                #expect(elsewhere.allSatisfy { exists(bench.path($0)) })
                let gets = server.requests.filter { $0.method == "GET" && !$0.path.hasSuffix("/") }
                #expect(Set(gets.map(\.path)).count == gets.count)
            }
        }

        @Test("A source that is no manifest fails, and gives its permit back") func noManifest() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/disk.iso", Resource(.pattern(seed: 1, count: 40 << 20)))
                server.serve("/a", Resource(.pattern(seed: 2, count: 100)))
                server.serve("/list.txt", Resource(.text(server.url("/a") + "\n"), contentType: "text/plain"))
                let sources = ["/disk.iso", "/list.txt"].map { Source(argument: server.url($0)) }
                let told = try await bench.run(sources) { $0.connections = 1 }
                #expect(told.unread.map(\.source) == [server.url("/disk.iso")])
                #expect(bench.holds("a", seed: 2, 100))
                #expect(server.requests(to: "/disk.iso").count == 1)
            }
        }

        @Test("A pipe that nobody writes to does not keep an interrupted run") func silentPipe() async throws {
            let bench = try Bench()
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let source = Source.file("/dev/fd/\(ends[0])")
            let told = try await bench.session { session in
                async let told = session.tell([source])
                for _ in 0..<100 { _ = await session.loop.newSeed() }
                await session.interrupt()
                return await told
            }
            #expect(told.outcomes.isEmpty && told.unread.isEmpty)
            // The end of a body has the same effect, and so has a cancelled task.
            try await bench.session { session in _ = session.run([source]) }
            let task = Task { try await bench.session { session in await session.tell([source]) } }
            task.cancel()
            _ = try await task.value
        }

        @Test("Sources that cannot be read fail by themselves") func unreadable() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 2, count: 100)))
                server.serve("/down/", Resource(.bytes([])), script: [.always(.status(503))])
                let told = try await bench.run([
                    .file(bench.directory.path("nothing.txt")), Source(argument: server.url("/gone/")),
                    Source(argument: server.url("/down/")), bench.list([server.url("/a")]),
                ])
                #expect(told.unread.count == 3)
                #expect(Set(told.unread.map(\.failure.code)) == [.unreadable, .missing, .status(503)])
                #expect(bench.holds("a", seed: 2, 100))
            }
        }

        @Test("Two entries that want one place are a problem of the second") func collisions() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/x/a", Resource(.pattern(seed: 1, count: 100)))
                server.serve("/y/a", Resource(.pattern(seed: 2, count: 100)))
                let told = try await bench.run([
                    server.url("/x/a"), server.url("/x/a"), server.url("/y/a"), server.url("/y/a") + " out=a/b",
                    server.url("/y/a") + " out=../up", server.url("/y/a") + " out=.dlsync/x",
                ])
                #expect(told.problems.map(\.code) == [.collision, .collision, .unsafePath, .unsafePath])
                #expect(told.summary.succeeded == 1 && bench.holds("a", seed: 1, 100))
                #expect(try bench.tree() == ["a"])
            }
        }

        @Test("What stands in a file's place stays, and nothing is written through a link") func conflicts()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["dir", "link", "deep", "pipe", "fine"] {
                    server.serve("/\(name)", Resource(.pattern(seed: 1, count: 100)))
                }
                let outside = bench.directory.path("outside")
                try makeDirectories(outside)
                try makeDirectories(bench.path("dir/kept"))
                try writeFile(bench.path("file"), "mine")
                #expect(symlink(outside, bench.path("through")) == 0)
                #expect(symlink("\(outside)/target", bench.path("link")) == 0)
                #expect(mkfifo(bench.path("pipe"), 0o600) == 0)
                let told = try await bench.run([
                    server.url("/dir"), server.url("/link"), server.url("/deep") + " out=through/x/deep",
                    server.url("/deep") + " out=file/deep", server.url("/pipe"), server.url("/fine"),
                ])
                for path in ["dir", "link", "through/x/deep", "file/deep", "pipe"] {
                    #expect(told.outcomes[path]?.action == .conflict, "\(path)")
                    #expect(told.outcomes[path]?.failure?.code == .collision, "\(path)")
                }
                #expect(bench.holds("fine", seed: 1, 100))
                #expect(try treeListing(outside).isEmpty && readText(bench.path("file")) == "mine")
                #expect(server.requests.map(\.path) == ["/fine"])
            }
        }

        @Test("A link that appears while a file is fetched is not followed") func lateLink() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 100)), script: [.always(.hold("go"))])
                let outside = bench.directory.path("outside")
                try makeDirectories(outside)
                let list = try bench.list([server.url("/a") + " out=d/a"])
                let told = try await bench.session { session in
                    async let told = session.tell([list])
                    try await server.gate("go").waitForArrivals()
                    #expect(symlink(outside, bench.path("d")) == 0)
                    server.gate("go").open()
                    return await told
                }
                #expect(told.outcomes["d/a"]?.status == .failed)
                #expect(try treeListing(outside).isEmpty)
            }
        }
    }
}
