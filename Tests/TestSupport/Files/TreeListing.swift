import Glibc

/// A path below some directory, as bytes: two names that Swift's strings call equal may be two files.
package struct TreePath: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Its bytes.
    package let bytes: [UInt8]

    /// A path of bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// A path of a literal's UTF-8 bytes.
    package init(stringLiteral value: String) { bytes = Array(value.utf8) }

    /// The path for messages; what is no printable ASCII is escaped.
    package var description: String {
        bytes.reduce(into: "") { result, byte in
            if byte >= 0x20, byte < 0x7F {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "\\x" + String(byte, radix: 16)
            }
        }
    }

    /// The order of the bytes.
    package static func < (left: TreePath, right: TreePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// What stands at a path of a tree.
package enum TreeNode: Hashable, Sendable {
    /// A file of so many bytes.
    case file(size: Int64)
    /// A directory.
    case directory
    /// A symbolic link, which is not followed.
    case link(to: String)
    /// A device, a pipe or a socket.
    case other
}

/// All that is below a directory, by relative path.
/// - Parameter skipping: names directly below the directory that are left out with all below them.
package func treeListing(_ path: String, skipping: Set<String> = []) throws -> [TreePath: TreeNode] {
    var listing: [TreePath: TreeNode] = [:]
    let skipped = Set(skipping.map { Array($0.utf8) })
    func visit(_ directory: [UInt8], _ prefix: [UInt8]) throws {
        for name in try directoryEntries(directory) where !(prefix.isEmpty && skipped.contains(name)) {
            let full = directory + [UInt8(ascii: "/")] + name
            let node = try treeNode(full)
            listing[TreePath(prefix + name)] = node
            if node == .directory { try visit(full, prefix + name + [UInt8(ascii: "/")]) }
        }
    }
    try visit(Array(path.utf8), [])
    return listing
}

/// How two trees differ, a sentence for each path; empty where they hold the same names and bytes.
package func treeDifferences(_ left: String, _ right: String, skipping: Set<String> = []) throws -> [String] {
    let leftNodes = try treeListing(left, skipping: skipping)
    let rightNodes = try treeListing(right, skipping: skipping)
    return try Set(leftNodes.keys).union(rightNodes.keys).sorted().compactMap { path in
        switch (leftNodes[path], rightNodes[path]) {
        case (let node?, nil): return "\(path): \(node) is only in \(left)"
        case (nil, let node?): return "\(path): \(node) is only in \(right)"
        case (let node, let other) where node != other:
            return "\(path): \(String(describing: node)) and \(String(describing: other))"
        case (.file?, _):
            let leftPath = Array(left.utf8) + [UInt8(ascii: "/")] + path.bytes
            let rightPath = Array(right.utf8) + [UInt8(ascii: "/")] + path.bytes
            return try haveEqualBytes(leftPath, rightPath) ? nil : "\(path): the bytes differ"
        default: return nil
        }
    }
}

private func treeNode(_ path: [UInt8]) throws -> TreeNode {
    var status = stat()
    try checked("lstat \(TreePath(path))") { withCPath(path) { lstat($0, &status) } }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(size: Int64(status.st_size))
    case S_IFDIR: return .directory
    case S_IFLNK:
        var target = [CChar](repeating: 0, count: 4096)
        let count = try checked("readlink \(TreePath(path))") {
            withCPath(path) { readlink($0, &target, target.count) }
        }
        return .link(to: String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    default: return .other
    }
}

private func haveEqualBytes(_ left: [UInt8], _ right: [UInt8]) throws -> Bool {
    let files = try [left, right].map { path in
        guard let file = withCPath(path, { fopen($0, "re") }) else { throw SystemError.last("open \(TreePath(path))") }
        return file
    }
    defer { for file in files { fclose(file) } }
    while true {
        let blocks = files.map { file in
            [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                count = fread(buffer.baseAddress, 1, 1 << 18, file)
            }
        }
        if blocks[0].count != blocks[1].count || memcmp(blocks[0], blocks[1], blocks[0].count) != 0 { return false }
        if blocks[0].isEmpty { return files.allSatisfy { ferror($0) == 0 } }
    }
}
