import Glibc
import SyncCore
import Testing

@testable import DLSync

/// A real directory that is removed, with all in it, when nobody holds it any more.
final class TemporaryDirectory: Sendable {
    let path: String

    /// - Parameter isInMemory: Whether it lies in memory, if the machine has a place for that: for tests that begin
    ///   hundreds of runs, whose syncs would wait for the disk each.
    init(isInMemory: Bool = false) throws {
        let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/dlsync-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { removeTree(Array(path.utf8)) }

    /// The path of something in the directory.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in the directory, and the directories above it.
    func write(_ bytes: [UInt8], to name: [UInt8]) throws {
        var position = 0
        while let slash = name[position...].firstIndex(of: UInt8(ascii: "/")) {
            mkdir(cString(Array("\(path)/".utf8) + name[..<slash]), 0o777)
            position = slash + 1
        }
        let file = try #require(fopen(cString(Array("\(path)/".utf8) + name), "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        #expect(fclose(file) == 0)
    }

    func write(_ bytes: [UInt8], to name: String) throws { try write(bytes, to: Array(name.utf8)) }

    /// A file's bytes; nil where it is missing.
    func read(_ name: [UInt8]) -> [UInt8]? {
        guard let file = fopen(cString(Array("\(path)/".utf8) + name), "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    func read(_ name: String) -> [UInt8]? { read(Array(name.utf8)) }

    /// The names in the directory or in one below it, in order.
    func names(in name: String = ".") -> [String] {
        let calls = SystemCalls.live
        guard
            let number = try? calls.open(
                in: SystemCalls.workingDirectory, Array(path(name).utf8), flags: O_RDONLY, path: "")
        else { return [] }
        let directory = Descriptor(number, calls: calls, path: "")
        return ((try? calls.names(in: directory.number, path: "")) ?? [])
            .map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// How many descriptors of this process are open on something in the directory.
    func openDescriptors() -> Int {
        let calls = SystemCalls.live
        let list = "/proc/self/fd"
        guard
            let number = try? calls.open(in: SystemCalls.workingDirectory, Array(list.utf8), flags: O_RDONLY, path: "")
        else { return .max }
        let descriptors = Descriptor(number, calls: calls, path: "")
        let names = (try? calls.names(in: descriptors.number, path: "")) ?? []
        return names.count { name in
            var target = [CChar](repeating: 0, count: 8192)
            let count = readlink(cString(Array("\(list)/".utf8) + name), &target, target.count)
            return count > 0 && target[..<count].map(UInt8.init(bitPattern:)).starts(with: path.utf8)
        }
    }

    func makeLink(_ name: String, to target: String) { #expect(symlink(target, path(name)) == 0) }
    func makeDirectory(_ name: String) { #expect(mkdir(path(name), 0o777) == 0) }
    func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }
}

private func removeTree(_ path: [UInt8]) {
    let calls = SystemCalls.live
    let here = SystemCalls.workingDirectory
    if let status = try? calls.status(in: here, path, path: ""), status.isDirectory,
        let number = try? calls.open(in: here, path, flags: O_RDONLY, path: "")
    {
        let directory = Descriptor(number, calls: calls, path: "")
        for name in (try? calls.names(in: directory.number, path: "")) ?? [] {
            removeTree(path + [UInt8(ascii: "/")] + name)
        }
        try? calls.remove(in: here, path, isDirectory: true, path: "")
    } else {
        try? calls.remove(in: here, path, path: "")
    }
}

/// Writes bytes through the pointer that the disk code takes.
func write(_ bytes: [UInt8], to file: PartialFile, at offset: Int64 = 0) throws {
    try bytes.withUnsafeBytes { buffer in try file.write(buffer, at: offset) }
}

/// Reads up to `count` bytes.
func read(_ file: some ReadableFile, at offset: Int64 = 0, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = try bytes.withUnsafeMutableBytes { buffer in try file.read(at: offset, into: buffer) }
    return Array(bytes[..<done])
}

extension LocalState {
    var isFile: Bool { if case .file = self { true } else { false } }
    var obstacle: String? { if case .blocked(let words) = self { words } else { nil } }
}
