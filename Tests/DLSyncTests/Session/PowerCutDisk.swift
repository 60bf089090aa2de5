import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

/// Keeps a journal of all that is done to a destination, and builds the trees that a disk may show of it after the power
/// was cut at some point.
///
/// What may be lost is what no sync has covered: each write (its bytes, or its length as well), each time that was set,
/// each creation, renaming and removal of a name, one without the other and in any order. A renaming is one step: the file
/// has the old name or the new one. Of the state's commits one is there that is not older than the last durable one.
final class PowerCutDisk: Sendable {
    /// One thing that was done.
    struct Step: Sendable {
        var effect: SystemCalls.Effect
        /// Below the destination; empty for the destination itself.
        var path: String
        /// The bytes that were written.
        var bytes: [UInt8] = []
        /// The file's time and inode right afterwards.
        var modified = timespec()
        var inode: UInt64 = 0
        /// How many steps had been done when this call began: a sync covers those.
        var began = 0
        /// The state's files after a commit.
        var state: (database: [UInt8], log: [UInt8]?)?
    }

    private struct Contents {
        var steps: [Step] = []
        /// How many steps had been done when a thread began its last sync.
        var begun: [UInt: Int] = [:]
    }

    private let root: String
    private let contents = Mutex(Contents())

    init(root: String) { self.root = root }

    var steps: [Step] { contents.withLock { $0.steps } }

    var calls: SystemCalls {
        SystemCalls(
            intercept: { [self] operation, _ in
                if operation == .sync { contents.withLock { $0.begun[pthread_self()] = $0.steps.count } }
                return nil
            },
            observe: { [self] effect, path in note(effect, path) })
    }

    private func note(_ effect: SystemCalls.Effect, _ path: String) {
        guard let relative = relative(path) else { return }
        var step = Step(effect: effect, path: relative)
        if case .renamed(let old) = effect { step.effect = .renamed(from: self.relative(old) ?? old) }
        var status = stat()
        if lstat(path, &status) == 0 {
            step.modified = status.st_mtim
            step.inode = UInt64(status.st_ino)
        }
        switch effect {
        case .wrote(let offset, let count): step.bytes = bytes(of: path, at: offset, count)
        case .committed:
            let database = (try? readFile(path)) ?? []
            step.state = (database, try? readFile(path + "-wal"))
        default: break
        }
        contents.withLock { contents in
            step.began = contents.begun[pthread_self()] ?? 0
            contents.steps.append(step)
        }
    }

    private func relative(_ path: String) -> String? {
        if path == root { return "" }
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : nil
    }

    private func bytes(of path: String, at offset: Int64, _ count: Int64) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, done in
            done = max(0, pread(file, buffer.baseAddress, Int(count), off_t(offset)))
        }
    }
}

// MARK: - What is left

/// A file or a directory, whatever its names.
private final class Node {
    let isDirectory: Bool
    let firstName: String
    /// What was done to its bytes and its time, and whether that lasts.
    var changes: [(step: Int, isLasting: Bool)] = []

    init(isDirectory: Bool, firstName: String) {
        self.isDirectory = isDirectory
        self.firstName = firstName
    }
}

/// A change of names.
private struct Naming {
    var step: Int
    var node: Node
    /// The name that is gone, and the one that is there.
    var old: String?
    var new: String?
    var isLasting = false

    func touches(_ directory: String) -> Bool {
        old.map(parent) == directory || new.map(parent) == directory
    }
}

private func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
}

extension PowerCutDisk {
    /// What a disk may fail to keep though it was synced: to show that a test finds out what a missing sync would do.
    enum Lie: Hashable, CaseIterable, Sendable {
        case data, foreignData, times, names, partialNames
    }

