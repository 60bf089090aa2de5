import Glibc
import TestSupport

/// Everything about a tree that writing would change: of each file and directory the inode, the size and both times.
func treeState(_ path: String) throws -> [TreePath: [Int]] {
    var result: [TreePath: [Int]] = [:]
    for name in try [TreePath("")] + treeListing(path).keys {
        var status = stat()
        let full = (Array(path.utf8) + [UInt8(ascii: "/")] + name.bytes).map { CChar(bitPattern: $0) } + [0]
        try checked("lstat \(name)") { lstat(full, &status) }
        result[name] = [
            Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
    return result
}
