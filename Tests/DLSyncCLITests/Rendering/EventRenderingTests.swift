import Testing

@testable import DLSync
@testable import DLSyncCLI
@testable import SyncCore

private func path(_ bytes: [UInt8]) throws -> RelativePath { try RelativePath(bytes: bytes) }

private func outcome(
    _ name: String, _ status: Outcome.Status, _ failure: Failure? = nil, entry: Entry? = nil
) throws -> Outcome {
    Outcome(
        path: try path(Array(name.utf8)), url: "http://h/\(name)", action: .fetch, status: status,
        reason: failure?.message ?? "it is not here", bytes: 5, requests: 2, duration: .milliseconds(1234), size: 5,
        digest: Digest(.md5, hex: String(repeating: "0a", count: 16)), failure: failure, entry: entry)
}

@Suite("Rendering events")
struct EventRenderingTests {
    @Test("An outcome has all members in their order")
    func outcomeAsJSON() throws {
        #expect(
            EventRendering.json(.outcome(try outcome("a \"b\"\n", .done)))
                == #"{"type":"outcome","path":"a \"b\"\n","url":"http://h/a \"b\"\n","action":"fetch","status":"done","#
                + #""reason":"it is not here","bytes":5,"attempts":2,"seconds":1.234,"size":5,"#
                + #""digest":"md5=0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","failingSince":null,"failedRuns":null}"# + "\n")
    }

    @Test("A failure says since when and in how many runs")
    func failureAsJSON() throws {
        var failed = try outcome("a", .failed, Failure(.missing, "gone"))
        (failed.digest, failed.size) = (nil, nil)
        failed.failingSince = HTTPDate(secondsSinceEpoch: 784_111_777)
        failed.failedRuns = 3
        #expect(
            EventRendering.json(.outcome(failed))
                == #"{"type":"outcome","path":"a","url":"http://h/a","action":"fetch","status":"failed","reason":"gone","#
                + #""bytes":5,"attempts":2,"seconds":1.234,"size":null,"digest":null,"#
                + #""failingSince":"1994-11-06T08:49:37Z","failedRuns":3}"# + "\n")
    }

    @Test("What a verification found is a line of its own, and so are problems and sources that were not read")
    func others() throws {
        var finding = Verification(path: try path([0x61, 0xFF]), url: "http://h/a", verdict: .differs, reason: "why")
        finding.bytes = 7
        #expect(
            EventRendering.json(.verified(finding))
                == #"{"type":"verified","path":"a\#u{FFFD}","pathBytes":"61ff","url":"http://h/a","verdict":"differs","#
                + #""reason":"why","bytes":7,"digest":null,"badRanges":null}"# + "\n")
        finding.badParts = ByteRangeSet([ByteRange(0, 10), ByteRange(20, 30)])
        #expect(EventRendering.json(finding).hasSuffix(#""badRanges":"0-9,20-29"}"# + "\n"))
        let origin = EntryOrigin(source: "list", line: 3)
        let failure = Failure(.badEntry, "no URL")
        #expect(EventRendering.json(.problem(origin, failure)) == PlanRendering.json(origin, failure))
        #expect(
            EventRendering.json(.sourceFailed(source: "list", failure)) == PlanRendering.json(source: "list", failure))
    }

    @Test("A verification's lines for people")
    func verificationAsText() throws {
        let finding = Verification(
            path: try path([0x61, 0x0A]), url: "http://h/a", verdict: .missing, reason: "it is gone")
        #expect(VerificationRendering.text(finding) == "missing       a\\x0a  (it is gone)\n")
        var summary = SyncSummary()
        summary.count(.verified(finding))
        #expect(VerificationRendering.text(summary) == "1 file: 1 missing; 0 B read")
    }

    @Test("A line of the log has a date, a process and one line, whatever a name holds")
    func log() {
        let date = HTTPDate(secondsSinceEpoch: 784_111_777)
        #expect(
            LogRendering.line("dlsync: a\nb\u{1B}[2J.", at: date, processID: 12)
                == "1994-11-06T08:49:37Z [12] a\\x0ab\\x1b[2J.\n")
        #expect(LogRendering.line("fetch: a", at: date, processID: 1) == "1994-11-06T08:49:37Z [1] fetch: a\n")
    }
}

