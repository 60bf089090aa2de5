package import SyncCore

/// Endless bytes that look random, of which every position can be computed alone: big bodies need no memory, and a byte
/// that stands at a wrong offset is found.
///
/// The bytes come in blocks of 4 KiB. A block is a window of a table that the seed fills, at an offset that the seed and
/// the block's number decide; its first eight bytes are scattered from the block's number, so no two blocks are equal.
package struct BytePattern: Sendable {
    private static let blockSize = 4096
    private let seed: UInt64
    private let table: [UInt8]

    /// The pattern of a seed.
    package init(seed: UInt64) {
        self.seed = mixed(seed &+ 0x5EED)
        var generator = SeededGenerator(seed: self.seed)
        var table = [UInt8](repeating: 0, count: 2 * Self.blockSize)
        table.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 8) {
                bytes.storeBytes(of: generator.next().littleEndian, toByteOffset: start, as: UInt64.self)
            }
        }
        self.table = table
    }

    /// Fills a buffer with the bytes from an offset on.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
        table.withUnsafeBytes { table in
            var done = 0
            while done < buffer.count {
                let position = offset + Int64(done)
                let block = UInt64(position / Int64(Self.blockSize))
                let inBlock = Int(position % Int64(Self.blockSize))
                let scattered = mixed(seed ^ block)
                let count = min(Self.blockSize - inBlock, buffer.count - done)
                let window = Int(scattered % UInt64(Self.blockSize))
                buffer[done..<done + count].copyBytes(from: table[window + inBlock..<window + inBlock + count])
                if inBlock < 8 {
                    withUnsafeBytes(of: mixed(scattered &+ 1).littleEndian) { stamp in
                        for index in inBlock..<min(8, inBlock + count) { buffer[done + index - inBlock] = stamp[index] }
                    }
                }
                done += count
            }
        }
    }

    /// The bytes of a range.
    package func bytes(in range: ByteRange) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, count in
            count = Int(range.count)
            fill(
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]),
                from: range.start)
        }
    }
}

/// The bytes that the pattern of a seed holds in a range.
package func pattern(seed: UInt64, _ range: ByteRange) -> [UInt8] { BytePattern(seed: seed).bytes(in: range) }
