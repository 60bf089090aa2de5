import SyncCore
import TestSupport
import Testing

@testable import DLSync

@Suite struct DigestTests {
    /// The empty text, and "abc" (RFC 1321 A.5, FIPS 180-4 examples, RFC 7693 A).
    @Test(arguments: [
        (DigestAlgorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (.sha224, "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .blake2b, "abc",
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        ),
    ])
    func `Known digests come out`(algorithm: DigestAlgorithm, text: String, hex: String) throws {
        var digester = try Digester(algorithm)
        Array(text.utf8).withUnsafeBytes { digester.update($0) }
        #expect(try digester.finish().hex == hex)
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `The cuts of the bytes do not matter, nor does the way from a file`(algorithm: DigestAlgorithm) throws {
        let directory = try TemporaryDirectory()
        let partial = try Destination(path: directory.path, access: .creating).createPartial("1-1")
        var generator = SeededGenerator(seed: 3)
        let bytes = (0..<600_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try write(bytes, to: partial)
        var whole = try Digester(algorithm)
        bytes.withUnsafeBytes { whole.update($0) }
        var pieces = try Digester(algorithm)
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + Int.random(in: 0...50_000, using: &generator))
            bytes[position..<end].withUnsafeBytes { pieces.update($0) }
            position = end
        }
        let expected = try whole.finish()
        #expect(try pieces.finish() == expected)
        #expect(try partial.digest(algorithm, of: ByteRange(0, 600_000)) == expected)
        #expect(try partial.digest(algorithm, of: ByteRange(0, 900_000)) == expected)
        #expect(try partial.digest(algorithm, of: ByteRange(1, 600_000)) != expected)
    }

    @Test func `A digest that is dropped half-way frees what it holds`() throws {
        for _ in 0..<1000 {
            var digester = try Digester(.sha512)
            [1, 2, 3].withUnsafeBytes { digester.update($0) }
        }
    }

    @Test(arguments: [0, 1, 99, 100, 101, 1000, 1001])
    func `Digests of blocks are those of each block, whatever the cuts of the bytes`(count: Int) throws {
        var generator = SeededGenerator(seed: 5)
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let running = try RunningDigest(.md5, blockLength: 100)
        var start = 0
        while start < count {
            let end = min(count, start + Int.random(in: 1...250, using: &generator))
            bytes[start..<end].withUnsafeBytes { running.update($0, at: Int64(start)) }
            start = end
        }
        _ = try running.finish()
        let blocks = running.blockDigests
        #expect((blocks?.count ?? 0) == (count + 99) / 100)
        for (index, start) in stride(from: 0, to: count, by: 100).enumerated() {
            var digester = try Digester(.sha256)
            bytes[start..<min(count, start + 100)].withUnsafeBytes { digester.update($0) }
            #expect(try digester.finish() == blocks?[index])
        }
    }
}
