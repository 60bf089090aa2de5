import SyncCore
import TestSupport
import Testing

@testable import DLSync

// Below the size from which on a range gets a connection of its own over HTTP/1.1.
private let size: Int64 = 900_000
private let position: Int64 = 300_000
private let rest = "GET \(position)-\(size - 1)"
private let original = Resource(.pattern(seed: 1, count: size), etag: "\"v1\"")
private let successor = Resource(.pattern(seed: 2, count: size), etag: "\"v2\"", lastModified: 1_700_000_100)

/// A first answer that stands still at a position, and is cut there once the client has all bytes before it.
private let cut = Step.once(on: .get, .stall(after: position, gate: "cut"), .cut(after: position))

/// What a server does to one file over HTTP/2, and what is asked of it then.
private struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var served = original
    var script: [Step]
    var asked: [String]
    var seed: UInt64 = 1
    var failure: Failure.Code?
}

private let rows: [Row] = [
    Row(testDescription: "a body that is cut", script: [cut], asked: ["GET", rest]),
    Row(
        testDescription: "200 to every range", script: [cut, .always(on: .ranged, .ignoreRange)],
        asked: ["GET", rest, rest, rest]),
    Row(
        testDescription: "206 of other bytes", script: [cut, .once(on: .ranged, .takeRangeAs("bytes=0-99"))],
        asked: ["GET", rest, rest]),
    Row(
        testDescription: "206 of other bytes, always", script: [cut, .always(on: .ranged, .takeRangeAs("bytes=0-99"))],
        asked: ["GET", rest, rest, "GET"]),
    Row(
        testDescription: "206 with another start", script: [cut, .once(on: .ranged, .shiftContentRange(start: -1))],
        asked: ["GET", rest, rest]),
    Row(
        testDescription: "206 with another total", script: [cut, .once(on: .ranged, .shiftContentRange(total: 7))],
        asked: ["GET", rest, "GET"]),
    Row(
        testDescription: "206 without Content-Range",
        script: [cut, .always(on: .ranged, .removeField("Content-Range"))], asked: ["GET", rest, rest, "GET"]),
    Row(
        testDescription: "206 with the tag of another version, If-Range ignored",
        script: [cut, .always(.from(successor), .ignoreIfRange)], asked: ["GET", rest, "GET"], seed: 2),
    Row(
        testDescription: "200 with the tag of another version", script: [cut, .always(.from(successor))],
        asked: ["GET", rest], seed: 2),
    Row(
        testDescription: "416 with the right length",
        script: [cut, .once(on: .ranged, .rangeNotSatisfiable(total: size))],
        asked: ["GET", rest, "GET"]),
    Row(
        testDescription: "416 with another length", script: [cut, .once(on: .ranged, .rangeNotSatisfiable(total: 5))],
        asked: ["GET", rest, "GET"]),
    Row(
        testDescription: "429 with Retry-After", script: [.once(.refusal(429, retryAfter: "1000")), cut],
        asked: ["GET", "GET", rest]),
    Row(
        testDescription: "503 with Retry-After amid the file", script: [cut, .once(.refusal(503, retryAfter: "1000"))],
        asked: ["GET", rest, rest]),
    Row(testDescription: "503 without", script: [cut, .once(.status(503))], asked: ["GET", rest, rest]),
    Row(
        testDescription: "pages of errors in its midst", script: [cut, .once(.status(500)), .once(.status(502))],
        asked: ["GET", rest, rest, rest]),
    Row(testDescription: "403", script: [.always(.status(403))], asked: ["GET"], failure: .status(403)),
    Row(testDescription: "401", script: [.always(.status(401))], asked: ["GET"], failure: .denied),
    Row(testDescription: "no length", script: [.always(.closeDelimited)], asked: ["GET"]),
    Row(
        testDescription: "no length, and a stream that is reset",
        script: [
            .once(.closeDelimited, .stall(after: position, gate: "cut"), .cut(after: position, by: .reset)),
            .always(.closeDelimited),
        ], asked: ["GET", "GET"]),
    Row(testDescription: "chunked behind the front", script: [.always(.chunked())], asked: ["GET"]),
    Row(
        testDescription: "chunked behind the front, without a last chunk",
        script: [.once(.chunked(.withoutLastChunk)), .always(.chunked())], asked: ["GET", "GET"]),
    Row(
        testDescription: "Content-Length says too much", script: [.once(.contentLength(size + 100))],
        asked: ["GET", "GET \(size)-\(size + 99)", "GET"]),
    Row(testDescription: "gzip though identity was asked for", script: [.always(.gzip())], asked: ["GET", "GET"]),
    Row(
        testDescription: "a relative redirect", script: [.once(.redirect("a?once", status: 307)), cut],
        asked: ["GET", "GET", rest]),
]

/// A scripted server, and nginx with HTTP/2 before it.
private final class Front: Sendable {
    let server: FaultServer
    let nginx: WebServer
    let certificate: ServerCertificate

