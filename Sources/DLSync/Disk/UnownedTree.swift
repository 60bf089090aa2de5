internal import Glibc
internal import SyncCore

/// Goes through the regular files below the destination, to find those that no source owns.
///
/// Links are not followed, other file systems not entered, and neither dlsync's own directory nor that of the backups is
/// looked into. What is held in memory is the names of one directory and of those that still have to be visited.
struct UnownedTree: Sendable {
    let destination: Destination
    let backup: Backup?
    /// The directories below which something may be named that was not read.
    let shielded: Set<[UInt8]>
    /// Whether files lie below the destination as in their listings: only then does a listing cover a directory.
    let isTree: Bool

    /// A walk from the start.
    func walk() -> Walk { Walk(tree: self) }

    /// A walk that can be gone on with.
    struct Walk: Sendable {
        private let tree: UnownedTree
        /// The directories to visit, the next one last; nil is the destination itself.
        private var directories: [RelativePath?] = [nil]
        private var files: [RelativePath] = []
        private var isCovered = false

        init(tree: UnownedTree) { self.tree = tree }

        /// The next files, up to a number; none at the end. Whether a directory is covered, holds for all of its files.
        mutating func next(_ count: Int) -> [(path: RelativePath, isCovered: Bool)] {
            while files.isEmpty, let directory = directories.popLast() { visit(directory) }
            let taken = files.suffix(count)
            files.removeLast(taken.count)
            return taken.map { ($0, isCovered) }
        }

        private mutating func visit(_ directory: RelativePath?) {
            isCovered = tree.covers(directory)
            for (path, isDirectory) in tree.children(of: directory) {
                if isDirectory { directories.append(path) } else { files.append(path) }
            }
        }
    }

    /// Whether everything that is to be in a directory was read in this run.
    private func covers(_ directory: RelativePath?) -> Bool {
        guard !shielded.isEmpty else { return true }
        guard isTree else { return false }
        return !Ownership.lines(of: directory?.bytes ?? []).contains { shielded.contains(Array($0)) }
    }

    /// The regular files and the directories in a directory. What cannot be looked at is left out, and so stays.
    private func children(of directory: RelativePath?) -> [(path: RelativePath, isDirectory: Bool)] {
        guard let root = destination.identity else { return [] }
        return
            (try? destination.withListing(of: directory) { number, name, names in
                names.compactMap { child in
                    guard let path = directory.child(child),
                        let status = try? destination.calls.status(in: number, child, path: name)
                    else { return nil }
                    guard status.isDirectory else { return status.isRegular ? (path, false) : nil }
                    let identity = FileIdentity(status)
                    guard identity.device == root.device, identity != backup?.identity,
                        directory != nil || !child.elementsEqual(Destination.stateDirectoryName.utf8)
                    else { return nil }
                    return (path, true)
                }
            }) ?? []
    }
}

extension RelativePath? {
    fileprivate func child(_ name: [UInt8]) -> RelativePath? {
        try? RelativePath(bytes: (map { $0.bytes + [UInt8(ascii: "/")] } ?? []) + name)
    }
}

extension Destination {
    /// Calls `body` with an open directory, its path for messages, and the names in it.
    fileprivate func withListing<Result>(
        of path: RelativePath?, _ body: (Int32, String, [[UInt8]]) -> Result
    ) throws(DiskError) -> Result? {
        guard let root else { return nil }
        guard let path else { return body(root.number, root.path, try calls.names(in: root.number, path: root.path)) }
        return try withDirectory(of: path) { (parent) throws(DiskError) in
            let number = try calls.open(
                in: parent.number, path.name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, path: name(path))
            let directory = Descriptor(number, calls: calls, path: name(path))
            return body(number, directory.path, try calls.names(in: number, path: directory.path))
        }
    }
}
