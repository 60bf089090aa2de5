internal import Glibc
internal import SyncCore

/// Something that was found when the state was opened, to be said once.
package struct OpenNote: Hashable, Sendable {
    /// One sentence without its full stop.
    package var message: String

    package init(_ message: String) { self.message = message }
}

extension StateStore {
    /// Opens the state of a destination, and creates it where it is missing. Only who holds the ``RunLock`` may do so.
    ///
    /// - Parameters:
    ///   - destination: Where it lies; not one that is read-only.
    ///   - bootID: Which boot of the machine this is, see ``currentBootID()``.
    /// - Returns: The state, and a note where a damaged one was set aside and begun anew.
    /// - Throws: ``StateError``, of kind `.newer` where a later version of dlsync wrote it: nothing is touched then.
    package static func open(in destination: Destination, bootID: String) throws(StateError) -> (
        store: StateStore, note: OpenNote?
    ) {
        guard let directory = destination.stateDirectory, destination.access != .readOnly else {
            throw StateError(.readOnly, "the state of '\(destination.name(nil))' may not be written in a dry run")
        }
        let files = StateFiles(directory: directory)
        do {
            return (
                StateStore(try files.openForWriting(), path: files.path, bootID: bootID, calls: destination.calls), nil
            )
        } catch {
            guard error.kind == .damaged else { throw error }
            let aside = try files.setAside()
            let note = OpenNote("\(error.message); it was moved to '\(aside)' and is built anew from the tree")
            return (
                StateStore(try files.openForWriting(), path: files.path, bootID: bootID, calls: destination.calls), note
            )
        }
    }

    /// Opens a copy of a destination's state, so that nothing below the destination is written and yet everything counts
    /// that a killed run left in SQLite's log. The copy is gone when it is closed, or the process ends.
    ///
    /// - Parameters:
    ///   - destination: Where the state lies. Where there is none, the copy is empty.
    ///   - bootID: Which boot of the machine this is, see ``currentBootID()``.
    ///   - temporaryDirectories: Where the copy may be put: the first that is outside the destination and has room.
    /// - Returns: The copy, and a note where the state is damaged and an empty one has to do.
    package static func openCopy(
        of destination: Destination, bootID: String,
        temporaryDirectories: [String] = ["/tmp", "/var/tmp", "/dev/shm"]
    ) throws(StateError) -> (store: StateStore, note: OpenNote?) {
        guard let directory = destination.stateDirectory else { return (try openEmpty(bootID: bootID), nil) }
        let files = StateFiles(directory: directory)
        guard try files.exist() else { return (try openEmpty(bootID: bootID), nil) }
        do {
            let database = try files.openCopy(outside: destination.root, in: temporaryDirectories)
            return (StateStore(database, path: files.path, bootID: bootID), nil)
        } catch {
            guard error.kind == .damaged else { throw error }
            return (try openEmpty(bootID: bootID), OpenNote("\(error.message); nothing of it is used"))
        }
    }

    private static func openEmpty(bootID: String) throws(StateError) -> StateStore {
        let database = try Database(name: Array(":memory:".utf8), path: ":memory:", directory: nil)
        try database.prepareState()
        return StateStore(database, path: ":memory:", bootID: bootID)
    }
}

/// The files of the state in one directory.
struct StateFiles {
    /// The directory that holds them.
    let directory: Descriptor

    private static let name = "state.db"
    /// The ends of the names of the files that SQLite keeps beside a database.
    private static let companions = ["-wal", "-journal", "-shm"]
    private var calls: SystemCalls { directory.calls }

    /// The database's path for messages.
    var path: String { "\(directory.path)/\(Self.name)" }

    /// The database's path for SQLite: below the open directory, whatever becomes of that one's own path. Without
    /// `/proc`, as in a bare change root, it is the usual path.
    private var openName: [UInt8] {
        let name = Array("/proc/self/fd/\(directory.number)".utf8)
        let isThere = (try? calls.status(in: SystemCalls.workingDirectory, name, path: path)) != nil
        return isThere ? name + Array("/\(Self.name)".utf8) : Array(path.utf8)
    }

    func exist() throws(StateError) -> Bool { try status(of: Self.name) != nil }

    /// Opens the database for a run.
    ///
    /// One process has it, which its locking mode tells SQLite: the log's index is kept in its memory then, so that the
    /// state may lie on a file system without shared memory, as NFS is. A commit is in the log when it returns; only a
    /// checkpoint and a durable commit wait for the disk (https://sqlite.org/wal.html).
    func openForWriting() throws(StateError) -> sending Database {
        let database = try Database(name: openName, path: path, directory: directory)
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.prepareState()
        try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
        return database
    }

