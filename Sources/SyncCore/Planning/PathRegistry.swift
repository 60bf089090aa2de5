/// Which paths are spoken for, while entries stream by: finds entries that want the same place, and files that other
/// entries need as directories.
///
/// It keeps hashes instead of paths and URLs, 16 to 27 bytes a file however long its path is, so that a list of a million
/// lines stays small. Two of a million paths share a hash of 64 bits once in some thirty million runs; both would then be
/// reported as a conflict, and nothing is lost. Of the URLs 32 bits are enough, as they only tell a repetition from a
/// conflict. The hashes are seeded anew in every process, so that no list can be made to collide.
package struct PathRegistry: Sendable {
    /// What comes of claiming a path.
    package enum Claim: Hashable, Sendable {
        /// Nobody had it; it is the caller's now.
        case new
        /// The same URL has it already: the entry is a repetition.
        case duplicate
        /// Another URL has it.
        case taken
        /// An earlier entry needs it as a directory.
        case isDirectory
        /// The path leads through what is an earlier entry's file.
        case leadsThroughFile(RelativePath)
    }

    /// The URL's hash of every claimed path's hash, and ``directory`` for what must be a directory.
    private var owners: [UInt64: UInt32] = [:]

    /// The mark of a directory, which no URL's hash is.
    private static let directory: UInt32 = 0

    private let folds: Bool

    /// A registry in which every path is free.
    ///
    /// - Parameter folds: Whether the file system takes names for the same that differ only in case or in how a
    ///   character is composed.
    package init(folds: Bool = false) { self.folds = folds }

    /// Claims a path for a URL, told apart from others by any identity of it.
    ///
    /// Whoever comes first has the path; a claim that is not ``Claim/new`` changes nothing.
    package mutating func claim(_ path: RelativePath, for identity: some Hashable) -> Claim {
        let (directories, file) = folds ? Self.foldedHashes(path) : Self.hashes(path)
        for (hash, length) in directories {
            if let owner = owners[hash], owner != Self.directory {
                return .leadsThroughFile(Self.ancestor(of: path, length: length))
            }
        }
        let owner = Self.hash(identity)
        switch owners[file] {
        case .none: break
        case .some(Self.directory): return .isDirectory
        case .some(let present): return present == owner ? .duplicate : .taken
        }
        owners[file] = owner
        for (hash, _) in directories { owners[hash] = Self.directory }
        return .new
    }

    /// Whether a path is spoken for as a file. What is to be a directory may be another file still.
    package func isClaimed(_ path: RelativePath) -> Bool {
        guard let owner = owners[folds ? Self.foldedHashes(path).file : Self.hashes(path).file] else { return false }
        return owner != Self.directory
    }

    /// The hashes of a path's directories, with their lengths in bytes, and of the path itself.
    ///
    /// As ``hashes(_:)``, by names as a folding file system compares them: a text's hash is that of its composed form.
    private static func foldedHashes(
        _ path: RelativePath
    ) -> (directories: [(hash: UInt64, length: Int)], file: UInt64) {
        var hasher = Hasher()
        var directories: [(hash: UInt64, length: Int)] = []
        var length = 0
        for component in path.components {
            if length > 0 { directories.append((hasher.value, length)) }
            hasher.combine(String(decoding: component, as: UTF8.self).lowercased())
            length = component.endIndex
        }
        return (directories, hasher.value)
    }

    /// Eight bytes are fed at a time, which is far cheaper than one. A component's last word is filled up with zeros,
    /// which no path holds, and the next one's first word starts with the slash: no two paths feed the same words.
    private static func hashes(_ path: RelativePath) -> (directories: [(hash: UInt64, length: Int)], file: UInt64) {
        var hasher = Hasher()
        var directories: [(hash: UInt64, length: Int)] = []
        var word: UInt64 = 0
        for (index, byte) in path.bytes.enumerated() {
            if byte == UInt8(ascii: "/") {
                if word != 0 { hasher.combine(word) }
                word = 0
                directories.append((hasher.value, index))
            }
            word = word << 8 | UInt64(byte)
            if word >> 56 != 0 {
                hasher.combine(word)
                word = 0
            }
        }
        if word != 0 { hasher.combine(word) }
        return (directories, hasher.value)
    }

    private static func hash(_ identity: some Hashable) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(identity)
        return max(UInt32(truncatingIfNeeded: hasher.value), directory + 1)
    }

    private static func ancestor(of path: RelativePath, length: Int) -> RelativePath {
        var ancestor = path
        while ancestor.bytes.count > length, let parent = ancestor.parent { ancestor = parent }
        return ancestor
    }
}

extension Hasher {
    /// The hash of what was fed so far; more may be fed behind it.
    fileprivate var value: UInt64 {
        let copy = self
        return UInt64(truncatingIfNeeded: copy.finalize())
    }
}
