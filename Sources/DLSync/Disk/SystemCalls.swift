internal import CSystem
internal import Glibc

/// Every system call that the disk code makes, with one rule for interrupted calls and one kind of error.
///
/// The calls stand nowhere else, so that a test can put its faults between, and keep account of what was done:
/// ``init(intercept:observe:)`` asks before each call, and tells of each that succeeded.
package struct SystemCalls: Sendable {
    /// What a call does, in a word that completes "could not …".
    package enum Operation: String, Hashable, Sendable {
        case open
        case examine
        case makeDirectory = "make the directory"
        case rename
        case remove
        case list
        case read
        case write
        case copy
        case allocate = "allocate room for"
        case truncate = "change the size of"
        case setTime = "set the time of"
        case sync
        case close
        case measureSpace = "measure the free space of"
        case lock
    }

    /// What a test does to a call.
    package enum Intervention: Hashable, Sendable {
        /// The call is not made; it fails with this `errno`. `EINTR` makes it being asked for again.
        case failure(Int32)
        /// A read, write or copy moves this many bytes at most.
        case short(Int)
    }

    /// Is asked before each call, with the path as messages name it; nil lets the call happen.
    package typealias Intercept = @Sendable (_ operation: Operation, _ path: String) -> Intervention?

    /// What a call has changed, as far as a crash of the machine may undo it or a sync keeps it.
    package enum Effect: Hashable, Sendable {
        /// A file is there, maybe since before (`O_CREAT`).
        case created
        /// Bytes stand at an offset.
        case wrote(at: Int64, count: Int64)
        /// The file is at least that long.
        case allocated(length: Int64)
        /// The file is exactly that long.
        case truncated(length: Int64)
        case timeSet
        case madeDirectory
        /// What stood at the other path stands at this one.
        case renamed(from: String)
        case removed
        /// The bytes of a file last, but not its time.
        case syncedData
        /// A file lasts, or the names in a directory.
        case synced
        /// Everything lasts on the file system that the path lies on.
        case syncedFileSystem
        /// A transaction of the state at this path is in its files; durably, if they were synced.
        case committed(durably: Bool)
    }

    /// Is told of each call that changed something, right after it and on its thread, with the path as messages name it.
    package typealias Observe = @Sendable (_ effect: Effect, _ path: String) -> Void

    private let intercept: Intercept?
    private let observe: Observe?

    /// The calls as the kernel makes them.
    package static let live = SystemCalls(intercept: nil)

    /// The calls with a layer before them that may make them fail or fall short, and one behind them that sees what was
    /// done.
    package init(intercept: Intercept?, observe: Observe? = nil) {
        self.intercept = intercept
        self.observe = observe
    }

    /// Says what was done. The state says so itself, as SQLite makes its calls.
    func note(_ effect: Effect, _ path: @autoclosure () -> String) { observe?(effect, path()) }

    /// Makes a call until it is not interrupted. A negative result is a failure whose reason is in `errno`.
    @inline(__always)
    private func perform<Result: SignedInteger>(
        _ operation: Operation, _ path: @autoclosure () -> String, count: Int = 0, _ call: (Int) -> Result
    ) throws(DiskError) -> Result {
        while true {
            var count = count
            if let intercept {
                switch intercept(operation, path()) {
                case .failure(EINTR): continue
                case .failure(let code): throw DiskError(code: code, operation: operation, path: path())
                case .short(let limit): count = min(count, limit)
                case nil: break
                }
            }
            let result = call(count)
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw DiskError(code: code, operation: operation, path: path()) }
        }
    }
}

// MARK: - Names

extension SystemCalls {
    /// The directory that relative paths start from where no open one is meant.
    static let workingDirectory: Int32 = AT_FDCWD
    /// The flag of a directory that is only walked from (`O_PATH`): it may be opened without the right to list it.
    static var pathOnly: Int32 { dlsync_open_path() }

