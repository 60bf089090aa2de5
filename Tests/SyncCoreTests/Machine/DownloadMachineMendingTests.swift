import SyncCore
import Testing

private let md5 = Digest(.md5, bytes: [UInt8](repeating: 1, count: 16))
private let mismatch = Failure(.digestMismatch, "wrong")

/// A download of 100 bytes that are all here, and which are not right.
private func whole(mirrors: Int) throws -> ToldMachine {
    var told = try ToldMachine(digest: md5, mirrors: mirrors)
    _ = try told.ask(1)
    _ = told.head(1, .whole(tagged(1)))
    told.progress(1, 100)
    #expect(told.end(1) == [.complete(tagged(1))])
    return told
}

@Suite("A file of which some parts are wrong") struct DownloadMachineMendingTests {
    private static let wrong = [ByteRange(20, 30), ByteRange(60, 70)]

    @Test(
        "Only the wrong parts are asked for again: from another mirror if there is one, past all caches if not",
        arguments: [0, 1])
    func asksForWrongParts(mirrors: Int) throws {
        var told = try whole(mirrors: mirrors)
        #expect(told.machine.verificationFailed(mismatch, wrong: Self.wrong) == [])
        let ranges = Self.wrong.map { Optional($0) }
        let first = try told.ask(2)
        #expect(first.url == (mirrors == 1 ? told.mirror : told.url))
        #expect(first.bypassesCaches && first.range == ranges[0])
        #expect((first.ifRange == nil) == (mirrors == 1))
        let (actions, body) = told.head(2, .part(Self.wrong[0], of: tagged(mirrors == 1 ? 2 : 1)))
        #expect(actions == [.openPartial(length: 100)])
        #expect(body == .write(at: 20, limit: 30))
        told.progress(2, 30)
        #expect(told.end(2) == [])
        let second = try told.ask(3)
        #expect(second.range == ranges[1])
        _ = told.head(3, .part(Self.wrong[1], of: tagged(mirrors == 1 ? 2 : 1)))
        told.progress(3, 70)
        // What is recorded is what the first URL said, which the next run asks.
        #expect(told.end(3) == [.complete(tagged(1))])
        #expect(told.machine.remarks.contains("20 bytes of it were wrong and were fetched once more"))
    }

    @Test("Where nothing is left to try, what is right stays for another run", arguments: [0, 1])
    func keepsWhatIsRight(mirrors: Int) throws {
        var told = try whole(mirrors: mirrors)
        _ = told.machine.verificationFailed(mismatch, wrong: Self.wrong)
        for (id, range) in zip(2..., Self.wrong) {
            _ = try told.ask(id)
            _ = told.head(id, .part(range, of: tagged(1)))
            told.progress(id, range.end)
            _ = told.end(id)
        }
        let actions = told.machine.verificationFailed(mismatch, wrong: [Self.wrong[1]])
        #expect(actions.endingFailure == .digestMismatch)
        #expect(!actions.contains(.discardPartial))
        let known = told.machine.resumable
        let resumable = try #require(known)
        #expect(resumable.held == ByteRangeSet([ByteRange(0, 60), ByteRange(70, 100)]))
        #expect(resumable.representation == tagged(1))
    }

    @Test("Where every part is wrong, all is fetched anew") func allWrong() throws {
        var told = try whole(mirrors: 1)
        #expect(told.machine.verificationFailed(mismatch, wrong: [ByteRange(0, 100)]) == [.discardPartial])
        let request = try told.ask(2)
        #expect(request.range == nil && request.url == told.mirror)
    }

    @Test("A mirror without ranges brings the whole in their place") func wholeInstead() throws {
        var told = try whole(mirrors: 1)
        _ = told.machine.verificationFailed(mismatch, wrong: Self.wrong)
        _ = try told.ask(2)
        let (actions, body) = told.head(2, .whole(tagged(2)))
        #expect(actions == [.discardPartial, .openPartial(length: 100)])
        #expect(body == .write(at: 0, limit: 100))
    }
}

@Suite("Mirrors that a server names (RFC 6249)") struct DownloadMachineNamedMirrorTests {
    private func failedOver(
        _ links: [String], from answering: String? = nil, digest: Digest? = nil, status: Int = 200
    ) throws -> (own: String, urls: [String]) {
        var told = try ToldMachine(digest: digest, headers: [HeaderField(name: "X-Key", value: "secret")])
        _ = try told.ask(1)
        var head = ResponseHead.whole(tagged(1))
        head.status = status
        head.duplicates = links.map { Array($0.utf8) }
        _ = told.head(1, head, from: try answering.map { try #require(WebURL($0)) })
        _ = told.end(1, lostConnection)
        told.machine.timerFired()
        var urls: [String] = []
        for id in 2..<40 where told.machine.demand > 0 {
            let request = try told.ask(id)
            if request.url.origin != told.url.origin { #expect(request.headers == []) }
            urls.append(request.url.string)
            _ = told.refused(id, 404)
        }
        return (told.url.string, urls)
    }

    @Test("They are asked one after the other when the source's own URL fails, without its fields") func inOrder()
        throws
    {
        let (own, urls) = try failedOver([
            "https://b.example/f", "https://me:secret@c.example/f#part", "/other", "https://b.example/f",
        ])
        #expect(urls.first == own)
        #expect(
            urls.dropFirst().map { $0 } == ["https://b.example/f", "https://c.example/f", "https://example.org/other"])
    }

    @Test(
        "What is no address for a file is passed over, and what came by TLS goes on without it only if it is proven",
        arguments: [false, true])
    func passedOver(isProven: Bool) throws {
        let (_, urls) = try failedOver(
            ["ftp://b.example/f", "file:///etc/passwd", "http://d.example/f", "https://[/"],
            digest: isProven ? md5 : nil)
        #expect(urls.dropFirst().map { $0 } == (isProven ? ["http://d.example/f"] : []))
    }

    @Test("An answer that is none names no mirrors, and no answer names more than a few") func bounded() throws {
        #expect(try failedOver(["https://b.example/f"], status: 500).urls.allSatisfy { !$0.contains("b.example") })
        #expect(try failedOver((0..<100).map { "https://m\($0).example/f" }).urls.count == 16)
    }
}
