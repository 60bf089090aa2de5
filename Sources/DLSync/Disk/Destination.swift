internal import Glibc
package import SyncCore
internal import Synchronization

/// The directory that is brought up to date, held open: every path is walked from it, and no symbolic link below it is
/// followed.
///
/// All methods may be called from any thread. They block as long as the disk does.
package final class Destination: Sendable {
    /// What may be done to a destination.
    package enum Access: Hashable, Sendable {
        /// It is created where it is missing.
        case creating
        /// It has to be there; only dlsync's own directory in it is created.
        case existing
        /// It is created where it is missing, and gets no directory of dlsync's own: where backups go.
        case plain
        /// Nothing at all is written, and it need not be there: everything is absent then. For dry runs.
        case readOnly
    }

    /// The name of dlsync's own directory in the destination. No entry may lie in it.
    package static let stateDirectoryName = ".dlsync"

    /// The path as it was given, as bytes.
    package let path: [UInt8]
    /// What may be done to it.
    package let access: Access
    let calls: SystemCalls
    /// The destination; nil where it is missing and nothing may be created.
    let root: Descriptor?
    /// `.dlsync`, and `.dlsync/partial`; nil where they are missing and nothing may be created.
    let stateDirectory: Descriptor?
    let partialDirectory: Descriptor?
    private let cache = Mutex(DirectoryCache(capacity: 32))
    /// The directories in which one was created that was not synced since.
    private let unsynced = Mutex<Set<DirectoryKey>>([])
    /// The directories that were made and not asked for since.
    private let made = Mutex<[RelativePath]>([])
    /// Whether a partial was created since the directory of partials was synced.
    let hasNewPartials = Mutex(false)

    /// A directory below the destination, or the destination itself (nil).
    struct DirectoryKey: Hashable, Sendable {
        var path: RelativePath?
    }

    /// Opens a destination, and creates what ``Access`` allows. Symbolic links in its own path are followed.
    package init(path: [UInt8], access: Access, calls: SystemCalls = .live) throws(DiskError) {
        self.path = path
        self.access = access
        self.calls = calls
        let text = String(decoding: path, as: UTF8.self)
        let flags = O_RDONLY | O_DIRECTORY
        if access == .creating || access == .plain { try Self.createDirectory(path, calls) }
        do {
            let number = try calls.open(in: SystemCalls.workingDirectory, path, flags: flags, path: text)
            root = Descriptor(number, calls: calls, path: text)
        } catch {
            guard access == .readOnly, error.code == ENOENT else { throw error }
            root = nil
        }
        guard access != .plain else {
            (stateDirectory, partialDirectory) = (nil, nil)
            return
        }
        stateDirectory = try Self.openOwn(Self.stateDirectoryName, in: root, access)
        partialDirectory = try Self.openOwn("partial", in: stateDirectory, access)
    }

    /// Opens a destination by a path that is text.
    package convenience init(path: String, access: Access, calls: SystemCalls = .live) throws(DiskError) {
        try self.init(path: Array(path.utf8), access: access, calls: calls)
    }

    /// Whether the destination is there.
    package var exists: Bool { root != nil }

    private static func openOwn(_ name: String, in parent: Descriptor?, _ access: Access) throws(DiskError)
        -> Descriptor?
    {
        guard let parent else { return nil }
        let path = "\(parent.path)/\(name)"
        let name = Array(name.utf8)
        if access != .readOnly {
            do {
                try parent.calls.makeDirectory(in: parent.number, name, path: path)
                try parent.calls.synchronize(parent.number, path: parent.path)
            } catch {
                guard error.operation == .makeDirectory, error.code == EEXIST else { throw error }
            }
        }
        do {
            let number = try parent.calls.open(
                in: parent.number, name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: path)
            return Descriptor(number, calls: parent.calls, path: path)
        } catch {
            if access == .readOnly, error.code == ENOENT { return nil }
            guard error.code == ENOTDIR || error.code == ELOOP else { throw error }
            throw DiskError(
                code: error.code, operation: .open, path: path,
                obstacle: "is no directory of dlsync's own; move it away")
        }
    }

    /// Creates a directory and those above it, each synced into the one that holds it.
    private static func createDirectory(_ path: [UInt8], _ calls: SystemCalls) throws(DiskError) {
        let text = String(decoding: path, as: UTF8.self)
        do {
            try calls.makeDirectory(in: SystemCalls.workingDirectory, path, path: text)
        } catch {
            switch error.code {
            case EEXIST: return
            case ENOENT:
                let parent = self.parent(of: path)
                guard parent.count < path.count, parent != [UInt8(ascii: ".")] else { throw error }
                try createDirectory(parent, calls)
                try calls.makeDirectory(in: SystemCalls.workingDirectory, path, path: text)
            default:
                // Some file systems refuse before they look whether the directory is there.
                guard let found = try? calls.status(in: SystemCalls.workingDirectory, path, path: text),
                    found.isDirectory || found.isSymbolicLink
                else { throw error }
                return
            }
        }
        let parent = self.parent(of: path)
        // A directory that may be written to but not read cannot be synced by itself; the data's own sync has to do.
        guard
            let number = try? calls.open(
                in: SystemCalls.workingDirectory, parent, flags: O_RDONLY | O_DIRECTORY, path: text)
        else { return }
        let descriptor = Descriptor(number, calls: calls, path: String(decoding: parent, as: UTF8.self))
        try calls.synchronize(descriptor.number, path: descriptor.path)
    }

    /// The path without its last component; `.` or `/` where none is left.
    private static func parent(of path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var rest = path[...]
        while rest.count > 1, rest.last == slash { rest.removeLast() }
        guard let last = rest.lastIndex(of: slash) else { return [UInt8(ascii: ".")] }
        rest = rest[..<last]
        while rest.last == slash { rest.removeLast() }
        return rest.isEmpty ? [slash] : Array(rest)
    }
}

