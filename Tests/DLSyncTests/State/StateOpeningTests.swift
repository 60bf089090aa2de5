import Glibc
import SyncCore
import Testing

@testable import DLSync

@Suite struct StateOpeningTests {
    let directory: TemporaryDirectory
    let destination: Destination
    let records: [FileRecord]

    init() throws {
        directory = try TemporaryDirectory()
        destination = try Destination(path: directory.path("dest"), access: .creating)
        var random = RandomRecords(seed: 5)
        records = try (0..<2000).map { random.file(try RelativePath("d/\($0)")) }
    }

    private var database: String { "dest/.dlsync/state.db" }

    private func open() throws -> (store: StateStore, note: OpenNote?) {
        try StateStore.open(in: destination, bootID: "boot")
    }

    /// Leaves a state with many records, of a run that ended or did not.
    private func fill(ending: Bool) throws {
        let store = try open().store
        let run = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 1))
        try store.apply(records.map(StateChange.complete))
        if ending { try store.endRun(run, exitStatus: 0, at: HTTPDate(secondsSinceEpoch: 2)) }
        store.close()
        #expect(directory.names(in: "dest/.dlsync") == ["partial", "state.db"])
    }

    enum Damage: CaseIterable {
        case noDatabase, zeroed, cutInHeader, cutInHalf, foreign, olderThanAll, badPage, noTables

        var needsCheck: Bool { self == .badPage }
    }

    private func inflict(_ damage: Damage) throws {
        var bytes = try #require(directory.read(database))
        switch damage {
        case .noDatabase: bytes = Array("This is no database, and never was one.\n".utf8)
        case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
        case .cutInHeader: bytes = Array(bytes[..<50])
        case .cutInHalf: bytes = Array(bytes[..<(bytes.count / 2)])
        case .foreign: bytes[68] ^= 0x55
        case .olderThanAll: bytes.replaceSubrange(60..<64, with: [0, 0, 0, 0])
        case .badPage:
            // Pages in the middle, which no look at the tables' first rows meets.
            let middle = bytes.count * 3 / 4 / 4096 * 4096
            bytes.replaceSubrange(middle..<(middle + 8192), with: [UInt8](repeating: 0xA5, count: 8192))
        case .noTables:
            let path = directory.path(database)
            let database = try Database(name: Array(path.utf8), path: path, directory: nil)
            try database.execute("DROP TABLE files")
            return
        }
        try directory.write(bytes, to: database)
    }

    @Test(arguments: Damage.allCases)
    func `A damaged state is set aside, said once, and begun anew`(damage: Damage) throws {
        try fill(ending: !damage.needsCheck)
        try inflict(damage)
        let damaged = try #require(directory.read(database))
        do {
            let (store, note) = try open()
            #expect(note?.message.contains("state.db.damaged-1") == true)
            #expect(try store.records(for: [records[0].path]) == [nil])
            try store.apply([.complete(records[0])])
        }
        #expect(directory.read(database + ".damaged-1") == damaged)
        do {
            let (store, note) = try open()
            #expect(note == nil)
            #expect(try store.records(for: [records[0].path]) == [records[0]])
        }
        try directory.write([1, 2, 3], to: database)
        #expect(try open().note?.message.contains("state.db.damaged-2") == true)
    }

    @Test(arguments: Damage.allCases)
    func `A dry run goes without a damaged state and leaves it where it is`(damage: Damage) throws {
        try fill(ending: !damage.needsCheck)
        try inflict(damage)
        let before = try #require(directory.read(database))
        let reading = try Destination(path: directory.path("dest"), access: .readOnly)
        let (store, note) = try StateStore.openCopy(of: reading, bootID: "boot")
        #expect(note != nil)
        #expect(try store.records(for: [records[0].path]) == [nil])
        #expect(directory.read(database) == before)
        #expect(directory.names(in: "dest/.dlsync") == ["partial", "state.db"])
    }

    @Test func `Damage that is met during a run leaves the run unended, so that the next one checks`() throws {
        try fill(ending: true)
        try inflict(.badPage)
        do {
            let (store, note) = try open()
            #expect(note == nil)
            let run = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 3))
            let error = #expect(throws: StateError.self) { try store.records(for: records.map(\.path)) }
            #expect(error?.kind == .damaged)
            #expect(error?.failure.code == .state)
            try store.endRun(run, exitStatus: 1, at: HTTPDate(secondsSinceEpoch: 4))
        }
        #expect(try open().note != nil)
    }

    @Test func `An empty file is a state that was never begun`() throws {
        try directory.write([], to: database)
        let (store, note) = try open()
        #expect(note == nil)
        #expect(try store.failures() == [])
    }

    @Test func `A newer state is refused and stays as it is`() throws {
        try fill(ending: true)
        var bytes = try #require(directory.read(database))
        bytes[63] += 1
        try directory.write(bytes, to: database)
        let error = #expect(throws: StateError.self) { try open() }
        #expect(error?.kind == .newer)
        #expect(error?.message.contains("version \(StateSchema.version + 1)") == true)
        #expect(error?.failure.code == .state)
        let reading = try Destination(path: directory.path("dest"), access: .readOnly)
        let second = #expect(throws: StateError.self) { try StateStore.openCopy(of: reading, bootID: "boot") }
        #expect(second?.kind == .newer)
        #expect(directory.read(database) == bytes)
        #expect(directory.names(in: "dest/.dlsync") == ["partial", "state.db"])
    }

    /// Makes the state one of version 1, as the first dlsync left it.
    private func age() throws {
        let path = directory.path(database)
        let database = try Database(name: Array(path.utf8), path: path, directory: nil)
        try database.execute("DROP TABLE blocks; PRAGMA user_version=1")
    }

    @Test(arguments: [false, true])
    func `A state of an earlier version keeps its records and gets the tables that are new`(isDryRun: Bool) throws {
        try fill(ending: true)
        try age()
        if isDryRun {
            let before = directory.read(database)
            let reading = try Destination(path: directory.path("dest"), access: .readOnly)
            let (store, note) = try StateStore.openCopy(of: reading, bootID: "boot")
            #expect(note == nil)
            #expect(try store.records(for: [records[0].path]) == [records[0]])
            #expect(try store.blocks(of: records[0].path) == nil)
            #expect(directory.read(database) == before)
            return
        }
        for _ in 0..<2 {
            let (store, note) = try open()
            #expect(note == nil)
            #expect(try store.records(for: records.map(\.path)) == records)
            #expect(try store.blocks(of: records[0].path) == nil)
            store.close()
        }
    }

    @Test func `A state of an earlier version that has a later one's table is damaged`() throws {
        try fill(ending: true)
        try age()
        do {
            let path = directory.path(database)
            let database = try Database(name: Array(path.utf8), path: path, directory: nil)
            try database.execute("CREATE TABLE blocks (a)")
        }
        #expect(try open().note != nil)
    }

    @Test func `Digests of blocks last as long as the file that they are of`() throws {
        let store = try open().store
        var record = records[0]
        let blocks = PieceDigests(.sha256, length: 1 << 20, bytes: [UInt8](repeating: 7, count: 96))
        record.blocks = blocks
        try store.apply([.complete(record)])
        #expect(try store.blocks(of: record.path) == blocks)
        #expect(try store.records(for: [record.path]) == [records[0]])
        // The same file, noted anew.
        try store.apply([.complete(records[0])])
        #expect(try store.blocks(of: record.path) == blocks)
        var other = records[0]
        other.file = LocalFile(
            size: other.file.size, modifiedNanoseconds: other.file.modifiedNanoseconds, inode: other.file.inode ^ 1)
        try store.apply([.complete(other)])
        #expect(try store.blocks(of: record.path) == nil)
        try store.apply([.complete(record), .forget(record.path)])
        #expect(try store.blocks(of: record.path) == nil)
    }

    @Test func `A symbolic link or a directory in the state's place is an error`() throws {
        try directory.write([], to: "elsewhere")
        directory.makeLink(database, to: directory.path("elsewhere"))
        #expect(throws: StateError.self) { try open() }
        #expect(directory.read("elsewhere") == [])
        #expect(unlink(directory.path(database)) == 0)
        directory.makeDirectory(database)
        #expect(throws: StateError.self) { try open() }
    }

    @Test func `Two runs cannot have the state open`() throws {
        let first = try open().store
        let error = #expect(throws: StateError.self) { try open() }
        #expect(error?.kind == .busy)
        try first.apply([.complete(records[0])])
    }

    @Test func `What a killed run left in the log counts`() throws {
        let store = try open().store
        let run = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 1))
        try store.apply(records.prefix(20).map(StateChange.complete))
        // The files as they stand now are what a killed process leaves.
        for name in ["state.db", "state.db-wal"] {
            try directory.write(#require(directory.read("dest/.dlsync/\(name)")), to: "killed/.dlsync/\(name)")
        }
        #expect(directory.read("killed/.dlsync/state.db-wal")?.isEmpty == false)
        let before = tree("killed/.dlsync")
        do {
            let reading = try Destination(path: directory.path("killed"), access: .readOnly)
            let (copy, note) = try StateStore.openCopy(of: reading, bootID: "boot")
            #expect(note == nil)
            #expect(try copy.records(for: records.prefix(20).map(\.path)) == Array(records.prefix(20)))
            #expect(try copy.lastRun()?.number == run)
            #expect(tree("killed/.dlsync") == before)
        }
        #expect(tree("killed/.dlsync") == before)
        let killed = try Destination(path: directory.path("killed"), access: .existing)
        let (next, note) = try StateStore.open(in: killed, bootID: "boot")
        #expect(note == nil)
        #expect(try next.records(for: records.prefix(20).map(\.path)) == Array(records.prefix(20)))
        #expect(try next.lastRun()?.ended == nil)
        #expect(try next.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 2)) > run)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 500, 4128, 5000])
    func `A log that was cut anywhere loses its end, never the state`(length: Int) throws {
        let store = try open().store
        for record in records.prefix(10) { try store.apply([.complete(record)]) }
        try directory.write(#require(directory.read(database)), to: "killed/.dlsync/state.db")
        let log = try #require(directory.read(database + "-wal"))
        try directory.write(Array(log.prefix(length)), to: "killed/.dlsync/state.db-wal")
        let killed = try Destination(path: directory.path("killed"), access: .existing)
        let (next, note) = try StateStore.open(in: killed, bootID: "boot")
        #expect(note == nil)
        let found = try next.records(for: records.prefix(10).map(\.path)).prefix { $0 != nil }
        #expect(Array(found) == Array(records.prefix(found.count)))
        try next.apply([.complete(records[0])])
    }

    @Test func `A dry run reads a copy that leaves nothing behind`() throws {
        try fill(ending: true)
        directory.makeDirectory("tmp")
        let before = tree("dest/.dlsync")
        let reading = try Destination(path: directory.path("dest"), access: .readOnly)
        let (store, note) = try StateStore.openCopy(
            of: reading, bootID: "boot", temporaryDirectories: [directory.path("none"), directory.path("tmp")])
        #expect(note == nil)
        #expect(directory.names(in: "tmp").isEmpty)
        #expect(try store.records(for: records.map(\.path)) == records)
        #expect(tree("dest/.dlsync") == before)
    }

    @Test func `No copy is made below the destination`() throws {
        try fill(ending: true)
        directory.makeDirectory("dest/tmp")
        let reading = try Destination(path: directory.path("dest"), access: .readOnly)
        let below = [directory.path("dest"), directory.path("dest/tmp")]
        #expect(throws: StateError.self) {
            try StateStore.openCopy(of: reading, bootID: "boot", temporaryDirectories: below)
        }
        #expect(directory.names(in: "dest/tmp").isEmpty)
        let (store, _) = try StateStore.openCopy(of: reading, bootID: "boot", temporaryDirectories: below + ["/tmp"])
        #expect(try store.records(for: [records[3].path]) == [records[3]])
    }

    @Test func `Without a state, a dry run has an empty one and creates nothing`() throws {
        for name in ["none", "empty"] {
            if name == "empty" { directory.makeDirectory(name) }
            let reading = try Destination(path: directory.path(name), access: .readOnly)
            let (store, note) = try StateStore.openCopy(of: reading, bootID: "boot")
            #expect(note == nil)
            #expect(try store.failures() == [])
            #expect(throws: StateError.self) { try StateStore.open(in: reading, bootID: "boot") }
        }
        #expect(!directory.exists("none"))
        #expect(directory.names(in: "empty").isEmpty)
    }

    @Test func `A destination may have a path that is longer than SQLite's own limit, or be moved`() throws {
        let long = Array(repeating: String(repeating: "l", count: 200), count: 5).joined(separator: "/")
        let destination = try Destination(path: directory.path(long), access: .creating)
        let (store, _) = try StateStore.open(in: destination, bootID: "boot")
        try store.apply([.complete(records[0])])
        let top = String(repeating: "l", count: 200)
        #expect(rename(directory.path(top), directory.path("moved")) == 0)
        try store.apply(records.map(StateChange.complete), durably: true)
        store.close()
        #expect(!directory.exists(top))
        let moved = try Destination(
            path: directory.path("moved" + long.dropFirst(200)), access: .existing)
        let (next, note) = try StateStore.open(in: moved, bootID: "boot")
        #expect(note == nil)
        #expect(try next.records(for: [records[0].path, records[1999].path]) == [records[0], records[1999]])
    }

    /// The names and bytes of all plain files in a directory.
    private func tree(_ name: String) -> [String: [UInt8]] {
        var tree: [String: [UInt8]] = [:]
        for file in directory.names(in: name) { tree[file] = directory.read("\(name)/\(file)") ?? [] }
        return tree
    }
}