@Suite("The list of what failed")
struct FailedListTests {
    /// What a list yields.
    private static func read(_ bytes: [UInt8]) throws -> (entries: [Entry], problems: [ManifestProblem]) {
        var reader = ListReader(context: ManifestContext(sourceName: "failed"))
        var items: [ManifestItem] = []
        try reader.read(bytes[...], into: &items)
        try reader.finish(into: &items)
        var result: (entries: [Entry], problems: [ManifestProblem]) = ([], [])
        for item in items {
            switch item {
            case .entry(let entry): result.entries.append(entry)
            case .problem(let problem): result.problems.append(problem)
            case .listing, .nextPage, .explained: break
            }
        }
        return result
    }

    private static func entry(_ urls: [String], digests: [Digest] = [], size: SizeKnowledge = .unknown) throws -> Entry
    {
        Entry(
            urls: try urls.map { try #require(WebURL($0)) }, size: size, digests: digests,
            origin: EntryOrigin(source: "list"))
    }

    @Test("An entry keeps mirrors, path, size and digests, and comes back as it was")
    func roundTrip() throws {
        let digests = [
            try #require(Digest(.sha256, hex: String(repeating: "ab", count: 32))),
            try #require(Digest(.md5, hex: String(repeating: "cd", count: 16))),
        ]
        let entry = try Self.entry(
            ["http://h/a%20b?x=1", "https://mirror.example.org/a"], digests: digests, size: .exact(77))
        let text = try #require(
            FailedListRendering.text(
                try outcome("dir/out name#=x", .failed, Failure(.status(500), "a\nb"), entry: entry)))
        #expect(
            String(decoding: text, as: UTF8.self) == """
                # a\\x0ab
                http://h/a%20b?x=1\thttps://mirror.example.org/a
                  out=dir/out name#=x
                  size=77
                  checksum=sha-256=\(String(repeating: "ab", count: 32))
                  checksum=md5=\(String(repeating: "cd", count: 16))

                """)
        let back = try Self.read(text)
        #expect(back.problems.isEmpty)
        let read = try #require(back.entries.first)
        #expect(back.entries.count == 1)
        #expect(read.urls == entry.urls && read.digests == digests && read.size == entry.size)
        #expect(read.suggestedPath == Array("dir/out name#=x".utf8))
    }

    @Test(
        "A path comes back byte by byte, or the entry stays a comment: it never lands elsewhere",
        arguments: [
            "plain", "with space", " blank", "blank ", "\ttab", "new\nline", "cr\rx", "tab\tin", "#hash", "a=b",
            "\"q\"",
            "ü", "a # b", "..x", "~", "-dash", "out=x", "http:x", "a\\b", "dir/sub/x",
        ])
    func paths(name: String) throws {
        let failed = try outcome(name, .failed, Failure(.missing, "gone"), entry: Self.entry(["http://h/x"]))
        let text = try #require(FailedListRendering.text(failed))
        let back = try Self.read(text)
        #expect(back.problems.isEmpty)
        if let read = back.entries.first {
            #expect(read.suggestedPath == Array(name.utf8))
        } else {
            #expect(text.allSatisfy { $0 != 0x0D } && text.split(separator: 0x0A).allSatisfy { $0.first == 0x23 })
            #expect([" blank", "blank ", "\ttab", "new\nline", "cr\rx"].contains(name))
        }
    }

    @Test("A path that is no UTF-8 comes back byte by byte")
    func bytes() throws {
        var failed = try outcome("a", .failed, Failure(.missing, "gone"), entry: Self.entry(["http://h/x"]))
        failed.path = try path([0x61, 0xFF, 0x62])
        let text = try #require(FailedListRendering.text(failed))
        #expect(try Self.read(text).entries.first?.suggestedPath == [0x61, 0xFF, 0x62])
    }

    @Test("Logins, signatures and request fields are left out, and the last two are told")
    func secrets() throws {
        var entry = try Self.entry(["http://me:secret@h/a?X-Amz-Signature=secret&b=1"])
        entry.headers = [try #require(HeaderField(line: "Authorization: secret"))]
        let text = try #require(
            FailedListRendering.text(try outcome("a", .failed, Failure(.denied, "refused"), entry: entry)))
        #expect(
            String(decoding: text, as: UTF8.self) == """
                # refused
                # the signature was left out of the address
                # its request fields were left out
                http://h/a?b=1
                  out=a

                """)
    }

    @Test("What did not fail, or only because the run ended, is not in it")
    func others() throws {
        let entry = try Self.entry(["http://h/x"])
        #expect(FailedListRendering.text(try outcome("a", .done)) == nil)
        #expect(FailedListRendering.text(try outcome("a", .kept)) == nil)
        #expect(
            FailedListRendering.text(try outcome("a", .failed, Failure(.interrupted, "interrupted"), entry: entry))
                == nil)
    }
}