// MARK: - The walk

extension Destination {
    /// What stands under a path. A symbolic link, a directory or a device at its end is blocked, never followed.
    package func status(of path: RelativePath) throws(DiskError) -> LocalState {
        guard root != nil else { return .absent }
        do {
            return try withDirectory(of: path) { (directory) throws(DiskError) in
                let status = try calls.status(in: directory.number, path.name, path: name(path))
                if status.isRegular { return .file(LocalFile(status)) }
                if status.isSymbolicLink { return .blocked("is a symbolic link") }
                return status.isDirectory ? .directory : .blocked("is a device, a socket or a pipe")
            }
        } catch {
            if let obstacle = error.obstacle { return .blocked(obstacle) }
            switch error.code {
            case ENOENT: return .absent
            case ENAMETOOLONG: return .blocked("is too long for the file system")
            default: throw error
            }
        }
    }

    /// Calls `body` with the open directory that a path lies in. A directory that was removed since it was opened is
    /// looked for once more.
    func withDirectory<Result>(
        of path: RelativePath, creating: Bool = false, _ body: (Descriptor) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        let found = try directory(of: path, creating: creating)
        do {
            return try body(found)
        } catch {
            guard path.parent != nil, isGone(found, error) else { throw error }
        }
        forgetDirectories()
        return try body(try directory(of: path, creating: creating))
    }

    /// Whether a call failed because its directory was removed while it was kept open.
    private func isGone(_ directory: Descriptor, _ error: DiskError) -> Bool {
        guard error.code == ENOENT else { return error.code == ESTALE }
        guard let status = try? calls.status(directory.number, path: directory.path) else { return true }
        return status.st_nlink == 0
    }

    /// Whether names that differ only in case are the same here: then dlsync's own directory is found by another name too.
    package var foldsNames: Bool {
        guard let root, let own = stateDirectory,
            let other = try? calls.status(in: root.number, Array(".DLSYNC".utf8), path: root.path),
            let known = try? calls.status(own.number, path: own.path)
        else { return false }
        return other.st_ino == known.st_ino && other.st_dev == known.st_dev
    }

    /// Lets go of the directories that are kept open; they are walked to anew.
    package func forgetDirectories() { cache.withLock { $0.removeAll() } }

    /// The open directory that a path lies in.
    private func directory(of path: RelativePath, creating: Bool) throws(DiskError) -> Descriptor {
        guard let root else { throw DiskError(code: ENOENT, operation: .open, path: name(path)) }
        if path.bytes.starts(with: Self.stateDirectoryName.utf8),
            path.components.first?.count == Self.stateDirectoryName.utf8.count
        {
            throw DiskError(
                code: EPERM, operation: .open, path: name(path), obstacle: "lies in dlsync's own directory")
        }
        guard let parent = path.parent else { return root }
        // The nearest directory above that is open already is where the walk starts.
        var missing: [RelativePath] = []
        var start: Descriptor?
        var next: RelativePath? = parent
        while let above = next, start == nil {
            start = cache.withLock { $0.directory(for: above) }
            if start == nil { missing.append(above) }
            next = above.parent
        }
        guard let start else { return try walk(missing, from: root, creating: creating) }
        do {
            return try walk(missing, from: start, creating: creating)
        } catch {
            guard isGone(start, error) else { throw error }
        }
        forgetDirectories()
        return try directory(of: path, creating: creating)
    }

    /// Opens directories one below the other, the outermost last in the list, and keeps them.
    private func walk(_ paths: [RelativePath], from start: Descriptor, creating: Bool) throws(DiskError) -> Descriptor {
        var current = start
        for path in paths.reversed() {
            current = try open(path, in: current, creating: creating)
            cache.withLock { $0.insert(current, for: path) }
        }
        return current
    }

