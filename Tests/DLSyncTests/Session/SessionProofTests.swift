import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// What keeps bytes of two files, or of no file, from being published as one.
    @Suite struct Proof {
        private static let size: Int64 = 3 << 20

        @Test("case 110: a web page with status 200 in place of a file is no file", arguments: [false, true])
        func softError(isResumed: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/disk.iso", Resource(.pattern(seed: 1, count: Self.size)),
                    script: isResumed
                        ? [.once(on: .get, .cut(after: 1 << 20)), .always(on: .get, .softNotFound)]
                        : [.always(on: .get, .softNotFound)])
                let told = try await bench.run([server.url("/disk.iso")])
                #expect(server.requests.contains { $0.status == 200 && $0.method == "GET" })
                #expect(told.outcomes["disk.iso"]?.failure?.code == .softError)
                #expect(try bench.tree() == [])
                // What had come stays, and is gone on with when the server is well again.
                server.setScript("/disk.iso", [])
                let again = try await bench.run([server.url("/disk.iso")])
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(again.outcomes["disk.iso"]?.action == (isResumed ? .resume : .fetch))
                #expect(bench.holds("disk.iso", seed: 1, Self.size))
            }
        }

        @Test("case 83: a file that is only sent encoded is decoded, in one stream, and never resumed by offset")
        func encoded() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let text = Array(String(repeating: "all work and no play\n", count: 5000).utf8)
                server.serve("/a.txt", Resource(.bytes(text)), script: [.always(.gzip())])
                let told = try await bench.run([server.url("/a.txt") + " size=\(text.count)"])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try readFile(bench.path("a.txt")) == text)
                let codings = server.requests.map { $0.field("Accept-Encoding") }
                #expect(codings.first == "identity")
                #expect(codings.last??.contains("gzip") == true)
                #expect(server.requests.allSatisfy { $0.range == nil })
            }
        }

        @Test("case 86: a file of that kind which is sent as gzip is stored as it is sent")
        func storedAsSent() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let packed = gzipped(Array("contents".utf8))
                let coding = try #require(HeaderField(line: "Content-Encoding: gzip"))
                server.serve("/a.tar.gz", Resource(.bytes(packed), fields: [coding]))
                let told = try await bench.run([server.url("/a.tar.gz")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(try readFile(bench.path("a.tar.gz")) == packed)
            }
        }

        @Test("case 103: a digest that the server gives with the file is checked", arguments: [true, false])
        func servedDigest(isRight: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let bytes = Array("hello".utf8)
                // The SHA-256 digests of "hello" and of "hellp", in base64 as RFC 9530 has them.
                let digest =
                    isRight
                    ? "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=" : "AAAAAl+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
                let field = try #require(HeaderField(line: "Repr-Digest: sha-256=:\(digest):"))
                server.serve("/a", Resource(.bytes(bytes), fields: [field]))
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell == isRight)
                #expect(try bench.tree() == (isRight ? ["a"] : []))
                if isRight {
                    #expect(told.outcomes["a"]?.digest?.algorithm == .sha256)
                } else {
                    #expect(told.outcomes["a"]?.failure?.code == .digestMismatch)
                    #expect(server.requests(to: "/a").last?.field("Cache-Control") == "no-cache", "case 173")
                }
            }
        }

        @Test("case 43: a large file that is replaced while it comes is fetched again")
        func changedMeanwhile() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let size: Int64 = 17 << 20
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: size), etag: "\"one\""),
                    script: [.once(on: .get, .stall(after: 1 << 20, gate: "half"))])
                let told = try await bench.session { session in
                    async let told = session.tell([try bench.list([server.url("/a")])])
                    try await server.gate("half").waitForArrivals()
                    server.replace(
                        "/a",
                        Resource(.pattern(seed: 2, count: size), etag: "\"two\"", lastModified: 1_700_000_001))
                    server.gate("half").open()
                    return try await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.requests.map(\.method) == ["GET", "HEAD", "GET", "HEAD"])
                #expect(bench.holds("a", seed: 2, size))
            }
        }

        @Test(
            "case 129: bytes of one mirror are added to those of another only after it has shown that it serves the same"
        )
        func mirrors() async throws {
            let bench = try Bench()
            let servers = try (1...3).map { try FaultServer(address: "127.0.0.\($0)") }
            defer { for server in servers { server.stop() } }
            let file = Resource(.pattern(seed: 1, count: Self.size))
            servers[0].serve("/a", file, script: [.once(.cut(after: 1 << 20)), .always(.status(404))])
            servers[1].serve("/a", Resource(.pattern(seed: 9, count: Self.size), etag: "\"other\""))
            servers[2].serve("/a", file)
            let told = try await bench.run([servers.map { $0.url("/a") }.joined(separator: "\t")])
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(bench.holds("a", seed: 1, Self.size))
            // The second was compared and left; the third brought what was missing and no more than the samples besides.
            #expect(servers[1].bodyBytesSent <= 16 << 10)
            #expect(servers[2].bodyBytesSent < Self.size - (1 << 20) + (256 << 10))
        }
    }
}
