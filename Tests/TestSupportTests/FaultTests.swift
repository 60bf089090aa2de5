import SyncCore
import TestSupport
import Testing

private let size: Int64 = 1000
private let resource = Resource(.pattern(seed: 2, count: size), etag: "\"v1\"")
private let whole = pattern(seed: 2, ByteRange(0, size))

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    private func answer(_ faults: Fault..., method: String = "GET", fields: [String] = []) throws -> RawAnswer {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.always(faults)])
            return try server.exchange(method, "/a", fields)
        }
    }

    @Test("A cut sends exactly the bytes before it", arguments: [0, 1, 999, 1000], [Ending.close, .reset])
    func cuts(position: Int64, ending: Ending) throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.cut(after: position, by: ending))])
            let answer = try server.exchange("GET", "/a")
            #expect(answer.field("Content-Length") == "1000")
            #expect(answer.body == Array(whole[..<Int(position)]))
            #expect(answer.wasReset == (ending == .reset))
            try server.waitUntilIdle()
            #expect(server.requests.first?.isComplete == false)
            #expect(server.requests.first?.bodyBytesSent == position)
        }
    }

    @Test("A stalled answer goes on when its gate is opened")
    func stalls() async throws {
        try await FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.stall(after: 300, gate: "g"))])
            let client = try RawClient(port: server.port)
            try client.request("GET", "/a")
            try await server.gate("g").waitForArrivals()
            #expect(server.gate("g").waiting == 1)
            #expect(server.requests.first?.bodyBytesSent == 300)
            #expect(server.requests.first?.isActive == true)
            server.gate("g").open()
            #expect(client.read(body: 1000).body == whole)
            #expect(server.requests.first?.isComplete == true)
        }
    }

    @Test("A stalled answer ends when the client goes away")
    func stallsUntilTheClientLeaves() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.stall(after: 300))])
            do {
                let client = try RawClient(port: server.port)
                try client.request("GET", "/a")
                #expect(client.read(body: 300).body.count == 300)
            }
            try server.waitUntilIdle()
            #expect(server.requests.first?.isComplete == false)
        }
    }

    @Test("A server stops while answers stall and clients sleep")
    func stopsWhateverHappens() throws {
        let server = try FaultServer()
        server.serve("/a", resource, script: [.always(.stall(after: 300, gate: "g"))])
        let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        for client in clients.dropFirst() { try client.request("GET", "/a") }
        try server.gate("g").waitForArrivals(4)
        server.stop()
        #expect(server.statistics.openConnections == 0)
        #expect(server.statistics.activeRequests == 0)
        #expect(throws: SystemError.self) { try RawClient(port: server.port) }
    }

    @Test("A dripping answer sends so many bytes each time its gate lets it")
    func drips() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.drip(bytes: 400, gate: "drop"))])
            let client = try RawClient(port: server.port)
            try client.request("GET", "/a")
            for (round, sent) in [0, 400, 800].enumerated() {
                try server.gate("drop").waitForArrivals(round + 1)
                #expect(server.bodyBytesSent == Int64(sent))
                server.gate("drop").allow()
            }
            #expect(client.read(body: 1000).body == whole)
        }
    }

    @Test("An answer that is held sends nothing before its gate opens")
    func holds() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.once(.hold("g"))])
            let client = try RawClient(port: server.port)
            try client.request("GET", "/a")
            try server.gate("g").waitForArrivals()
            #expect(server.requests.first?.status == nil)
            server.gate("g").allow()
            #expect(client.read(body: 1000).status == 200)
        }
    }

    @Test("Content-Range lies about the start, the end and the total")
    func shiftsContentRange() throws {
        let answer = try answer(.shiftContentRange(start: -10, end: 5, total: 7), fields: ["Range: bytes=20-29"])
        #expect(answer.field("Content-Range") == "bytes 10-34/1007")
        #expect(answer.body == Array(whole[20..<30]))
    }

    @Test("Another range than the one asked for is answered rightly")
    func takesAnotherRange() throws {
        let answer = try answer(.takeRangeAs("bytes=0-9"), fields: ["Range: bytes=20-29"])
        #expect(answer.field("Content-Range") == "bytes 0-9/1000")
        #expect(answer.body == Array(whole[..<10]))
    }

    @Test("A range comes as a multipart of one")
    func sendsMultipart() throws {
        let answer = try answer(.multipart, fields: ["Range: bytes=20-29"])
        #expect(answer.status == 206)
        #expect(answer.field("Content-Type")?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(answer.field("Content-Range") == nil)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("Content-Range: bytes 20-29/1000"))
        #expect(answer.field("Content-Length") == String(answer.body.count))
    }

    @Test("If-Range is ignored, or its tag never matches")
    func mistreatsIfRange() throws {
        let ignored = try answer(.ignoreIfRange, fields: ["Range: bytes=0-9", "If-Range: \"v0\""])
        #expect(ignored.status == 206)
        let refused = try answer(.refuseTagInIfRange, fields: ["Range: bytes=0-9", "If-Range: \"v1\""])
        #expect(refused.status == 200)
        let dated = try answer(
            .refuseTagInIfRange, fields: ["Range: bytes=0-9", "If-Range: Tue, 14 Nov 2023 22:13:20 GMT"])
        #expect(dated.status == 206)
    }

    @Test("A range of a new version is sent where the old one was asked for")
    func sendsAnotherVersion() throws {
        let next = Resource(.pattern(seed: 3, count: 2000), etag: "\"v2\"")
        let answer = try answer(.from(next), .ignoreIfRange, fields: ["Range: bytes=20-29", "If-Range: \"v1\""])
        #expect(answer.status == 206)
        #expect(answer.field("ETag") == "\"v2\"")
        #expect(answer.field("Content-Range") == "bytes 20-29/2000")
        #expect(answer.body == pattern(seed: 3, ByteRange(20, 30)))
    }

    @Test("Every answer bears another tag")
    func changesTags() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.always(.newTagEachTime)])
            let tags = try (0..<3).map { _ in try server.exchange("HEAD", "/a").field("ETag") }
            #expect(Set(tags).count == 3)
        }
    }

    @Test(
        "A chunked body ends as the script says",
        arguments: [
            (ChunkedEnding.proper, "3e8\r\n", "\r\n0\r\n\r\n"), (.withoutLastChunk, "3e8\r\n", "\r\n"),
            (.oversizedChunk, "FFFFFFFFFFFFFFFFF\r\n", ""),
        ])
    func chunks(ending: ChunkedEnding, before: String, after: String) throws {
        let answer = try answer(.chunked(ending))
        #expect(answer.field("Transfer-Encoding") == "chunked")
        #expect(answer.field("Content-Length") == nil)
        #expect(answer.body == Array(before.utf8) + whole + Array(after.utf8))
    }

    @Test("A chunk is cut in its middle")
    func truncatesChunks() throws {
        let answer = try answer(.chunked(), .cut(after: 10))
        #expect(answer.body == Array("3e8\r\n".utf8) + whole[..<10])
    }

    @Test("A body without length ends with the connection, which the client did not ask for")
    func endsWithConnection() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.always(.removeField("Content-Length"))])
            let client = try RawClient(port: server.port)
            try client.request("GET", "/a")
            let answer = client.readToEnd()
            #expect(answer.field("Content-Length") == nil)
            #expect(answer.body == whole)
        }
    }

    @Test("Content-Length says too much and too little")
    func liesAboutLength() throws {
        for length in [Int64(10), 5000] {
            let answer = try answer(.contentLength(length))
            #expect(answer.field("Content-Length") == String(length))
            #expect(answer.body == whole)
        }
    }

    @Test("A gzip-coded body comes unasked, and gunzip unpacks it")
    func codes() async throws {
        let answer = try answer(.gzip(strongTag: true), fields: ["Range: bytes=5-9", "Accept-Encoding: identity"])
        #expect(answer.status == 200)
        #expect(answer.field("Content-Encoding") == "gzip")
        #expect(answer.field("ETag") == "\"v1\"")
        let unpacked = try await ChildProcess.run("/bin/gzip", ["-dc"], input: answer.body)
        #expect(unpacked.standardOutput == whole)
    }

    @Test("Answers that are none: nothing, garbage, an interim one before the right one")
    func sendsRawBytes() throws {
        #expect(try answer(.raw([])).bytes.isEmpty)
        #expect(try answer(.headless).bytes == Array("This is not HTTP.\n".utf8))
        let early = try answer(.preface(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8)))
        #expect(String(decoding: early.bytes, as: UTF8.self).contains("\r\n\r\nHTTP/1.1 200 OK\r\n"))
    }

    @Test("Heads are huge, redirects point where they are told, 416 may lack its total, and soft errors are 200")
    func changesHeads() throws {
        #expect(try answer(.hugeFields(count: 100, size: 8000)).head.count > 800_000)
        let redirect = try answer(.redirect("../b", status: 307))
        #expect(redirect.status == 307)
        #expect(redirect.field("Location") == "../b")
        #expect(redirect.field("ETag") == nil)
        #expect(try answer(.rangeNotSatisfiable(total: nil)).field("Content-Range") == nil)
        #expect(try answer(.rangeNotSatisfiable(total: 5)).field("Content-Range") == "bytes */5")
        let soft = try FaultServer.run { server in
            server.serve("/a", resource, script: [.always(.softNotFound)])
            return try server.exchange("GET", "/a", ["Range: bytes=0-3"])
        }
        #expect(soft.status == 200)
        #expect(soft.field("Content-Type") == "text/html")
    }

    @Test("A connection closes without a word behind a whole answer")
    func closesQuietly() throws {
        try FaultServer.run { server in
            server.serve("/a", resource, script: [.always(.closeQuietly)])
            let client = try RawClient(port: server.port)
            try client.request("GET", "/a")
            let answer = client.readToEnd()
            #expect(answer.field("Connection") == nil)
            #expect(answer.body == whole)
            #expect(server.requests.first?.isComplete == true)
        }
    }

    @Test("A path redirects to another origin, and a handler makes its answers from the request")
    func redirectsAndHandles() throws {
        try FaultServer.run { other in
            try FaultServer.run(address: "127.0.0.2") { server in
                server.redirect("/moved", to: other.url("/b"), status: 301)
                let moved = try server.exchange("GET", "/moved")
                #expect(moved.field("Location") == other.url("/b"))
                other.handle("/list") { request in
                    Answer(fields: [HeaderField(name: "X-Query", value: request.query ?? "-")], body: .text("page"))
                }
                let answer = try other.exchange("GET", "/list?marker=7")
                #expect(answer.field("X-Query") == "marker=7")
                #expect(answer.body == Array("page".utf8))
            }
        }
    }
}
