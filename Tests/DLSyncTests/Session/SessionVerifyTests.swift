import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 5 << 20

extension SessionTests {
    @Suite struct VerifyTests {
        /// Changes one byte of a file, which keeps its length and, as on a bad disk, its date.
        private static func flip(_ path: String, at offset: Int) throws {
            var bytes = try readFile(path)
            bytes[offset] ^= 1
            try writeFile(path, bytes, modified: try modified(path))
        }

        private static func digest(_ bytes: ArraySlice<UInt8>) throws -> Digest {
            var digester = try Digester(.sha256)
            bytes.withUnsafeBytes { digester.update($0) }
            return try digester.finish()
        }

        private static func verify(_ bench: Bench, _ sources: [Source] = [], repairs: Bool = false) async throws -> Told
        {
            try await bench.session({ $0.isReadOnly = !repairs }) { session in
                await Told(of: session.verify(sources, repairs: repairs))
            }
        }

        @Test("Recorded digests prove a tree without a server, and find a byte that was flipped")
        func findsFlippedByte() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["a", "b", "c"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: size))) }
                let list = try bench.list(["a", "b", "c"].map { server.url("/\($0)") })
                #expect(try await bench.run([list]) { $0.recordsDigests = true }.isAllWell)
                let before = server.requests.count
                let right = try await Self.verify(bench)
                #expect(right.verified.count == 3 && right.verified.values.allSatisfy { $0.verdict == .right })
                #expect(right.isAllWell && right.summary.bytesVerified == 3 * size)
                try Self.flip(bench.path("b"), at: Int(size) - 1)
                try #require(unlink(bench.path("c")) == 0)
                let wrong = try await Self.verify(bench)
                #expect(wrong.verified["a"]?.verdict == .right)
                #expect(
                    wrong.verified["b"]?.verdict == .differs && wrong.verified["b"]?.failure?.code == .digestMismatch)
                #expect(wrong.verified["c"]?.verdict == .missing && wrong.verified["c"]?.failure?.code == .missing)
                #expect(server.requests.count == before)
                // Only what is bad is fetched again, from where it came.
                let repaired = try await Self.verify(bench, repairs: true)
                #expect(repaired.outcomes.keys.sorted() == ["b", "c"])
                #expect(repaired.isAllWell, "\(repaired.complaints)")
                #expect(server.requests[before...].allSatisfy { $0.target == "/b" || $0.target == "/c" })
                #expect(try await Self.verify(bench).isAllWell)
                for name in ["a", "b", "c"] { #expect(bench.holds(name, seed: 1, size)) }
            }
        }

        @Test("Files without a digest are unverifiable, one of another length differs, and none of that is guessed")
        func withoutDigests() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["a", "b"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 1000))) }
                let list = try bench.list(["a", "b"].map { server.url("/\($0)") })
                #expect(try await bench.run([list]).isAllWell)
                try writeFile(bench.path("b"), "short")
                let told = try await Self.verify(bench)
                #expect(told.verified["a"]?.verdict == .unverifiable && told.verified["a"]?.failure == nil)
                #expect(told.verified["b"]?.verdict == .differs)
            }
        }

        @Test("Digests of a source come before recorded ones, and a source in a file needs no server")
        func againstSource() async throws {
            let bench = try Bench()
            try makeDirectories(bench.destination)
            try writeFile(bench.path("a"), "hello")
            try writeFile(bench.path("b"), "hello")
            let right = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            let wrong = String(repeating: "0", count: 64)
            let list = try bench.list([
                "http://127.0.0.1:1/a", "  sha-256=\(right)", "http://127.0.0.1:1/b", "  sha-256=\(wrong)",
                "http://127.0.0.1:1/c", "  sha-256=\(wrong)",
            ])
            let told = try await Self.verify(bench, [list])
            #expect(told.verified.mapValues(\.verdict) == ["a": .right, "b": .differs, "c": .missing])
            #expect(!exists(bench.path(".dlsync")))
        }

        @Test("Of a file with digests of its parts only the bad parts are fetched, and the whole is proven")
        func repairsParts() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 7, count: size)))
                try writePatternFile(bench.directory.path("whole"), seed: 7, count: size)
                let bytes = try readFile(bench.directory.path("whole"))
                let part = 1 << 20
                let hashes = try stride(from: 0, to: bytes.count, by: part).map { start in
                    "<hash>\(try Self.digest(bytes[start..<min(bytes.count, start + part)]).hex)</hash>"
                }
                let metalink = """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><size>\(size)</size>
                    <hash type="sha-256">\(try Self.digest(bytes[...]).hex)</hash>
                    <pieces length="\(part)" type="sha-256">\(hashes.joined())</pieces>
                    <url>\(server.url("/a"))</url></file></metalink>
                    """
                try writeFile(bench.directory.path("a.meta4"), metalink)
                let source = Source.file(bench.directory.path("a.meta4"))
                let first = try await bench.run([source])
                #expect(first.isAllWell, "\(first.complaints)")
                try Self.flip(bench.path("a"), at: part + 5)
                try Self.flip(bench.path("a"), at: Int(size) - 1)
                let found = try await Self.verify(bench, [source])
                #expect(found.verified["a"]?.verdict == .differs)
                let before = server.bodyBytesSent
                let repaired = try await Self.verify(bench, [source], repairs: true)
                #expect(repaired.isAllWell, "\(repaired.complaints)")
                #expect(repaired.outcomes["a"]?.action == .resume)
                try await server.waitUntilIdle()
                #expect(server.bodyBytesSent - before == 2 * Int64(part))
                #expect(bench.holds("a", seed: 7, size))
                #expect(bench.partials().isEmpty)
                #expect(try await Self.verify(bench, [source]).isAllWell)
            }
        }

        @Test("A verification that is interrupted ends soon and tells nothing of what it did not read")
        func interrupted() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                #expect(try await bench.run([server.url("/a")]) { $0.recordsDigests = true }.isAllWell)
                let told = try await bench.session({ $0.isReadOnly = true }) { session in
                    await session.interrupt()
                    return await Told(of: session.verify([]))
                }
                #expect(told.summary.verdicts.isEmpty && told.isAllWell)
            }
        }
    }
}
