import Glibc

/// A directory that is removed with all that is in it when the object is let go.
///
/// Others may read it, so that a server that gave its rights away can serve from it.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path, without a slash at the end.
    package let path: String

    /// Makes a directory in `TMPDIR`, or in `/tmp`.
    package init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/dlsync-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp in \(parent)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try checked("chmod \(path)") { chmod(path, 0o755) }
    }

    deinit { removeTree(path) }

    /// The path of something in the directory.
    package func appending(_ name: String) -> String { "\(path)/\(name)" }
}

/// Runs `body` with a directory that is removed behind it.
package func withTemporaryDirectory<Result>(
    _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory)
}

/// Runs `body` with a directory that is removed behind it.
package func withTemporaryDirectory<Result>(_ body: (TemporaryDirectory) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try body(directory)
}

/// Removes a file or a directory with all that is in it; follows no symbolic link, and leaves what it cannot remove.
package func removeTree(_ path: String) { removeTree(Array(path.utf8)) }

private func removeTree(_ path: [UInt8]) {
    if withCPath(path, { unlink($0) }) == 0 { return }
    _ = withCPath(path) { chmod($0, 0o700) }
    for name in (try? directoryEntries(path)) ?? [] { removeTree(path + [UInt8(ascii: "/")] + name) }
    _ = withCPath(path) { rmdir($0) }
}

/// The names in a directory without `.` and `..`, sorted by their bytes.
func directoryEntries(_ path: [UInt8]) throws -> [[UInt8]] {
    guard let directory = withCPath(path, { opendir($0) }) else {
        throw SystemError.last("opendir \(String(decoding: path, as: UTF8.self))")
    }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                Array(UnsafeBufferPointer(start: bytes, count: strlen(bytes)))
            }
        }
        if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
}

/// Calls `body` with a path as C wants it.
func withCPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let bytes = path.map { CChar(bitPattern: $0) } + [0]
    return bytes.withUnsafeBufferPointer { buffer in
        // The buffer holds the final zero at least.
        buffer.baseAddress.map(body) ?? body("")
    }
}