    private func open(_ path: RelativePath, in parent: Descriptor, creating: Bool) throws(DiskError) -> Descriptor {
        do {
            return try openDirectory(path, in: parent)
        } catch {
            switch error.code {
            case ENOENT where creating:
                try create(path, in: parent)
                return try openDirectory(path, in: parent)
            case ENOTDIR, ELOOP:
                let status = try calls.status(in: parent.number, path.name, path: name(path))
                let what = status.isSymbolicLink ? "a symbolic link" : "a file"
                throw DiskError(
                    code: error.code, operation: .open, path: name(path), obstacle: "leads through \(what)")
            default: throw error
            }
        }
    }

    private func openDirectory(_ path: RelativePath, in parent: Descriptor) throws(DiskError) -> Descriptor {
        let flags = SystemCalls.pathOnly | O_DIRECTORY | O_NOFOLLOW
        let number = try calls.open(in: parent.number, path.name, flags: flags, path: name(path))
        return Descriptor(number, calls: calls, path: name(path))
    }

    private func create(_ path: RelativePath, in parent: Descriptor) throws(DiskError) {
        do {
            try calls.makeDirectory(in: parent.number, path.name, path: name(path))
            made.withLock { $0.append(path) }
        } catch {
            guard error.code == EEXIST else { throw error }
        }
        unsynced.withLock { _ = $0.insert(DirectoryKey(path: path.parent)) }
    }

    /// The directories that were made since this was asked last.
    func takeMadeDirectories() -> [RelativePath] {
        made.withLock { made in
            defer { made = [] }
            return made
        }
    }

    /// A path as messages name it.
    func name(_ path: RelativePath?) -> String {
        let own = String(decoding: self.path, as: UTF8.self)
        return path.map { "\(own)/\($0)" } ?? own
    }
}

// MARK: - What lasts

extension Destination {
    /// Syncs the directory that a path lies in, and those above in which a directory was created for it, so that the
    /// file's name outlasts a crash of the machine (fsync(2)). Where a directory cannot be synced by itself, as the file
    /// system does not do so or the directory may not be read, the whole file system is.
    package func syncDirectory(of path: RelativePath) throws(DiskError) {
        do {
            try syncDirectories(above: path)
        } catch {
            switch error.code {
            case EINVAL, EOPNOTSUPP, ENOSYS, EACCES, EPERM: try syncFileSystem()
            default: throw error
            }
        }
    }

    private func syncDirectories(above path: RelativePath) throws(DiskError) {
        try synchronize(path.parent)
        var above = path.parent
        while let directory = above {
            above = directory.parent
            let key = DirectoryKey(path: above)
            guard unsynced.withLock({ $0.contains(key) }) else { continue }
            try synchronize(above)
        }
    }

    private func synchronize(_ path: RelativePath?) throws(DiskError) {
        guard let root else { return }
        let key = DirectoryKey(path: path)
        let wasUnsynced = unsynced.withLock { $0.remove(key) != nil }
        do {
            guard let path else { return try calls.synchronize(root.number, path: root.path) }
            // The directories that are kept open are only places to walk from (O_PATH), which cannot be synced.
            try withDirectory(of: path) { (parent) throws(DiskError) in
                let number = try calls.open(
                    in: parent.number, path.name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: name(path))
                let directory = Descriptor(number, calls: calls, path: name(path))
                try calls.synchronize(directory.number, path: directory.path)
            }
        } catch {
            if wasUnsynced { unsynced.withLock { _ = $0.insert(key) } }
            throw error
        }
    }

    /// Syncs the names of the partials, where one was created since: bytes that nobody finds by a name are lost.
    package func syncPartialNames() throws(DiskError) {
        guard let partialDirectory else { return }
        let isNeeded = hasNewPartials.withLock { flag in
            defer { flag = false }
            return flag
        }
        guard isNeeded else { return }
        do {
            try calls.synchronize(partialDirectory.number, path: partialDirectory.path)
        } catch {
            hasNewPartials.withLock { $0 = true }
            throw error
        }
    }

    /// Syncs all data and names on the destination's file system: one call for many small files (syncfs(2)).
    package func syncFileSystem() throws(DiskError) {
        guard let root else { return }
        let created = unsynced.withLock { keys in
            defer { keys.removeAll() }
            return keys
        }
        do {
            try calls.synchronizeFileSystem(root.number, path: root.path)
        } catch {
            unsynced.withLock { $0.formUnion(created) }
            throw error
        }
    }

    /// The bytes that may still be written; of the nearest directory above where the destination is missing.
    package func freeSpace() throws(DiskError) -> Int64 {
        if let root { return try calls.freeSpace(root.number, path: root.path) }
        var above = path
        while true {
            above = Self.parent(of: above)
            let text = String(decoding: above, as: UTF8.self)
            do {
                let number = try calls.open(
                    in: SystemCalls.workingDirectory, above, flags: O_RDONLY | O_DIRECTORY, path: text)
                let directory = Descriptor(number, calls: calls, path: text)
                return try calls.freeSpace(directory.number, path: text)
            } catch {
                guard error.code == ENOENT, above.count > 1 else { throw error }
            }
        }
    }
}
