import SyncCore
import Testing

@Suite struct DownloadMachineTests {
    @Test func `a new file costs one request without a range`() throws {
        var told = try ToldMachine()
        let request = try told.ask(1)
        #expect(request == TransferRequest(.get, told.url))
        #expect(told.machine.demand == 0)
        let (actions, body) = told.head(1, .whole(tagged(1)))
        #expect(actions == [.openPartial(length: 100)])
        #expect(body == .write(at: 0, limit: 100))
        told.progress(1, 100)
        let end = told.end(1)
        #expect(end == [.complete(tagged(1))])
        #expect(told.machine.isEnded == true)
        #expect(told.machine.demand == 0)
        let more = told.machine.request(for: TransferID(2))
        #expect(more == nil)
    }

    @Test(arguments: [SegmentLimit.auto, .fixed(4)])
    func `an empty file is complete`(segments: SegmentLimit) throws {
        var told = try ToldMachine(segments: segments)
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .whole(tagged(1, 0)))
        #expect(actions == [.openPartial(length: 0)])
        #expect(body == .write(at: 0, limit: 0))
        let end = told.end(1)
        #expect(end == [.complete(tagged(1, 0))])
    }

    @Test(arguments: [SegmentLimit.auto, .fixed(4)])
    func `an empty file is complete though its connection is lost`(segments: SegmentLimit) throws {
        var told = try ToldMachine(segments: segments)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1, 0)))
        let end = told.end(1, lostConnection)
        #expect(end == [.complete(tagged(1, 0))])
    }

    @Test func `an empty file has no first byte`() throws {
        var told = try ToldMachine(segments: .fixed(4))
        let request = try told.ask(1)
        #expect(request.range == ByteRange(0, 10))
        let (actions, body) = told.head(1, .notSatisfiable(0))
        #expect(actions == [.openPartial(length: 0), .complete(Representation(length: 0))])
        #expect(body == .cut)
        let end = told.end(1, .cut)
        #expect(end == [])
    }

    @Test func `a server that refuses the first bytes of a file that has some is asked for the whole`() throws {
        var told = try ToldMachine(segments: .fixed(4))
        _ = try told.ask(1)
        let (actions, body) = told.head(1, .notSatisfiable(nil))
        #expect(actions == [])
        #expect(body == .cut)
        _ = told.end(1, .cut)
        let request = try told.ask(2)
        #expect(request.range == nil)
    }

    @Test func `an empty partial of an empty file is complete`() throws {
        let told = try ToldMachine(start: .partial(tagged(1, 0), held: ByteRangeSet()))
        #expect(told.machine.firstActions == [.openPartial(length: 0), .complete(tagged(1, 0))])
    }

    @Test func `a lost connection is gone on with from the last byte`() throws {
        var told = try ToldMachine()
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.progress(1, 30)
        let actions = told.end(1, lostConnection)
        #expect(actions.endWithWait)
        #expect(told.machine.demand == 0)
        told.machine.timerFired()
        let request = try told.ask(2)
        #expect(request.range == ByteRange(30, 100))
        #expect(request.ifRange == "\"v1\"")
        let (more, body) = told.head(2, .part(ByteRange(30, 100), of: tagged(1)))
        #expect(more == [])
        #expect(body == .write(at: 30, limit: 100))
        told.progress(2, 100)
        let end = told.end(2)
        #expect(end == [.complete(tagged(1))])
    }

    @Test func `a connection that is lost behind the last wanted byte is no loss`() throws {
        var told = try ToldMachine()
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        told.machine.sampleSpeed(now: .zero)
        told.progress(1, 20)
        told.machine.sampleSpeed(now: MonotonicTime(sinceStart: .seconds(20)))
        #expect(told.machine.splittable == 80)
        let split = told.machine.split()
        #expect(split == [.limit(TransferID(1), 80)])
        _ = try told.ask(2)
        _ = told.head(2, .part(ByteRange(80, 100), of: tagged(1)))
        told.progress(2, 100)
        let second = told.end(2)
        #expect(second == [])
        told.progress(1, 80)
        let first = told.end(1, lostConnection)
        #expect(first == [.complete(tagged(1))])
    }

    @Test func `connections that are lost together spend one retry`() throws {
        var told = try ToldMachine(segments: .fixed(8), minimum: 1)
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 1), of: tagged(1)))
        told.progress(1, 1)
        _ = told.end(1)
        for id in 2...8 {
            let request = try told.ask(id)
            _ = told.head(id, .part(try #require(request.range), of: tagged(1)))
        }
        var waits = 0
        for id in 2...8 {
            let actions = told.end(id, lostConnection)
            if actions.endWithWait { waits += 1 } else { #expect(actions == []) }
        }
        #expect(waits == 1)
        told.machine.timerFired()
        #expect(told.machine.demand > 0)
    }

    @Test func `retries that bring nothing are bounded`() throws {
        var told = try ToldMachine()
        for id in 1...6 {
            _ = try told.ask(id)
            let actions = told.end(id, lostConnection)
            #expect(actions.endWithWait == (id < 6))
            if id == 6 { #expect(actions.endingFailure == .connectionLost) }
            told.machine.timerFired()
        }
    }

    // MARK: Other ends

    @Test func `a disk that refuses ends it at once`() throws {
        var told = try ToldMachine(segments: .fixed(2))
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(0, 10), of: tagged(1)))
        _ = try told.ask(2)
        let actions = told.machine.diskFailed(Failure(.diskFull, "full"))
        #expect(actions.prefix(2) == [.cancel(TransferID(1)), .cancel(TransferID(2))])
        #expect(actions.endingFailure == .diskFull)
        let late = told.end(1)
        #expect(late == [])
    }

    @Test func `an answer to a transfer that nobody knows is cut`() throws {
        var told = try ToldMachine()
        _ = try told.ask(1)
        let (actions, body) = told.head(7, .whole(tagged(1)))
        #expect(actions == [])
        #expect(body == .cut)
        told.progress(7, 50)
        let end = told.end(7)
        #expect(end == [])
        #expect(told.machine.activeTransfers == 1)
    }

    @Test func `many gaps are fetched in their order, by no more transfers than are allowed`() throws {
        let held = ByteRangeSet((0..<10).map { ByteRange($0 * 10, $0 * 10 + 5) })
        var told = try ToldMachine(start: .partial(tagged(1), held: held), segments: .fixed(3), minimum: 1)
        let first = try told.ask(1)
        #expect(first.range == ByteRange(5, 10))
        _ = told.head(1, .part(ByteRange(5, 10), of: tagged(1)))
        #expect(told.machine.demand == 2)
        let second = try told.ask(2)
        #expect(second.range == ByteRange(15, 20))
        let third = try told.ask(3)
        #expect(third.range == ByteRange(25, 30))
        #expect(told.machine.demand == 0)
    }
}
