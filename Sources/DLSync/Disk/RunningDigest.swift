internal import SyncCore

/// The digest of a file while its bytes arrive in order: it follows the first gap, and what was written elsewhere is
/// read back at the end.
final class RunningDigest: @unchecked Sendable {
    // Held by one side at a time: by the loop's thread while transfers run, then by the thread that verifies.
    private var digester: Digester
    private(set) var position: Int64 = 0
    var algorithm: DigestAlgorithm { digester.algorithm }

    init(_ algorithm: DigestAlgorithm) throws(DigestError) { digester = try Digester(algorithm) }

    /// Takes bytes if they are the next ones.
    func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset <= position, offset + Int64(bytes.count) > position else { return }
        let known = Int(position - offset)
        digester.update(UnsafeRawBufferPointer(rebasing: bytes[known...]))
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
