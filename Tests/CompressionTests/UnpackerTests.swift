import Compression
import SyncCore
import TestSupport
import Testing

private func unpack(
    pieces: some Sequence<ArraySlice<UInt8>>, _ limits: Unpacker.Limits = Unpacker.Limits()
) throws(ManifestError) -> [UInt8] {
    let unpacker = Unpacker(sourceName: "doc", limits: limits)
    var bytes: [UInt8] = []
    let take = { (piece: ArraySlice<UInt8>) throws(ManifestError) in bytes += piece }
    for piece in pieces { try unpacker.read(piece, take) }
    try unpacker.finish(take)
    return bytes
}

private func unpack(_ bytes: [UInt8], _ limits: Unpacker.Limits = Unpacker.Limits()) throws(ManifestError) -> [UInt8] {
    try unpack(pieces: [bytes[...]], limits)
}

private func decoded(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap(hexValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// `hello, listing\n` as the zstd program packs it, with a checksum.
private let zstdHello = decoded("28b52ffd045879000068656c6c6f2c206c697374696e670afee18ac1")

@Suite struct UnpackerTests {
    private let text = Array("<urlset>\n".utf8) + BytePattern(seed: 7).bytes(in: ByteRange(0, 200_000))

    @Test(
        "what is not compressed passes through, however short",
        arguments: [[], [0x1F], [0x1F, 0x8B], [0x28, 0xB5, 0x2F], Array("text".utf8)])
    func plain(_ bytes: [UInt8]) throws {
        #expect(try unpack(bytes) == bytes)
        #expect(try unpack(pieces: bytes.indices.map { bytes[$0...$0] }) == bytes)
    }

    @Test("gzip is unpacked however it is cut", arguments: [1, 7, 4096, 1 << 20])
    func gzip(_ size: Int) throws {
        let packed = gzipped(text)
        let pieces = stride(from: 0, to: packed.count, by: size).map { packed[$0..<min($0 + size, packed.count)] }
        #expect(try unpack(pieces: pieces) == text)
    }

    @Test("several members one behind another are one document, and zeros behind them nothing")
    func members() throws {
        let packed = gzipped(Array("one\n".utf8)) + gzipped([]) + gzipped(Array("two\n".utf8))
        #expect(try unpack(packed) == Array("one\ntwo\n".utf8))
        #expect(try unpack(packed + [UInt8](repeating: 0, count: 700)) == Array("one\ntwo\n".utf8))
        #expect(try unpack(pieces: (packed + [0, 0]).map { [$0][...] }) == Array("one\ntwo\n".utf8))
    }

    @Test("what is cut short or damaged is an error")
    func damaged() throws {
        let packed = gzipped(text)
        for cut in [3, 10, 11, 100, packed.count - 9, packed.count - 8, packed.count - 1] {
            let error = #expect(throws: ManifestError.self) { try unpack(Array(packed[..<cut])) }
            #expect(error?.message.contains("cut short") == true, "\(cut)")
        }
        let member = gzipped(Array("one\n".utf8))
        #expect(throws: ManifestError.self) { try unpack(packed + member[..<5]) }
        for bytes in [packed + Array("garbage".utf8), packed + [0, 0, 1], packed.dropLast(6) + [1, 2, 3, 4, 5, 6]] {
            let error = #expect(throws: ManifestError.self) { try unpack(Array(bytes)) }
            #expect(error?.message.contains("damaged gzip data") == true)
        }
    }

    /// Frames that tell how much they hold, in each of the forms (RFC 8878 §3.1.1.1), and one raw block.
    @Test(
        "A frame that holds another length than it tells is damaged, however it comes",
        arguments: [
            ("200f", 15, true), ("200e", 15, false), ("2010", 15, false), ("60000000", 0, false), ("608505", 0, false),
            ("40580000", 256, true), ("40580100", 256, false), ("a00f000000", 15, true), ("a00f000001", 15, false),
            ("e00f00000000000000", 15, true), ("e00f00000000000001", 15, false), ("0058", 15, true),
        ])
    func announcedLength(header: String, count: Int, isRight: Bool) throws {
        let block = count << 3 | 1
        let frame =
            decoded("28b52ffd" + header) + [UInt8(block & 255), UInt8(block >> 8), 0]
            + [UInt8](repeating: 7, count: count)
        for size in [frame.count, 1, 5] {
            let pieces = stride(from: 0, to: frame.count, by: size).map { frame[$0..<min(frame.count, $0 + size)] }
            let unpacked = try? unpack(pieces: pieces)
            #expect(unpacked == (isRight ? [UInt8](repeating: 7, count: count) : nil), "pieces of \(size)")
        }
    }

    @Test("Zstandard is unpacked, frame by frame, and its cut end told")
    func zstd() throws {
        let hello = Array("hello, listing\n".utf8)
        #expect(try unpack(zstdHello) == hello)
        #expect(try unpack(pieces: zstdHello.map { [$0][...] }) == hello)
        #expect(try unpack(zstdHello + zstdHello) == hello + hello)
        for cut in 4..<zstdHello.count {
            let error = #expect(throws: ManifestError.self) { try unpack(Array(zstdHello[..<cut])) }
            #expect(error?.message.contains("cut short") == true)
        }
        let error = #expect(throws: ManifestError.self) { try unpack(zstdHello + Array("garbage".utf8)) }
        #expect(error?.message.contains("damaged Zstandard data") == true)
    }

    @Test(
        "a document that grows too much at its start is refused however its bytes come", arguments: [1, 100, 1 << 20])
    func bombBeforeText(_ size: Int) throws {
        var limits = Unpacker.Limits()
        limits.freeBytes = 1 << 16
        // All in all it grows ten times.
        let packed = zeros + zeros + gzipped(text)
        let pieces = stride(from: 0, to: packed.count, by: size).map { packed[$0..<min($0 + size, packed.count)] }
        let error = #expect(throws: ManifestError.self) { _ = try unpack(pieces: pieces, limits) }
        #expect(error?.message.contains("grows more than 400 times") == true)
    }

    @Test("case 131: a document that grows without measure is stopped on the way", arguments: [true, false])
    func bomb(_ isOfRatio: Bool) throws {
        var limits = Unpacker.Limits()
        if isOfRatio {
            limits.freeBytes = 1 << 20
        } else {
            limits.bytes = 1 << 20
            limits.ratio = .max
        }
        let unpacker = Unpacker(sourceName: "doc", limits: limits)
        var most = 0
        let error = #expect(throws: ManifestError.self) {
            for _ in 0..<1000 {
                try unpacker.read(zeros[...]) { piece throws(ManifestError) in most += piece.count }
            }
        }
        #expect(error?.message.contains(isOfRatio ? "grows more than 400 times" : "more than 1048576 bytes") == true)
        #expect(most <= 1 << 20)
    }

    /// A MiB of zeros in a member of 1 KiB.
    private let zeros =
        decoded("1f8b0800000000000203edc13101000000c2a0f54f6d085fa0") + [UInt8](repeating: 0, count: 1016)
        + decoded("3e031cea38a700001000")
}
