import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 3_000_000
private let original = Resource(.pattern(seed: 1, count: size), etag: "\"v1\"")
private let successor = Resource(.pattern(seed: 2, count: size), etag: "\"v2\"", lastModified: 1_700_000_100)

/// What a server does to one file, and what comes of it.
struct Misdeed: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var resource = original
    var script: [Step]
    /// What stands under the final name in the end; nil for nothing.
    var seed: UInt64? = 1
    var failure: Failure.Code?
    var segments = SegmentLimit.auto
    /// The size that the list promises.
    var promised: Int64?
    /// Whether a retry of the whole may be needed.
    var mostRequests = 8

    init(
        _ description: String, resource: Resource = original, _ script: [Step], seed: UInt64? = 1,
        failure: Failure.Code? = nil, segments: SegmentLimit = .auto, promised: Int64? = nil, mostRequests: Int = 8
    ) {
        testDescription = description
        self.resource = resource
        self.script = script
        self.seed = failure == nil ? seed : nil
        self.failure = failure
        self.segments = segments
        self.promised = promised
        self.mostRequests = mostRequests
    }
}

/// A first answer that breaks off, so that a range is asked for next.
private let cut = Step.once(on: .get, .cut(after: 1_000_000))

private let misdeeds: [Misdeed] = [
    // Ranges.
    Misdeed("200 to a range though it says Accept-Ranges", [cut, .always(on: .ranged, .ignoreRange)]),
    Misdeed(
        "200 to every range from the first on", resource: Resource(.pattern(seed: 1, count: size), ranges: .ignored),
        [],
        segments: .fixed(4), promised: size),
    Misdeed(
        "no ranges at all", resource: Resource(.pattern(seed: 1, count: size), ranges: .none), [cut],
        segments: .fixed(4)),
    Misdeed(
        "ranges are ignored from a later request on", [.times(3, on: .ranged), .always(on: .ranged, .ignoreRange)],
        segments: .fixed(4), promised: size),
    Misdeed("206 with another start", [cut, .once(on: .ranged, .shiftContentRange(start: -1))]),
    Misdeed("206 with another start, always", [cut, .always(on: .ranged, .shiftContentRange(start: -1))]),
    Misdeed("206 of other bytes", [cut, .once(on: .ranged, .takeRangeAs("bytes=0-99"))]),
    Misdeed("206 of other bytes, always", [cut, .always(on: .ranged, .takeRangeAs("bytes=0-99"))]),
    Misdeed("206 with an end beyond what was asked", [cut, .once(on: .ranged, .shiftContentRange(end: 5))]),
    Misdeed("206 with another total", [cut, .once(on: .ranged, .shiftContentRange(total: 7))]),
    Misdeed("206 in several parts", [cut, .always(on: .ranged, .multipart)]),
    Misdeed("206 without Content-Range", [cut, .always(on: .ranged, .removeField("Content-Range"))]),
    Misdeed("206 with fewer bytes than it says, then in order", [cut, .once(on: .ranged, .cut(after: 10))]),
    Misdeed("416 with the right length", [cut, .once(on: .ranged, .rangeNotSatisfiable(total: size))]),
    Misdeed("416 with another length", [cut, .once(on: .ranged, .rangeNotSatisfiable(total: 5))]),
    Misdeed("416 without a length", [cut, .once(on: .ranged, .rangeNotSatisfiable(total: nil))]),
    Misdeed(
        "416 to the first range of a new file", [.once(on: .ranged, .rangeNotSatisfiable(total: nil))],
        segments: .fixed(4)),
    // Conditions.
    Misdeed(
        "another version answers a range, If-Range ignored",
        [cut, .always(.from(successor), .ignoreIfRange)], seed: 2),
    Misdeed("another version answers a range by 200", [cut, .always(.from(successor))], seed: 2),
    Misdeed("If-Range with an entity tag never matches", [cut, .always(on: .ranged, .refuseTagInIfRange)]),
    Misdeed("an entity tag of its own for each answer", [cut, .always(.newTagEachTime)]),
    Misdeed(
        "a weak entity tag", resource: Resource(.pattern(seed: 1, count: size), etag: "W/\"v1\""), [cut]),
    Misdeed(
        "no validators at all", resource: Resource(.pattern(seed: 1, count: size), etag: nil, lastModified: nil), [cut],
        mostRequests: 10),
    // Ends of connections.
    Misdeed("cut by a close", [.once(.cut(after: 1_234_567))]),
    Misdeed("cut by a reset", [.once(.cut(after: 1_234_567, by: .reset))]),
    Misdeed("cut before the first byte", [.once(.cut(after: 0))]),
    Misdeed(
        "cut again and again, a little further each time", (0..<7).map { _ in .once(.cut(after: 300_000)) },
        mostRequests: 9),
    Misdeed("an empty answer", [.once(.raw([]))]),
    Misdeed("HTTP/0.9", [.once(.headless)]),
    Misdeed("HTTP/0.9 for ever", [.always(.headless)], failure: .protocolError),
    Misdeed("fields of 200 KB in one", [.once(.hugeFields(count: 1, size: 200_000))]),
    Misdeed("closes quietly behind each answer", [.always(.closeQuietly)]),
    Misdeed("HTTP/1.0", [cut, .always(.version("HTTP/1.0"))]),
    Misdeed(
        "an interim answer first", [.always(.preface(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)))]),
    // Lengths.
    Misdeed("Content-Length says too much", [.once(.contentLength(size + 100))]),
    Misdeed(
        "Content-Length says too little, a size is promised", [.once(.contentLength(size - 100))], failure: .softError,
        promised: size),
    Misdeed("no length", [.always(.closeDelimited)]),
    Misdeed("no length, cut", [.once(.closeDelimited, .cut(after: 500_000, by: .reset)), .always(.closeDelimited)]),
    Misdeed("chunked", [.always(.chunked())]),
    Misdeed("chunked without a last chunk", [.once(.chunked(.withoutLastChunk)), .always(.chunked())]),
    Misdeed("chunked, cut", [.once(.chunked(), .cut(after: 1_500_000))]),
    Misdeed("a chunk of a size beyond all numbers", [.once(.chunked(.oversizedChunk))]),
    // Statuses.
    Misdeed("500, 502, 504, 408 and 425", [500, 502, 504, 408, 425].map { .once(.status($0)) }),
    Misdeed("500 for ever", [.always(.status(500))], failure: .status(500)),
    Misdeed("403", [.always(.status(403))], failure: .status(403)),
    Misdeed("401", [.always(.status(401))], failure: .denied),
    Misdeed("410", [.always(.status(410))], failure: .missing),
    Misdeed("204", [.always(.status(204))], failure: .status(204)),
    // Bodies that are not the file.
    Misdeed(
        "a page in place of the file, a size is promised", [.always(.softNotFound)], failure: .softError, promised: size
    ),
    Misdeed("gzip though identity was asked for", [.always(.gzip())], mostRequests: 2),
    Misdeed("gzip once", [.once(.gzip())], mostRequests: 2),
    // Redirects.
    Misdeed("a redirect to itself", [.always(.redirect("/a"))], failure: .tooManyRedirects, mostRequests: 21),
    Misdeed("a redirect to a file", [.always(.redirect("file:///etc/passwd"))], failure: .refusedScheme),
    Misdeed("a redirect to FTP", [.always(.redirect("ftp://127.0.0.1/a"))], failure: .refusedScheme),
    Misdeed("a redirect to nonsense", [.always(.redirect("http://["))], failure: .protocolError),
    Misdeed("a relative redirect", [.once(.redirect("a?once", status: 307))]),
    Misdeed(
        "a redirect with a long page",
        [
            .once(.redirect("a?once", status: 307), .body(.pattern(seed: 9, count: 500_000))),
            .always(.closeDelimited),
        ], mostRequests: 2),
]

