import SyncCore
import Testing

/// One set of facts, and what the planner is to say of it.
private struct PlannerRow: CustomTestStringConvertible, Sendable {
    enum Wanted: Equatable {
        case ask
        case hash(DigestAlgorithm)
        case decided(Action, have: Int64, fetch: Int64?)
        /// As `decided`, whose work is to copy the local file's bytes.
        case adopts(have: Int64, fetch: Int64?)
        /// As up-to-date, and the state is told.
        case records(have: Int64)
    }

    let name: String
    let facts: EntryFacts
    var server = ServerKnowledge.notAsked
    /// What a real run's planner says.
    let run: Wanted
    /// What a planner that always asks says; nil for the same.
    var dryRun: Wanted?

    var testDescription: String { name }
}

private let missing = Failure(.missing, "it does not exist")
private let broken = Failure(.status(500), "it is broken")

private func representation(_ number: Int, _ length: Int64?, _ validators: Validators = .tagAndDate) -> Representation {
    .numbered(number, length: length, validators)
}

private func md5(_ byte: UInt8) -> Digest? { Digest(.md5, bytes: [UInt8](repeating: byte, count: 16)) }

private func sha256(_ byte: UInt8) -> Digest? { Digest(.sha256, bytes: [UInt8](repeating: byte, count: 32)) }

/// The date of `representation(1, …)`.
private let firstDate: Int64 = 1_700_000_001

private func localFile(_ size: Int64, date: Int64 = firstDate, inode: UInt64 = 1) -> LocalFile {
    LocalFile(size: size, modifiedNanoseconds: date * 1_000_000_000, inode: inode)
}

private struct Facts {
    let url: WebURL
    let other: WebURL
    let path: RelativePath

    init() throws {
        url = try #require(WebURL("https://example.org/file"))
        other = try #require(WebURL("https://example.org/other"))
        path = try RelativePath("file")
    }

    func callAsFunction(
        size: Int64? = nil, digest: Digest? = nil, local: LocalFile? = nil, recorded: Representation? = nil,
        recordedDigest: Digest? = nil, recordedFile: LocalFile? = nil, recordIsOfOther: Bool = false,
        partial: Representation? = nil, held: [ByteRange] = [ByteRange(0, 40)], partialIsOfOther: Bool = false,
        localDigest: Digest? = nil, guess: Digest? = nil
    ) -> EntryFacts {
        let entry = Entry(
            urls: [url], size: size.map { .exact($0) } ?? .unknown, digests: digest.map { [$0] } ?? [],
            guessedDigest: guess, origin: EntryOrigin(source: "list"))
        var facts = EntryFacts(entry: entry, path: path, localDigest: localDigest)
        if let local { facts.local = .file(local) }
        if let recorded, let file = recordedFile ?? local {
            facts.record = FileRecord(
                path: path,
                identity: Identity(
                    resource: (recordIsOfOther ? other : url).resourceIdentity, representation: recorded),
                file: file, digest: recordedDigest)
        }
        if let partial {
            facts.partial = PartialRecord(
                id: "1", path: path,
                identity: Identity(
                    resource: (partialIsOfOther ? other : url).resourceIdentity, representation: partial),
                extents: ByteRangeSet(held))
        }
        return facts
    }
}

