internal import CSQLite
internal import Glibc

/// SQLite's file layer as it is, but for one thing: a path is opened as it was given.
///
/// The usual layer resolves every symbolic link first and refuses results of more than 512 bytes. The state is opened
/// through `/proc/self/fd`, below the directory that is open already: so a destination may have a long path, may be
/// moved during the run, and no link that is slipped into its path leads elsewhere. A link at the file's own name is
/// still refused (`O_NOFOLLOW`).
enum UnresolvedPaths {
    /// The layer's name for `sqlite3_open_v2`.
    static let name = "dlsync"

    /// Makes the layer known to SQLite, once a process; false where SQLite did not take it.
    static let isRegistered: Bool = {
        guard let usual = sqlite3_vfs_find(nil), let name = strdup(name) else { return false }
        // SQLite keeps the pointers until the process ends, so neither is ever freed.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: usual.pointee)
        layer.pointee.zName = UnsafePointer(name)
        layer.pointee.pNext = nil
        layer.pointee.xFullPathname = { _, path, capacity, result in
            guard let path, let result, strlen(path) < Int(capacity) else { return SQLITE_CANTOPEN }
            strcpy(result, path)
            return SQLITE_OK
        }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }()
}
