import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// Failures of other tools with index pages, names and lists, on the wire.
    @Suite struct IndexCase {
        /// Serves an index page, and its files, each of ten bytes.
        private func serve(_ server: FaultServer, _ rows: [IndexRow], at path: String = "/pub/") {
            server.serve(path, .html(nginxIndexPage(of: path, rows)))
            for row in rows where !row.name.hasSuffix("/") {
                server.serve(path + percentEncoded(row.name), Resource(.pattern(seed: 1, count: 10)))
            }
        }

        private func source(_ server: FaultServer) -> Source { Source(argument: server.url("/pub/")) }

        @Test("cases 35, 39: a page that is cut, or has lost its rows, deletes nothing", arguments: [true, false])
        func lostRows(isCut: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, ["a", "b", "c"].map { IndexRow($0, size: 10) })
                let first = try await bench.run([source(server)])
                #expect(first.isAllWell, "\(first.complaints)")
                let page = nginxIndexPage(of: "/pub/", isCut ? [IndexRow("a", size: 10)] : [])
                server.serve("/pub/", .html(isCut ? page.replacing("</body>\r\n</html>\r\n", with: "") : page))
                let told = try await bench.run([source(server)]) { $0.deletion.scope = .owned }
                #expect(told.unread.count == (isCut ? 1 : 0) && told.summary.deleted == 0, "\(told.complaints)")
                #expect(told.kept.map(\.isRefused) == [!isCut])
                #expect(try bench.tree() == ["a", "b", "c"])
            }
        }

        @Test("case 38: one dead entry does not stop the others") func deadEntry() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, ["a", "b", "c"].map { IndexRow($0, size: 10) })
                server.setScript("/pub/b", [.always(.status(404))])
                let told = try await bench.run([source(server)])
                #expect(told.outcomes["b"]?.failure?.code == .missing)
                #expect(told.summary.failed == 1 && told.summary.done == 2)
                #expect(try bench.tree() == ["a", "c"])
            }
        }

        @Test("case 45: a file that is listed with no bytes is what the server sends") func listedAsEmpty() async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", [IndexRow("virtual", size: 0)])))
                server.serve("/pub/virtual", Resource(.pattern(seed: 1, count: 500)))
                let told = try await bench.run([source(server)])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("virtual", seed: 1, 500))
            }
        }

        @Test(
            "cases 46, 65, 74: a size that the page rounds, either way, costs no second transfer",
            arguments: [("1.1K", 1100), ("1.1K", 1126), ("1.0M", 1_048_570), ("12M", 12_000_000)] as [(String, Int64)])
        func roundedSizes(shown: String, size: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let row = "<a href=\"f\">f</a>   01-Jan-2024 00:00  \(shown)\n"
                server.serve("/pub/", .html("<html><title>Index of /pub/</title><pre>\(row)</pre></html>"))
                server.serve("/pub/f", Resource(.pattern(seed: 1, count: size)))
                let told = try await bench.run([source(server)])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("f", seed: 1, size))
                let before = server.requests.count
                let again = try await bench.run([source(server)])
                #expect(again.isAllWell && again.outcomes["f"]?.action == .upToDate, "\(again.complaints)")
                #expect(server.requests[before...].map(\.method) == ["GET", "HEAD"])
            }
        }

        @Test("cases 50, 54: a name of any bytes, and longer than a page shows, comes to its own file")
        func anyName() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let scalars = (UInt8(1)...127).filter { $0 != UInt8(ascii: "/") }
                var names = scalars.map { "n" + String(Unicode.Scalar($0)) + "x" }
                names += ["Pack #1114.7z", "valid%20.txt", "a%2Fb", String(repeating: "long", count: 50)]
                serve(server, names.map { IndexRow($0, size: 10) })
                let told = try await bench.run([source(server)])
                #expect(told.isAllWell && told.outcomes.count == names.count, "\(told.complaints)")
                #expect(names.allSatisfy { bench.holds($0, seed: 1, 10) })
                #expect(try bench.tree().count == names.count)
            }
        }

        @Test("case 57: two ways to write one name are two files, and stay") func normalisation() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, ["caf\u{E9}", "cafe\u{301}"].map { IndexRow($0, size: 10) })
                let source = source(server)
                for action in [Action.fetch, .upToDate] {
                    let summary = try await bench.session({ $0.deletion.scope = .owned }) { session in
                        var summary = SyncSummary()
                        for await event in session.run([source]) { summary.count(event) }
                        return summary
                    }
                    #expect(summary.actions == [action: 2] && summary.deleted == 0)
                }
            }
        }

        @Test("case 62: a web page that a listing names is a file, and not a listing") func webPage() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, [IndexRow("a.html", size: 10), IndexRow("readme", size: 10)])
                for name in ["a.html", "readme"] {
                    server.serve("/pub/\(name)", Resource(.text("<a href=x>"), contentType: "text/html"))
                }
                let told = try await bench.run([source(server)])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try readFile(bench.path("a.html")) == Array("<a href=x>".utf8))
                #expect(try readFile(bench.path("readme")) == Array("<a href=x>".utf8))
            }
        }

        @Test("case 70: a name that is a file and a directory is a conflict, told again in each run; the rest goes on")
        func fileAndDirectory() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["x", "page", "other"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 10))) }
                let list = [
                    server.url("/x"), server.url("/page") + " out=x/page.html", server.url("/other"),
                ]
                for _ in 0..<2 {
                    let told = try await bench.run(list)
                    #expect(told.problems.map(\.code) == [.collision], "\(told.complaints)")
                    #expect(try bench.tree() == ["other", "x"])
                }
            }
        }

        @Test("case 73: a file of the same length, but another date, is another file, however new the one here is")
        func sameLength() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for (seed, date) in [(UInt64(1), Int64(1_700_000_000)), (2, 1_600_000_000)] {
                    server.serve(
                        "/pub/", .html(nginxIndexPage(of: "/pub/", [IndexRow("f", size: 500, modified: date)])))
                    server.serve("/pub/f", Resource(.pattern(seed: seed, count: 500), lastModified: date))
                    let told = try await bench.run([source(server)])
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("f", seed: seed, 500))
                }
            }
        }

        @Test("case 75: a Metalink document in the place of a file that has a digest is not stored as the file")
        func metalinkInstead() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/f.deb", Resource(.text("<metalink/>"), contentType: "application/metalink4+xml"))
                let told = try await bench.run([
                    server.url("/f.deb") + " sha-256=" + String(repeating: "ab", count: 32)
                ])
                #expect(told.outcomes["f.deb"]?.failure?.code == .digestMismatch, "\(told.complaints)")
                #expect(try bench.tree().isEmpty)
            }
        }

        @Test("case 135: a web page in the place of a catalog is told in a sentence") func pageForCatalog() async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/catalog.xml", .html("<html><body>Internal error<br></body></html>"))
                let told = try await bench.run([Source(argument: server.url("/catalog.xml"))]) { $0.format = "thredds" }
                #expect(told.unread.map(\.failure.code) == [.unreadable])
                #expect(told.complaints.first?.contains("catalog") == true, "\(told.complaints)")
            }
        }

        @Test("case 139: the name that a server gives a file in its answer is not looked at") func disposition()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(server, [IndexRow("f", size: 10)])
                let field = "attachment; filename=\"../../evil\""
                server.setScript("/pub/f", [.always(.setField("Content-Disposition", field))])
                let told = try await bench.run([source(server)])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try bench.tree() == ["f"])
            }
        }
    }
}
