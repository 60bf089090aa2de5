import SyncCore
import Testing

/// What a source says of a file, on 2026-01-31.
private struct ListedRow: CustomTestStringConvertible, Sendable {
    var name = ""
    var size = SizeKnowledge.exact(100)
    /// Seconds after 2026-01-31T12:00:00; nil for no date.
    var date: Int64? = 0
    var hasZone = true
    var precision = ListedDate.Precision.second
    var guess: Digest?

    var testDescription: String { name }

    func entry() throws -> Entry {
        Entry(
            urls: [try #require(WebURL("https://example.org/file"))], size: size,
            modified: date.map {
                ListedDate(secondsSinceEpoch: noon + $0, hasZone: hasZone, precision: precision)
            }, guessedDigest: guess, origin: EntryOrigin(source: "list"))
    }
}

/// 2026-01-31T12:00:00Z.
private let noon: Int64 = 1_769_860_800

private func md5(_ byte: UInt8) -> Digest? { Digest(.md5, bytes: [UInt8](repeating: byte, count: 16)) }

@Suite("A source whose word is taken") struct TrustedListingTests {
    @Test(
        "What is kept of a row",
        arguments: [
            (ListedRow(name: "size and date"), "size=100 date=2026-01-31T12:00:00Z"),
            (ListedRow(name: "no zone", hasZone: false, precision: .minute), "size=100 date=2026-01-31T12:00"),
            (ListedRow(name: "a day", date: -43_200, hasZone: false, precision: .day), "size=100 date=2026-01-31"),
            (
                ListedRow(
                    name: "parts of a second", precision: .fraction(nanoseconds: 50_000_000, digits: 3)),
                "size=100 date=2026-01-31T12:00:00.050Z"
            ),
            (
                ListedRow(name: "a bucket's", guess: md5(1)),
                "size=100 date=2026-01-31T12:00:00Z md5=01010101010101010101010101010101"
            ),
            (ListedRow(name: "no date", date: nil, guess: md5(1)), "size=100 md5=01010101010101010101010101010101"),
            (ListedRow(name: "a size alone", date: nil), nil),
            (ListedRow(name: "a date alone", size: .unknown), nil),
            (ListedRow(name: "a rounded size", size: .within(95...105)), nil),
            (ListedRow(name: "a claimed size", size: .claimed(100)), nil),
            (ListedRow(name: "a size of 0, which virtual files have", size: .exact(0)), nil),
        ])
    private func kept(row: ListedRow, text: String?) throws {
        #expect(try ListedFacts(row.entry())?.text == text)
    }

    @Test(
        "Whether a row speaks of the version that the server has, by its date",
        arguments: [
            (ListedRow(name: "the same second"), 0, true),
            (ListedRow(name: "rounded up"), -1, true),
            (ListedRow(name: "two seconds later"), 2, false),
            (ListedRow(name: "within the minute", precision: .minute), 59, true),
            (ListedRow(name: "the next minute", precision: .minute), 60, false),
            (ListedRow(name: "a zone of one hour", hasZone: false, precision: .minute), 3600 + 17, true),
            (ListedRow(name: "a zone of five hours and three quarters", hasZone: false), -5 * 3600 - 2700, true),
            (ListedRow(name: "a second before a zone's", hasZone: false), 3599, true),
            (ListedRow(name: "no zone's difference", hasZone: false, precision: .minute), 3600 + 300, false),
            (ListedRow(name: "more than any zone's", hasZone: false), 15 * 3600, false),
            (ListedRow(name: "another day", hasZone: false), 86400, false),
            (ListedRow(name: "the same day", hasZone: false, precision: .day), 86_399, true),
            (ListedRow(name: "a day that began elsewhere", hasZone: false, precision: .day), -14 * 3600, true),
            (ListedRow(name: "the day before", hasZone: false, precision: .day), -15 * 3600, false),
            (ListedRow(name: "the next day", hasZone: false, precision: .day), 39 * 3600, false),
            (ListedRow(name: "no date in the row", date: nil, guess: md5(1)), 86400, true),
        ] as [(ListedRow, Int64, Bool)])
    private func agrees(row: ListedRow, later: Int64, isOf: Bool) throws {
        let date = HTTPDate(secondsSinceEpoch: noon + later)
        let facts = try #require(try ListedFacts(row.entry()))
        #expect(facts.areOf(Representation(length: 100, lastModified: date)) == isOf)
        #expect(facts.areOf(Representation(lastModified: date)) == isOf)
        #expect(!facts.areOf(Representation(length: 99, lastModified: date)))
        #expect(facts.areOf(Representation(length: 100)))
    }

    @Test("A date that is no date's keeps nothing from being judged") func extremeDates() throws {
        for seconds in [Int64.min, .max] {
            var entry = try ListedRow().entry()
            entry.modified = ListedDate(secondsSinceEpoch: seconds, hasZone: false, precision: .second)
            let facts = ListedFacts(entry)
            for other in [Int64.min, -1, 0, .max] {
                let representation = Representation(
                    length: 100, lastModified: HTTPDate(secondsSinceEpoch: other))
                #expect(facts?.areOf(representation) == (seconds == other))
            }
            #expect(
                facts?.areSettled(Representation(), now: HTTPDate(secondsSinceEpoch: noon)) == (seconds == .min))
        }
    }

