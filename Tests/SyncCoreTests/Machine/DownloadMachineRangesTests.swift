import SyncCore
import Testing

@Suite struct DownloadMachineRangesTests {
    @Test func `a server without ranges gives one stream, and no retry is spent (BR 1, 2)`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1, 100, .none)))
        // What no validator binds is compared first, and there the whole comes.
        let request = try told.ask(1)
        #expect(request.range == ByteRange(0, 40))
        #expect(request.ifRange == nil)
        let (actions, body) = told.head(1, .whole(tagged(1, 100, .none)))
        #expect(actions == [.discardPartial, .openPartial(length: 100)])
        #expect(body == .write(at: 0, limit: 100))
        told.progress(1, 60)
        #expect(told.machine.resumable == nil)
        _ = told.end(1, lostConnection)
        told.machine.timerFired()
        let again = try told.ask(2)
        #expect(again.range == nil)
        let (second, _) = told.head(2, .whole(tagged(1, 100, .none)))
        #expect(second == [.discardPartial, .openPartial(length: 100)])
    }

    @Test func `200 to If-Range is asked once with the date, then without a condition (BR 17)`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        for (id, condition) in [(1, "\"v1\""), (2, "Tue, 14 Nov 2023 22:13:21 GMT"), (3, nil)] {
            let request = try told.ask(id)
            #expect(request.range == ByteRange(40, 100))
            #expect(request.ifRange == condition)
            guard id < 3 else { break }
            let (actions, body) = told.head(id, .whole(tagged(1)))
            #expect(actions == [])
            #expect(body == .cut)
            _ = told.end(id, .cut)
        }
        let (actions, body) = told.head(3, .part(ByteRange(40, 100), of: tagged(1)))
        #expect(actions == [.openPartial(length: 100)])
        #expect(body == .write(at: 40, limit: 100))
    }

    @Test func `200 to If-Range in no form is the one stream`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1, 100, .strongTag)))
        for id in 1...2 {
            _ = try told.ask(id)
            let (actions, body) = told.head(id, .whole(tagged(1, 100, .strongTag)))
            #expect(actions == (id == 1 ? [] : [.discardPartial, .openPartial(length: 100)]))
            #expect(body == (id == 1 ? .cut : .write(at: 0, limit: 100)))
        }
    }

    @Test func `a weak tag stands in no condition`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1, 100, .weakTag)))
        let sample = try told.ask(1)
        #expect(sample.ifRange == nil)
        _ = told.head(1, .part(ByteRange(0, 40), of: tagged(1, 100, .weakTag)))
        _ = told.end(1, matches: true)
        let request = try told.ask(2)
        #expect(request.range == ByteRange(40, 100))
        #expect(request.ifRange == nil)
    }

    @Test func `200 of another version replaces what is here`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .whole(tagged(2, 120)))
        #expect(actions == [.discardPartial, .openPartial(length: 120)])
        #expect(body == .write(at: 0, limit: 120))
        told.progress(1, 50)
        #expect(told.machine.resumable?.representation == tagged(2, 120))
    }

    @Test(arguments: [tagged(2), tagged(1, 120), tagged(2, 120)])
    func `206 of another version is never written (BR 19)`(other: Representation) throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .part(ByteRange(40, 100), of: other))
        #expect(actions == [.discardPartial])
        #expect(body == .cut)
        _ = told.end(1, .cut)
        let request = try told.ask(2)
        #expect(request.range == nil)
        #expect(request.ifRange == nil)
    }

    @Test func `what changes in every answer ends in one stream (BR 10)`() throws {
        var told = try ToldMachine()
        var number = 0
        for id in 1...20 {
            let request = try told.ask(id)
            number += 1
            let (_, body) = told.head(id, .whole(tagged(number, 100 + Int64(number))))
            if request.range == nil, id > 6 {
                #expect(body == .write(at: 0, limit: 100 + Int64(number)))
                told.progress(id, 100 + Int64(number))
                let end = told.end(id)
                #expect(end == [.complete(tagged(number, 100 + Int64(number)))])
                return
            }
            told.progress(id, 50)
            _ = told.end(id, lostConnection)
            told.machine.timerFired()
        }
        Issue.record("no stream after 20 answers")
    }

    @Test func `tags that differ alone leave the lead as the one stream (BR 18)`() throws {
        var told = try ToldMachine()
        var other = tagged(1)
        other.entityTag = EntityTag(opaque: "\"other\"", isWeak: false)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.machine.sampleSpeed(now: .zero)
        told.progress(1, 20)
        told.machine.sampleSpeed(now: MonotonicTime(sinceStart: .seconds(20)))
        _ = told.machine.split()
        _ = try told.ask(2)
        let (actions, body) = told.head(2, .part(ByteRange(80, 100), of: other))
        #expect(actions == [.limit(TransferID(1), 100)])
        #expect(body == .cut)
        told.progress(1, 100)
        let end = told.end(1)
        #expect(end == [.complete(tagged(1))])
    }

    @Test func `tags that differ alone are no matter where a digest proves the file (BR 18)`() throws {
        var told = try ToldMachine(
            start: partialStart(tagged(1)), digest: Digest(.md5, bytes: [UInt8](repeating: 1, count: 16)))
        var other = tagged(1)
        other.entityTag = EntityTag(opaque: "\"other\"", isWeak: false)
        _ = try told.ask(1)
        let (_, body) = told.head(1, .part(ByteRange(40, 100), of: other))
        #expect(body == .write(at: 40, limit: 100))
    }

    @Test(arguments: [Int64?.none, 30, 100, 5000])
    func `416 to a range discards the partial once and begins anew (BR 5, 6)`(length: Int64?) throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .notSatisfiable(length))
        #expect(actions == [.discardPartial])
        #expect(body == .cut)
        _ = told.end(1, .cut)
        let request = try told.ask(2)
        #expect(request.range == nil)
    }

    @Test(arguments: [ByteRange(0, 60), ByteRange(41, 100), ByteRange(0, 100), ByteRange(40, 101)])
    func `a wrong range is tried once on a new connection, then comes one stream (BR 3, 12)`(sent: ByteRange) throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        for id in 1...2 {
            let request = try told.ask(id)
            #expect(request.range == ByteRange(40, 100))
            #expect(request.onFreshConnection == (id == 2))
            let length = max(100, sent.end)
            let (actions, body) = told.head(id, .part(sent, of: tagged(1, length)))
            #expect(actions == [])
            #expect(body == .drop)
            let end = told.end(id, .cut)
            #expect(end == (id == 1 ? [] : [.discardPartial]))
        }
        let request = try told.ask(3)
        #expect(request.range == nil)
        #expect(request.onFreshConnection)
    }

    @Test func `one wrong range now and another later cost one try each`() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        var position: Int64 = 40
        for id in 1...10 {
            let request = try told.ask(id)
            #expect(request.range == ByteRange(position, 100))
            if id.isMultiple(of: 2) {
                _ = told.head(id, .part(ByteRange(position, 100), of: tagged(1)))
                position += 5
                told.progress(id, position)
                _ = told.end(id, lostConnection)
                told.machine.timerFired()
            } else {
                _ = told.head(id, .part(ByteRange(0, 10), of: tagged(1)))
                let end = told.end(id, .cut)
                #expect(end == [])
            }
        }
    }

    @Test func `a server that answers every request with a range is given up`() throws {
        var told = try ToldMachine()
        for id in 1...20 {
            let request = try told.ask(id)
            #expect(request.range == nil)
            _ = told.head(id, .part(ByteRange(0, 10), of: tagged(1)))
            let actions = told.end(id, .cut)
            told.machine.timerFired()
            if let failure = actions.endingFailure {
                #expect(failure == .wrongRange)
                return
            }
        }
        Issue.record("asked 20 times")
    }

    @Test func `a file whose size the first range tells is cut into equal shares, that range's being one`() throws {
        var told = try ToldMachine(segments: .fixed(4))
        let first = try told.ask(1)
        var ranges = [first.range]
        _ = told.head(1, .part(ByteRange(0, 10), of: tagged(1)))
        #expect(told.machine.demand == 3)
        for id in 2...4 { ranges.append(try told.ask(id).range) }
        #expect(told.machine.demand == 0)
        told.progress(1, 10)
        _ = told.end(1)
        ranges.append(try told.ask(5).range)
        #expect(
            ranges == [
                ByteRange(0, 10), ByteRange(10, 35), ByteRange(35, 60), ByteRange(60, 85), ByteRange(85, 100),
            ])
    }

    @Test func `of equal shares the one that takes longest is halved at the end`() throws {
        var told = try ToldMachine(segments: .fixed(4))
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 10), of: tagged(1)))
        for id in 2...4 {
            let request = try told.ask(id)
            let range = try #require(request.range)
            _ = told.head(id, .part(range, of: tagged(1)))
        }
        for (id, end) in [(1, Int64(10)), (3, 60), (4, 85)] {
            told.progress(id, end)
            _ = told.end(id)
        }
        _ = try told.ask(5)
        _ = told.head(5, .part(ByteRange(85, 100), of: tagged(1)))
        told.progress(5, 100)
        _ = told.end(5)
        // The second of 10 to 35 has brought nothing.
        let split = told.machine.split()
        #expect(split == [.limit(TransferID(2), 23)])
    }

    @Test func `a file that may have one transfer is split once its host has carried more`() throws {
        var told = try ToldMachine(minimum: 1)
        _ = try told.ask(1)
        told.machine.inviteHelp()
        #expect(told.machine.splittable == 0, "nobody knows yet what there is")
        _ = told.head(1, .whole(tagged(1)))
        #expect(told.machine.splittable == 0)
        told.machine.inviteHelp()
        #expect(told.machine.splittable == 100)
        let split = told.machine.split()
        #expect(split == [.limit(TransferID(1), 75)])
        let request = try told.ask(2)
        #expect(request.range == ByteRange(75, 100))
        #expect(told.machine.demand == 0)
    }

    @Test func `many ranges that a server calls by no length become one stream`() throws {
        var told = try ToldMachine(segments: .fixed(4))
        for id in 1...2 {
            let request = try told.ask(id)
            #expect(request.range != nil)
            _ = told.head(id, .part(ByteRange(0, 10), of: tagged(1, nil)))
            _ = told.end(id, .cut)
        }
        let request = try told.ask(3)
        #expect(request.range == nil)
    }

    @Test func `a helper that gets the whole twice leaves the lead as the one stream`() throws {
        var told = try ToldMachine(minimum: 1)
        let version = tagged(1, 100, .none)
        _ = try told.ask(1)
        _ = told.head(1, .whole(version))
        told.machine.sampleSpeed(now: .zero)
        told.progress(1, 20)
        told.machine.sampleSpeed(now: MonotonicTime(sinceStart: .seconds(20)))
        _ = told.machine.split()
        for id in 2...3 {
            let request = try told.ask(id)
            #expect(request.range == ByteRange(80, 100))
            #expect(request.onFreshConnection == (id == 3))
            let (actions, body) = told.head(id, .whole(version))
            #expect(actions == (id == 2 ? [] : [.limit(TransferID(1), 100)]))
            #expect(body == .cut)
            _ = told.end(id, .cut)
        }
        #expect(told.machine.demand == 0)
        #expect(told.machine.splittable == 0)
        told.progress(1, 100)
        let end = told.end(1)
        #expect(end == [.complete(version)])
    }

    @Test(arguments: [403, 404, 503, 429])
    func `a helper that is refused costs the lead nothing (BR 92)`(status: Int) throws {
        var told = try ToldMachine()
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.machine.sampleSpeed(now: .zero)
        told.progress(1, 20)
        told.machine.sampleSpeed(now: MonotonicTime(sinceStart: .seconds(20)))
        _ = told.machine.split()
        _ = try told.ask(2)
        let actions = told.refused(2, status)
        #expect(actions == [])
        #expect(told.machine.demand == 0)
        told.progress(1, 60)
        _ = told.end(1, .cut)
        let request = try told.ask(3)
        #expect(request.range == ByteRange(60, 100))
    }

    @Test func `a refusal that was meant beside another transfer is not final when that one has ended`() throws {
        var told = try ToldMachine(segments: .fixed(2), minimum: 10)
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 10), of: tagged(1)))
        _ = try told.ask(2)
        _ = told.head(2, ResponseHead(status: 403))
        told.progress(1, 10)
        _ = told.end(1)
        let actions = told.end(2)
        #expect(actions == [])
        #expect(told.machine.demand == 1)
    }
}