extension SessionTests {
    @Suite struct Fault {
        @Test("A server's misdeed costs requests, never a wrong byte", arguments: misdeeds) func survives(
            misdeed: Misdeed
        )
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", misdeed.resource, script: misdeed.script)
                let line = server.url("/a") + (misdeed.promised.map { " size=\($0)" } ?? "")
                let told = try await bench.run([line]) {
                    $0.segments = misdeed.segments
                    $0.minimumSegment = 256 << 10
                }
                let asked = "\(server.asked("/a")) \(told.complaints)"
                let outcome = try #require(told.outcomes["a"])
                #expect(outcome.failure?.code == misdeed.failure, "\(asked)")
                if let seed = misdeed.seed {
                    #expect(outcome.status == .done, "\(asked)")
                    #expect(bench.holds("a", seed: seed, size), "\(asked)")
                    let date = misdeed.seed == 2 ? successor.lastModified : misdeed.resource.lastModified
                    if let date { #expect(try modified(bench.path("a")) == date) }
                } else {
                    #expect(try bench.tree().isEmpty)
                }
                #expect(server.requests.count <= misdeed.mostRequests, "\(asked)")
                // What is left behind is what another run goes on from, or nothing.
                if misdeed.failure == nil { #expect(bench.partials().isEmpty) }
                try await server.waitUntilIdle()
            }
        }