    init(_ bench: Bench) async throws {
        let certificate = try await ServerCertificate(in: bench.directory.path)
        let server = try FaultServer()
        nginx = try NginxServer.start(inFrontOf: server, tls: certificate)
        (self.server, self.certificate) = (server, certificate)
    }

    deinit { server.stop() }

    func url(_ path: String) -> String { nginx.url(path) }

    /// Configures a session to believe in the front.
    func trust(_ configuration: inout SyncConfiguration) {
        configuration.access.certificateAuthorities = certificate.certificate
    }

    /// Cuts the answer that stands still at the position, once all that was sent has arrived.
    func cutWhenArrived(in session: SyncSession) async throws {
        try await session.turn {
            server.gate("cut").waiting > 0 && session.progress.bytesReceived >= server.bodyBytesSent
        }
        server.gate("cut").allow()
    }
}

extension SessionTests {
    @Suite struct HTTP2 {
        @Test("What a server does wrong over HTTP/2 costs requests, never a wrong byte", arguments: rows)
        private func survives(row: Row) async throws {
            let bench = try Bench()
            let front = try await Front(bench)
            front.server.serve("/a", row.served, script: row.script)
            let cuts = row.script.count { $0.faults.contains { if case .stall = $0 { true } else { false } } }
            // What a server wants to be waited for passes by the test's own clock.
            let clock = ManualClock()
            let told = try await bench.session(
                {
                    front.trust(&$0)
                    $0.stallTimeout = .seconds(1_000_000)
                }, clock: clock
            ) { session in
                try await driving(clock, of: session) {
                    async let told = session.tell([try bench.list([front.url("/a")])])
                    for _ in 0..<cuts { try await front.cutWhenArrived(in: session) }
                    return try await told
                }
            }
            let asked = "\(front.server.asked("/a")) \(told.complaints)"
            let outcome = try #require(told.outcomes["a"])
            #expect(outcome.failure?.code == row.failure, "\(asked)")
            #expect(front.server.asked("/a") == row.asked, "\(told.complaints)")
            if row.failure == nil {
                #expect(bench.holds("a", seed: row.seed, size), "\(asked)")
                #expect(bench.partials().isEmpty)
            } else {
                #expect(try bench.tree().isEmpty)
            }
            // What the scripted server was asked came to the front as HTTP/2, each of it.
            let log = try front.nginx.stopAndReadLog()
            #expect(log.map { $0.range.map { "GET \($0.dropFirst(6))" } ?? $0.method } == row.asked)
            #expect(log.allSatisfy { $0.version == "HTTP/2.0" }, "\(log.map(\.version))")
        }

