import Glibc
import TestSupport
import Testing

/// A tree behind index pages whose files change while runs that mirror it are killed.
@Suite(.timeLimit(.minutes(5)), .tags(.large)) struct TreeKillTests {
    /// When a run is killed.
    private enum Moment: CaseIterable {
        /// So many files have been asked for, while the server sends as fast as it can.
        case asked
        /// So many pieces of files are on their way.
        case pieces
        /// Since then files have come into their places: others of the same batch are about to.
        case placed
        /// Since then the state has been written.
        case recorded
    }

    private static let kills = 56

    @Test("A tree of files that are new and replaced survives kills at any moment: each file is old, new or absent")
    func survivesKills() async throws {
        let seed: UInt64 = 23
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        let gate = server.gate("flow")
        let filesOnly = RequestFilter { $0.method == "GET" && !$0.path.hasSuffix("/") }

        // An earlier run fetches the older half of the tree; then that half changes, and the other comes to it.
        var tree = ChangingTree(using: &generator)
        tree.serve(on: server)
        gate.open()
        try await Command.runSilently(server.url("/"), destination)
        #expect(try tree.check(destination) == [])
        #expect(tree.newest == tree.files.count / 2)
        tree.change(using: &generator)
        tree.addRest()
        tree.serve(on: server)
        #expect(try tree.check(destination) == [])
        #expect(tree.newest == 0)

        var wanted = tree.missingBytes
        let sentBefore = server.requests.reduce(0) { $0 + (filesOnly.matches($1) ? $1.bodyBytesSent : 0) }
        var kills: [Moment: Int] = [:]
        for round in 0..<2 * Self.kills where kills.values.reduce(0, +) < Self.kills {
            if tree.newest == tree.files.count {
                // All is there before all kills are done: the tree changes again.
                tree.change(using: &generator)
                tree.serve(on: server)
                wanted += tree.missingBytes
            }
            let moment = Moment.allCases[round % Moment.allCases.count]
            let count = Int.random(in: 0...30, using: &generator)
            let passes = GateCount(server, "flow")
            let asked = server.requests.count(where: filesOnly.matches)
            if moment == .asked { gate.open() } else { gate.allow(count) }
            let process = try Command.start([server.url("/"), destination])
            switch moment {
            case .asked:
                // Without so many left to ask for the run ends, which the server cannot tell.
                try await waitUntil("requests for files") {
                    !process.isRunning || server.requests.count(where: filesOnly.matches) >= asked + count
                }
            case .pieces:
                try await waitUntil("pieces of files") { !process.isRunning || passes.passed >= count }
            case .placed, .recorded:
                try await waitUntil("pieces of files") { !process.isRunning || passes.passed >= count }
                let names = moment == .placed ? tree.files.map(\.name) : [".dlsync/state.db", ".dlsync/state.db-wal"]
                let look = { @Sendable in names.map { stamp("\(destination)/\($0)") } }
                let before = look()
                // A file may need more pieces than were allowed, so they come one by one until something happens.
                try await waitUntil("what a run writes") {
                    if !process.isRunning || look() != before { return true }
                    if gate.waiting > 0 { gate.allow() }
                    return false
                }
            }
            process.send(SIGKILL)
            let result = try await process.wait()
            gate.close()
            try await server.waitUntilIdle()
            if result.termination == .signalled(SIGKILL) {
                kills[moment, default: 0] += 1
            } else {
                #expect(result.wasSilent, "seed \(seed), round \(round), \(moment): \(result)")
            }
            #expect(try tree.check(destination) == [], "seed \(seed), round \(round), \(moment)")
        }
        #expect(kills.values.reduce(0, +) == Self.kills, "\(kills)")
        #expect(kills.count == Moment.allCases.count, "\(kills)")

        gate.open()
        try await Command.runSilently(server.url("/"), destination)
        #expect(try tree.check(destination) == [])
        #expect(tree.newest == tree.files.count)
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)

        // What is lost with a kill is what came since the last batch of records: here some dozens of files or pieces.
        let sent = server.requests.reduce(-sentBefore) { $0 + (filesOnly.matches($1) ? $1.bodyBytesSent : 0) }
        let twice = sent - wanted
        #expect(twice >= 0)
        #expect(twice <= Int64(Self.kills) * (4 << 20), "\(twice) bytes came twice, \(wanted) were wanted: \(kills)")

        // And now everything is known to be here.
        let before = server.requests.count
        try await Command.runSilently(server.url("/"), destination)
        #expect(!server.requests[before...].contains(where: filesOnly.matches))
    }
}