        @Test(
            "A cut transfer goes on at the very next byte", arguments: [Ending.close, .reset],
            [1, 65_536, 1_234_567, 2_999_999])
        func resumesAtByte(ending: Ending, position: Int64) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original, script: [.once(.cut(after: position, by: ending))])
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.asked("/a") == ["GET", "GET \(position)-\(size - 1)"])
                #expect(server.requests.last?.field("If-Range") == "\"v1\"")
                #expect(server.bodyBytesSent == size)
                #expect(bench.holds("a", seed: 1, size))
            }
        }

        @Test("A weak entity tag is never sent in If-Range") func weakTag() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size), etag: "W/\"v1\""), script: [cut])
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell)
                let condition = try #require(server.requests.last { $0.range != nil }?.field("If-Range"))
                #expect(!condition.hasPrefix("W/"))
            }
        }

        @Test("Fields of an entry stay with its own host", arguments: [301, 302, 303, 307, 308])
        func redirectsAway(status: Int) async throws {
            let bench = try Bench()
            try await FaultServer.run { near in
                try await FaultServer.run { far in
                    far.serve("/there", original)
                    near.redirect("/a", to: "/b", status: status)
                    near.redirect("/b", to: far.url("/there"), status: status)
                    let list = try bench.list([
                        near.url("/a"), "  header=X-Secret: 42", "  header=Authorization: Bearer 42",
                    ])
                    let told = try await bench.run([list])
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("a", seed: 1, size))
                    #expect(near.requests.map { $0.field("X-Secret") } == ["42", "42"])
                    #expect(near.requests.map { $0.field("Authorization") } == ["Bearer 42", "Bearer 42"])
                    #expect(far.requests.count == 1)
                    #expect(far.requests[0].field("X-Secret") == nil && far.requests[0].field("Authorization") == nil)
                }
            }
        }

        @Test("A signed target that expires is asked of the source anew") func signed() async throws {
            let bench = try Bench()
            try await FaultServer.run { near in
                try await FaultServer.run { far in
                    near.serveSigned("/a", at: "/blob", of: far, original, usesPerToken: 1, script: [cut])
                    let told = try await bench.run([near.url("/a")])
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("a", seed: 1, size))
                    #expect(far.bodyBytesSent <= size + 1000)
                }
            }
        }

        @Test("A mirror takes over where the first URL fails") func mirror() async throws {
            let bench = try Bench()
            try await FaultServer.run { first in
                try await FaultServer.run { second in
                    first.serve("/a", original, script: [.always(.status(404))])
                    second.serve("/b", original)
                    let told = try await bench.run([first.url("/a") + "\t" + second.url("/b")])
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("a", seed: 1, size))
                }
            }
        }

        // Digests.

        private func digest(seed: UInt64, count: Int64 = size) throws -> String {
            let bench = try Bench()
            try writePatternFile(bench.directory.path("x"), seed: seed, count: count)
            let destination = try Destination(path: bench.directory.path, access: .existing)
            return try destination.digest(.sha256, of: RelativePath("x")).hex
        }

        @Test("A digest that matches is told", arguments: [SegmentLimit.auto, .fixed(4)])
        func digestMatches(segments: SegmentLimit) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original, script: [.once(on: .get, .cut(after: 777_777))])
                let told = try await bench.run([server.url("/a") + " size=\(size) sha-256=\(try digest(seed: 1))"]) {
                    $0.segments = segments
                    $0.minimumSegment = 256 << 10
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.digest?.hex == (try digest(seed: 1)))
                let before = server.requests.count
                let again = try await bench.run([server.url("/a") + " sha-256=\(try digest(seed: 1))"])
                #expect(again.outcomes["a"]?.action == .upToDate && server.requests.count == before)
            }
        }

        @Test("Data that does not match its digest never gets the final name, and the old file stays") func mismatch()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", original)
                server.serve("/b", Resource(.pattern(seed: 4, count: 100)))
                server.serve("/c", Resource(.pattern(seed: 4, count: 100)))
                _ = try await bench.run([server.url("/a"), server.url("/b")])
                server.replace("/a", successor)
                let told = try await bench.run([
                    server.url("/a") + " sha-256=\(try digest(seed: 3))",
                    server.url("/b") + " sha-256=\(try digest(seed: 3))", server.url("/c"),
                ])
                #expect(told.outcomes["a"]?.failure?.code == .digestMismatch)
                #expect(told.outcomes["b"]?.failure?.code == .digestMismatch)
                #expect(told.outcomes["c"]?.status == .done)
                #expect(bench.holds("a", seed: 1, size))
                #expect(bench.holds("b", seed: 4, 100))
                #expect(bench.partials().isEmpty)
                // It was fetched once more, past all caches, before it was given up.
                #expect(server.requests(to: "/a").last?.field("Cache-Control") == "no-cache")
            }
        }

        @Test("A mirror with other bytes is found out by the digest, and the next is asked") func badMirror()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { bad in
                try await FaultServer.run { good in
                    bad.serve("/a", successor)
                    good.serve("/a", original)
                    let digest = try digest(seed: 1)
                    let told = try await bench.run([bad.url("/a") + "\t" + good.url("/a") + "\tsha-256=\(digest)"])
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("a", seed: 1, size))
                }
            }
        }
    }
}
