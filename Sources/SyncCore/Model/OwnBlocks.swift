/// The blocks of which dlsync computes digests by itself, so that a damaged file can be mended where its source gives no
/// digests of its parts.
package enum OwnBlocks {
    /// How the digests are computed.
    package static let algorithm = DigestAlgorithm.sha256
    /// A smaller file is fetched as a whole: that costs no more than a few blocks do.
    package static let smallestFile: Int64 = 4 << 20
    /// No block is shorter; so the digests are a 32,768th part of the data at most.
    package static let shortestBlock: Int64 = 1 << 20
    /// No file has more: 128 KiB of digests. Of larger files the blocks are larger.
    package static let mostBlocks: Int64 = 4096

    /// How long the blocks of a file are; nil for one that has none. It is a power of two.
    package static func length(for size: Int64) -> Int64? {
        guard size >= smallestFile else { return nil }
        var length = shortestBlock
        while length < 1 << 62, (size - 1) / length >= mostBlocks { length *= 2 }
        return length
    }
}
