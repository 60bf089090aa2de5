import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// A member of a collection.
private struct Member {
    var name: String
    var size: Int64?
}

/// Serves a collection: PROPFIND with its members, and nothing to GET but an index page that is not to be asked for.
private func serve(_ members: [Member], at path: String, on server: FaultServer) {
    var answer = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:multistatus xmlns:D="DAV:"><D:response><D:href>\(path)</D:href><D:propstat><D:prop><D:resourcetype>\
        <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
        """
    for member in members {
        let size = member.size.map { "<D:getcontentlength>\($0)</D:getcontentlength><D:resourcetype/>" }
        let date = dateFieldValue(secondsSinceEpoch: Resource.ordinaryDate)
        answer += """
            <D:response><D:href>\(path)\(percentEncoded(member.name))</D:href><D:propstat><D:prop>\
            \(size ?? "<D:resourcetype><D:collection/></D:resourcetype>")\
            <D:getlastmodified>\(date)</D:getlastmodified></D:prop><D:status>HTTP/1.1 200 OK</D:status>\
            </D:propstat></D:response>
            """
        if let size = member.size {
            server.serve(path + percentEncoded(member.name), Resource(.pattern(seed: 3, count: size)))
        }
    }
    server.serve(path, .html("<html></html>"))
    server.setScript(
        path,
        [
            .always(
                on: .method("PROPFIND"), .status(207), .setField("Content-Type", "application/xml"),
                .body(.text(answer + "</D:multistatus>")))
        ])
}

extension SessionTests {
    @Suite struct Collection {
        @Test("Collections are asked by PROPFIND with depth 1, one below the other, and nothing is fetched twice")
        func descends() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve(
                    [
                        Member(name: "a", size: 1000), Member(name: "d e", size: nil),
                        Member(name: "ü&.bin", size: 70000),
                    ],
                    at: "/dav/", on: server)
                serve([Member(name: "f#1", size: 500), Member(name: "g", size: nil)], at: "/dav/d%20e/", on: server)
                serve([Member(name: "deep", size: 20)], at: "/dav/d%20e/g/", on: server)
                let source = Source(argument: server.url("/dav/"))
                let told = try await bench.run([source]) { $0.format = "webdav" }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try bench.tree().filter { !$0.hasSuffix("/") }.count == 6)
                #expect(bench.holds("d e/g/deep", seed: 3, 20) && bench.holds("ü&.bin", seed: 3, 70000))
                let queries = server.requests.filter { $0.method == "PROPFIND" }
                #expect(queries.map(\.path).sorted() == ["/dav/", "/dav/d%20e/", "/dav/d%20e/g/"])
                for query in queries {
                    #expect(query.field("Depth") == "1")
                    #expect(query.field("Content-Type") == "application/xml; charset=utf-8")
                    let body = String(decoding: query.body, as: UTF8.self)
                    #expect(body.contains("<D:getcontentlength/>") && body.hasSuffix("</D:propfind>"))
                }
                #expect(server.count("GET") == 4)

                let again = try await bench.run([source]) { $0.format = "webdav" }
                #expect(again.summary.actions == [.upToDate: 4], "\(again.complaints)")
                #expect(server.count("GET") == 4 && server.count("HEAD") == 4)
                let trusting = try await bench.run([source]) {
                    $0.format = "webdav"
                    $0.trustsListings = true
                }
                #expect(trusting.summary.actions == [.upToDate: 4], "\(trusting.complaints)")
                #expect(server.count("GET") == 4 && server.count("HEAD") == 4)
                #expect(server.count("PROPFIND") == 9)
            }
        }

        @Test("An answer that is cut is asked for again, and one that is no collection fails as a source")
        func faults() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                serve([Member(name: "a", size: 10)], at: "/dav/", on: server)
                let script = [Step.once(on: .method("PROPFIND"), .status(503))]
                server.serve("/none/", .html("<html></html>"), script: script)
                let told = try await bench.run([Source(argument: server.url("/none/"))]) { $0.format = "webdav" }
                #expect(told.unread.map(\.failure.code) == [.status(405)])
                #expect(server.asked("/none/") == ["PROPFIND", "PROPFIND"])
            }
        }
    }

    @Suite struct TrustedListing {
        /// Serves an index page of files, each with the date that its row shows, and gives the source.
        private func serve(
            _ files: [(name: String, size: Int64, date: Int64)], on server: FaultServer, seed: UInt64 = 1
        ) -> Source {
            for file in files {
                server.serve(
                    "/pub/\(file.name)",
                    Resource(.pattern(seed: seed, count: file.size), lastModified: file.date))
            }
            let rows = files.map { IndexRow($0.name, size: $0.size, modified: $0.date) }
            server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", rows)))
            return Source(argument: server.url("/pub/"))
        }

        private static let date = Resource.ordinaryDate
        private static let files = [("a", Int64(1000), date), ("b", 70000, date), ("c", 500_000, date)]

        @Test("A second run that trusts an unchanged listing asks for the listing alone, and so does its dry run")
        func asksForTheListing() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(Self.files, on: server)
                let first = try await bench.run([source])
                #expect(first.isAllWell, "\(first.complaints)")
                let before = server.requests.count
                let again = try await bench.run([source]) { $0.trustsListings = true }
                #expect(again.summary.actions == [.upToDate: 3])
                #expect(server.requests.dropFirst(before).map(\.path) == ["/pub/"])
                let plan = try await bench.session({
                    $0.trustsListings = true
                    $0.isReadOnly = true
                }) { session in await session.plan([source]) }
                #expect(plan.summary.actions == [.upToDate: 3])
                #expect(server.requests.dropFirst(before).map(\.path) == ["/pub/", "/pub/"])
                // Whoever does not trust it asks.
                _ = try await bench.run([source])
                #expect(server.requests.count { $0.method == "HEAD" } == 3)
            }
        }

        @Test("A row that changed is asked about, and the file fetched; the others are not asked about")
        func changedRow() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(Self.files, on: server)
                _ = try await bench.run([source])
                var files = Self.files
                files[1].2 += 86400
                _ = serve(files, on: server, seed: 2)
                let before = server.requests.count
                let again = try await bench.run([source]) { $0.trustsListings = true }
                #expect(again.summary.actions == [.upToDate: 2, .replace: 1], "\(again.complaints)")
                #expect(bench.holds("b", seed: 2, 70000) && bench.holds("a", seed: 1, 1000))
                #expect(server.requests.dropFirst(before).map(\.short) == ["GET", "HEAD", "GET"])
                // The new row is the one that counts from now on.
                let third = try await bench.run([source]) { $0.trustsListings = true }
                #expect(third.summary.actions == [.upToDate: 3])
                #expect(server.requests.dropFirst(before).count == 4)
            }
        }

        @Test("A file that somebody touched is asked about, whatever its row says") func touched() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(Self.files, on: server)
                _ = try await bench.run([source])
                try writeFile(bench.path("a"), "something else")
                let again = try await bench.run([source]) { $0.trustsListings = true }
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(bench.holds("a", seed: 1, 1000))
                #expect(server.count("HEAD") == 1)
            }
        }

        @Test("A row that does not speak of what the server sent is trusted in no later run") func staleRow()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(Self.files, on: server)
                // The page is a copy of an earlier day: its date and the file's differ by no zone.
                server.serve(
                    "/pub/a", Resource(.pattern(seed: 9, count: 1000), lastModified: Self.date + 5 * 86400))
                _ = try await bench.run([source])
                #expect(bench.holds("a", seed: 9, 1000))
                // The server goes back to what the page always said.
                _ = serve(Self.files, on: server)
                let again = try await bench.run([source]) { $0.trustsListings = true }
                #expect(again.summary.actions == [.upToDate: 2, .replace: 1], "\(again.complaints)")
                #expect(bench.holds("a", seed: 1, 1000))
            }
        }
    }
}
