internal import SyncCore
internal import Synchronization

/// The digest of a file while its bytes arrive in order: it follows the first gap, and what was written elsewhere is
/// read back at the end.
///
/// Several transfers bring one file, and not all of their bytes are written by the same thread.
final class RunningDigest: Sendable {
    private struct State: ~Copyable {
        var digester: Digester
        var position: Int64 = 0
        var blocks: RunningBlocks?
        var blockDigests: PieceDigests?

        mutating func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
            guard offset <= position, offset + Int64(bytes.count) > position else { return }
            let new = UnsafeRawBufferPointer(rebasing: bytes[Int(position - offset)...])
            digester.update(new)
            blocks?.update(new)
            position += Int64(new.count)
        }

        mutating func finish() throws(DigestError) -> Digest {
            blockDigests = try blocks?.finish()
            var ended = try Digester(digester.algorithm)
            swap(&ended, &digester)
            return try ended.finish()
        }
    }

    let algorithm: DigestAlgorithm
    /// How long the blocks are; nil where there are none.
    let blockLength: Int64?
    private let state: Mutex<State>

    /// - Parameter blockLength: How long the blocks are of which digests are computed as well; nil for none.
    init(_ algorithm: DigestAlgorithm, blockLength: Int64? = nil) throws(DigestError) {
        self.algorithm = algorithm
        self.blockLength = blockLength
        var running = State(digester: try Digester(algorithm))
        if let blockLength { running.blocks = try RunningBlocks(length: blockLength) }
        state = Mutex(running)
    }

    /// How many bytes from the file's start on were taken.
    var position: Int64 { state.withLock { $0.position } }

    /// The digests of the blocks, once the whole digest is computed.
    var blockDigests: PieceDigests? { state.withLock { $0.blockDigests } }

    /// Takes bytes if they are the next ones.
    func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) { state.withLock { $0.update(bytes, at: offset) } }

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
            return try state.withLock { state throws(DigestError) in try state.finish() }
        } catch {
            throw .digest(error)
        }
    }
}

/// The digests of a file's blocks while its bytes come in order.
private struct RunningBlocks: ~Copyable {
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
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
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
    mutating func finish() throws(DigestError) -> PieceDigests? {
        if room < length { endBlock() }
        if let error { throw error }
        return PieceDigests(OwnBlocks.algorithm, length: length, bytes: bytes)
    }

    private mutating func endBlock() {
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
