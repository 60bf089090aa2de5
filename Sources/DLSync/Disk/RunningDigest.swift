internal import SyncCore

/// The digest of a file while its bytes arrive in order: it follows the first gap, and what was written elsewhere is
/// read back at the end.
final class RunningDigest: @unchecked Sendable {
    // Held by one side at a time: by the loop's thread while transfers run, then by the thread that verifies.
    private var digester: Digester
    private(set) var position: Int64 = 0
    var algorithm: DigestAlgorithm { digester.algorithm }
    private let blocks: RunningBlocks?

    /// - Parameter blockLength: How long the blocks are of which digests are computed as well; nil for none.
    init(_ algorithm: DigestAlgorithm, blockLength: Int64? = nil) throws(DigestError) {
        digester = try Digester(algorithm)
        blocks = try blockLength.map { length throws(DigestError) in try RunningBlocks(length: length) }
    }

    /// How long the blocks are; nil where there are none.
    var blockLength: Int64? { blocks?.length }

    /// The digests of the blocks, once the whole digest is computed.
    private(set) var blockDigests: PieceDigests?

    /// Takes bytes if they are the next ones.
    func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset <= position, offset + Int64(bytes.count) > position else { return }
        let known = Int(position - offset)
        let new = UnsafeRawBufferPointer(rebasing: bytes[known...])
        digester.update(new)
        blocks?.update(new)
        position += Int64(bytes.count - known)
    }

    /// Reads what is missing up to `length` from the file, and ends the digest.
    func finish(_ file: some ReadableFile, length: Int64) throws(FileDigestError) -> Digest {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: fileBufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        while position < length {
            let want = Int(min(length - position, Int64(buffer.count)))
            let count: Int
            do {
                count = try file.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<want]))
            } catch {
                throw .disk(error)
            }
            guard count > 0 else { break }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
        }
        return try finish()
    }

    /// Ends the digest of what was taken.
    func finish() throws(FileDigestError) -> Digest {
        do {
            blockDigests = try blocks?.finish()
            return try replaceDigester().finish()
        } catch {
            throw .digest(error)
        }
    }

    private func replaceDigester() throws(DigestError) -> Digester {
        var other = try Digester(digester.algorithm)
        swap(&other, &digester)
        return other
    }
}

/// The digests of a file's blocks while its bytes come in order.
private final class RunningBlocks {
    let length: Int64
    private var digester: Digester
    private var room: Int64
    private var bytes: [UInt8] = []
    private var error: DigestError?

    init(length: Int64) throws(DigestError) {
        self.length = length
        room = length
        digester = try Digester(OwnBlocks.algorithm)
    }

    /// Takes the next bytes. A failure shows at the end, as that of the whole does.
    func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty, error == nil {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(min(room, Int64(rest.count)))))
            digester.update(part)
            room -= Int64(part.count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            if room == 0 { endBlock() }
        }
    }

    /// The digests of all blocks; nil of a file without bytes.
    func finish() throws(DigestError) -> PieceDigests? {
        if room < length { endBlock() }
        if let error { throw error }
        return PieceDigests(OwnBlocks.algorithm, length: length, bytes: bytes)
    }

    private func endBlock() {
        do throws(DigestError) {
            var ended = try Digester(OwnBlocks.algorithm)
            swap(&ended, &digester)
            bytes += try ended.finish().bytes
            room = length
        } catch {
            self.error = error
        }
    }
}
