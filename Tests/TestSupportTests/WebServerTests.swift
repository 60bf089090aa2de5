import Glibc
import SyncCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WebServerTests {
    private func ask(_ server: WebServer, _ target: String, _ fields: [String] = []) throws -> RawAnswer {
        let client = try RawClient(port: server.port)
        try client.request("GET", target, fields + ["Connection: close"])
        return client.readToEnd()
    }

    private func makeTree(_ directory: TemporaryDirectory) throws -> String {
        try writePatternFile(directory.appending("www/data.bin"), seed: 1, count: 5000, modified: 1_700_000_000)
        try writeFile(directory.appending("www/sub/note.txt"), "note")
        return directory.appending("www")
    }

    @Test("nginx lists and serves a tree, and its log tells what it was asked")
    func runsNginx() throws {
        try withTemporaryDirectory { directory in
            let server = try NginxServer.start(root: try makeTree(directory))
            let listing = try ask(server, "/")
            #expect(listing.status == 200)
            let page = String(decoding: listing.body, as: UTF8.self)
            #expect(page.contains("<a href=\"data.bin\">data.bin</a>"))
            // Our own rendering of such a page is nginx's, line by line.
            let row = try #require(page.split(separator: "\r\n").first { $0.contains("data.bin") })
            #expect(nginxIndexPage(of: "/", [IndexRow("data.bin", size: 5000)]).contains(row + "\r\n"))

            let part = try ask(server, "/data.bin", ["Range: bytes=10-19", "If-None-Match: \"other\""])
            #expect(part.status == 206)
            #expect(part.body == pattern(seed: 1, ByteRange(10, 20)))
            let client = try RawClient(port: server.port)
            try client.request("GET", "/sub/note.txt")
            #expect(client.read(body: 4).body == Array("note".utf8))
            try client.request("HEAD", "/data.bin")
            #expect(client.read(body: 0).field("Content-Length") == "5000")

            let log = try server.stopAndReadLog()
            #expect(log.map(\.method) == ["GET", "GET", "GET", "HEAD"])
            #expect(log.map(\.target) == ["/", "/data.bin", "/sub/note.txt", "/data.bin"])
            #expect(log.map(\.status) == [200, 206, 200, 200])
            #expect(log.map(\.range) == [nil, "bytes=10-19", nil, nil])
            #expect(log.map(\.ifNoneMatch) == [nil, "\"other\"", nil, nil])
            #expect(log.map(\.bodyBytes) == [Int64(listing.body.count), 10, 4, 0])
            #expect(log.bodyBytes == Int64(listing.body.count) + 14)
            #expect(log.connections == 3)
            #expect(throws: SystemError.self) { try RawClient(port: server.port) }
        }
    }

    @Test("nginx lists as JSON and XML, and limits what it answers at once")
    func setsNginxUp() throws {
        try withTemporaryDirectory { directory in
            let root = try makeTree(directory)
            try writePatternFile(root + "/big.bin", seed: 1, count: 32 << 20)
            let json = try NginxServer.start(root: root, listing: .json, bytesPerSecond: 1000, mostActive: 1)
            // The first answer is far from its end while the second is asked for.
            do {
                let slow = try RawClient(port: json.port)
                try slow.request("GET", "/big.bin")
                #expect(slow.read(body: 1).status == 200)
                #expect(try ask(json, "/data.bin").status == 503)
            }
            json.stop()
            let xml = try NginxServer.start(root: root, listing: .xml, directives: "add_header X-Extra yes;")
            let answer = try ask(xml, "/")
            #expect(answer.field("X-Extra") == "yes")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("<directory mtime="))
            xml.stop()
        }
    }

    @Test("Apache lists in its three forms", arguments: ApacheServer.Listing.allCases)
    func runsApache(listing: ApacheServer.Listing) async throws {
        try await withTemporaryDirectory { directory in
            let root = try makeTree(directory)
            try await ApacheServer.run(root: root, listing: listing) { server in
                let page = String(decoding: try ask(server, "/").body, as: UTF8.self)
                #expect(page.contains("<a href=\"data.bin\">"))
                #expect(page.contains("<li>") == (listing == .plain))
                #expect(page.contains("<pre>") == (listing == .fancy))
                #expect(page.contains("<table>") == (listing == .table))
                let part = try ask(server, "/data.bin", ["Range: bytes=10-19", "If-Range: \"x\\y\""])
                #expect(part.status == 200)
                let whole = try ask(server, "/data.bin", ["Range: bytes=10-19"])
                #expect(whole.body == pattern(seed: 1, ByteRange(10, 20)))
                let log = try server.stopAndReadLog()
                #expect(log.map(\.target) == ["/", "/data.bin", "/data.bin"])
                #expect(log.map(\.status) == [200, 200, 206])
                #expect(log.map(\.bodyBytes).dropFirst() == [5000, 10])
                #expect(log.map(\.ifRange) == [nil, "\"x\\y\"", nil])
                #expect(log.connections == 3)
            }
        }
    }

    @Test("A server that cannot start is an error that says why")
    func tellsWhyItFails() throws {
        let failure = try #require(throws: ServerFailure.self) {
            try NginxServer.start(root: "/tmp", directives: "no_such_directive;")
        }
        #expect(failure.description.contains("no_such_directive"))
    }
}
