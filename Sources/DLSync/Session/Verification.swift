public import SyncCore

/// What a verification found of one file.
public struct Verification: Hashable, Sendable {
    /// How the file stands to what it should be.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// It has the digest that it should have.
        case right
        /// It is another file, or a damaged one.
        case differs
        /// It is not there.
        case missing
        /// Nothing is known that it could be compared with.
        case unverifiable
        /// It could not be read.
        case unreadable
    }

    /// The file's path below the destination.
    public var path: RelativePath
    /// Its first URL, without credentials and signatures.
    public var url: String
    /// How it stands.
    public var verdict: Verdict
    /// Why, in words.
    public var reason: String
    /// How many bytes of it were read.
    public var bytes: Int64 = 0
    /// The digest that it was compared with.
    public var digest: Digest?
    /// What is wrong, where something is; nil where it is only to be repaired, since the outcome of that will tell.
    public var failure: Failure?
}

/// Computes digests of one file in one go: of the whole, and of its parts where they are wanted.
struct FileProof {
    /// The digest of the whole file; nil where none was wanted.
    var whole: Digest?
    /// The parts that do not have the digests that they should have.
    var badParts = ByteRangeSet()
    /// How many bytes were read.
    var bytes: Int64 = 0

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
                let count = try file.read(at: proof.bytes, into: target)
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
