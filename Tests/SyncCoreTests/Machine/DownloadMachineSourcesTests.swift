import SyncCore
import Testing

@Suite struct DownloadMachineSourcesTests {
    // MARK: Redirects

    @Test func `an expired target is asked for anew at the source, however many transfers it fails (BR 25)`() throws {
        var told = try ToldMachine(segments: .fixed(6), minimum: 1)
        let old = try #require(WebURL("https://cdn.test/file?sig=1"))
        let new = try #require(WebURL("https://cdn.test/file?sig=2"))
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 1), of: tagged(1)), from: old)
        told.progress(1, 1)
        _ = told.end(1)
        for id in 2...6 {
            let request = try told.ask(id)
            #expect(request.url == old)
        }
        for id in 2...6 {
            let actions = told.refused(id, 403, from: old)
            #expect(actions == [])
        }
        let request = try told.ask(7)
        #expect(request.url == told.url)
        let range = try #require(request.range)
        let (_, body) = told.head(7, .part(range, of: tagged(1)), from: new)
        #expect(body == .write(at: range.start, limit: range.end))
        _ = told.machine.split()
        let next = try told.ask(8)
        #expect(next.url == new)
    }

    @Test func `a target that refuses what the source just sent there is believed`() throws {
        var told = try ToldMachine()
        let target = try #require(WebURL("https://cdn.test/file?sig=1"))
        _ = try told.ask(1)
        let actions = told.refused(1, 403, from: target)
        #expect(actions.endingFailure == .status(403))
    }

    @Test func `the source's own fields stay behind at another origin`() throws {
        let field = HeaderField(name: "X-Key", value: "secret")
        var told = try ToldMachine(segments: .fixed(2), headers: [field])
        let first = try told.ask(1)
        #expect(first.headers == [field])
        _ = told.head(1, .part(ByteRange(0, 10), of: tagged(1)), from: told.mirror)
        let second = try told.ask(2)
        #expect(second.url == told.mirror)
        #expect(second.headers == [])
    }

    // MARK: Mirrors and digests

    @Test func `a mirror goes on where the first URL gives up, anew without a digest`() throws {
        var told = try ToldMachine(mirrors: 1)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.progress(1, 30)
        _ = told.end(1, lostConnection)
        told.machine.timerFired()
        _ = try told.ask(2)
        let actions = told.refused(2, 404)
        #expect(actions == [.discardPartial])
        let request = try told.ask(3)
        #expect(request.url == told.mirror)
        #expect(request.range == nil)
    }

    @Test func `a mirror goes on behind the bytes of the first URL where a digest proves the file (BR 129)`() throws {
        var told = try ToldMachine(digest: Digest(.md5, bytes: [UInt8](repeating: 1, count: 16)), mirrors: 1)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.progress(1, 30)
        _ = told.end(1, lostConnection)
        told.machine.timerFired()
        _ = try told.ask(2)
        let actions = told.refused(2, 404)
        #expect(actions == [])
        let request = try told.ask(3)
        #expect(request.url == told.mirror)
        #expect(request.range == ByteRange(30, 100))
        #expect(request.ifRange == nil)
    }

    @Test func `wrong bytes are fetched from the mirror, then past all caches, then given up (BR 78, 130)`() throws {
        for mirrors in 0...1 {
            var told = try ToldMachine(digest: Digest(.md5, bytes: [UInt8](repeating: 1, count: 16)), mirrors: mirrors)
            for id in 1...2 {
                let request = try told.ask(id)
                #expect(request.range == nil)
                #expect(request.url == (id == 2 && mirrors == 1 ? told.mirror : told.url))
                #expect(request.bypassesCaches == (id == 2))
                _ = told.head(id, .whole(tagged(1)))
                told.progress(id, 100)
                let end = told.end(id)
                #expect(end == [.complete(tagged(1))])
                let actions = told.machine.verificationFailed(Failure(.digestMismatch, "wrong"))
                #expect(actions.first == .discardPartial)
                #expect(actions.endingFailure == (id == 1 ? nil : .digestMismatch))
                #expect(told.machine.resumable == nil)
            }
        }
    }
}
