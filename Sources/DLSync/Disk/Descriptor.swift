internal import Glibc
internal import SyncCore
internal import Synchronization

/// An open file or directory that is closed when nobody holds it any more.
///
/// Sendable, because the calls name an offset and share no position: what is mutable is one atomic number.
final class Descriptor: Sendable {
    private let storage: Atomic<Int32>
    let calls: SystemCalls
    /// The path for messages.
    let path: String

    /// Takes over an open descriptor.
    init(_ number: Int32, calls: SystemCalls, path: String) {
        storage = Atomic(number)
        self.calls = calls
        self.path = path
    }

    deinit {
        let number = storage.load(ordering: .acquiring)
        if number >= 0 { try? calls.close(number, path: path) }
    }

    /// The descriptor's number; -1 after ``close()``, which every call answers with `EBADF`.
    var number: Int32 { storage.load(ordering: .acquiring) }

    /// Closes now, so that an error of the close is heard. Only the last user may do so; where two threads hold the
    /// descriptor, let the last reference go instead.
    func close() throws(DiskError) {
        let number = storage.exchange(-1, ordering: .acquiringAndReleasing)
        if number >= 0 { try calls.close(number, path: path) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DiskError) -> Int {
        try calls.read(number, into: buffer, at: offset, path: path)
    }
}

extension SystemCalls {
    /// Copies the bytes from `start` up to `length` by reading and writing; gives where the copy ends, which is before
    /// `length` where the source is shorter.
    func copyByHand(_ source: Descriptor, to target: Descriptor, from start: Int64, length: Int64) throws(DiskError)
        -> Int64
    {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: fileBufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        var copied = start
        while copied < length {
            let wanted = Int(min(length - copied, Int64(buffer.count)))
            let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: copied)
            if count == 0 { break }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            try write(target.number, bytes, at: copied, path: target.path)
            copied += Int64(count)
        }
        return copied
    }
}

extension LocalFile {
    /// What a status says of a regular file. A time that no 64-bit count of nanoseconds holds is taken as the nearest
    /// that one does.
    init(_ status: stat) {
        let (seconds, overflow) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let limit = status.st_mtim.tv_sec < 0 ? Int64.min : .max
        let (nanoseconds, carry) = seconds.addingReportingOverflow(Int64(status.st_mtim.tv_nsec))
        self.init(
            size: Int64(status.st_size), modifiedNanoseconds: overflow || carry ? limit : nanoseconds,
            inode: UInt64(status.st_ino))
    }
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isSymbolicLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