    /// Moves the database and what belongs to it out of the way. Gives the new path.
    func setAside() throws(StateError) -> String {
        var number = 1
        while try status(of: "\(Self.name).damaged-\(number)") != nil { number += 1 }
        let target = "\(Self.name).damaged-\(number)"
        // The database goes last: until it has gone, whoever comes next finds it and tries again.
        for end in Self.companions + [""] where try status(of: Self.name + end) != nil {
            do {
                try calls.rename(
                    from: directory.number, Array((Self.name + end).utf8), to: directory.number,
                    Array((target + end).utf8), oldPath: path + end, path: "\(directory.path)/\(target + end)")
            } catch {
                throw StateError(error)
            }
        }
        return "\(directory.path)/\(target)"
    }

    private func status(of name: String) throws(StateError) -> stat? {
        do {
            return try calls.status(in: directory.number, Array(name.utf8), path: "\(directory.path)/\(name)")
        } catch {
            if error.code == ENOENT { return nil }
            throw StateError(error)
        }
    }
}

// MARK: - The copy for a dry run

extension StateFiles {
    /// Opens a copy in the first of some directories that will do.
    func openCopy(outside destination: Descriptor?, in candidates: [String]) throws(StateError) -> sending Database {
        var lastError: DiskError?
        for candidate in candidates {
            let place: TemporaryDirectory
            do {
                guard try !isBelow(destination, candidate) else { continue }
                place = try TemporaryDirectory(in: candidate, calls: calls)
                try copyFiles(to: place.directory)
            } catch {
                lastError = error
                continue
            }
            // The files are removed at the end of this turn already; SQLite keeps them open.
            let copy = StateFiles(directory: place.directory)
            let database = try Database(name: copy.openName, path: path, directory: place.directory)
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            try database.prepareState()
            try database.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            return database
        }
        if let lastError { throw StateError(lastError) }
        throw StateError(
            .other,
            "the state '\(path)' could not be copied for the dry run: no directory for temporary files lies outside the"
                + " destination; set TMPDIR to one")
    }

    /// Copies the database and its log. Where another run writes meanwhile, the copy is made anew until both were still.
    private func copyFiles(to target: Descriptor) throws(DiskError) {
        for _ in 1...5 {
            let before = stamps()
            for end in ["", "-wal", "-journal"] { try copyFile(Self.name + end, to: target) }
            if stamps() == before { return }
        }
    }

    private func stamps() -> [LocalFile?] {
        ["", "-wal"].map { end in
            (try? calls.status(in: directory.number, Array((Self.name + end).utf8), path: path)).map(LocalFile.init)
        }
    }

    private func copyFile(_ name: String, to target: Descriptor) throws(DiskError) {
        let path = "\(directory.path)/\(name)"
        let source: Descriptor
        do {
            let number = try calls.open(
                in: directory.number, Array(name.utf8), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK, path: path)
            source = Descriptor(number, calls: calls, path: path)
        } catch {
            guard error.code == ENOENT else { throw error }
            try? calls.remove(in: target.number, Array(name.utf8), path: path)
            return
        }
        let copyPath = "\(target.path)/\(name)"
        let number = try calls.open(
            in: target.number, Array(name.utf8), flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600,
            path: copyPath)
        let copy = Descriptor(number, calls: calls, path: copyPath)
        let size = Int64(try calls.status(source.number, path: path).st_size)
        _ = try calls.copyByHand(source, to: copy, from: 0, length: size)
    }

    /// Whether a directory is the destination or lies in it.
    private func isBelow(_ destination: Descriptor?, _ candidate: String) throws(DiskError) -> Bool {
        guard let destination else { return false }
        let wanted = try calls.status(destination.number, path: destination.path)
        let flags = SystemCalls.pathOnly | O_DIRECTORY
        let number = try calls.open(
            in: SystemCalls.workingDirectory, Array(candidate.utf8), flags: flags, path: candidate)
        var current = Descriptor(number, calls: calls, path: candidate)
        while true {
            let here = try calls.status(current.number, path: candidate)
            if here.st_dev == wanted.st_dev, here.st_ino == wanted.st_ino { return true }
            let above = try calls.open(in: current.number, Array("..".utf8), flags: flags, path: candidate)
            let parent = Descriptor(above, calls: calls, path: candidate)
            let up = try calls.status(parent.number, path: candidate)
            // Only the root is its own parent.
            if up.st_dev == here.st_dev, up.st_ino == here.st_ino { return false }
            current = parent
        }
    }
}

/// A directory that only this user may enter, removed with the files in it when nobody holds it any more.
private final class TemporaryDirectory {
    let directory: Descriptor
    private let path: [UInt8]

    init(in parent: String, calls: SystemCalls) throws(DiskError) {
        path = try calls.makeTemporaryDirectory(in: parent)
        let text = String(decoding: path, as: UTF8.self)
        let number = try calls.open(
            in: SystemCalls.workingDirectory, path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: text)
        directory = Descriptor(number, calls: calls, path: text)
    }

    deinit {
        let calls = directory.calls
        for name in (try? calls.names(in: directory.number, path: directory.path)) ?? [] {
            try? calls.remove(in: directory.number, name, path: directory.path)
        }
        try? calls.remove(in: SystemCalls.workingDirectory, path, isDirectory: true, path: directory.path)
    }
}
