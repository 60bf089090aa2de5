import SyncCore
import TestSupport
import Testing

@testable import DLSync

private func digest(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) throws -> Digest {
    var digester = try Digester(algorithm)
    bytes.withUnsafeBytes { digester.update($0) }
    return try digester.finish()
}

/// A file of ten pieces, and what a Metalink document says of it.
private struct PiecedFile {
    static let length = 1_000_000
    static let piece = 100_000
    let right = Body.pattern(seed: 5, count: Int64(length)).allBytes

    /// The file with a byte changed in each of some pieces.
    func damaged(_ pieces: [Int]) -> Resource {
        var bytes = right
        for index in pieces { bytes[index * Self.piece + 17] ^= 1 }
        return Resource(.bytes(bytes), etag: "\"damaged\"")
    }

    /// A document that names the file at URLs, best first.
    func document(_ urls: [String], whole: Bool = true, signed: Bool = false) throws -> Resource {
        var hashes = ""
        for start in stride(from: 0, to: Self.length, by: Self.piece) {
            hashes += "<hash>\(try digest(.sha256, Array(right[start..<(start + Self.piece)])).hex)</hash>"
        }
        let list = urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }.joined()
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="disk.iso"><size>\(Self.length)</size>
            \(whole ? "<hash type=\"sha-256\">\(try digest(.sha256, right).hex)</hash>" : "")
            \(signed ? "<signature mediatype=\"application/pgp-signature\">x</signature>" : "")
            <pieces type="sha-256" length="\(Self.piece)">\(hashes)</pieces>\(list)</file></metalink>
            """
        return Resource(.text(text), contentType: "application/metalink4+xml")
    }
}

extension SessionTests {
    @Suite struct Mirrors {
        private let file = PiecedFile()

        @Test(
            "Of a file with wrong pieces only those are fetched again, from the next mirror", arguments: [true, false])
        func mends(hasWholeDigest: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", file.damaged([3, 7]))
                server.serve("/b", Resource(.bytes(file.right), etag: "\"other server\""))
                server.serve("/m", try file.document([server.url("/a"), server.url("/b")], whole: hasWholeDigest))
                let told = try await bench.run([Source(argument: server.url("/m"))]) { $0.segments = .fixed(1) }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("disk.iso", seed: 5, Int64(PiecedFile.length)))
                let asked = server.requests(to: "/b").compactMap(\.asked)
                // Without a digest of the whole, a mirror shows by samples that it serves the same.
                if hasWholeDigest {
                    #expect(asked.map(\.start) == [300_000, 700_000])
                    #expect(server.requests(to: "/b").map(\.bodyBytesSent) == [100_000, 100_000])
                }
                #expect(told.outcomes["disk.iso"]?.reason.contains("200000 bytes of it were wrong") == true)
                #expect(bench.partials().isEmpty)
            }
        }

        @Test("Without another mirror the wrong pieces are asked for past all caches; a second run asks for no more")
        func mendsFromTheSame() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let right = Resource(.bytes(file.right), etag: "\"one\"")
                var wrong = file.damaged([0, 9])
                wrong.etag = right.etag
                server.serve("/a", right, script: [.once(on: .get, .from(wrong))])
                server.serve("/m", try file.document([server.url("/a")], signed: true))
                let source = Source(argument: server.url("/m"))
                let told = try await bench.run([source]) { $0.segments = .fixed(1) }
                #expect(told.isAllWell, "\(told.complaints)")
                let requests = server.requests(to: "/a")
                #expect(requests.dropFirst().map(\.short) == ["GET 0-99999", "GET 900000-999999"])
                #expect(requests.dropFirst().allSatisfy { $0.field("Cache-Control") == "no-cache" })
                #expect(told.outcomes["disk.iso"]?.reason.contains("a signature, which is not checked") == true)
                let again = try await bench.run([source])
                #expect(again.summary.actions == [.upToDate: 1])
                #expect(server.requests(to: "/a").count == requests.count)
            }
        }

        @Test("Pieces that stay wrong fail the file, and what is right is there for the next run") func staysWrong()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", file.damaged([4]))
                server.serve("/m", try file.document([server.url("/a")]))
                let source = Source(argument: server.url("/m"))
                let told = try await bench.run([source]) { $0.segments = .fixed(1) }
                #expect(told.outcomes["disk.iso"]?.failure?.code == .digestMismatch)
                #expect(try bench.tree() == [])
                let before = server.requests(to: "/a").count
                // The server has what it says it has.
                var right = Resource(.bytes(file.right))
                right.etag = "\"damaged\""
                server.serve("/a", right)
                let again = try await bench.run([source]) { $0.segments = .fixed(1) }
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(server.requests(to: "/a").dropFirst(before).map(\.bodyBytesSent) == [100_000])
                #expect(bench.holds("disk.iso", seed: 5, Int64(PiecedFile.length)))
            }
        }

        @Test(
            "A mirror that the server names takes over where the server fails, and gets nothing that is the server's",
            arguments: [false, true])
        func namedMirror(isNamedByRedirect: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { origin in
                try await FaultServer.run { mirror in
                    let length: Int64 = 200_000
                    let link = "<\(mirror.url("/copy"))>; rel=duplicate; pri=1"
                    origin.serve("/gone", Resource(.text("")), script: [.always(.status(404))])
                    origin.serve(
                        "/f", Resource(.pattern(seed: 8, count: length)),
                        script: [
                            .once(.addField("Link", link), .cut(after: 100_000)), .always(.status(404)),
                        ])
                    if isNamedByRedirect {
                        origin.serve(
                            "/f", Resource(.text("")),
                            script: [.always(.redirect(origin.url("/part")), .addField("Link", link))])
                        origin.serve(
                            "/part", Resource(.pattern(seed: 8, count: length)),
                            script: [.once(.cut(after: 100_000)), .always(.status(404))])
                    }
                    mirror.serve("/copy", Resource(.pattern(seed: 8, count: length), etag: "\"mirror\""))
                    let told = try await bench.run(["\(origin.url("/f")) out=f"]) {
                        $0.access.origins = [WebURL(origin.url("/"))].compactMap { $0 }
                        $0.access.login = (Array("me".utf8), Array("secret".utf8))
                        $0.access.fields = [HeaderField(name: "X-Key", value: "secret")]
                    }
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("f", seed: 8, length))
                    #expect(!mirror.requests.isEmpty)
                    for request in mirror.requests {
                        #expect(request.field("Authorization") == nil && request.field("X-Key") == nil)
                    }
                    #expect(origin.requests.allSatisfy { $0.field("X-Key") == "secret" })
                    #expect(told.outcomes["f"]?.reason.contains("it came from \(mirror.url("/copy"))") == true)
                }
            }
        }

        @Test("A digest that the server sends beside is held against what comes, from whichever mirror")
        func servedDigest()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let bytes = Array("the right bytes".utf8)
                let field = "SHA-256=\(encodedBase64(try digest(.sha256, bytes).bytes))"
                let right = Resource(.bytes(bytes), etag: nil, lastModified: nil)
                server.serve(
                    "/f", right,
                    script: [
                        .always(
                            .addField("Digest", field), .body(.text("the wrong bytes")),
                            .addField("Link", "<\(server.url("/g"))>; rel=duplicate"))
                    ])
                server.serve("/g", right)
                let told = try await bench.run([server.url("/f") + " out=f"])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.directory.read("dest/f") == bytes)
                #expect(server.asked("/g") == ["GET"])
            }
        }
    }

    @Suite struct GivenDigests {
        private static func sums(_ files: [(String, [UInt8])]) throws -> String {
            try files.map { "\(try digest(.sha256, $0.1).hex)  \($0.0)\n" }.joined()
        }

        private static let right = Array("right".utf8)

        /// Serves an index page of files below `/pub/`, and gives the source.
        private func serve(_ names: [String], on server: FaultServer, bytes: [UInt8] = right) -> Source {
            for name in names { server.serve("/pub/\(name)", Resource(.bytes(bytes))) }
            let rows = names.map { IndexRow($0, size: Int64(bytes.count)) }
            server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", rows)))
            return Source(argument: server.url("/pub/"))
        }

        @Test(
            "A list of digests proves what a listing names: by URL from where it lies, or by path from a file",
            arguments: ["/pub/SHA256SUMS", "/elsewhere/SHA256SUMS", nil])
        func proves(place: String?) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(["a", "b", "c"], on: server)
                // The list is wrong of b, and says nothing of c.
                let list = try Self.sums([("a", Self.right), ("./b", [1, 2, 3]), ("d", [])])
                let digests: Source
                if let place {
                    server.serve(place, Resource(.text(list), contentType: "text/plain"))
                    digests = Source(argument: server.url(place))
                } else {
                    try bench.directory.write(Array(list.utf8), to: "SHA256SUMS")
                    digests = .file(bench.directory.path("SHA256SUMS"))
                }
                let told = try await bench.run([source]) { $0.digests = [digests] }
                #expect(told.outcomes["b"]?.failure?.code == .digestMismatch)
                #expect(told.summary.failed == 1 && told.unread.isEmpty && told.problems.isEmpty)
                #expect(try bench.tree() == ["a", "c"])
                #expect(told.outcomes["a"]?.digest == (try digest(.sha256, Self.right)))
                #expect(told.outcomes["c"]?.digest == nil)
                // Proven once, it needs no question any more.
                let heads = server.count("HEAD", "/pub/a")
                _ = try await bench.run([source]) { $0.digests = [digests] }
                #expect(server.count("HEAD", "/pub/a") == heads && server.count("GET", "/pub/a") == 1)
            }
        }

        @Test("They are read before any entry is taken, and where one list cannot be read nothing is fetched")
        func unreadable() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let source = serve(["a"], on: server)
                server.serve("/SHA256SUMS", Resource(.text(try Self.sums([("a", Self.right)]))))
                for missing in [Source(argument: server.url("/none")), .file(bench.directory.path("none"))] {
                    let told = try await bench.run([source]) {
                        $0.digests = [Source(argument: server.url("/SHA256SUMS")), missing]
                    }
                    #expect(told.unread.map(\.source) == [missing.name])
                    #expect(told.outcomes.isEmpty)
                }
                #expect(server.count("GET", "/pub/") == 0)
            }
        }

        @Test("They count in the place of those that the source gives, and a dry run knows them") func preferred()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                _ = serve(["a"], on: server)
                let wrong = try digest(.sha512, [0]).hex
                let list = ["\(server.url("/pub/a")) sha-512=\(wrong) out=x/a"]
                server.serve("/pub/SUMS", Resource(.text(try Self.sums([("a", Self.right)]))))
                let digests = [Source(argument: server.url("/pub/SUMS"))]
                #expect(try await bench.run(list).summary.failures == [.digestMismatch])
                let told = try await bench.run(list) { $0.digests = digests }
                #expect(told.isAllWell, "\(told.complaints)")
                let plan = try await bench.session({
                    $0.digests = digests
                    $0.isReadOnly = true
                }) { session in try await session.plan([bench.list(list)]) }
                #expect(plan.summary.actions == [.upToDate: 1])
            }
        }
    }
}

/// Bytes as base64 (RFC 4648 §4).
private func encodedBase64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let part = bytes[start..<min(start + 3, bytes.count)]
        let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
        for place in 0..<4 { text.append(place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : "=") }
    }
    return text
}