    /// `openat(2)`. `O_CLOEXEC` is always set.
    func open(
        in directory: Int32, _ name: some Collection<UInt8>, flags: Int32, mode: mode_t = 0,
        path: @autoclosure () -> String
    ) throws(DiskError) -> Int32 {
        let cName = cString(name)
        let number = try perform(.open, path()) { _ in openat(directory, cName, flags | O_CLOEXEC, mode) }
        if flags & O_CREAT != 0 { note(.created, path()) }
        return number
    }

    /// `fstatat(2)`, which does not follow a symbolic link at the end.
    func status(in directory: Int32, _ name: some Collection<UInt8>, path: @autoclosure () -> String) throws(DiskError)
        -> stat
    {
        let cName = cString(name)
        var status = stat()
        _ = try perform(.examine, path()) { _ in fstatat(directory, cName, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    /// `mkdirat(2)`, with the rights that the process's mask leaves.
    func makeDirectory(in directory: Int32, _ name: some Collection<UInt8>, path: @autoclosure () -> String)
        throws(DiskError)
    {
        let cName = cString(name)
        _ = try perform(.makeDirectory, path()) { _ in mkdirat(directory, cName, 0o777) }
        note(.madeDirectory, path())
    }

    /// `renameat(2)`; `oldPath` is the path of what is renamed, `path` the new one.
    func rename(
        from directory: Int32, _ name: some Collection<UInt8>, to target: Int32, _ newName: some Collection<UInt8>,
        oldPath: @autoclosure () -> String, path: @autoclosure () -> String
    ) throws(DiskError) {
        let cName = cString(name)
        let cNewName = cString(newName)
        _ = try perform(.rename, path()) { _ in renameat(directory, cName, target, cNewName) }
        note(.renamed(from: oldPath()), path())
    }

    /// `renameat2(2)` with `RENAME_NOREPLACE`; fails with `EEXIST` where something has the new name. On file systems that
    /// do not know how, it is `linkat(2)` and `unlinkat(2)`.
    func renameWithoutReplacing(
        from directory: Int32, _ name: some Collection<UInt8>, to target: Int32, _ newName: some Collection<UInt8>,
        oldPath: @autoclosure () -> String, path: @autoclosure () -> String
    ) throws(DiskError) {
        let cName = cString(name)
        let cNewName = cString(newName)
        do {
            _ = try perform(.rename, path()) { _ in
                Int(dlsync_rename_noreplace(directory, cName, target, cNewName))
            }
        } catch {
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            _ = try perform(.rename, path()) { _ in linkat(directory, cName, target, cNewName, 0) }
            _ = try perform(.remove, oldPath()) { _ in unlinkat(directory, cName, 0) }
        }
        note(.renamed(from: oldPath()), path())
    }

    /// `linkat(2)`: gives a file a second name; fails with `EEXIST` where something has it.
    func link(
        from directory: Int32, _ name: some Collection<UInt8>, to target: Int32, _ newName: some Collection<UInt8>,
        path: @autoclosure () -> String
    ) throws(DiskError) {
        let cName = cString(name)
        let cNewName = cString(newName)
        _ = try perform(.rename, path()) { _ in Int(linkat(directory, cName, target, cNewName, 0)) }
    }

    /// `unlinkat(2)` of a file, or of an empty directory.
    func remove(
        in directory: Int32, _ name: some Collection<UInt8>, isDirectory: Bool = false, path: @autoclosure () -> String
    ) throws(DiskError) {
        let cName = cString(name)
        _ = try perform(.remove, path()) { _ in unlinkat(directory, cName, isDirectory ? AT_REMOVEDIR : 0) }
        note(.removed, path())
    }

    /// `utimensat(2)` of a file that is not open; a symbolic link is not followed.
    func setModified(
        in directory: Int32, _ name: some Collection<UInt8>, seconds: Int64, path: @autoclosure () -> String
    ) throws(DiskError) {
        let cName = cString(name)
        let times = Self.times(modified: seconds)
        _ = try perform(.setTime, path()) { _ in utimensat(directory, cName, times, AT_SYMLINK_NOFOLLOW) }
        note(.timeSet, path())
    }

    /// The names in a directory, without `.` and `..`, in no order: `fdopendir(3)` on a descriptor of its own.
    func names(in directory: Int32, path: @autoclosure () -> String) throws(DiskError) -> [[UInt8]] {
        let own = try open(in: directory, [UInt8(ascii: ".")], flags: O_RDONLY | O_DIRECTORY, path: path())
        guard let stream = fdopendir(own) else {
            let code = errno
            _ = Glibc.close(own)
            throw DiskError(code: code, operation: .list, path: path())
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code == 0 { return names }
                throw DiskError(code: code, operation: .list, path: path())
            }
            // The record is only as long as its name needs, so it is read through the pointer and never copied.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
            let start = UnsafeRawPointer(entry).advanced(by: offset)
            let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
            let name = Array(bytes)
            if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
        }
    }

    /// `mkdtemp(3)`: a new directory that only this user may enter. Gives its path.
    func makeTemporaryDirectory(in parent: String) throws(DiskError) -> [UInt8] {
        var template = cString(Array("\(parent)/dlsync-XXXXXX".utf8))
        _ = try perform(.makeDirectory, "\(parent)/dlsync-XXXXXX") { _ in mkdtemp(&template) == nil ? -1 : 0 }
        return template.dropLast().map { UInt8(bitPattern: $0) }
    }
}

// MARK: - Open files

extension SystemCalls {
    /// `fstat(2)`.
    func status(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) -> stat {
        var status = stat()
        _ = try perform(.examine, path()) { _ in fstat(descriptor, &status) }
        return status
    }

    /// Writes all of some bytes by `pwrite(2)`.
    func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64, path: @autoclosure () -> String
    ) throws(DiskError) {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let count = try perform(.write, path(), count: rest.count) { count in
                pwrite(descriptor, rest.baseAddress, count, off_t(offset))
            }
            // A write of nothing would be tried for ever.
            guard count > 0 else { throw DiskError(code: EIO, operation: .write, path: path()) }
            note(.wrote(at: offset, count: Int64(count)), path())
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            offset += Int64(count)
        }
    }

