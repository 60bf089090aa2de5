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

        /// A file of which digests of its blocks are recorded, with bytes changed in some of them.
        private static func damaged(_ bench: Bench, _ server: FaultServer, blocks: [Int]) async throws -> Source {
            server.serve("/a", Resource(.pattern(seed: 7, count: size + 5), etag: .exactly("\"v1\"")))
            let list = try bench.list([server.url("/a")])
            #expect(try await bench.run([list]) { $0.recordsDigests = true }.isAllWell)
            for block in blocks { try flip(bench.path("a"), at: (block << 20) + 3) }
            return list
        }

        /// The ranges that were asked of a file, as first and last byte.
        private static func ranges(_ server: FaultServer, since: Int) -> [String] {
            server.requests[since...].map { $0.range.map { String($0.dropFirst(6)) } ?? $0.method }.sorted()
        }

        @Test(
            "Of a file without any digests at its source only the blocks that differ are fetched, and the whole is proven",
            arguments: [true, false])
        func repairsBlocks(withSource: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let list = try await Self.damaged(bench, server, blocks: [1, 5])
                let sources = withSource ? [list] : []
                let found = try await Self.verify(bench, sources)
                let bad = ByteRangeSet([ByteRange(1 << 20, 2 << 20), ByteRange(5 << 20, size + 5)])
                #expect(found.verified["a"]?.badParts == bad)
                #expect(
                    found.verified["a"]?.reason.hasSuffix(
                        "; 1048581 of 5242885 bytes lie in blocks that differ: 1048576-2097151, 5242880-5242884")
                        == true)
                for _ in 0..<2 {
                    let before = server.requests.count
                    let repaired = try await Self.verify(bench, sources, repairs: true)
                    #expect(repaired.isAllWell, "\(repaired.complaints)")
                    #expect(repaired.outcomes["a"]?.bytes == bad.count)
                    #expect(Self.ranges(server, since: before) == ["1048576-2097151", "5242880-5242884"])
                    #expect(server.requests[before...].allSatisfy { $0.field("If-Range") == "\"v1\"" })
                    #expect(bench.holds("a", seed: 7, size + 5) && bench.partials().isEmpty)
                    #expect(try await Self.verify(bench, sources).isAllWell)
                    // The repaired file has digests of its blocks as the first one had.
                    for block in [1, 5] { try Self.flip(bench.path("a"), at: (block << 20) + 3) }
                }
            }
        }

        @Test(
            "A repair by blocks that finds another version on the server takes that one whole, or says that it differs")
        func repairsOtherVersion() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let list = try await Self.damaged(bench, server, blocks: [1])
                server.serve("/a", Resource(.pattern(seed: 8, count: size + 5), etag: .exactly("\"v2\"")))
                let repaired = try await Self.verify(bench, [list], repairs: true)
                #expect(repaired.isAllWell, "\(repaired.complaints)")
                #expect(bench.holds("a", seed: 8, size + 5))
                // The same entity tag with other bytes: the whole is not what was recorded, and does not go in place.
                let other = try Bench()
                let again = try await Self.damaged(other, server, blocks: [1])
                server.serve("/a", Resource(.pattern(seed: 9, count: size + 5), etag: .exactly("\"v1\"")))
                let before = try readFile(other.path("a"))
                let refused = try await Self.verify(other, [again], repairs: true)
                #expect(refused.outcomes["a"]?.failure?.code == .digestMismatch, "\(refused.outcomes)")
                #expect(try readFile(other.path("a")) == before)
            }
        }

        @Test("A file that dlsync fetched anew without digests, or that is small, has none of its blocks")
        func forgetsBlocks() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let list = try await Self.damaged(bench, server, blocks: [])
                let path = try RelativePath("a")
                let recorded = try await bench.session { session in try session.blocks(of: path) }
                #expect(recorded?.length == 1 << 20 && recorded?.count == 6)
                // A run that only notes the record anew keeps them.
                #expect(try await bench.run([list]).isAllWell)
                #expect(try await bench.session { session in try session.blocks(of: path) } == recorded)
                server.serve("/a", Resource(.pattern(seed: 9, count: size + 5), etag: .exactly("\"v2\"")))
                #expect(try await bench.run([list]).isAllWell)
                #expect(try await bench.session { session in try session.blocks(of: path) } == nil)
                server.serve("/small", Resource(.pattern(seed: 9, count: (4 << 20) - 1)))
                #expect(try await bench.run([server.url("/small")]) { $0.recordsDigests = true }.isAllWell)
                #expect(try await bench.session { session in try session.blocks(of: try RelativePath("small")) } == nil)
            }
        }

        @Test("A file that the disk cannot read any more differs, and is fetched again")
        func damagedDisk() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: size)))
                #expect(try await bench.run([server.url("/a")]) { $0.recordsDigests = true }.isAllWell)
                let path = bench.path("a")
                let calls = SystemCalls(intercept: { operation, name in
                    operation == .read && name == path ? .failure(EIO) : nil
                })
                let found = try await bench.session({ $0.isReadOnly = true }, calls: calls) { session in
                    await Told(of: session.verify([]))
                }
                #expect(found.verified["a"]?.verdict == .differs)
                let repaired = try await bench.session(calls: calls) { session in
                    await Told(of: session.verify([], repairs: true))
                }
                #expect(repaired.isAllWell, "\(repaired.complaints)")
                #expect(server.asked("/a").count == 2)
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
