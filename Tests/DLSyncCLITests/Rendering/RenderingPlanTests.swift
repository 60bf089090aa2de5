import Testing

@testable import DLSync
@testable import DLSyncCLI
@testable import SyncCore

@Suite("Rendering plans and outcomes")
struct RenderingPlanTests {
    private static func planned(
        _ path: [UInt8], url: String = "http://user:secret@example.org/a?token=1", _ action: Action, _ reason: String,
        have: Int64 = 0, fetch: Int64? = 0, size: Int64? = nil
    ) throws -> PlannedEntry {
        let entry = Entry(urls: [try #require(WebURL(url))], origin: EntryOrigin(source: "list", line: 1))
        return PlannedEntry(
            facts: EntryFacts(entry: entry, path: try RelativePath(bytes: path)),
            decision: Decision(
                action: action, reason: reason, have: have, fetch: fetch, size: size, work: .none))
    }

    @Test("An entry for programs has all members in their order, and no credentials")
    func entryAsJSON() throws {
        let line = PlanRendering.json(
            try Self.planned(
                Array("a/b \"c\"".utf8), .resume, "524288 bytes are here already", have: 524_288, fetch: 524_288,
                size: 1_048_576))
        #expect(line.hasPrefix(#"{"type":"entry","path":"a/b \"c\"","url":"http://"#), "\(line)")
        #expect(!line.contains("secret"))
        #expect(
            line.hasSuffix(
                #","action":"resume","reason":"524288 bytes are here already","size":1048576,"have":524288,"fetch":524288}"#
                    + "\n"))
    }

    @Test("What is not known is null, and a name that is no UTF-8 has its bytes beside it")
    func unknownAsJSON() throws {
        let line = PlanRendering.json(
            try Self.planned([0x61, 0xFF], url: "http://example.org/a%FF", .fetch, "it is not here", fetch: nil))
        #expect(
            line == #"{"type":"entry","path":"a\#u{FFFD}","pathBytes":"61ff","url":"http://example.org/a%FF","#
                + #""action":"fetch","reason":"it is not here","size":null,"have":0,"fetch":null}"# + "\n")
    }

    @Test("Problems and sources that were not read are lines of their own")
    func problemsAsJSON() {
        #expect(
            PlanRendering.json(EntryOrigin(source: "list", line: 3), Failure(.badEntry, "no URL"))
                == #"{"type":"problem","source":"list","line":3,"reason":"no URL"}"# + "\n")
        #expect(
            PlanRendering.json(EntryOrigin(source: "http://h/"), Failure(.collision, "taken"))
                == #"{"type":"problem","source":"http://h/","line":null,"reason":"taken"}"# + "\n")
        #expect(
            PlanRendering.json(source: "http://h/", Failure(.missing, "gone"))
                == #"{"type":"sourceFailed","source":"http://h/","reason":"gone"}"# + "\n")
    }

    @Test("The totals count every action, and say how the run would end")
    func summary() throws {
        var summary = SyncSummary()
        summary.count(.planned(try Self.planned([0x61], .fetch, "new", fetch: 1000, size: 1000)))
        summary.count(.planned(try Self.planned([0x62], .resume, "half", have: 300, fetch: 700, size: 1000)))
        summary.count(.planned(try Self.planned([0x63], .fetch, "new", fetch: nil)))
        summary.count(.problem(EntryOrigin(source: "list", line: 9), Failure(.badEntry, "no URL")))
        #expect(
            PlanRendering.json(summary, freeSpace: 5000, status: .partial)
                == #"{"type":"summary","version":1,"entries":3,"actions":{"up-to-date":0,"fetch":2,"resume":1,"restart":0,"#
                + #""replace":0,"relabel":0,"delete":0,"skip":0,"conflict":0,"unknown":0},"failed":0,"problems":1,"#
                + #""sourcesFailed":0,"vanished":0,"deleted":0,"bytesDeleted":0,"deletionsRefused":0,"deletionsUnknown":0,"#
                + #""have":300,"fetch":1700,"unknownSizes":1,"free":5000,"exitStatus":3}"# + "\n")
        #expect(
            PlanRendering.text(summary, freeSpace: 5000)
                == "3 entries: 2 fetch, 1 resume; 1.7 KiB to fetch and 1 of unknown size, 300 B here, 4.9 KiB free\n")
        #expect(PlanRendering.text(summary, freeSpace: 1000).hasSuffix(" free (not enough)\n"))
        #expect(PlanRendering.text(SyncSummary(), freeSpace: nil) == "0 entries; 0 B to fetch, 0 B here\n")
    }

    @Test("A line for people cannot be broken by a name")
    func entryAsText() throws {
        let line = PlanRendering.text(
            try Self.planned(Array("a\nb\u{1B}[2J".utf8), .upToDate, "nothing changed on the server", size: 3))
        #expect(line == "up-to-date       0 B  a\\x0ab\\x1b[2J  (nothing changed on the server)\n")
    }

    @Test("A failure is one sentence, with the source only where the message lacks it")
    func failures() throws {
        let path = try RelativePath(bytes: Array("a b".utf8))
        var outcome = Outcome(
            path: path, url: "http://h/a", action: .replace, status: .done, reason: "it changed", bytes: 2048)
        #expect(OutcomeRendering.text(outcome) == "replace: a b, 2.0 KiB (it changed)")
        outcome.bytes = 0
        #expect(OutcomeRendering.text(outcome) == "replace: a b (it changed)")
        outcome.reason = "http://h/a does not exist (404)"
        #expect(OutcomeRendering.failure(outcome) == "dlsync: a b: http://h/a does not exist (404).")
        #expect(
            OutcomeRendering.sourceFailed("list", Failure(.unreadable, "'list' cannot be read: why"))
                == "dlsync: 'list' cannot be read: why.")
        #expect(
            OutcomeRendering.sourceFailed("http://h/", Failure(.unreadable, "the page was cut\u{1B}"))
                == "dlsync: http://h/: the page was cut\\x1b.")
        #expect(
            OutcomeRendering.problem(EntryOrigin(source: "list", line: 2), Failure(.badEntry, "no URL"))
                == "dlsync: list:2: no URL.")
    }
}
