import SyncCore
import TestSupport
import Testing

@Suite("What may be deleted") struct DeletionPlannerTests {
    private static let file = LocalFile(size: 50, modifiedNanoseconds: 5, inode: 7)
    private static let other = LocalFile(size: 50, modifiedNanoseconds: 6, inode: 7)

    private static func record(_ path: RelativePath, _ file: LocalFile = file) -> FileRecord {
        FileRecord(
            path: path, identity: Identity(resource: "http://h/f", representation: Representation(length: file.size)),
            file: file)
    }

    private enum Expected { case delete, leave, keep, forget }

    private static func kind(_ verdict: DeletionVerdict) -> Expected {
        switch verdict {
        case .delete: .delete
        case .leave: .leave
        case .keep: .keep
        case .forget: .forget
        }
    }

    /// What sources say, whether it has a record, what is here, and what becomes of it: by `--delete`, and by
    /// `--delete-unowned`.
    private static let rows: [(SourceKnowledge, Bool, LocalState, owned: Expected, all: Expected)] = [
        (.present, true, .file(file), .leave, .leave),
        (.present, false, .file(file), .leave, .leave),
        (.unknown, true, .file(file), .leave, .leave),
        (.unknown, false, .file(file), .leave, .leave),
        (.gone(runs: 1), true, .file(file), .keep, .keep),
        (.gone(runs: 1), true, .absent, .leave, .leave),
        (.gone(runs: 2), true, .file(file), .delete, .delete),
        (.gone(runs: 3), true, .file(file), .delete, .delete),
        (.gone(runs: 2), true, .file(other), .keep, .delete),
        (.gone(runs: 2), false, .file(file), .leave, .delete),
        (.gone(runs: 2), true, .absent, .forget, .forget),
        (.gone(runs: 2), false, .absent, .forget, .forget),
        (.gone(runs: 2), true, .blocked("is a directory"), .keep, .keep),
        (.gone(runs: 2), false, .blocked("is a symbolic link"), .leave, .leave),
        (.gone(runs: 2), true, .unreadable(Failure(.disk, "why")), .keep, .keep),
        (.unowned(isCovered: true), false, .file(file), .leave, .delete),
        (.unowned(isCovered: false), false, .file(file), .leave, .leave),
        (.unowned(isCovered: true), false, .absent, .leave, .leave),
        (.unowned(isCovered: true), false, .blocked("is a symbolic link"), .leave, .leave),
    ]

    @Test("Each row of the table") func table() throws {
        let path = try RelativePath("d/f")
        for (sources, hasRecord, local, owned, all) in Self.rows {
            for (deletesUnowned, expected) in [(false, owned), (true, all)] {
                var policy = DeletionPolicy()
                policy.runs = 2
                policy.deletesUnowned = deletesUnowned
                let facts = DeletionFacts(
                    path: path, sources: sources, record: hasRecord ? Self.record(path) : nil, local: local)
                let verdict = DeletionPlanner(policy: policy).verdict(on: facts)
                #expect(Self.kind(verdict) == expected, "\(facts), \(deletesUnowned)")
            }
        }
    }

    @Test(
        "What the user does not want, and what is dlsync's own, stays",
        arguments: [("keep/f", 50), ("d/f.keep", 50), ("d/big", 5000), (".dlsync/f", 50), (".DLSYNC/f", 50)])
    func protected(path: String, size: Int64) throws {
        var policy = DeletionPolicy()
        policy.deletesUnowned = true
        policy.filter.rules = try EntryFilter.rules(in: Array("- keep/\n- *.keep\n".utf8))
        policy.filter.maximumSize = 1000
        let path = try RelativePath(path)
        let file = LocalFile(size: size, modifiedNanoseconds: 1, inode: 1)
        for sources in [SourceKnowledge.gone(runs: 9), .unowned(isCovered: true)] {
            let facts = DeletionFacts(
                path: path, sources: sources, record: Self.record(path, file), local: .file(file))
            #expect(DeletionPlanner(policy: policy).verdict(on: facts) == .leave)
        }
    }