    @Test(
        "A file that changed a moment ago may change again within what its row shows",
        arguments: [(0, false), (119, false), (121, true)] as [(Int64, Bool)])
    func settles(age: Int64, isSettled: Bool) throws {
        let facts = try #require(try ListedFacts(ListedRow().entry()))
        let now = HTTPDate(secondsSinceEpoch: noon + age)
        let date = HTTPDate(secondsSinceEpoch: noon)
        #expect(facts.areSettled(Representation(length: 100, lastModified: date), now: now) == isSettled)
        #expect(facts.areSettled(Representation(length: 100), now: now) == isSettled)
        // Without a zone the row's own date may lie up to fourteen hours later than it looks.
        let local = try #require(try ListedFacts(ListedRow(hasZone: false).entry()))
        #expect(!local.areSettled(Representation(length: 100), now: now))
        #expect(
            local.areSettled(
                Representation(length: 100), now: HTTPDate(secondsSinceEpoch: noon + age + 14 * 3600)) == isSettled)
    }

    @Test(
        "A row that shows a day alone is not settled before the day is over",
        arguments: [(86_399, false), (86_400 + 119, false), (86_400 + 120, true)] as [(Int64, Bool)])
    func settlesAfterADay(age: Int64, isSettled: Bool) throws {
        let facts = try #require(try ListedFacts(ListedRow(hasZone: false, precision: .day).entry()))
        let known = Representation(length: 100, lastModified: HTTPDate(secondsSinceEpoch: noon))
        #expect(facts.areSettled(known, now: HTTPDate(secondsSinceEpoch: noon + age)) == isSettled)
        let later = HTTPDate(secondsSinceEpoch: noon + age + 14 * 3600)
        #expect(facts.areSettled(Representation(length: 100), now: later) == isSettled)
    }

    /// How a row, the record of the row and the file on the disk stand to each other.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        fileprivate var row = ListedRow()
        var listed: String? = "size=100 date=2026-01-31T12:00:00Z"
        var isTouched = false
        var isOfOther = false
        var digest: Digest?
        var recordedDigest: Digest?
        var isTrusted = true
        var asksNothing = false

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a row that says the same", asksNothing: true),
        Case(name: "a row that says the same, and nobody trusts it", isTrusted: false),
        Case(name: "a row of a file of which none was kept", listed: nil),
        Case(name: "a row of another size", row: ListedRow(size: .exact(101)), asksNothing: true),
        Case(name: "a row of another date", row: ListedRow(date: 1)),
        Case(name: "a row without a date", row: ListedRow(date: nil)),
        Case(name: "a row with a digest more", row: ListedRow(guess: md5(1))),
        Case(name: "a row whose size is rounded now", row: ListedRow(size: .within(95...105))),
        Case(name: "a file that was touched", isTouched: true),
        Case(name: "a record of another URL", isOfOther: true),
        Case(
            name: "a digest that is the recorded one, whatever else the row says", row: ListedRow(date: 5),
            digest: md5(1), recordedDigest: md5(1), isTrusted: false, asksNothing: true),
    ]

    @Test("Only a row that says what it said spares the question to the server", arguments: cases)
    private func planner(row: Case) throws {
        var entry = try row.row.entry()
        if let digest = row.digest { entry.digests = [digest] }
        let path = try RelativePath("file")
        let file = LocalFile(size: 100, modifiedNanoseconds: noon * 1_000_000_000, inode: 1)
        let other = try #require(WebURL("https://example.org/other"))
        let known = Representation(length: 100, lastModified: HTTPDate(secondsSinceEpoch: noon))
        var record = FileRecord(
            path: path,
            identity: Identity(
                resource: (row.isOfOther ? other : entry.urls[0]).resourceIdentity, representation: known),
            file: row.isTouched ? LocalFile(size: 100, modifiedNanoseconds: 1, inode: 1) : file,
            digest: row.recordedDigest)
        record.listed = row.listed
        let facts = EntryFacts(entry: entry, path: path, local: .file(file), record: record)
        for asksAlways in [false, true] {
            let planner = Planner(policy: ComparePolicy(alwaysAsks: asksAlways, trustsListings: row.isTrusted))
            let verdict = planner.verdict(on: facts, server: .notAsked)
            if case .exact(101) = entry.size {
                // The row contradicts the file: that it is replaced needs no question, and its plan does.
                guard !asksAlways else {
                    #expect(verdict == .ask)
                    continue
                }
                guard case .decided(let decision) = verdict else {
                    Issue.record("\(verdict)")
                    continue
                }
                #expect(decision.action == .replace)
                continue
            }
            guard row.asksNothing else {
                #expect(verdict == .ask)
                continue
            }
            guard case .decided(let decision) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(decision.action == .upToDate && decision.work == .none)
        }
    }

    @Test("A file that the server proves once more is recorded with the row that then spoke of it")
    func recordsTheRow() throws {
        var entry = try ListedRow().entry()
        let path = try RelativePath("file")
        let file = LocalFile(size: 100, modifiedNanoseconds: noon * 1_000_000_000, inode: 1)
        let known = Representation(length: 100, lastModified: HTTPDate(secondsSinceEpoch: noon))
        let record = FileRecord(
            path: path, identity: Identity(resource: entry.urls[0].resourceIdentity, representation: known), file: file)
        func work() -> Decision.Work? {
            let facts = EntryFacts(entry: entry, path: path, local: .file(file), record: record)
            guard case .decided(let decision) = Planner().verdict(on: facts, server: .answered(known)) else {
                return nil
            }
            return decision.work
        }
        #expect(work() == .record(file, known, nil))
        // A row of some other version is not kept: the server may go back to that.
        entry.modified = ListedDate(secondsSinceEpoch: noon - 500, hasZone: true, precision: .second)
        #expect(work() == Decision.Work.none)
    }
}