/// What a rename or a write changes of a file: its inode, its size and its times; empty where there is none.
private func stamp(_ path: String) -> [Int] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    return [
        Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
        status.st_ctim.tv_nsec,
    ]
}

/// Files of mixed sizes in some directories, with the version that may still be at the destination.
private struct ChangingTree {
    struct Version: Hashable {
        var seed: UInt64
        var size: Int64
        var modified: Int64
    }

    struct File {
        var name: String
        /// What the server has.
        var new: Version
        /// What may be there from before.
        var old: Version?
        /// Which of them was found there last, and the file's inode, size and times then.
        var found: Version?
        var stamp: [Int] = []
    }

    static let count = 300
    static let directories = ["", "a/", "a/deep/", "b/"]
    private(set) var files: [File] = []
    private var listed = count / 2

    init(using generator: inout SeededGenerator) {
        for number in 0..<Self.count {
            let size: Int64 =
                switch number % 50 {
                case 0: 0
                case 1: 2 << 20
                default: Int64.random(in: 0...(1 << Int64.random(in: 0...20, using: &generator)), using: &generator)
                }
            let place = Self.directories[number % Self.directories.count]
            files.append(
                File(
                    name: "\(place)file-\(number)",
                    new: Version(seed: generator.next(), size: size, modified: Resource.ordinaryDate)))
        }
    }

    /// The bytes of all files of which the newest version is not there.
    var missingBytes: Int64 { listedFiles.reduce(0) { $0 + ($1.found == $1.new ? 0 : $1.new.size) } }
    /// How many files are there in their newest version.
    var newest: Int { listedFiles.count { $0.found == $0.new } }
    private var listedFiles: ArraySlice<File> { files[..<listed] }

    /// Half of the files get another version: all others of a later date, and every second one of another size too.
    mutating func change(using generator: inout SeededGenerator) {
        for index in files.indices.prefix(Self.count / 2) {
            let old = files[index].new
            files[index].old = old
            files[index].new.seed = generator.next()
            files[index].new.modified += 86_400
            if index % 2 == 0 { files[index].new.size = old.size / 2 + 1 }
        }
    }

    /// Lists the other half as well.
    mutating func addRest() { listed = files.count }

    /// Puts the files and their index pages on a server.
    func serve(on server: FaultServer) {
        for directory in Self.directories {
            var rows: [IndexRow] = []
            for other in Self.directories where other != directory && other.hasPrefix(directory) {
                let rest = other.dropFirst(directory.count)
                if rest.count(where: { $0 == "/" }) == 1 { rows.append(IndexRow(String(rest))) }
            }
            for file in listedFiles where file.directory == directory {
                rows.append(
                    IndexRow(
                        String(file.name.dropFirst(directory.count)), size: file.new.size,
                        modified: file.new.modified))
            }
            server.serve("/\(directory)", .html(nginxIndexPage(of: "/\(directory)", rows)))
        }
        for file in listedFiles {
            server.serve(
                "/\(file.name)",
                Resource(.pattern(seed: file.new.seed, count: file.new.size), lastModified: file.new.modified),
                script: [.always(on: .get, .hold("flow"), .drip(bytes: 64 << 10, gate: "flow"))])
        }
    }

    /// Compares every file with its versions, and notes which is there. Gives a sentence for each that is wrong.
    mutating func check(_ destination: String) throws -> [String] {
        var problems: [String] = []
        var here = try treeListing(destination, skipping: [".dlsync"])
        for index in files.indices {
            let file = files[index]
            let path = TreePath(Array(file.name.utf8))
            guard let node = here.removeValue(forKey: path) else {
                if file.found != nil { problems.append("\(file.name) is gone") }
                continue
            }
            // What has the same inode and times as before has the same bytes.
            let now = stamp("\(destination)/\(file.name)")
            if file.found != nil, now == file.stamp { continue }
            let versions = [file.new] + (file.found == file.new ? [] : [file.old].compactMap(\.self))
            let match = try versions.first { version in
                try node == .file(size: version.size)
                    && fileMatchesPattern("\(destination)/\(file.name)", seed: version.seed, count: version.size)
                    && modified("\(destination)/\(file.name)") == version.modified
            }
            if match == nil { problems.append("\(file.name) is \(node), and neither of \(versions)") }
            files[index].found = match
            files[index].stamp = now
        }
        for (path, node) in here where node != .directory { problems.append("\(path) is there, and nobody's") }
        return problems
    }
}

extension ChangingTree.File {
    /// The directory with its slash at the end; empty for the root.
    fileprivate var directory: String {
        String(name[..<(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)])
    }
}
