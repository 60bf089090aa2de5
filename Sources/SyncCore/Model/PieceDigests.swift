/// Digests of the equal parts of a file (RFC 5854 §4.1.3), by which a part can be proven before the whole is here.
public struct PieceDigests: Hashable, Sendable {
    /// How they are computed.
    public let algorithm: DigestAlgorithm
    /// The bytes of each part; the last may be shorter.
    public let length: Int64
    /// The digests one behind another, each as long as the algorithm makes it.
    public let bytes: [UInt8]

    /// Takes the digests of all parts; nil where the length is not positive, or the bytes are not whole digests.
    public init?(_ algorithm: DigestAlgorithm, length: Int64, bytes: [UInt8]) {
        guard length > 0, !bytes.isEmpty, bytes.count % algorithm.byteCount == 0 else { return nil }
        self.algorithm = algorithm
        self.length = length
        self.bytes = bytes
    }

    /// How many parts there are.
    public var count: Int { bytes.count / algorithm.byteCount }

    /// The digest of a part, counted from 0; nil behind the last.
    public subscript(index: Int) -> Digest? {
        guard index >= 0, index < count else { return nil }
        let start = index * algorithm.byteCount
        return Digest(algorithm, bytes: Array(bytes[start..<(start + algorithm.byteCount)]))
    }

    /// The bytes of a part of a file of a size that the parts cover.
    public func range(_ index: Int, of size: Int64) -> ByteRange {
        let start = Int64(index) * length
        return ByteRange(start, min(start + length, size))
    }

    /// Whether as many parts as these make up a file of a size.
    public func covers(_ size: Int64) -> Bool {
        size >= 0 && Int64(count) == size / length + (size % length == 0 ? 0 : 1)
    }
}
