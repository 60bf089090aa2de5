import Glibc
import TestSupport

/// Fills a small file system with a file of the name `filler`, up to so many bytes that stay free.
func fillDisk(_ directory: String, leaving room: Int) throws {
    let filler = try checked("open") { open("\(directory)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    defer { close(filler) }
    let block = [UInt8](repeating: 1, count: 4096)
    var length = 0
    // The bound is more than what any of these file systems holds.
    for _ in 0..<8192 {
        guard write(filler, block, block.count) == block.count else { break }
        length += block.count
    }
    try checked("ftruncate") { ftruncate(filler, off_t(max(0, length - room))) }
}