    @Test(
        "No facts at all make a file go that is named, unknown, not ours or not wanted",
        arguments: 0..<8 as Range<UInt64>)
    func walk(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let paths = try ["a", "d/f", "keep/f", "d/x.keep", ".dlsync/state.db", "d/keep/f"].map { try RelativePath($0) }
        var deletions = 0
        for _ in 0..<20_000 {
            let path = paths.randomElement(using: &generator) ?? paths[0]
            let sources: SourceKnowledge =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: .present
                case 1: .unknown
                case 2: .unowned(isCovered: Bool.random(using: &generator))
                default: .gone(runs: Int.random(in: 0..<5, using: &generator))
                }
            let here = LocalFile(
                size: Int64.random(in: 0..<3, using: &generator),
                modifiedNanoseconds: Int64.random(in: 0..<2, using: &generator), inode: 1)
            let recorded = LocalFile(
                size: Int64.random(in: 0..<3, using: &generator),
                modifiedNanoseconds: Int64.random(in: 0..<2, using: &generator), inode: 1)
            let local: LocalState =
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: .absent
                case 1: .blocked("is a directory")
                case 2: .unreadable(Failure(.disk, "why"))
                default: .file(here)
                }
            var policy = DeletionPolicy()
            policy.runs = Int.random(in: 1..<4, using: &generator)
            policy.deletesUnowned = Bool.random(using: &generator)
            policy.filter.rules = try EntryFilter.rules(in: Array("- keep/\n- *.keep\n".utf8))
            if Bool.random(using: &generator) { policy.filter.minimumSize = 1 }
            let record = Bool.random(using: &generator) ? Self.record(path, recorded) : nil
            let facts = DeletionFacts(path: path, sources: sources, record: record, local: local)
            guard case .delete(let file, _) = DeletionPlanner(policy: policy).verdict(on: facts) else { continue }
            deletions += 1
            #expect(facts.local == .file(file), "\(facts)")
            #expect(policy.filter.wants(path) && policy.filter.objection(to: file.size) == nil, "\(facts)")
            #expect(!path.description.hasPrefix(".dlsync"), "\(facts)")
            switch sources {
            case .present, .unknown, .unowned(isCovered: false): Issue.record("\(facts)")
            case .unowned(isCovered: true): #expect(policy.deletesUnowned, "\(facts)")
            case .gone(let runs):
                #expect(runs >= policy.runs, "\(facts)")
                #expect(policy.deletesUnowned || record?.file == file, "\(facts)")
            }
        }
        #expect(deletions > 300)
    }

    @Test(
        "A run that would delete too much is refused, whichever source it is of",
        arguments: [
            ([:], (0, 0), .percent(50), true), ([1: (5, 10)], (0, 0), .percent(50), true),
            ([1: (6, 10)], (0, 0), .percent(50), false), ([1: (1, 100), 2: (1, 1)], (0, 0), .percent(50), false),
            ([1: (10, 10)], (0, 0), .percent(100), true), ([1: (1, 10)], (0, 0), .percent(0), false),
            ([1: (0, 10)], (0, 0), .percent(0), true), ([1: (1, 0)], (0, 0), .percent(99), false),
            ([:], (6, 10), .percent(50), false), ([:], (5, 10), .percent(50), true),
            ([1: (5, 10)], (0, 0), .count(5), true), ([1: (3, 10), 2: (3, 10)], (0, 0), .count(5), false),
            ([1: (3, 10)], (3, 10), .count(5), false), ([1: (1, 10)], (0, 0), .count(0), false),
            ([1: (.max, .max)], (0, 0), .percent(50), false), ([1: (1, .max)], (0, 0), .percent(50), true),
        ] as [([Int64: (Int, Int)], (Int, Int), DeletionLimit, Bool)])
    func limits(sources: [Int64: (Int, Int)], unowned: (Int, Int), limit: DeletionLimit, isAllowed: Bool) {
        var tally = DeletionTally()
        tally.sources = sources.mapValues { DeletionTally.Share(deletions: $0.0, files: $0.1) }
        tally.unowned = DeletionTally.Share(deletions: unowned.0, files: unowned.1)
        for (deletions, _) in Array(sources.values) + [unowned] {
            let (sum, overflows) = tally.deletions.addingReportingOverflow(deletions)
            tally.deletions = overflows ? .max : sum
        }
        #expect((tally.objection(limit) == nil) == isAllowed)
    }
}
