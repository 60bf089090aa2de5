import SyncCore
import TestSupport
import Testing

@testable import DLSync

extension SessionTests {
    /// Cases of docs/internals/http-cases.md that no other suite has on the wire.
    @Suite struct Case {
        private static let size: Int64 = 12 << 20

        @Test("case 13: a server that refuses long ranges is asked for shorter ones") func longRanges() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 3, count: Self.size)),
                    script: [
                        .once(on: .get, .cut(after: 1 << 20)), .always(on: .rangeLonger(than: 3 << 20), .status(403)),
                    ])
                let told = try await bench.run([server.url("/a")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.requests.filter { $0.status == 403 }.count == 2)
                #expect(server.requests.contains { $0.status == 206 })
                #expect(told.outcomes["a"]?.reason.contains("refuses ranges") == true)
                #expect(bench.holds("a", seed: 3, Self.size))
            }
        }

        @Test("case 26: a new signature is the same file, and what is here of it is gone on with")
        func newSignature() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 3, count: Self.size)),
                    script: [.once(on: .get, .stall(after: 5 << 20, gate: "half"))])
                let first = try bench.list([server.url("/a?X-Amz-Signature=one&X-Amz-Expires=300")])
                _ = try await bench.session { session in
                    async let told = session.tell([first])
                    try await session.turn { session.progress.bytesReceived >= 5 << 20 }
                    await session.interrupt()
                    return await told
                }
                server.gate("half").open()
                let told = try await bench.run([server.url("/a?X-Amz-Signature=two&X-Amz-Expires=300")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.action == .resume)
                #expect(server.requests.last?.range == "bytes=\(5 << 20)-\(Self.size - 1)")
                #expect(bench.holds("a", seed: 3, Self.size))
            }
        }

        @Test("case 9: that a file changed upstream and was begun anew is told") func tellsRestarts() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 3, count: Self.size), etag: "\"one\""),
                    script: [.once(on: .get, .stall(after: 5 << 20, gate: "half"), .cut(after: 6 << 20))])
                let told = try await bench.session { session in
                    async let told = session.tell([try bench.list([server.url("/a")])])
                    try await server.gate("half").waitForArrivals()
                    server.replace(
                        "/a",
                        Resource(.pattern(seed: 4, count: Self.size), etag: "\"two\"", lastModified: 1_700_000_001))
                    server.gate("half").open()
                    return try await told
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.reason.contains("begun anew") == true)
                #expect(bench.holds("a", seed: 4, Self.size))
            }
        }

        @Test("case 85: a cut encoded transfer begins anew, and asks for no range") func cutEncoded() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let text = Array((0..<20_000).map { "line \($0)\n" }.joined().utf8)
                server.serve(
                    "/a.txt", Resource(.bytes(text)),
                    script: [.once(.gzip()), .once(.gzip(), .cut(after: 2000)), .always(.gzip())])
                let told = try await bench.run([server.url("/a.txt")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(server.requests.count == 3)
                #expect(told.outcomes["a.txt"]?.reason.contains("decoded") == true)
                #expect(server.requests.allSatisfy { $0.range == nil })
                #expect(try readFile(bench.path("a.txt")) == text)
            }
        }

        @Test("case 141: identity is asked for in every kind of request") func identity() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 3, count: Self.size)), script: [.once(on: .get, .cut(after: 1 << 20))]
                )
                for _ in 0..<2 {
                    let told = try await bench.run([server.url("/a")])
                    #expect(told.isAllWell, "\(told.complaints)")
                }
                let kinds = Set(server.requests.map { "\($0.method) \($0.range == nil ? "whole" : "range")" })
                #expect(kinds == ["GET whole", "GET range", "HEAD whole"])
                #expect(server.requests.allSatisfy { $0.field("Accept-Encoding") == "identity" })
            }
        }

        @Test("case 150: a file whose length the server did not tell is said to be unverified")
        func unverifiedLength() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 3, count: 1000)), script: [.always(.closeDelimited)])
                server.serve("/b", Resource(.pattern(seed: 3, count: 1000)))
                let told = try await bench.run([server.url("/a"), server.url("/b")])
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes["a"]?.reason.contains("unverified") == true)
                #expect(told.outcomes["b"]?.reason.contains("unverified") == false)
            }
        }

        @Test(
            "case 149: a host of which some addresses are dead costs no request more and no retry",
            arguments: [
                ["127.0.0.2", "127.0.0.3", "127.0.0.1"], ["127.0.0.2", "127.0.0.1", "127.0.0.3"],
                ["127.0.0.1", "127.0.0.2", "127.0.0.3"], ["[::1]", "127.0.0.2", "127.0.0.1"],
            ])
        func deadAddresses(addresses: [String]) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<6).map { "f\($0)" }
                for name in names { server.serve("/\(name)", Resource(.pattern(seed: 3, count: 10_000))) }
                // One is cut, so that a connection is made again later on.
                server.setScript("/f0", [.once(.cut(after: 5000))])
                let told = try await bench.run(names.map { "http://mirror.invalid:\(server.port)/\($0)" }) {
                    $0.access.resolve = ["mirror.invalid:\(server.port):\(addresses.joined(separator: ","))"]
                    $0.retries = 1
                }
                #expect(told.isAllWell, "\(told.complaints)")
                for name in names { #expect(bench.holds(name, seed: 3, 10_000)) }
                #expect(server.requests.count == names.count + 1)
                #expect(told.outcomes["f0"]?.requests == 2)
                #expect(told.outcomes.values.reduce(0) { $0 + $1.requests } == names.count + 1)
            }
        }

        @Test("case 149: where all addresses of a host are dead, the retries end it in one sentence")
        func allAddressesDead() async throws {
            let bench = try Bench()
            let port = try freePort()
            let told = try await bench.run(["http://mirror.invalid:\(port)/a"]) {
                $0.access.resolve = ["mirror.invalid:\(port):127.0.0.2,127.0.0.3"]
                $0.retries = 2
            }
            #expect(told.outcomes["a"]?.failure?.code == .couldNotConnect)
            #expect(told.outcomes["a"]?.requests == 3)
            #expect(told.complaints.count == 1)
        }
    }
}