        @Test(
            "case 87: a stream that is reset in its midst goes on at the next byte", arguments: [Ending.close, .reset])
        func goesOn(ending: Ending) async throws {
            let bench = try Bench()
            let front = try await Front(bench)
            front.server.serve(
                "/a", original,
                script: [.once(on: .get, .stall(after: position, gate: "cut"), .cut(after: position, by: ending))])
            front.server.serve("/b", Resource(.pattern(seed: 3, count: 1000)), script: [.always(.hold("b"))])
            // The second of them has no permit of its own, and rides on the connection of the first.
            let change: (inout SyncConfiguration) -> Void = { configuration in
                front.trust(&configuration)
                configuration.connections = 1
            }
            let told = try await bench.session(change) { session in
                // Another stream of the connection is there, and nothing befalls it. nginx keeps the reset back until it has
                // something to do for the other, so that must come to its end.
                async let told = session.tell([try bench.list([front.url("/b"), front.url("/a")])])
                try await front.server.waitForRequests(2)
                try await front.cutWhenArrived(in: session)
                front.server.gate("b").open()
                return try await told
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(front.server.asked("/a") == ["GET", rest])
            #expect(front.server.asked("/b") == ["GET"])
            #expect(front.server.requests(to: "/a").last?.field("If-Range") == "\"v1\"")
            #expect(front.server.requests(to: "/a").reduce(0) { $0 + $1.bodyBytesSent } == size)
            #expect(bench.holds("a", seed: 1, size) && bench.holds("b", seed: 3, 1000))
            let log = try front.nginx.stopAndReadLog()
            #expect(log.count == 3 && log.allSatisfy { $0.version == "HTTP/2.0" }, "\(log)")
            #expect(log.connections == 1)
        }

        @Test("Small files share a connection before the first of them is answered") func sharesAtOnce() async throws {
            let bench = try Bench()
            let front = try await Front(bench)
            let names = (0..<40).map { "/\($0)" }
            for name in names {
                front.server.serve(name, Resource(.pattern(seed: 3, count: 1000)), script: [.always(.hold("all"))])
            }
            let change: (inout SyncConfiguration) -> Void = { configuration in
                front.trust(&configuration)
                configuration.connections = 1
            }
            let told = try await bench.session(change) { session in
                async let told = session.tell([try bench.list(names.map { front.url($0) })])
                try await front.server.waitForRequests(StreamBook.perConnection)
                #expect(front.server.requests.count == StreamBook.perConnection)
                front.server.gate("all").open()
                return try await told
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(names.allSatisfy { bench.holds(String($0.dropFirst()), seed: 3, 1000) })
            let log = try front.nginx.stopAndReadLog()
            #expect(log.count == 40 && log.allSatisfy { $0.version == "HTTP/2.0" }, "\(log)")
            #expect(log.connections == 1)
        }

        @Test("case 87: after three losses in a row a host is spoken to in HTTP/1.1, also of its other files")
        func turns() async throws {
            let bench = try Bench()
            let front = try await Front(bench)
            let cuts = (1...4).map { _ in
                Step.once(on: .get, .stall(after: 100_000, gate: "cut"), .cut(after: 100_000))
            }
            front.server.serve("/a", original, script: cuts)
            for number in 0..<5 {
                front.server.serve("/\(number)", Resource(.pattern(seed: 3, count: 1000)))
            }
            try await bench.session({ front.trust(&$0) }) { session in
                async let told = session.tell([try bench.list([front.url("/a")])])
                for _ in cuts { try await front.cutWhenArrived(in: session) }
                let first = try await told
                #expect(first.isAllWell, "\(first.complaints)")
                let later = await session.tell([
                    try bench.list((0..<5).map { front.url("/\($0)") }, name: "later.txt")
                ])
                #expect(later.isAllWell, "\(later.complaints)")
            }
            #expect(bench.holds("a", seed: 1, size))
            #expect(
                front.server.asked("/a") == ["GET"] + (1...4).map { "GET \($0)00000-\(size - 1)" })
            let log = try front.nginx.stopAndReadLog()
            let versions = log.map(\.version)
            #expect(versions.count == 10)
            #expect(versions.prefix(3).allSatisfy { $0 == "HTTP/2.0" }, "\(versions)")
            #expect(versions.dropFirst(3).allSatisfy { $0 == "HTTP/1.1" }, "\(versions)")
        }

        @Test("case 87: losses that are not in a row turn nothing") func stays() async throws {
            let bench = try Bench()
            let front = try await Front(bench)
            front.server.serve(
                "/a", original,
                script: (1...5).flatMap { _ in
                    [Step.once(on: .get, .stall(after: 100_000, gate: "cut"), .cut(after: 100_000))]
                })
            front.server.serve("/b", Resource(.pattern(seed: 3, count: 1000)))
            // One is lost, then one ends as it should, again and again.
            for number in 0..<5 {
                front.server.serve(
                    "/\(number)", original, script: [.once(.stall(after: 1000, gate: "cut"), .cut(after: 1000))])
            }
            try await bench.session({ front.trust(&$0) }) { session in
                for number in 0..<5 {
                    async let told = session.tell([try bench.list([front.url("/\(number)")], name: "\(number).txt")])
                    try await front.cutWhenArrived(in: session)
                    let result = try await told
                    #expect(result.isAllWell, "\(result.complaints)")
                }
            }
            let log = try front.nginx.stopAndReadLog()
            #expect(log.count == 10 && log.allSatisfy { $0.version == "HTTP/2.0" }, "\(log.map(\.version))")
        }

        @Test(
            "What is for one origin does not follow a redirect to another over HTTP/2", arguments: [301, 302, 307, 308])
        func redirectsAway(status: Int) async throws {
            let bench = try Bench()
            let near = try await Front(bench)
            let far = try FaultServer()
            defer { far.stop() }
            let there = try NginxServer.start(inFrontOf: far, tls: near.certificate)
            far.serve("/there", original, script: [.once(on: .get, .cut(after: 1000))])
            near.server.redirect("/a", to: "/b", status: status)
            near.server.redirect("/b", to: there.url("/there"), status: status)
            let list = try bench.list([near.url("/a"), "  header=X-Secret: 42"])
            let told = try await bench.run([list]) {
                near.trust(&$0)
                $0.access.origins = [WebURL(near.url("/"))].compactMap(\.self)
                $0.access.login = (Array("me".utf8), Array("secret".utf8))
                $0.access.cookies = "session=42"
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(bench.holds("a", seed: 1, size))
            let secrets = ["X-Secret", "Authorization", "Cookie"]
            #expect(!near.server.requests.isEmpty && !far.requests.isEmpty)
            for name in secrets {
                #expect(near.server.requests.allSatisfy { $0.field(name) != nil }, "\(name)")
                #expect(far.requests.allSatisfy { $0.field(name) == nil }, "\(name)")
            }
            let logs = try near.nginx.stopAndReadLog() + there.stopAndReadLog()
            #expect(logs.allSatisfy { $0.version == "HTTP/2.0" })
        }
    }
}
