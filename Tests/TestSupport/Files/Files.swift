import Glibc
import SyncCore

/// The bytes of a file.
package func readFile(_ path: String) throws -> [UInt8] {
    let file = try openFile(path, O_RDONLY)
    defer { close(file) }
    var result: [UInt8] = []
    while true {
        let bytes = try readBlock(file, 65536, path)
        if bytes.isEmpty { return result }
        result += bytes
    }
}

/// The text of a file.
package func readText(_ path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }

/// Writes a file whole, after making the directories above it.
/// - Parameter modified: its time in seconds since 1970; nil leaves it as it comes.
package func writeFile(_ path: String, _ bytes: [UInt8], modified: Int64? = nil) throws {
    try writeFile(path, count: Int64(bytes.count), modified: modified) { Array(bytes[Int($0.start)..<Int($0.end)]) }
}

/// Writes a file whole, after making the directories above it.
package func writeFile(_ path: String, _ text: String, modified: Int64? = nil) throws {
    try writeFile(path, Array(text.utf8), modified: modified)
}

/// Writes a file of a pattern, after making the directories above it.
package func writePatternFile(_ path: String, seed: UInt64, count: Int64, modified: Int64? = nil) throws {
    let pattern = BytePattern(seed: seed)
    try writeFile(path, count: count, modified: modified) { pattern.bytes(in: $0) }
}

/// Whether a file holds exactly the first `count` bytes of a pattern.
package func fileMatchesPattern(_ path: String, seed: UInt64, count: Int64) throws -> Bool {
    try firstDifference(path, seed: seed, count: count) == nil
}

/// The first offset at which a file differs from the first `count` bytes of a pattern, its end included; nil where it
/// differs nowhere.
package func firstDifference(_ path: String, seed: UInt64, count: Int64) throws -> Int64? {
    let file = try openFile(path, O_RDONLY)
    defer { close(file) }
    let pattern = BytePattern(seed: seed)
    var offset: Int64 = 0
    while true {
        let bytes = try readBlock(file, 1 << 18, path)
        if bytes.isEmpty { return offset == count ? nil : offset }
        let known = min(Int64(bytes.count), count - offset)
        let expected = pattern.bytes(in: ByteRange(offset, offset + known))
        // Byte by byte in an unoptimised build, a big file would take half a minute.
        if bytes.count != expected.count || memcmp(bytes, expected, bytes.count) != 0 {
            return offset + Int64(zip(bytes, expected).firstIndex { $0 != $1 } ?? expected.count)
        }
        offset += known
    }
}

/// Sets a file's time.
package func setModified(_ path: String, _ secondsSinceEpoch: Int64) throws {
    let time = timespec(tv_sec: Int(secondsSinceEpoch), tv_nsec: 0)
    try checked("utimensat \(path)") { utimensat(AT_FDCWD, path, [time, time], 0) }
}

/// A file's time in seconds since 1970.
package func modified(_ path: String) throws -> Int64 {
    var status = stat()
    try checked("stat \(path)") { stat(path, &status) }
    return Int64(status.st_mtim.tv_sec)
}

/// Whether there is anything at a path, a broken symbolic link included.
package func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
}

/// Makes a directory and those above it.
package func makeDirectories(_ path: String) throws {
    if path.isEmpty || exists(path) { return }
    if let slash = path.lastIndex(of: "/") { try makeDirectories(String(path[..<slash])) }
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw SystemError.last("mkdir \(path)") }
}

private func writeFile(
    _ path: String, count: Int64, modified: Int64?, _ bytes: (ByteRange) -> [UInt8]
) throws {
    if let slash = path.lastIndex(of: "/") { try makeDirectories(String(path[..<slash])) }
    let file = try openFile(path, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    var offset: Int64 = 0
    while offset < count {
        let block = bytes(ByteRange(offset, min(count, offset + (1 << 18))))
        var done = 0
        while done < block.count {
            done += try block.withUnsafeBytes { buffer in
                try checked("write \(path)") { write(file, buffer.baseAddress.map { $0 + done }, buffer.count - done) }
            }
        }
        offset += Int64(block.count)
    }
    if let modified {
        let time = timespec(tv_sec: Int(modified), tv_nsec: 0)
        try checked("futimens \(path)") { futimens(file, [time, time]) }
    }
}

private func openFile(_ path: String, _ flags: Int32) throws -> Int32 {
    try checked("open \(path)") { open(path, flags | O_CLOEXEC, 0o666) }
}

private func readBlock(_ file: Int32, _ size: Int, _ path: String) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try checked("read \(path)") { read(file, buffer.baseAddress, size) }
    }
}

extension Zip2Sequence {
    fileprivate func firstIndex(where condition: (Element) -> Bool) -> Int? {
        var index = 0
        for pair in self {
            if condition(pair) { return index }
            index += 1
        }
        return nil
    }
}