    /// Builds a tree that the disk may show when the power is cut after so many steps.
    func build(_ target: String, after cut: Int, seed: UInt64, lie: Lie? = nil) throws {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(cut))
        let steps = steps.prefix(cut)
        let namings = replay(Array(steps), lie)
        var names: [String: Node] = [:]
        for naming in namings where naming.isLasting || Bool.random(using: &random) {
            if let old = naming.old, names[old] === naming.node { names[old] = nil }
            if let new = naming.new { names[new] = naming.node }
        }
        try makeDirectories(target)
        var inodes: [UInt64: UInt64] = [:]
        // A directory stands before what lies in it.
        for (name, node) in names.sorted(by: { $0.key < $1.key }) {
            let path = "\(target)/\(name)"
            // What lies in a directory that is missing cannot be found.
            guard exists(parent(path)) else { continue }
            if node.isDirectory {
                try makeDirectories(path)
                continue
            }
            let (bytes, last) = content(node, steps, &random)
            try writeFile(path, bytes)
            guard let last else { continue }
            #expect(utimensat(AT_FDCWD, path, [last.modified, last.modified], 0) == 0)
            var status = stat()
            #expect(lstat(path, &status) == 0)
            inodes[last.inode] = UInt64(status.st_ino)
        }
        if names[".dlsync"] != nil { try buildState("\(target)/.dlsync/state.db", steps, inodes, &random) }
    }

    /// Who has which names, and what of it lasts.
    private func replay(_ steps: [Step], _ lie: Lie?) -> [Naming] {
        var names: [String: Node] = ["": Node(isDirectory: true, firstName: "")]
        var nodes: [Node] = []
        var namings: [Naming] = []
        func add(_ path: String, isDirectory: Bool, at index: Int) {
            guard names[path] == nil else { return }
            let node = Node(isDirectory: isDirectory, firstName: path)
            names[path] = node
            nodes.append(node)
            namings.append(Naming(step: index, node: node, new: path))
            if !isDirectory { node.changes.append((index, false)) }
        }
        func keep(_ node: Node, before began: Int, time: Bool) {
            if lie == .data || (lie == .foreignData && !node.firstName.hasPrefix(".dlsync")) { return }
            let time = time && lie != .times
            for index in node.changes.indices where node.changes[index].step < began {
                if time || steps[node.changes[index].step].effect != .timeSet { node.changes[index].isLasting = true }
            }
        }
        for (index, step) in steps.enumerated() {
            switch step.effect {
            case .created: add(step.path, isDirectory: false, at: index)
            case .madeDirectory: add(step.path, isDirectory: true, at: index)
            case .wrote, .allocated, .truncated, .timeSet: names[step.path]?.changes.append((index, false))
            case .renamed(let old):
                guard let node = names.removeValue(forKey: old) else { continue }
                names[step.path] = node
                namings.append(Naming(step: index, node: node, old: old, new: step.path))
            case .removed:
                guard let node = names.removeValue(forKey: step.path) else { continue }
                namings.append(Naming(step: index, node: node, old: step.path))
            case .syncedData:
                if let node = names[step.path] { keep(node, before: step.began, time: false) }
            case .synced:
                guard let node = names[step.path] else { continue }
                keep(node, before: step.began, time: true)
                guard node.isDirectory, lie != (step.path == ".dlsync/partial" ? .partialNames : .names) else {
                    continue
                }
                for number in namings.indices
                where namings[number].step < step.began && namings[number].touches(step.path) {
                    namings[number].isLasting = true
                }
            case .syncedFileSystem:
                for node in nodes { keep(node, before: step.began, time: true) }
                guard lie != .names, lie != .partialNames else { continue }
                for number in namings.indices where namings[number].step < step.began {
                    namings[number].isLasting = true
                }
            case .committed: break
            }
        }
        return namings
    }

    /// What becomes of writes that no sync covered.
    private enum Fate: CaseIterable { case kept, zeros, lost }

    /// The bytes of a file, and the last step that had its effect on it.
    private func content(
        _ node: Node, _ steps: ArraySlice<Step>, _ random: inout SeededGenerator
    ) -> (bytes: [UInt8], last: Step?) {
        var bytes: [UInt8] = []
        var last: Step?
        // All of a file's writes go the same way, or each its own.
        let common = Bool.random(using: &random) ? Fate.allCases.randomElement(using: &random) : nil
        for (index, isLasting) in node.changes {
            let fate = isLasting ? .kept : common ?? Fate.allCases.randomElement(using: &random) ?? .lost
            let step = steps[index]
            if fate == .lost, last != nil { continue }
            last = step
            switch step.effect {
            case .wrote(let offset, let count):
                let (start, end) = (Int(offset), Int(offset + count))
                if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                let written = fate == .zeros ? [UInt8](repeating: 0, count: end - start) : step.bytes
                bytes.replaceSubrange(start..<end, with: written)
            case .allocated(let length):
                if bytes.count < length { bytes += [UInt8](repeating: 0, count: Int(length) - bytes.count) }
            case .truncated(let length):
                if bytes.count > length { bytes.removeLast(bytes.count - Int(length)) }
                if bytes.count < length { bytes += [UInt8](repeating: 0, count: Int(length) - bytes.count) }
            default: break
            }
        }
        return (bytes, last)
    }

    /// Puts one of the commits there, with the inodes that the files have now.
    private func buildState(
        _ path: String, _ steps: ArraySlice<Step>, _ inodes: [UInt64: UInt64], _ random: inout SeededGenerator
    ) throws {
        let commits = steps.indices.filter { steps[$0].state != nil }
        let durable = commits.lastIndex { steps[$0].effect == .committed(durably: true) }
        guard let durable, let chosen = commits[durable...].randomElement(using: &random),
            let (database, log) = steps[chosen].state
        else { return }
        try writeFile(path, database)
        if let log { try writeFile(path + "-wal", log) }
        let opened = try Database(name: Array(path.utf8), path: path, directory: nil)
        try opened.execute("PRAGMA locking_mode=EXCLUSIVE")
        // By way of negative numbers, since a new inode may be another's old one.
        for (old, new) in inodes { try opened.execute("UPDATE files SET inode = -\(new) WHERE inode = \(old)") }
        try opened.execute("UPDATE files SET inode = abs(inode)")
    }
}
