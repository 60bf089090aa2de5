internal import Glibc
internal import SyncCore

/// The directory that files are moved to rather than deleted or replaced, by their paths below the destination.
///
/// What is there already is never overwritten: the next file of that path gets a number behind its name, as in `a.~1~`.
final class Backup: Sendable {
    /// Nil in a dry run where it is not there yet.
    private let directory: Destination
    private let source: Destination

    /// Opens the directory, and creates it where it is missing and may be written.
    init(path: [UInt8], of destination: Destination, mayWrite: Bool) throws(Failure) {
        source = destination
        do throws(DiskError) {
            directory = try Destination(path: path, access: mayWrite ? .plain : .readOnly, calls: destination.calls)
        } catch {
            throw error.failure
        }
        guard let own = identity, own != destination.identity else {
            guard identity != nil else { return }
            throw Failure(.disk, "the directory for backups is the destination itself; choose another")
        }
    }

    /// What tells the directory from others; nil where it is not there.
    var identity: FileIdentity? { directory.identity }

    /// Moves a file of the destination here. Across file systems it is copied, synced, and only then removed there.
    func take(_ path: RelativePath) throws(DiskError) {
        for number in 0..<100_000 {
            let target = try self.target(path, number)
            guard case .absent = try directory.status(of: target) else { continue }
            do {
                return try move(path, to: target)
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        throw DiskError(code: EEXIST, operation: .rename, path: directory.name(path))
    }

    /// Keeps a file of the destination here that is about to be replaced there: by a second name, so that it is at its place
    /// all the time, or by a copy where the file system gives none. It lasts once ``synchronize(_:)`` has returned.
    ///
    /// - Returns: Where it is kept; nil where no regular file stands under the path.
    func keep(_ path: RelativePath) throws(DiskError) -> RelativePath? {
        guard case .file(let file) = try source.status(of: path) else { return nil }
        for number in 0..<100_000 {
            let target = try self.target(path, number)
            switch try directory.status(of: target) {
            // A run that was killed before it replaced the file has kept it already.
            case .file(let kept) where kept == file: return target
            case .absent: break
            default: continue
            }
            do {
                try link(path, to: target)
                return target
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        throw DiskError(code: EEXIST, operation: .rename, path: directory.name(path))
    }

    /// Has the name of a file that is kept last.
    func synchronize(_ kept: RelativePath) throws(DiskError) { try directory.syncDirectory(of: kept) }

    private func link(_ path: RelativePath, to target: RelativePath) throws(DiskError) {
        let calls = source.calls
        do {
            try directory.withDirectory(of: target, creating: true) { (above) throws(DiskError) in
                try source.withDirectory(of: path) { (own) throws(DiskError) in
                    try calls.link(
                        from: own.number, path.name, to: above.number, target.name, path: directory.name(target))
                }
            }
        } catch {
            switch error.code {
            case EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK: try copy(path, to: target)
            default: throw error
            }
        }
    }

    private func target(_ path: RelativePath, _ number: Int) throws(DiskError) -> RelativePath {
        guard number > 0 else { return path }
        do {
            return try RelativePath(bytes: path.bytes + Array(".~\(number)~".utf8))
        } catch {
            throw DiskError(code: ENAMETOOLONG, operation: .rename, path: directory.name(path))
        }
    }

    private func move(_ path: RelativePath, to target: RelativePath) throws(DiskError) {
        let calls = source.calls
        do {
            try directory.withDirectory(of: target, creating: true) { (above) throws(DiskError) in
                try source.withDirectory(of: path) { (own) throws(DiskError) in
                    try calls.renameWithoutReplacing(
                        from: own.number, path.name, to: above.number, target.name, oldPath: source.name(path),
                        path: directory.name(target))
                }
            }
        } catch {
            guard error.code == EXDEV else { throw error }
            try copy(path, to: target)
            try source.remove(path)
        }
    }

    private func copy(_ path: RelativePath, to target: RelativePath) throws(DiskError) {
        let calls = source.calls
        let file = try source.openForReading(path)
        let status = try calls.status(file.descriptor.number, path: file.descriptor.path)
        try directory.withDirectory(of: target, creating: true) { (above) throws(DiskError) in
            let name = directory.name(target)
            let number = try calls.open(
                in: above.number, target.name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: status.st_mode & 0o777, path: name)
            let copy = Descriptor(number, calls: calls, path: name)
            do throws(DiskError) {
                let size = Int64(status.st_size)
                let copied = try calls.copyByHand(file.descriptor, to: copy, from: 0, length: size)
                guard copied == size else { throw DiskError(code: EIO, operation: .copy, path: name) }
                try calls.setModified(number, seconds: Int64(status.st_mtim.tv_sec), path: name)
                try calls.synchronize(number, path: name)
            } catch {
                try? calls.remove(in: above.number, target.name, path: name)
                throw error
            }
        }
        // The name has to last before the file goes at its old place.
        try directory.syncDirectory(of: target)
    }
}

/// What tells a directory or a file from all others of the machine.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

extension Destination {
    /// What tells this directory from others; nil where it is not there.
    var identity: FileIdentity? {
        root.flatMap { try? calls.status($0.number, path: $0.path) }.map(FileIdentity.init)
    }
}
