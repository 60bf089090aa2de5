import SyncCore
import Testing

@testable import DLSync

@Suite struct StateRoundTripTests {
    let directory: TemporaryDirectory
    let destination: Destination

    init() throws {
        directory = try TemporaryDirectory()
        destination = try Destination(path: directory.path("dest"), access: .creating)
    }

    private func open(bootID: String = "boot-1") throws -> StateStore {
        let (store, note) = try StateStore.open(in: destination, bootID: bootID)
        #expect(note == nil)
        return store
    }

    @Test func `A new state is empty`() throws {
        let store = try open()
        #expect(try store.records(for: [RelativePath("a")]) == [nil])
        #expect(try store.partials(for: [RelativePath("a")]) == [nil])
        #expect(try store.allPartials() == [])
        #expect(try store.failures() == [])
        #expect(try store.hostFacts("https://example.org:443") == nil)
        #expect(try store.lastRun() == nil)
    }

    @Test(arguments: 1...8)
    func `Whatever is written comes back, now and after the state was closed`(seed: Int) throws {
        var random = RandomRecords(seed: UInt64(seed))
        var files: [RelativePath: FileRecord] = [:]
        var partials: [RelativePath: PartialRecord] = [:]
        var failures: [RelativePath: FailureRecord] = [:]
        var hosts: [String: HostFacts] = [:]
        let paths = (0..<30).map { _ in random.path() }
        var store = try open()
        var run = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 1))
        var failedInRun: Set<RelativePath> = []
        for step in 0..<40 {
            var changes: [StateChange] = []
            for _ in 0..<Int.random(in: 1...10, using: &random.generator) {
                let path = paths[Int.random(in: 0..<paths.count, using: &random.generator)]
                switch Int.random(in: 0..<7, using: &random.generator) {
                case 0:
                    let record = random.file(path)
                    changes.append(.complete(record))
                    files[path] = record
                    partials[path] = nil
                    failures[path] = nil
                case 1:
                    let record = random.partial(path)
                    changes.append(.partial(record))
                    partials[path] = record
                case 2:
                    changes.append(.forgetPartial(path))
                    partials[path] = nil
                case 3:
                    let date = HTTPDate(secondsSinceEpoch: Int64(step))
                    let message = random.text()
                    changes.append(.failed(path, resource: "r", message: message, at: date))
                    let before = failures[path]
                    let isFirstInRun = before == nil || !failedInRun.contains(path)
                    failures[path] = FailureRecord(
                        path: path, resource: "r", message: message, firstDate: before?.firstDate ?? date,
                        lastDate: date, runs: (before?.runs ?? 0) + (isFirstInRun ? 1 : 0))
                    failedInRun.insert(path)
                case 4:
                    changes.append(.forgetFailure(path))
                    failures[path] = nil
                case 5:
                    changes.append(.forget(path))
                    files[path] = nil
                    partials[path] = nil
                    failures[path] = nil
                default:
                    let facts = random.host()
                    changes.append(.host(facts))
                    hosts[facts.origin] = facts
                }
            }
            try store.apply(changes, durably: step % 5 == 0)
            if step % 7 == 6 {
                try store.endRun(run, exitStatus: 3, at: HTTPDate(secondsSinceEpoch: 2))
                store.close()
                store = try open()
                let next = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 1))
                #expect(next > run)
                run = next
                failedInRun = []
            }
            #expect(try store.records(for: paths) == paths.map { files[$0] })
            #expect(try store.partials(for: paths) == paths.map { partials[$0] })
            #expect(try store.failures() == failures.values.sorted { precedes($0.path, $1.path) })
            #expect(try store.allPartials() == partials.values.sorted { precedes($0.path, $1.path) })
            for (origin, facts) in hosts { #expect(try store.hostFacts(origin) == facts) }
        }
    }

    @Test func `All records are gone through piece by piece, in the order of their bytes`() throws {
        var random = RandomRecords(seed: 11)
        let records = Dictionary((0..<100).map { _ in random.path() }.map { ($0, random.file($0)) }) { $1 }
        let store = try open()
        try store.apply(records.values.map(StateChange.complete))
        var found: [FileRecord] = []
        for _ in 0...100 {
            let next = try store.records(after: found.last?.path, limit: 7)
            if next.isEmpty { break }
            found += next
        }
        #expect(found == records.values.sorted { precedes($0.path, $1.path) })
    }

    @Test func `Numbers of runs never repeat, and a run knows how it ended`() throws {
        var numbers: [Int64] = []
        for _ in 0..<3 {
            let store = try open()
            numbers.append(try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 5)))
            numbers.append(try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 5)))
        }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == 6)
        let store = try open()
        let last = try #require(numbers.last)
        #expect(try store.lastRun() == RunRecord(number: last, started: HTTPDate(secondsSinceEpoch: 5)))
        try store.endRun(last, exitStatus: 3, at: HTTPDate(secondsSinceEpoch: 9))
        #expect(
            try store.lastRun()
                == RunRecord(
                    number: last, started: HTTPDate(secondsSinceEpoch: 5), ended: HTTPDate(secondsSinceEpoch: 9),
                    exitStatus: 3))
    }

    @Test func `Only the last hundred runs are kept`() throws {
        let store = try open()
        var last: Int64 = 0
        for _ in 0..<150 { last = try store.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 5)) }
        #expect(last == 150)
        store.close()
        let database = try openDatabase()
        #expect(try database.number("SELECT count(*) FROM runs") == 100)
    }

    /// A partial with 100 bytes, of which 40 were synced, recorded in one boot and read in another.
    @Test(arguments: [("boot-1", "boot-1", Int64(100)), ("boot-1", "boot-2", 40), ("boot-1", "", 40), ("", "", 40)])
    func `After a crash of the machine only what was synced counts`(
        written: String, readAgain: String, count: Int64
    ) throws {
        var random = RandomRecords(seed: 1)
        let path = try RelativePath("a")
        let record = PartialRecord(
            id: "1-1", path: path, identity: random.identity(), extents: ByteRangeSet([ByteRange(0, 100)]),
            syncedExtents: ByteRangeSet([ByteRange(0, 40)]))
        do {
            let store = try open(bootID: written)
            try store.apply([.partial(record)])
        }
        let store = try open(bootID: readAgain)
        let found = try #require(try store.partials(for: [path])[0])
        #expect(found.extents.count == count)
        #expect(found.syncedExtents.count == 40)
        #expect(try store.allPartials() == [found])
    }

    @Test(arguments: [
        "extents = '0-10,5-20'", "extents = 'x'", "synced_extents = '9'", "id = '../x'", "id = ''", "length = -1",
        "extents = '0-99999999999999999999'", "path = x'2E2E2F61'", "path = x''",
    ])
    func `A damaged row of a partial counts as none`(damage: String) throws {
        var random = RandomRecords(seed: 1)
        let path = try RelativePath("a")
        do {
            let store = try open()
            try store.apply([.partial(random.partial(path))])
        }
        do {
            let database = try openDatabase()
            try database.execute("UPDATE partials SET \(damage)")
        }
        let store = try open()
        #expect(try store.partials(for: [path]) == [nil])
        #expect(try store.allPartials() == [])
    }

    @Test(arguments: ["size = -1", "length = -5", "path = x'2F61'", "path = x'6100'"])
    func `A damaged row of a file counts as none`(damage: String) throws {
        var random = RandomRecords(seed: 1)
        let path = try RelativePath("a")
        do {
            let store = try open()
            try store.apply([.complete(random.file(path))])
        }
        do {
            let database = try openDatabase()
            try database.execute("UPDATE files SET \(damage)")
        }
        let store = try open()
        #expect(try store.records(for: [path]) == [nil])
        #expect(try store.records(after: nil, limit: 10) == [])
    }

    @Test func `A digest of an unknown kind is left out and the record stays`() throws {
        var random = RandomRecords(seed: 1)
        let path = try RelativePath("a")
        var record = random.file(path)
        do {
            let store = try open()
            try store.apply([.complete(record)])
        }
        do {
            let database = try openDatabase()
            try database.execute("UPDATE files SET digest_algorithm = 'sha3', digest = x'00'")
        }
        record.digest = nil
        let store = try open()
        #expect(try store.records(for: [path]) == [record])
    }

    @Test func `A closed state answers with an error`() throws {
        let store = try open()
        store.close()
        store.close()
        #expect(throws: StateError.self) { try store.failures() }
        #expect(throws: StateError.self) { try store.apply([.forget(RelativePath("a"))]) }
        try store.apply([])
    }

    @Test func `Threads may share a state`() async throws {
        let store = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = RandomRecords(seed: UInt64(worker))
                    for number in 0..<30 {
                        let record = random.file(try RelativePath("w\(worker)/\(number)"))
                        try store.apply([.complete(record)])
                        guard try store.records(for: [record.path]) == [record] else {
                            throw StateError(.other, "\(record.path) did not come back")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.records(after: nil, limit: 1000).count == 120)
    }

    private func openDatabase() throws -> Database {
        let path = directory.path("dest/.dlsync/state.db")
        return try Database(name: Array(path.utf8), path: path, directory: nil)
    }
}

private func precedes(_ left: RelativePath, _ right: RelativePath) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
}
