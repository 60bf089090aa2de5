import SyncCore
import Testing

@Suite struct DownloadMachineRefusalsTests {
    // MARK: What is no file

    @Test func `a size that breaks the promise is a soft error (BR 110)`() throws {
        var told = try ToldMachine(promisedSize: 90)
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .whole(tagged(1)))
        #expect(actions == [])
        #expect(body == .drop)
        let end = told.end(1)
        #expect(end.endingFailure == .softError)
    }

    @Test func `a size that breaks the promise only at its end is a soft error`() throws {
        var told = try ToldMachine(promisedSize: 90)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1, nil)))
        told.progress(1, 80)
        let end = told.end(1)
        #expect(end.endingFailure == .softError)
        #expect(told.machine.resumable == nil)
    }

    @Test(arguments: [200, 206])
    func `an encoded answer is never written (BR 83, 84)`(status: Int) throws {
        var told = try ToldMachine(start: status == 206 ? partialStart(tagged(1)) : .nothing)
        _ = try told.ask(1)
        var coded = tagged(1)
        coded.contentCoding = "gzip"
        let (actions, body) = told.head(1, status == 206 ? .part(ByteRange(40, 100), of: coded) : .whole(coded))
        #expect(actions == [])
        #expect(body == .drop)
        // The server may encode then, and what arrives is decoded: as one stream, and never resumed by offset.
        #expect(told.end(1) == (status == 206 ? [.discardPartial] : []))
        let request = try told.ask(2)
        #expect(request.decodes)
        #expect(request.range == nil)
        #expect(told.head(2, .whole(coded)).1 == .write(at: 0, limit: nil))
        told.progress(2, 250)
        #expect(told.machine.resumable == nil)
        var decoded = coded
        decoded.length = nil
        #expect(told.end(2) == [.complete(decoded)])
    }

    @Test func `decoded bytes are held against the promised size`() throws {
        var told = try ToldMachine(promisedSize: 90)
        _ = try told.ask(1)
        var coded = tagged(1, 50)
        coded.contentCoding = "gzip"
        _ = told.head(1, .whole(coded))
        _ = told.end(1)
        _ = try told.ask(2)
        _ = told.head(2, .whole(coded))
        told.progress(2, 91)
        #expect(told.end(2).endingFailure == .softError)
    }

    @Test(
        arguments: [
            ("http://a/x.iso", "text/html", nil, true), ("http://a/x.ISO", "text/html", nil, true),
            ("http://a/x.iso", "application/octet-stream", nil, false), ("http://a/x.html", "text/html", nil, false),
            ("http://a/x", "text/html", nil, false), ("http://a/x.unknown", "text/html", nil, false),
            ("http://a/x", "text/html", "application/octet-stream", true),
            ("http://a/x", "text/html", "text/html", false),
            ("http://a/x.iso", nil, nil, false), ("http://a/x.gz?a=b.html", "application/xhtml+xml", nil, true),
        ] as [(String, String?, String?, Bool)])
    func `a page in place of a file is no file (BR 110)`(
        url: String, mediaType: String?, before: String?, isError: Bool
    ) throws {
        let failure = SoftError.failure(
            Representation(length: 100, mediaType: mediaType), at: try #require(WebURL(url)),
            known: before.map { Representation(mediaType: $0) })
        #expect((failure?.code == .softError) == isError)
    }

    @Test func `a page in answer to a resumed download leaves what is here`() throws {
        var known = tagged(1)
        known.mediaType = "application/octet-stream"
        var told = try ToldMachine(start: partialStart(known))
        _ = try told.ask(1)
        var page = tagged(2, 85)
        page.mediaType = "text/html"
        let (actions, body) = told.head(1, .whole(page))
        #expect(actions == [])
        #expect(body == .drop)
        #expect(told.end(1).endingFailure == .softError)
        #expect(told.machine.resumable?.held == ByteRangeSet([ByteRange(0, 40)]))
    }

    // MARK: Servers with limits

    @Test func `a range that is refused for its length is halved, and no more than that (BR 13)`() throws {
        let known = tagged(1, 100 << 20)
        var told = try ToldMachine(start: .partial(known, held: ByteRangeSet([ByteRange(0, 4 << 20)])))
        var asked: [Int64] = []
        for id in 1...20 {
            guard let request = told.machine.request(for: TransferID(id)) else { break }
            asked.append(request.range?.count ?? 0)
            if !told.refused(id, 403).isEmpty { break }
        }
        let expected: [Int64] = [96, 48, 24, 12, 6, 3].map { $0 << 20 } + [3 << 19]
        #expect(asked == expected)
        #expect(told.machine.isEnded == true)
    }

    @Test(arguments: [(true, 200, true), (true, 50, false), (false, 200, false)])
    func `a server without ranges is refused where they are required (BR 14)`(
        required: Bool, length: Int64, isRefused: Bool
    ) throws {
        let url = try #require(WebURL("http://example.org/a"))
        var machine = DownloadMachine(
            DownloadTask(urls: [url]), policy: TransferPolicy(minimumSegment: 100, requiresRanges: required), seed: 1)
        let request = machine.request(for: TransferID(1))
        #expect(request?.range == (required ? ByteRange(0, 100) : nil))
        let head = ResponseHead(status: 200, contentLength: length, representation: tagged(1, length))
        let (_, body) = machine.received(head, from: url, for: TransferID(1))
        #expect((body == .drop) == isRefused)
        if isRefused { #expect(machine.ended(TransferID(1), .finished).endingFailure == .noRanges) }
    }

    // MARK: The last question

    private func fetched(_ known: Representation) throws -> ToldMachine {
        var told = try ToldMachine()
        _ = try told.ask(1)
        _ = told.head(1, .whole(known))
        told.progress(1, known.length ?? 0)
        #expect(told.end(1) == [])
        return told
    }

    @Test func `a large file is confirmed by one HEAD after its last byte (BR 43)`() throws {
        let known = tagged(1, 16 << 20)
        var told = try fetched(known)
        let request = try told.ask(2)
        #expect(request.method == .head)
        #expect(told.head(2, .whole(known)).1 == .drop)
        #expect(told.end(2) == [.complete(known)])
    }

    @Test func `a large file that changed meanwhile is fetched again, and not for ever (BR 43)`() throws {
        var told = try fetched(tagged(1, 16 << 20))
        for version in 2...5 {
            _ = try told.ask(version * 2)
            _ = told.head(version * 2, .whole(tagged(version, 16 << 20)))
            let end = told.end(version * 2)
            guard version < 5 else {
                #expect(end.endingFailure == .changedWhileFetched)
                return
            }
            #expect(end == [.discardPartial])
            _ = try told.ask(version * 2 + 1)
            _ = told.head(version * 2 + 1, .whole(tagged(version, 16 << 20)))
            told.progress(version * 2 + 1, 16 << 20)
            #expect(told.end(version * 2 + 1) == [])
        }
    }

    @Test(arguments: [403, 405, 500])
    func `a server that does not answer the last question is believed`(status: Int) throws {
        let known = tagged(1, 16 << 20)
        var told = try fetched(known)
        _ = try told.ask(2)
        #expect(told.refused(2, status) == [.complete(known)])
    }

    @Test func `a gzip file that is sent as gzip is stored as sent, in one stream (BR 86)`() throws {
        let url = try #require(WebURL("https://example.org/file.tar.gz"))
        var machine = DownloadMachine(DownloadTask(urls: [url]), policy: TransferPolicy(), seed: 1)
        _ = machine.request(for: TransferID(1))
        var coded = tagged(1)
        coded.contentCoding = "gzip"
        let (actions, body) = machine.received(.whole(coded), from: url, for: TransferID(1))
        #expect(actions == [.openPartial(length: nil)])
        #expect(body == .write(at: 0, limit: nil))
        machine.progressed(TransferID(1), to: 70)
        #expect(machine.resumable == nil)
        #expect(machine.splittable == 0)
        let end = machine.ended(TransferID(1), .finished)
        #expect(end == [.complete(coded)])
    }

    @Test func `without a length only a clean end is complete (BR 14)`() throws {
        var told = try ToldMachine()
        _ = try told.ask(1)
        let (_, body) = told.head(1, .whole(tagged(1, nil)))
        #expect(body == .write(at: 0, limit: nil))
        told.progress(1, 60)
        let broken = told.end(1, lostConnection)
        #expect(broken.endWithWait)
        told.machine.timerFired()
        _ = try told.ask(2)
        let (actions, _) = told.head(2, .whole(tagged(1, nil)))
        #expect(actions == [.discardPartial, .openPartial(length: nil)])
        told.progress(2, 70)
        let end = told.end(2)
        #expect(end == [.complete(tagged(1, 70))])
    }

    @Test(arguments: [Int64.max, Int64.max - 1, 1 << 62])
    func `absurd lengths do not trap`(length: Int64) throws {
        for segments in [SegmentLimit.auto, .fixed(8)] {
            for minimum: Int64 in [1, 1 << 20, .max] {
                var told = try ToldMachine(segments: segments, minimum: minimum)
                let request = try told.ask(1)
                let head: ResponseHead =
                    request.range.map { .part(ByteRange(0, min($0.end, 5)), of: tagged(1, length)) }
                    ?? .whole(tagged(1, length))
                let (_, body) = told.head(1, head)
                guard case .write(0, let limit?) = body else {
                    Issue.record("\(body)")
                    continue
                }
                for second in 0..<5 {
                    told.machine.sampleSpeed(now: MonotonicTime(sinceStart: .seconds(second)))
                    told.progress(1, min(limit, Int64(second / 2)))
                }
                _ = told.machine.split()
                #expect(told.machine.demand >= 0)
                _ = told.machine.request(for: TransferID(2))
                _ = told.end(1, lostConnection)
                #expect(told.machine.progress.length == length)
            }
        }
    }

    @Test func `a record of absurd extents does not trap`() throws {
        let held = ByteRangeSet([ByteRange(0, 1 << 61), ByteRange(1 << 62, .max)])
        var told = try ToldMachine(start: .partial(tagged(1, .max - 1, .none), held: held))
        let request = try told.ask(1)
        #expect(request.range == ByteRange(0, 16 << 10))
    }

    // MARK: Other tools' bytes

    @Test func `another tool's bytes are compared at head, tail and six places between`() throws {
        let length: Int64 = 10 << 20
        let step: Int64 = 16 << 10
        var told = try ToldMachine(start: .adopted(length: length), announced: tagged(1, 2 * length))
        for id in 1...8 {
            let range = try #require(try told.ask(id).range)
            #expect(range.count == step)
            if id == 1 { #expect(range.start == 0) }
            if id == 8 { #expect(range.end == length) }
            let (actions, body) = told.head(id, .part(range, of: tagged(1, 2 * length)))
            #expect(actions == [])
            #expect(body == .keep(most: Int(step)))
            #expect(told.machine.resumable == nil)
            let end = told.end(id, matches: true)
            #expect(end == [])
        }
        let request = try told.ask(9)
        #expect(request.range == ByteRange(length, 2 * length))
        #expect(request.ifRange == "\"v1\"")
    }

    @Test(arguments: [(TransferEnd.finished, false), (.finished, nil), (.cut, true)] as [(TransferEnd, Bool?)])
    func `a comparison that is not proven right discards the bytes`(end: TransferEnd, matches: Bool?) throws {
        var told = try ToldMachine(start: .adopted(length: 40), announced: tagged(1))
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 40), of: tagged(1)))
        let actions = told.end(1, end, matches: matches)
        #expect(actions == [.discardPartial])
        let request = try told.ask(2)
        #expect(request.range == nil)
    }

    @Test func `bytes that could not be compared are not recorded as the server's`() throws {
        var told = try ToldMachine(start: .adopted(length: 40), announced: tagged(1))
        _ = try told.ask(1)
        let actions = told.refused(1, 404)
        #expect(actions.endingFailure == .missing)
        #expect(told.machine.resumable == nil)
    }

    @Test(arguments: [Int64(0), 100, 200])
    func `what cannot be a beginning is not compared`(length: Int64) throws {
        var told = try ToldMachine(start: .adopted(length: length), announced: tagged(1))
        let request = try told.ask(1)
        #expect(request.range == nil)
    }
}
