import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// What a model remembers of one row of the table of owners.
private struct Row: Hashable {
    var path: String
    var source: Int
    var directory: String
}

@Suite(.timeLimit(.minutes(10))) struct OwnershipTests {
    private static let directories = ["", "a", "a/b", "c"]

    private static func isShielded(_ directory: String, by shielded: Set<String>) -> Bool {
        shielded.contains { $0.isEmpty || directory == $0 || directory.hasPrefix($0 + "/") }
    }

    @Test("Over many runs, only files are gone that every source has seen missing", arguments: 0..<4 as Range<UInt64>)
    func walk(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let destination = try Destination(path: directory.path("dest"), access: .creating)
        let (state, _) = try StateStore.open(in: destination, bootID: "boot")
        defer { state.close() }
        var generator = SeededGenerator(seed: seed &+ 1)
        let sources = (0..<3).map { Source.file("/nonexistent/list-\($0)") }
        var rows: [Row: (seen: Int64, missed: Int)] = [:]
        var rowCounts: [String: Int] = [:]
        var candidates = 0
        for _ in 0..<40 {
            let run = try state.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 0))
            let given = sources.indices.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
            let ownership = Ownership(sources: given.map { sources[$0] }, state: state, run: run)
            var shielded: [Int: Set<String>] = [:]
            var read: [String: Int] = [:]
            for (index, source) in given.enumerated() {
                for directory in Self.directories {
                    let place = ListingPlace(source: index, directory: Array(directory.utf8))
                    switch Int.random(in: 0..<12, using: &generator) {
                    case 0:
                        ownership.shield(place, isFailure: true)
                        shielded[source, default: []].insert(directory)
                    case 1: break
                    case let chance:
                        let isEmpty = chance == 2
                        var wanted: [RelativePath] = []
                        var unwanted: [RelativePath] = []
                        for name in 0..<6 where !isEmpty && Bool.random(using: &generator) {
                            // Some paths are of all sources and directories.
                            let text =
                                name < 2 ? "shared\(name)" : "\(directory.isEmpty ? "" : directory + "/")f\(name)"
                            let row = Row(path: text, source: source, directory: directory)
                            if Int.random(in: 0..<6, using: &generator) == 0 {
                                unwanted.append(try RelativePath(text))
                                if rows[row] != nil { rows[row] = (run, 0) }
                            } else {
                                wanted.append(try RelativePath(text))
                                rows[row] = (run, 0)
                            }
                        }
                        ownership.note(wanted: wanted, unwanted: unwanted, by: place)
                        ownership.read(place, rows: wanted.count + unwanted.count)
                        read["\(source) \(directory)"] = wanted.count + unwanted.count
                    }
                }
            }
            let acceptsEmpty = Bool.random(using: &generator)
            let account = try ownership.settle(acceptsEmpty: acceptsEmpty)
            // What the state knows of each listing.
            var emptied = Set<String>()
            for (key, count) in read {
                let parts = key.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                let isKnown = !Self.isShielded(parts[1], by: shielded[Int(parts[0]) ?? 0] ?? [])
                guard isKnown else { continue }
                if count == 0, rowCounts[key] ?? 0 > 0, !acceptsEmpty {
                    emptied.insert(key)
                } else {
                    rowCounts[key] = count
                }
            }
            #expect(account.emptied.count == emptied.count)
            guard emptied.isEmpty else { continue }
            try state.countMissed(run: run)
            func isGone(_ row: Row) -> Bool {
                given.contains(row.source) && rows[row]?.seen != run
                    && !Self.isShielded(row.directory, by: shielded[row.source] ?? [])
            }
            for row in rows.keys where isGone(row) { rows[row]?.missed += 1 }
            var expected: [String: Int] = [:]
            for (path, group) in Dictionary(grouping: rows.keys, by: \.path) {
                let gone = group.filter(isGone)
                let isFree = group.allSatisfy { row in
                    gone.contains(row) || !given.contains(row.source) && rows[row]?.missed ?? 0 > 0
                }
                if isFree, !gone.isEmpty { expected[path] = gone.compactMap { rows[$0]?.missed }.min() }
            }
            var found: [String: Int] = [:]
            var last: RelativePath?
            while let page = try Optional(state.goneFiles(after: last, run: run, limit: 3)), let end = page.last {
                for gone in page { found[gone.path.description] = gone.missedRuns }
                last = end.path
            }
            #expect(found == expected)
            candidates += expected.count
            // Some of them go.
            for path in expected.keys.sorted() where Bool.random(using: &generator) {
                try state.apply([.forget(RelativePath(path))])
                for row in rows.keys where row.path == path { rows[row] = nil }
            }
            let unknown = rows.filter { row, value in
                given.contains(row.source) && value.seen != run
                    && Self.isShielded(row.directory, by: shielded[row.source] ?? [])
            }
            #expect(try state.unknownFiles(of: account.sources, run: run) == unknown.count)
        }
        #expect(candidates > 10)
    }

    @Test("A directory lies below itself and all above it")
    func lines() {
        let lines = Ownership.lines(of: Array("a/b/c".utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines == ["", "a", "a/b", "a/b/c"])
    }
}
