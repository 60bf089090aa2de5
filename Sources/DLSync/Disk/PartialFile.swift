internal import CSystem
internal import Glibc
package import SyncCore

/// How much is read, hashed or copied at a time, in bytes.
let fileBufferSize = 256 << 10

/// An open file whose bytes can be read.
package protocol ReadableFile: Sendable {
    /// Reads from an offset until the buffer is full or the file ends; gives how many bytes were read.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int
    /// The file's size, time and inode.
    func status() throws(DiskError) -> LocalFile
}

/// A file in its place, opened for reading.
package final class PublishedFile: ReadableFile {
    let descriptor: Descriptor

    init(descriptor: Descriptor) { self.descriptor = descriptor }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
        try descriptor.read(into: buffer, at: offset)
    }

    package func status() throws(DiskError) -> LocalFile {
        LocalFile(try descriptor.calls.status(descriptor.number, path: descriptor.path))
    }

    /// Syncs the data and the time, whoever wrote them, so that they outlast a crash of the machine.
    package func synchronize() throws(DiskError) {
        try descriptor.calls.synchronize(descriptor.number, path: descriptor.path)
    }
}

/// The file of a partial, opened for reading and writing. It is closed when nobody holds it any more.
///
/// It may be held by two threads, as when one writes what arrives and another syncs or hashes what is there: every call
/// names its offset, and nothing is kept between two. Which bytes are here is told by the map of extents, never by the
/// file's length.
package final class PartialFile: ReadableFile {
    /// The partial's id, which is the file's name.
    package let id: String
    let descriptor: Descriptor

    init(descriptor: Descriptor, id: String) {
        self.descriptor = descriptor
        self.id = id
    }

    private var calls: SystemCalls { descriptor.calls }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
        try descriptor.read(into: buffer, at: offset)
    }

    package func status() throws(DiskError) -> LocalFile {
        LocalFile(try calls.status(descriptor.number, path: descriptor.path))
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DiskError) {
        try calls.write(descriptor.number, bytes, at: offset, path: descriptor.path)
    }

    /// Takes the room for `length` bytes, so that a disk which is too small is found out now and writing is quicker; the
    /// file gets that length. Where the file system cannot do so, the file is made sparse instead.
    ///
    /// - Throws: ``DiskError`` with `ENOSPC` or `EDQUOT` where there is no room; the file is as before then.
    ///
    /// - Parameter evenInMemory: Whether this is done on a file system in memory too, where it costs as much as writing.
    package func preallocate(_ length: Int64, evenInMemory: Bool = false) throws(DiskError) {
        guard length > 0 else { return }
        let before = try status().size
        guard evenInMemory || dlsync_is_in_memory(descriptor.number) == 0 else {
            if before < length { try truncate(to: length) }
            return
        }
        do {
            try calls.allocate(descriptor.number, length: length, path: descriptor.path)
        } catch {
            switch error.code {
            case EOPNOTSUPP, EINVAL, ENOSYS:
                if before < length { try truncate(to: length) }
            case ENOSPC, EDQUOT:
                // What was taken before it ran out is given back.
                try? truncate(to: before)
                throw error
            default: throw error
            }
        }
    }

    /// The bytes that the file system has given to the file, which are fewer than its length where it has holes.
    package func allocatedSize() throws(DiskError) -> Int64 {
        // The unit of `st_blocks` is 512 bytes, whatever the file system's own blocks are (inode(7)).
        Int64(try calls.status(descriptor.number, path: descriptor.path).st_blocks) * 512
    }

    /// Cuts the file, or lengthens it by a hole.
    package func truncate(to length: Int64) throws(DiskError) {
        try calls.truncate(descriptor.number, to: length, path: descriptor.path)
    }

    /// Sets the time of last modification, in seconds since 1970. Done last: each write sets it anew.
    package func setModified(seconds: Int64) throws(DiskError) {
        try calls.setModified(descriptor.number, seconds: seconds, path: descriptor.path)
    }

    /// Has what was written begin to go to the disk, so that less is left to be waited for when it has to last. Where that
    /// cannot be done, nothing is lost.
    package func startWriting() { try? calls.startWriting(descriptor.number, path: descriptor.path) }

    /// Syncs the data and what is needed to read it again, so that it outlasts a crash of the machine.
    package func synchronizeData() throws(DiskError) {
        try calls.synchronizeData(descriptor.number, path: descriptor.path)
    }

    /// As ``synchronizeData()``, and the file's time as well.
    package func synchronize() throws(DiskError) {
        try calls.synchronize(descriptor.number, path: descriptor.path)
    }

    /// Closes now and hears an error of the close, which some network file systems keep until then. Only the last user
    /// may do so; where two threads hold the file, let the last reference go instead. Later calls fail with `EBADF`.
    package func close() throws(DiskError) { try descriptor.close() }
}

/// Why no digest of a file could be computed.
package enum FileDigestError: Error, Hashable, Sendable {
    case disk(DiskError)
    case digest(DigestError)

    /// The failure that an entry reports.
    package var failure: Failure {
        switch self {
        case .disk(let error): error.failure
        case .digest(let error): error.failure
        }
    }
}

extension ReadableFile {
    /// The digest of a range of the file's bytes; those that lie behind the file's end do not count.
    package func digest(_ algorithm: DigestAlgorithm, of range: ByteRange) throws(FileDigestError) -> Digest {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: fileBufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        do {
            var digester = try Digester(algorithm)
            var offset = range.start
            while offset < range.end {
                let wanted = Int(min(range.end - offset, Int64(buffer.count)))
                let count = try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
                if count == 0 { break }
                digester.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
            return try digester.finish()
        } catch let error as DiskError {
            throw .disk(error)
        } catch let error as DigestError {
            throw .digest(error)
        } catch {
            preconditionFailure("a read or a digest failed in a way that its type does not name: \(error)")
        }
    }
}