private func plannerRows() throws -> [PlannerRow] {
    let facts = try Facts()
    var blocked = facts()
    blocked.local = .blocked("is a directory")
    var unreadable = facts()
    unreadable.local = .unreadable(Failure(.disk, "could not examine 'a': Input/output error"))
    let here = localFile(100)
    let short = localFile(40)
    return [
        // 1. What cannot be put where it belongs.
        PlannerRow(name: "a path that is blocked", facts: blocked, run: .decided(.conflict, have: 0, fetch: 0)),
        PlannerRow(
            name: "a path that is blocked, of an entry that is there", facts: blocked,
            server: .answered(representation(1, 100)), run: .decided(.conflict, have: 0, fetch: 0)),
        PlannerRow(
            name: "a path that the disk does not show", facts: unreadable, run: .decided(.unknown, have: 0, fetch: nil)),
        // 2. What cannot be known.
        PlannerRow(
            name: "a server that does not tell", facts: facts(local: here), server: .unknown(broken),
            run: .decided(.unknown, have: 100, fetch: nil)),
        PlannerRow(
            name: "a server that does not tell, and nothing is here", facts: facts(), server: .unknown(broken),
            run: .decided(.unknown, have: 0, fetch: nil)),
        PlannerRow(
            name: "no such file", facts: facts(local: here), server: .missing(missing),
            run: .decided(.skip, have: 100, fetch: 0)),
        PlannerRow(
            name: "another length than the source promises", facts: facts(size: 50),
            server: .answered(representation(1, 100)), run: .decided(.unknown, have: 0, fetch: nil)),
        // 3. No local file.
        PlannerRow(
            name: "nothing", facts: facts(), run: .decided(.fetch, have: 0, fetch: nil), dryRun: .ask),
        PlannerRow(
            name: "nothing, of a known file", facts: facts(), server: .answered(representation(1, 100)),
            run: .decided(.fetch, have: 0, fetch: 100)),
        PlannerRow(
            name: "a partial", facts: facts(partial: representation(1, 100)),
            run: .decided(.resume, have: 40, fetch: 60), dryRun: .ask),
        PlannerRow(
            name: "a partial of the same version", facts: facts(partial: representation(1, 100)),
            server: .answered(representation(1, 100)), run: .decided(.resume, have: 40, fetch: 60)),
        PlannerRow(
            name: "a partial without validators, of the same length",
            facts: facts(partial: representation(1, 100, .none)), server: .answered(representation(1, 100, .none)),
            run: .decided(.resume, have: 40, fetch: 60)),
        PlannerRow(
            name: "a partial of an earlier version", facts: facts(partial: representation(1, 100)),
            server: .answered(representation(2, 100)), run: .decided(.restart, have: 0, fetch: 100)),
        PlannerRow(
            name: "a partial of another length", facts: facts(partial: representation(1, 90)),
            server: .answered(representation(1, 100)), run: .decided(.restart, have: 0, fetch: 100)),
        PlannerRow(
            name: "a partial of a file whose length is no longer told", facts: facts(partial: representation(1, 100)),
            server: .answered(representation(1, nil)), run: .decided(.restart, have: 0, fetch: nil)),
        PlannerRow(
            name: "a partial of unknown length", facts: facts(partial: representation(1, nil)),
            server: .answered(representation(1, nil)), run: .decided(.restart, have: 0, fetch: nil)),
        PlannerRow(
            name: "a partial of unknown length, and the server was not asked",
            facts: facts(partial: representation(1, nil)), run: .ask),
        PlannerRow(
            name: "a partial of another URL", facts: facts(partial: representation(1, 100), partialIsOfOther: true),
            run: .decided(.restart, have: 0, fetch: nil), dryRun: .ask),
        PlannerRow(
            name: "a partial that lacks nothing",
            facts: facts(partial: representation(1, 100), held: [ByteRange(0, 100)]), run: .ask),
        PlannerRow(
            name: "a partial that lacks nothing, of the same version",
            facts: facts(partial: representation(1, 100), held: [ByteRange(0, 100)]),
            server: .answered(representation(1, 100)), run: .decided(.resume, have: 100, fetch: 0)),
        // 4. A file that dlsync completed and nobody touched.
        PlannerRow(
            name: "a recorded file", facts: facts(local: here, recorded: representation(1, 100)), run: .ask),
        PlannerRow(
            name: "a recorded file that is current", facts: facts(local: here, recorded: representation(1, 100)),
            server: .answered(representation(1, 100)), run: .decided(.upToDate, have: 100, fetch: 0)),
        PlannerRow(
            name: "a recorded file of which only the size is known",
            facts: facts(local: here, recorded: representation(1, 100, .none)),
            server: .answered(representation(1, 100, .none)), run: .decided(.upToDate, have: 100, fetch: 0)),
        PlannerRow(
            name: "a recorded file of which nothing is known",
            facts: facts(local: here, recorded: representation(1, 100, .none)),
            server: .answered(representation(1, nil, .none)), run: .decided(.replace, have: 0, fetch: nil)),
        PlannerRow(
            name: "a recorded file whose tag changed", facts: facts(local: here, recorded: representation(1, 100)),
            server: .answered(representation(2, 100)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "a recorded file whose date went back",
            facts: facts(local: here, recorded: representation(2, 100, .date)),
            server: .answered(representation(1, 100, .date)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "a recorded file that is longer now (never its prefix)",
            facts: facts(local: here, recorded: representation(1, 100)), server: .answered(representation(2, 120)),
            run: .decided(.replace, have: 0, fetch: 120)),
        PlannerRow(
            name: "a recorded file of another promised size",
            facts: facts(size: 120, local: here, recorded: representation(1, 100)),
            run: .decided(.replace, have: 0, fetch: nil), dryRun: .ask),
        PlannerRow(
            name: "a recorded file of another promised size, half replaced",
            facts: facts(
                size: 120, local: here, recorded: representation(1, 100), partial: representation(2, 120)),
            run: .ask),
        PlannerRow(
            name: "a recorded file of which a partial of the new version is here",
            facts: facts(local: here, recorded: representation(1, 100), partial: representation(2, 120)),
            server: .answered(representation(2, 120)), run: .decided(.resume, have: 40, fetch: 80)),
        PlannerRow(
            name: "a recorded file of which a partial of some other version is here",
            facts: facts(local: here, recorded: representation(1, 100), partial: representation(2, 120)),
            server: .answered(representation(3, 120)), run: .decided(.replace, have: 0, fetch: 120)),
        PlannerRow(
            name: "a recorded file with the wanted digest",
            facts: facts(digest: md5(1), local: here, recorded: representation(1, 100), recordedDigest: md5(1)),
            run: .decided(.upToDate, have: 100, fetch: 0)),
        PlannerRow(
            name: "a recorded file with another digest",
            facts: facts(digest: md5(2), local: here, recorded: representation(1, 100), recordedDigest: md5(1)),
            run: .decided(.replace, have: 0, fetch: nil), dryRun: .ask),
        PlannerRow(
            name: "a recorded file with a digest of another kind",
            facts: facts(digest: sha256(1), local: here, recorded: representation(1, 100), recordedDigest: md5(1)),
            run: .hash(.sha256)),
        PlannerRow(
            name: "a recorded file that was hashed and is right",
            facts: facts(
                digest: sha256(1), local: here, recorded: representation(1, 100), recordedDigest: md5(1),
                localDigest: sha256(1)),
            run: .records(have: 100)),
        PlannerRow(
            name: "a recorded file that was hashed and is wrong",
            facts: facts(
                digest: sha256(2), local: here, recorded: representation(1, 100), localDigest: sha256(1)),
            run: .decided(.replace, have: 0, fetch: nil), dryRun: .ask),
        // 5. A file of unknown origin.
        PlannerRow(name: "an unknown file", facts: facts(local: here), run: .ask),
        PlannerRow(
            name: "an unknown file of the same size and date", facts: facts(local: here),
            server: .answered(representation(1, 100)), run: .records(have: 100)),
        PlannerRow(
            name: "an unknown file of the same size and another date", facts: facts(local: here),
            server: .answered(representation(2, 100)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "an unknown file of another date, and a digest is guessed", facts: facts(local: here, guess: md5(1)),
            server: .answered(representation(2, 100)), run: .hash(.md5)),
        PlannerRow(
            name: "an unknown file that has the guessed digest",
            facts: facts(local: here, localDigest: md5(1), guess: md5(1)), server: .answered(representation(2, 100)),
            run: .records(have: 100)),
        PlannerRow(
            name: "an unknown file that has not the guessed digest, which condemns nothing by itself",
            facts: facts(local: here, localDigest: md5(2), guess: md5(1)), server: .answered(representation(2, 100)),
            run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "an unknown file of the same size and date, whatever digest is guessed",
            facts: facts(local: here, localDigest: md5(2), guess: md5(1)), server: .answered(representation(1, 100)),
            run: .records(have: 100)),
        PlannerRow(
            name: "an unknown file of another size is not hashed for a guess", facts: facts(local: here, guess: md5(1)),
            server: .answered(representation(2, 90)), run: .decided(.replace, have: 0, fetch: 90)),
        PlannerRow(
            name: "a recorded file, whatever digest is guessed",
            facts: facts(local: here, recorded: representation(1, 100), recordedDigest: md5(2), guess: md5(1)),
            server: .answered(representation(1, 100)), run: .decided(.upToDate, have: 100, fetch: 0)),
        PlannerRow(
            name: "an unknown file of the same size and no date", facts: facts(local: here),
            server: .answered(representation(1, 100, .strongTag)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "an unknown file, and no length is told", facts: facts(local: here),
            server: .answered(representation(1, nil)), run: .decided(.replace, have: 0, fetch: nil)),
        PlannerRow(
            name: "an unknown file that is longer", facts: facts(local: here),
            server: .answered(representation(1, 90)), run: .decided(.replace, have: 0, fetch: 90)),
        PlannerRow(
            name: "an unknown file that is shorter", facts: facts(local: short),
            server: .answered(representation(2, 100)), run: .adopts(have: 40, fetch: 60)),
        PlannerRow(
            name: "an unknown empty file", facts: facts(local: localFile(0)),
            server: .answered(representation(2, 100)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "an unknown shorter file beside a larger partial",
            facts: facts(local: short, partial: representation(2, 100), held: [ByteRange(0, 50)]),
            server: .answered(representation(2, 100)), run: .decided(.resume, have: 50, fetch: 50)),
        PlannerRow(
            name: "an unknown shorter file beside a smaller partial",
            facts: facts(local: short, partial: representation(2, 100), held: [ByteRange(0, 10)]),
            server: .answered(representation(2, 100)), run: .adopts(have: 40, fetch: 60)),
        PlannerRow(
            name: "a recorded file that was touched, and is longer now (never its prefix)",
            facts: facts(local: short, recorded: representation(1, 40), recordedFile: localFile(40, inode: 9)),
            server: .answered(representation(2, 100)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "a recorded file of another URL, and this one is longer (never its prefix)",
            facts: facts(local: short, recorded: representation(1, 40), recordIsOfOther: true),
            server: .answered(representation(2, 100)), run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "a recorded file in whose place another tool's partial stands",
            facts: facts(local: short, recorded: representation(1, 90), recordedFile: localFile(90, inode: 9)),
            server: .answered(representation(2, 100)), run: .adopts(have: 40, fetch: 60)),
        PlannerRow(
            name: "an unknown file with a wanted digest", facts: facts(digest: md5(1), local: here), run: .hash(.md5)),
        PlannerRow(
            name: "an unknown file that was hashed with another algorithm",
            facts: facts(digest: sha256(1), local: here, localDigest: md5(1)), run: .hash(.sha256)),
        PlannerRow(
            name: "an unknown file with the wanted digest",
            facts: facts(digest: md5(1), local: here, localDigest: md5(1)), run: .records(have: 100)),
        PlannerRow(
            name: "an unknown file with the wanted digest, whatever the server says",
            facts: facts(digest: md5(1), local: here, localDigest: md5(1)),
            server: .answered(representation(2, 90)), run: .records(have: 100)),
        PlannerRow(
            name: "an unknown file with another digest",
            facts: facts(digest: md5(2), local: here, localDigest: md5(1)), run: .ask),
        PlannerRow(
            name: "an unknown file with another digest and the same size and date",
            facts: facts(digest: md5(2), local: here, localDigest: md5(1)), server: .answered(representation(1, 100)),
            run: .decided(.replace, have: 0, fetch: 100)),
        PlannerRow(
            name: "an unknown file of a size that its digest need not be asked for",
            facts: facts(size: 120, digest: md5(1), local: here), run: .ask),
    ]
}

private func seen(_ verdict: Verdict) -> PlannerRow.Wanted {
    switch verdict {
    case .ask: return .ask
    case .hashLocalFile(let algorithm): return .hash(algorithm)
    case .decided(let decision):
        switch decision.work {
        case .adopt: return .adopts(have: decision.have, fetch: decision.fetch)
        case .record: return .records(have: decision.have)
        case .none, .download, .failed:
            return .decided(decision.action, have: decision.have, fetch: decision.fetch)
        }
    }
}

@Suite struct PlannerTests {
    @Test(arguments: try plannerRows())
    private func `every rule gives its action`(row: PlannerRow) {
        let run = Planner(policy: ComparePolicy(alwaysAsks: false)).verdict(on: row.facts, server: row.server)
        #expect(seen(run) == row.run)
        let dryRun = Planner(policy: ComparePolicy(alwaysAsks: true)).verdict(on: row.facts, server: row.server)
        #expect(seen(dryRun) == row.dryRun ?? row.run)
    }

    @Test(arguments: try plannerRows())
    private func `where nothing is adopted, a shorter file is replaced and all else stays`(row: PlannerRow) {
        let verdict = Planner(policy: ComparePolicy(adopts: false)).verdict(on: row.facts, server: row.server)
        guard case .adopts = row.run, case .answered(let now) = row.server else {
            #expect(seen(verdict) == row.run || row.name == "an unknown shorter file beside a larger partial")
            return
        }
        if let partial = row.facts.partial {
            let have = partial.extents.count
            #expect(seen(verdict) == .decided(.resume, have: have, fetch: now.length.map { $0 - have }))
        } else {
            #expect(seen(verdict) == .decided(.replace, have: 0, fetch: now.length))
        }
    }

    /// Facts that chance puts together, of few values, so that they meet.
    private static func randomFacts(_ facts: Facts, using random: inout SplitMix64) -> EntryFacts {
        func one<Value>(of values: [Value?]) -> Value? { values.randomElement(using: &random) ?? nil }
        let lengths: [Int64] = [0, 40, 100]
        func some() -> Representation? {
            let length = one(of: lengths + [nil])
            let validators = Validators.allCases.randomElement(using: &random) ?? .none
            return Bool.random(using: &random)
                ? nil : representation(Int.random(in: 1...2, using: &random), length, validators)
        }
        let local = one(of: [localFile(0), localFile(40), localFile(100), nil])
        let partial = some()
        let held = partial?.length.map { [ByteRange(0, $0 / 2)] } ?? []
        var result = facts(
            size: one(of: [40, 100, nil, nil]), digest: one(of: [md5(1), sha256(1), nil, nil]), local: local,
            recorded: local.flatMap { file in
                some().map {
                    Representation(
                        length: file.size, entityTag: $0.entityTag, lastModified: $0.lastModified)
                }
            },
            recordedDigest: one(of: [md5(1), md5(2), nil]),
            recordedFile: Bool.random(using: &random) ? nil : localFile(40, inode: 9),
            recordIsOfOther: Int.random(in: 0..<4, using: &random) == 0, partial: partial, held: held,
            partialIsOfOther: Int.random(in: 0..<4, using: &random) == 0,
            localDigest: local == nil ? nil : one(of: [md5(1), md5(2), sha256(1), nil]))
        if Int.random(in: 0..<20, using: &random) == 0 { result.local = .blocked("is a directory") }
        return result
    }

    @Test(arguments: 0..<20)
    func `whatever the facts are, a plan keeps its promises`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let facts = try Facts()
        for round in 0..<1000 {
            var case1 = Self.randomFacts(facts, using: &random)
            let now = representation(
                Int.random(in: 1...2, using: &random), [0, 40, 100, nil].randomElement(using: &random) ?? nil,
                Validators.allCases.randomElement(using: &random) ?? .none)
            let server: ServerKnowledge =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .unknown(broken)
                case 1: .missing(missing)
                default: .answered(now)
                }
            let adopts = Bool.random(using: &random)
            let planner = Planner(policy: ComparePolicy(adopts: adopts))
            var verdict = planner.verdict(on: case1, server: server)
            if case .hashLocalFile(let algorithm) = verdict {
                case1.localDigest = algorithm == .md5 ? md5(2) : sha256(1)
                verdict = planner.verdict(on: case1, server: server)
            }
            guard case .decided(let decision) = verdict else {
                Issue.record("seed \(seed), round \(round): an answered plan says \(verdict)")
                continue
            }
            let dryRun = Planner(policy: ComparePolicy(adopts: adopts, alwaysAsks: true))
            if dryRun.verdict(on: case1, server: server) != verdict {
                Issue.record("seed \(seed), round \(round): a dry run says something else")
            }
            if let size = decision.size, let fetch = decision.fetch,
                [.fetch, .resume, .restart, .replace, .upToDate].contains(decision.action),
                decision.have + fetch != size
            {
                Issue.record("seed \(seed), round \(round): \(decision.have) + \(fetch) is not \(size)")
            }
            if case .adopt(let file) = decision.work, case1.record?.file.size == file.size || !adopts {
                Issue.record("seed \(seed), round \(round): a complete file is taken for a beginning")
            }
            if case .blocked = case1.local, decision.action != .conflict {
                Issue.record("seed \(seed), round \(round): a blocked path is no conflict")
            }
            if decision.action == .conflict || decision.action == .unknown || decision.action == .skip {
                guard case .failed = decision.work else {
                    Issue.record("seed \(seed), round \(round): \(decision.action) does work")
                    continue
                }
            }
            if case .download(.partial(let known, let held)) = decision.work {
                if known.length == nil || held.isEmpty == false && !known.agrees(with: now) {
                    Issue.record("seed \(seed), round \(round): a partial of something else is gone on with")
                }
            }
        }
    }
}
