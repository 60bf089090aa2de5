internal import Glibc
internal import SyncCore

/// Computes digests of one file in one go: of the whole, and of its parts where they are wanted.
struct FileProof {
    /// The digest of the whole file; nil where none was wanted.
    var whole: Digest?
    /// The parts that do not have the digests that they should have.
    var badParts = ByteRangeSet()
    /// How many bytes were read.
    var bytes: Int64 = 0
    /// What the disk said where it has lost bytes of the file.
    var damage: Failure?

    private static let bufferSize = 1 << 20

    /// Reads a file to its end.
    ///
    /// - Parameters:
    ///   - size: How long it is taken to be; a file that is shorter meanwhile has a bad rest.
    ///   - algorithm: Of which kind a digest of the whole is wanted.
    ///   - pieces: The digests of the parts.
    ///   - isCancelled: Is asked after each piece that was read.
    /// - Returns: Nil where it was cancelled.
    static func read(
        _ file: PublishedFile, size: Int64, algorithm: DigestAlgorithm?, pieces: PieceDigests?,
        isCancelled: () -> Bool
    ) throws(Failure) -> FileProof? {
        do {
            var proof = FileProof()
            let whole = try algorithm.map { algorithm throws(DigestError) in try RunningDigest(algorithm) }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
            defer { buffer.deallocate() }
            var (part, start, end) = (0, Int64(0), Self.end(of: pieces, from: 0, in: size))
            var partDigest = try pieces.map { pieces throws(DigestError) in try RunningDigest(pieces.algorithm) }
            while proof.bytes < size {
                guard !isCancelled() else { return nil }
                let room = Int(min(Int64(buffer.count), end - proof.bytes))
                let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
                let count: Int
                do throws(DiskError) {
                    count = try file.read(at: proof.bytes, into: target)
                } catch {
                    guard error.meansDamage else { throw error }
                    proof.damage = error.failure
                    return proof
                }
                guard count > 0 else { break }
                let bytes = UnsafeRawBufferPointer(rebasing: target[..<count])
                whole?.update(bytes, at: proof.bytes)
                partDigest?.update(bytes, at: proof.bytes - start)
                proof.bytes += Int64(count)
                guard let pieces, let ended = partDigest, proof.bytes == end else { continue }
                if try ended.finish() != pieces[part] { proof.badParts.insert(ByteRange(start, end)) }
                (part, start, end) = (part + 1, end, Self.end(of: pieces, from: end, in: size))
                partDigest = try RunningDigest(pieces.algorithm)
            }
            if proof.bytes < size { proof.badParts.insert(ByteRange(proof.bytes, size)) }
            proof.whole = try whole?.finish()
            return proof
        } catch let error as DiskError {
            throw error.failure
        } catch let error as DigestError {
            throw error.failure
        } catch let error as FileDigestError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(error)")
        }
    }

    /// Where the part ends that begins at an offset; the end of the file where there are no parts.
    private static func end(of pieces: PieceDigests?, from start: Int64, in size: Int64) -> Int64 {
        guard let pieces, pieces.length < size - start else { return size }
        return start + pieces.length
    }
}

extension DiskError {
    /// Whether bytes of the file are gone: the disk cannot read them, or a checksum of the file system's is wrong.
    fileprivate var meansDamage: Bool { code == EIO || code == EBADMSG || code == EUCLEAN }
}
