import SyncCore
import TestSupport
import Testing

private let size: Int64 = 10_000
private let resource = Resource(.pattern(seed: 1, count: size), etag: "\"v1\"")
private let date = "Tue, 14 Nov 2023 22:13:20 GMT"

struct Question: Sendable, CustomTestStringConvertible {
    var method = "GET"
    var fields: [String]
    var status: Int
    var contentRange: String?
    var body: Range<Int64>?

    var testDescription: String { "\(method) \(fields) is answered \(status)" }
}

@Suite(.timeLimit(.minutes(10))) struct FaultServerTests {
    @Test(
        "A resource is served as nginx serves a file",
        arguments: [
            Question(fields: [], status: 200, body: 0..<10_000),
            Question(method: "HEAD", fields: [], status: 200),
            Question(fields: ["Range: bytes=0-0"], status: 206, contentRange: "bytes 0-0/10000", body: 0..<1),
            Question(
                fields: ["Range: bytes=100-199"], status: 206, contentRange: "bytes 100-199/10000", body: 100..<200),
            Question(
                fields: ["Range: bytes=9000-"], status: 206, contentRange: "bytes 9000-9999/10000", body: 9000..<10_000),
            Question(
                fields: ["Range: bytes=9000-99999"], status: 206, contentRange: "bytes 9000-9999/10000",
                body: 9000..<10_000),
            Question(
                fields: ["Range: bytes=-5"], status: 206, contentRange: "bytes 9995-9999/10000", body: 9995..<10_000),
            Question(
                fields: ["Range: bytes=-20000"], status: 206, contentRange: "bytes 0-9999/10000", body: 0..<10_000),
            Question(fields: ["Range: bytes=10000-"], status: 416, contentRange: "bytes */10000"),
            Question(fields: ["Range: bytes=x-"], status: 416, contentRange: "bytes */10000"),
            Question(fields: ["Range: lines=1-2"], status: 200, body: 0..<10_000),
            Question(
                fields: ["Range: bytes=5-9", "If-Range: \"v1\""], status: 206, contentRange: "bytes 5-9/10000",
                body: 5..<10),
            Question(fields: ["Range: bytes=5-9", "If-Range: \"v2\""], status: 200, body: 0..<10_000),
            Question(fields: ["Range: bytes=5-9", "If-Range: W/\"v1\""], status: 200, body: 0..<10_000),
            Question(
                fields: ["Range: bytes=5-9", "If-Range: \(date)"], status: 206, contentRange: "bytes 5-9/10000",
                body: 5..<10),
            Question(
                fields: ["Range: bytes=5-9", "If-Range: Tue, 14 Nov 2023 22:13:21 GMT"], status: 200, body: 0..<10_000),
            Question(fields: ["If-None-Match: \"v1\""], status: 304),
            Question(fields: ["If-None-Match: \"v0\", W/\"v1\""], status: 304),
            Question(fields: ["If-None-Match: \"v2\""], status: 200, body: 0..<10_000),
            Question(fields: ["If-Modified-Since: \(date)"], status: 304),
            Question(fields: ["If-Modified-Since: Tue, 14 Nov 2023 22:13:19 GMT"], status: 200, body: 0..<10_000),
            Question(fields: ["If-Match: \"v2\""], status: 412),
            Question(fields: ["If-Unmodified-Since: Tue, 14 Nov 2023 22:13:19 GMT"], status: 412),
            Question(method: "DELETE", fields: [], status: 405),
        ])
    func servesAsNginx(question: Question) throws {
        try FaultServer.run { server in
            server.serve("/a.bin", resource)
            let answer = try server.exchange(question.method, "/a.bin", question.fields)
            #expect(answer.status == question.status)
            #expect(answer.field("Content-Range") == question.contentRange)
            if let range = question.body {
                #expect(answer.body == pattern(seed: 1, ByteRange(range.lowerBound, range.upperBound)))
                #expect(answer.field("Content-Length") == String(answer.body.count))
            }
            if question.status < 400 {
                #expect(answer.field("ETag") == "\"v1\"")
                #expect(answer.field("Last-Modified") == date)
            }
            #expect((answer.field("Accept-Ranges") == "bytes") == (question.status == 200))
            if question.method == "HEAD" || question.status == 304 { #expect(answer.body.isEmpty) }
            let request = try #require(server.requests.first)
            #expect(request.isComplete)
            #expect(request.bodyBytesSent == Int64(answer.body.count))
        }
    }

    @Test("A connection carries many requests, and the log tells which")
    func keepsConnections() throws {
        try FaultServer.run { server in
            server.serve("/a.bin", resource)
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try client.request("GET", "/a.bin?x=1", ["Range: bytes=0-9"])
                #expect(client.read(body: 10).body.count == 10)
            }
            _ = try server.exchange("HEAD", "/nothing")
            #expect(server.requests.map(\.connection) == [0, 0, 0, 1])
            #expect(server.requests.map(\.numberOnConnection) == [0, 1, 2, 0])
            #expect(server.requests.map(\.status) == [206, 206, 206, 404])
            #expect(server.requests.first?.path == "/a.bin")
            #expect(server.requests.first?.query == "x=1")
            #expect(server.requests(to: "/a.bin").count == 3)
            #expect(server.statistics.connectionsAccepted == 2)
            #expect(server.statistics.peakConnections == 2)
            #expect(server.statistics.peakActiveRequests == 1)
            #expect(server.bodyBytesSent == 30)
        }
    }

    @Test("The steps of a script are used in order, each by the requests that it is for")
    func followsScripts() throws {
        try FaultServer.run { server in
            server.serve(
                "/a.bin", resource,
                script: [
                    .once(.refusal(503, retryAfter: "7")), .pass(on: .get), .times(2, on: .head, .status(405)),
                    .always(on: .ranged, .ignoreRange),
                ])
            let answers = try [
                ("GET", []), ("HEAD", []), ("GET", ["Range: bytes=1-1"]), ("HEAD", []), ("HEAD", []),
                ("GET", ["Range: bytes=1-1"]),
            ].map { try server.exchange($0.0, "/a.bin", $0.1) }
            #expect(answers.map(\.status) == [503, 405, 206, 405, 200, 200])
            #expect(answers.first?.field("Retry-After") == "7")
            #expect(answers.last?.body.count == 10_000)
            #expect(answers.last?.field("Accept-Ranges") == "bytes")
        }
    }

    @Test("Requests are chosen by method, range, fields and path")
    func filtersRequests() throws {
        try FaultServer.run { server in
            server.serve("/a", resource)
            _ = try server.exchange("GET", "/a", ["Range: bytes=100-199", "X-Key: k"])
            let request = try #require(server.requests.first)
            let matching: [RequestFilter] = [
                .any, .get, .ranged, .rangeStarting(at: 100), .rangeLonger(than: 99), .path("/a"), .with("x-key"),
                .with("X-Key", "k"), !.head, .get && .ranged,
            ]
            let others: [RequestFilter] = [
                .head, .unranged, .conditional, .rangeStarting(at: 10), .rangeLonger(than: 100), .path("/"),
                .with("X-Key", "l"), !.any, .get && .unranged, .method("PUT"),
            ]
            #expect(matching.map { $0.matches(request) } == matching.map { _ in true })
            #expect(others.map { $0.matches(request) } == others.map { _ in false })
        }
    }

    @Test("A wait for requests that do not come is an error that tells those that came")
    func givesUp() async throws {
        try await FaultServer.run { server in
            _ = try server.exchange("HEAD", "/nothing")
            #expect(try await server.waitForRequests(1, .head).count == 1)
            let failure = await #expect(throws: WaitTimeout.self) {
                try await server.waitForRequests(2, timeout: .zero)
            }
            #expect(failure?.description.contains("HEAD /nothing on 0: 404") == true)
        }
    }

    @Test("A server that its own handler holds goes away when it is stopped")
    func breaksCycles() throws {
        weak var observed: FaultServer?
        do {
            let server = try FaultServer()
            server.handle("/a") { _ in Answer(body: .text(server.origin)) }
            #expect(try server.exchange("GET", "/a").body == Array(server.origin.utf8))
            observed = server
            server.stop()
        }
        #expect(observed == nil)
    }

    @Test("Another version of a resource takes its place between two requests")
    func replacesVersions() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.text("one")))
            let first = try server.exchange("GET", "/a")
            server.replace("/a", Resource(.text("two!")))
            let second = try server.exchange("GET", "/a")
            #expect(first.body == Array("one".utf8))
            #expect(second.body == Array("two!".utf8))
            #expect(first.field("ETag") != second.field("ETag"))
        }
    }

    @Test("A signed URL serves as often as it may, and a new one is had from the first")
    func signsURLs() throws {
        try FaultServer.run { server in
            server.serveSigned("/a", at: "/signed", resource, usesPerToken: 2)
            let location = try #require(try server.exchange("GET", "/a").field("Location"))
            let statuses = try (0..<3).map { _ in try server.exchange("GET", location).status }
            #expect(statuses == [200, 200, 403])
            let next = try #require(try server.exchange("GET", "/a").field("Location"))
            #expect(next != location)
            #expect(try server.exchange("GET", next).status == 200)
            server.expireTokens()
            #expect(try server.exchange("GET", next).status == 403)
            #expect(try server.exchange("GET", "/signed").status == 403)
        }
    }

    @Test("What is beyond the limit of connections is refused, by a status or by a reset")
    func limitsConnections() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.stall(after: 5, gate: "half"))])
            server.limit(.connections(1, .status(503, retryAfter: "3")))
            let first = try RawClient(port: server.port)
            try first.request("GET", "/a")
            try server.gate("half").waitForArrivals()
            let refused = try server.exchange("GET", "/a")
            #expect(refused.status == 503)
            #expect(refused.field("Retry-After") == "3")
            server.limit(.connections(1, .reset))
            let second = try RawClient(port: server.port)
            #expect(second.readToEnd().bytes.isEmpty)
            server.limit(.activeRequests(1))
            #expect(try server.exchange("GET", "/a").status == 503)
            server.gate("half").open()
            #expect(first.read(body: Int(size)).body.count == Int(size))
            #expect(server.statistics.connectionsRefused == 2)
        }
    }

    @Test("Connections that follow one another count as one that ends and one that begins, whoever closes them")
    func countsConnections() throws {
        try FaultServer.run { server in
            server.serve("/a", resource)
            for round in 0..<50 {
                if round % 2 == 0 {
                    _ = try server.exchange("GET", "/a")
                } else {
                    let client = try RawClient(port: server.port)
                    try client.request("GET", "/a")
                    _ = client.read(body: Int(size))
                }
            }
            #expect(server.statistics.connectionsAccepted == 50)
            // On a busy machine the end of one may be seen after the beginning of the next.
            #expect(server.statistics.peakConnections <= 2)
            #expect(server.statistics.peakActiveRequests == 1)
        }
    }

    @Test("curl agrees that a download is whole, and resumes one that was cut", .timeLimit(.minutes(10)))
    func servesCurl() async throws {
        try await withTemporaryDirectory { directory in
            try await FaultServer.run { server in
                let count: Int64 = 3 << 20
                server.serve(
                    "/a", Resource(.pattern(seed: 6, count: count)), script: [.once(.cut(after: 1_000_000, by: .reset))]
                )
                let arguments = ["-sS", "-C", "-", "-o", directory.appending("a"), server.url("/a")]
                let cut = try await ChildProcess.run("curl", arguments)
                #expect(cut.termination == .exited(56), "\(cut)")
                let rest = try await ChildProcess.run("curl", arguments)
                #expect(rest.termination == .exited(0), "\(rest)")
                #expect(try fileMatchesPattern(directory.appending("a"), seed: 6, count: count))
                #expect(server.requests.map(\.range) == [nil, "bytes=1000000-"])
                #expect(server.bodyBytesSent == count)
            }
        }
    }

    @Test("Patterns are the same however they are cut, and differ by seed and by position")
    func patternsAreAddressable() {
        let whole = pattern(seed: 9, ByteRange(0, 20_000))
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let start = Int64.random(in: 0..<20_000, using: &generator)
            let end = Int64.random(in: start...20_000, using: &generator)
            #expect(pattern(seed: 9, ByteRange(start, end)) == Array(whole[Int(start)..<Int(end)]))
        }
        #expect(pattern(seed: 8, ByteRange(0, 20_000)) != whole)
        #expect(Set((0..<64).map { pattern(seed: 9, ByteRange($0 * 4096, $0 * 4096 + 16)) }).count == 64)
    }

    @Test("A big body goes out whole and takes no memory of its size")
    func sendsBigBodies() throws {
        try FaultServer.run { server in
            let count: Int64 = 64 << 20
            server.serve("/big", Resource(.pattern(seed: 5, count: count)))
            let answer = try server.exchange("GET", "/big")
            #expect(Int64(answer.body.count) == count)
            #expect(Array(answer.body.suffix(1000)) == pattern(seed: 5, ByteRange(count - 1000, count)))
        }
    }
}
