import SyncCore
import Testing

/// What a download learns of its host, and what it makes of what others have learnt.
@Suite struct DownloadMachineHostTests {
    @Test("case 17: the form of If-Range that works is told, and asked with first where it is known")
    func ifRangeForm() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        _ = told.end(1, .cut)
        _ = try told.ask(2)
        _ = told.head(2, .part(ByteRange(40, 100), of: tagged(1)))
        #expect(told.machine.takeFindings() == [.understandsIfRange(.date)])
        #expect(told.machine.takeFindings() == [])

        for (form, condition) in [(IfRangeForm.date, "Tue, 14 Nov 2023 22:13:21 GMT" as String?), (.none, nil)] {
            var next = try ToldMachine(start: partialStart(tagged(1)), traits: HostTraits(ifRange: form))
            #expect(try next.ask(1).ifRange == condition)
            _ = next.head(1, .part(ByteRange(40, 100), of: tagged(1)))
            #expect(next.machine.takeFindings() == [])
        }
    }

    @Test("case 1: that ranges are refused is told only where none ever came and nothing had changed")
    func refusedRanges() throws {
        var told = try ToldMachine(start: partialStart(tagged(1, 100, .strongTag)))
        for id in 1...2 {
            _ = try told.ask(id)
            _ = told.head(id, .whole(tagged(1, 100, .strongTag)))
        }
        #expect(told.machine.takeFindings() == [.rangesAreRefused])

        var changing = try ToldMachine(start: partialStart(tagged(1)))
        for id in 1...5 {
            guard changing.machine.demand > 0 else { break }
            _ = try changing.ask(id)
            _ = changing.head(id, .whole(tagged(id + 1)))
            changing.progress(id, 10)
            _ = changing.end(id, lostConnection)
            changing.machine.timerFired()
        }
        #expect(changing.machine.takeFindings() == [])
    }

    @Test("a host that is known for refusing ranges gets one request, and is believed when it gives one")
    func knownRefusal() throws {
        let traits = HostTraits(refusesRanges: true)
        var fresh = try ToldMachine(promisedSize: 100, segments: .fixed(4), traits: traits)
        #expect(try fresh.ask(1).range == nil)
        #expect(fresh.machine.demand == 0)

        var resumed = try ToldMachine(start: partialStart(tagged(1)), segments: .fixed(4), traits: traits)
        #expect(try resumed.ask(1).range == ByteRange(40, 100))
        _ = resumed.head(1, .part(ByteRange(40, 100), of: tagged(1)))
        #expect(resumed.machine.takeFindings() == [.rangesAreGiven])
    }

    @Test("case 18: tags that differ alone are told of once, by the announcement too")
    func unsteadyTags() throws {
        var announced = tagged(1)
        announced.entityTag = EntityTag(fieldValue: "\"another\"")
        var told = try ToldMachine(announced: announced)
        _ = try told.ask(1)
        _ = told.head(1, .whole(tagged(1)))
        #expect(told.machine.takeFindings() == [.tagsDiffer])
        #expect(told.machine.remarks == ["the server's entity tags differ from answer to answer"])
    }

    @Test("case 142: where ranges only hang, the whole is asked for, and what is here stays until it comes")
    func hangingRanges() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        let silence = TransferEnd.failed(Failure(.stalled, "nothing came"))
        for id in 1...2 {
            #expect(try told.ask(id).range == ByteRange(40, 100))
            let actions = told.end(id, silence)
            #expect(actions.endWithWait && actions.count == 1)
            told.machine.timerFired()
        }
        #expect(try told.ask(3).range == nil)
        #expect(told.head(3, .whole(tagged(1))).actions == [.discardPartial, .openPartial(length: 100)])
    }

    @Test("a server that gave ranges is asked for them again, however often one hangs")
    func provenRanges() throws {
        var told = try ToldMachine(start: partialStart(tagged(1)))
        _ = try told.ask(1)
        _ = told.head(1, .part(ByteRange(40, 100), of: tagged(1)))
        _ = told.end(1, lostConnection)
        for id in 2...4 {
            told.machine.timerFired()
            #expect(try told.ask(id).range == ByteRange(40, 100))
            _ = told.end(id, .failed(Failure(.stalled, "nothing came")))
        }
    }
}