    /// Reads by `pread(2)` until the buffer is full or the file ends; gives how many bytes were read.
    func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64,
        path: @autoclosure () -> String
    ) throws(DiskError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try perform(.read, path(), count: rest.count) { count in
                pread(descriptor, rest.baseAddress, count, off_t(offset) + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// `fallocate(2)` of the first `length` bytes; the file is at least that long then.
    func allocate(_ descriptor: Int32, length: Int64, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.allocate, path()) { _ in fallocate(descriptor, 0, 0, off_t(length)) }
        note(.allocated(length: length), path())
    }

    /// `ftruncate(2)`.
    func truncate(_ descriptor: Int32, to length: Int64, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.truncate, path()) { _ in ftruncate(descriptor, off_t(length)) }
        note(.truncated(length: length), path())
    }

    /// `ioctl(FICLONE)`: the target shares all blocks of the source (ioctl_ficlone(2)).
    func clone(from source: Int32, to target: Int32, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.copy, path()) { _ in dlsync_clone_file(target, source) }
        if observe != nil { note(.wrote(at: 0, count: Int64(try status(target, path: path()).st_size)), path()) }
    }

    /// `copy_file_range(2)` at the same offset in both; gives how many bytes were copied, zero at the source's end.
    func copyRange(
        from source: Int32, to target: Int32, at offset: Int64, count: Int, path: @autoclosure () -> String
    ) throws(DiskError) -> Int {
        let copied = try perform(.copy, path(), count: count) { count in
            var from = off_t(offset)
            var to = off_t(offset)
            return copy_file_range(source, &from, target, &to, count, 0)
        }
        note(.wrote(at: offset, count: Int64(copied)), path())
        return copied
    }

    /// `futimens(2)`: the time of last modification; that of access stays.
    func setModified(_ descriptor: Int32, seconds: Int64, path: @autoclosure () -> String) throws(DiskError) {
        let times = Self.times(modified: seconds)
        _ = try perform(.setTime, path()) { _ in futimens(descriptor, times) }
        note(.timeSet, path())
    }

    /// `fdatasync(2)`.
    func synchronizeData(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.sync, path()) { _ in fdatasync(descriptor) }
        note(.syncedData, path())
    }

    /// `fsync(2)`.
    func synchronize(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.sync, path()) { _ in fsync(descriptor) }
        note(.synced, path())
    }

    /// `sync_file_range(2)` without a wait: what was written begins to go to the disk. It promises nothing.
    func startWriting(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.sync, path()) { _ in sync_file_range(descriptor, 0, 0, UInt32(SYNC_FILE_RANGE_WRITE)) }
    }

    /// `syncfs(2)`: everything of the file system that the descriptor lies on.
    func synchronizeFileSystem(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) {
        _ = try perform(.sync, path()) { _ in syncfs(descriptor) }
        note(.syncedFileSystem, path())
    }

    /// The bytes that this user may still write on the descriptor's file system (`fstatvfs(3)`).
    ///
    /// - Throws: ``DiskError``, with `EOPNOTSUPP` where a file system says that it has no blocks at all, as one of memory
    ///   without a limit does.
    func freeSpace(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) -> Int64 {
        var space = statvfs()
        _ = try perform(.measureSpace, path()) { _ in fstatvfs(descriptor, &space) }
        guard space.f_blocks > 0 else { throw DiskError(code: EOPNOTSUPP, operation: .measureSpace, path: path()) }
        let (bytes, overflow) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }

    /// `flock(2)` without waiting; false where another holds it.
    func lock(_ descriptor: Int32, exclusively: Bool, path: @autoclosure () -> String) throws(DiskError) -> Bool {
        do {
            _ = try perform(.lock, path()) { _ in flock(descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// Lets a lock go at once. Closing alone does so only when no child process that was just forked has the descriptor too.
    func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// `close(2)`. The descriptor is gone whatever the answer is, so an interrupted call is not made again: on Linux
    /// another thread could own the number by then.
    func close(_ descriptor: Int32, path: @autoclosure () -> String) throws(DiskError) {
        var intervened: Int32?
        if case .failure(let code) = intercept?(.close, path()) { intervened = code }
        let code = Glibc.close(descriptor) == 0 ? 0 : errno
        let reported = intervened ?? code
        if reported != 0 && reported != EINTR { throw DiskError(code: reported, operation: .close, path: path()) }
    }

    private static func times(modified seconds: Int64) -> [timespec] {
        [timespec(tv_sec: 0, tv_nsec: dlsync_utime_omit()), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    }
}

/// A name as C takes it. Names hold no NUL byte: ``RelativePath`` refuses it, and no name from the kernel has one.
func cString(_ name: some Collection<UInt8>) -> [CChar] {
    var bytes: [CChar] = []
    bytes.reserveCapacity(name.count + 1)
    for byte in name { bytes.append(CChar(bitPattern: byte)) }
    bytes.append(0)
    return bytes
}

/// The id of the machine's present boot (`/proc/sys/kernel/random/boot_id`), which tells a crash of a process from one
/// of the machine; empty where it cannot be read, so that only synced data counts.
package func currentBootID() -> String {
    let calls = SystemCalls.live
    let path = "/proc/sys/kernel/random/boot_id"
    guard
        let number = try? calls.open(in: SystemCalls.workingDirectory, Array(path.utf8), flags: O_RDONLY, path: path)
    else { return "" }
    let descriptor = Descriptor(number, calls: calls, path: path)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { (try? descriptor.read(into: $0, at: 0)) ?? 0 }
    return String(decoding: bytes[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
}
