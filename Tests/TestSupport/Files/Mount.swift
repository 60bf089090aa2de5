import Glibc

/// A small file system of memory, which is taken away when the object is let go.
package final class Mount: Sendable {
    /// Whether the tests may mount at all: as root, and where no sandbox forbids it.
    package static let isAllowed: Bool = {
        guard geteuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        return (try? Mount(memory: "1m", at: directory.appending("mount"))) != nil
    }()

    private let path: String

    /// Mounts so much memory, as in `2m`, at a directory that is made for it.
    package init(memory: String, at path: String) throws {
        self.path = path
        try makeDirectories(path)
        try checked("mount \(path)") { mount("none", path, "tmpfs", 0, "size=\(memory)") }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Gives it another size; what is in it stays.
    package func resize(memory: String) throws {
        try checked("remount \(path)") { mount("none", path, "tmpfs", UInt(MS_REMOUNT), "size=\(memory)") }
    }

    /// Lets nobody write to it any more.
    package func makeReadOnly() throws {
        try checked("remount \(path)") {
            mount("none", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
        }
    }
}
