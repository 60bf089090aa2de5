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

    /// A download of which 30 bytes are here when its first URL is gone.
    private func lost(mirrors: Int = 1) throws -> ToldMachine {
        var told = try ToldMachine(mirrors: mirrors)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.progress(1, 30)
        _ = told.end(1, lostConnection)
        told.machine.timerFired()
        _ = try told.ask(2)
        #expect(told.refused(2, 404) == [])
        return told
    }

    @Test func `a mirror shows by a sample that it serves the same, and goes on behind what is here`() throws {
        var told = try lost()
        let sample = try told.ask(3)
        #expect(sample.url == told.mirror)
        #expect(sample.range == ByteRange(0, 30))
        #expect(sample.ifRange == nil)
        #expect(told.head(3, .part(ByteRange(0, 30), of: tagged(2))).1 == .keep(most: 30))
        #expect(told.end(3, matches: true) == [])
        let rest = try told.ask(4)
        #expect(rest.url == told.mirror)
        #expect(rest.range == ByteRange(30, 100))
        _ = told.head(4, .part(ByteRange(30, 100), of: tagged(2)))
        told.progress(4, 100)
        // What is recorded is what the first URL said, which the next run asks.
        #expect(told.end(4) == [.complete(tagged(1))])
    }

    @Test(arguments: ["bytes", "length", "whole"])
    func `a mirror that serves something else is left out, and poisons nothing`(difference: String) throws {
        var told = try lost()
        _ = try told.ask(3)
        let end: [DownloadMachine.Action]
        switch difference {
        case "bytes":
            _ = told.head(3, .part(ByteRange(0, 30), of: tagged(2)))
            end = told.end(3, matches: false)
        case "length":
            #expect(told.head(3, .part(ByteRange(0, 30), of: tagged(2, 90))).1 == .cut)
            end = told.end(3, .cut)
        default:
            #expect(told.head(3, .whole(tagged(2, 90))).1 == .cut)
            end = told.end(3, .cut)
        }
        #expect(end.endingFailure == .softError)
        // What the first URL gave is there for another run.
        let known = told.machine.resumable
        let resumable = try #require(known)
        #expect(resumable.representation == tagged(1))
        #expect(resumable.held == ByteRangeSet([ByteRange(0, 30)]))
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
