import SyncCore
import Testing

@Suite struct SegmentMapTests {
    @Test(
        "the end of a rest is given away: a share of it, and neither part shorter than the least",
        arguments: [(2, 10, 50), (4, 10, 75), (4, 40, 60), (1, 10, 50), (8, 1, 88)] as [(Int64, Int64, Int64)])
    func share(share: Int64, minimum: Int64, limit: Int64) {
        var map = SegmentMap(length: 100)
        _ = map.take(TransferID(1))
        #expect(map.free == 0)
        let split = map.split(TransferID(1), least: minimum, share: share)
        #expect(split == limit)
        #expect(map.unassigned == [ByteRange(limit, 100)])
        #expect(map.free == 100 - limit)
    }

    @Test func `a transfer that ends leaves what it did not bring`() {
        var map = SegmentMap(length: 100)
        let id = TransferID(1)
        let segment = map.take(id)
        #expect(segment?.rest == ByteRange(0, 100))
        map.advance(id, to: 30)
        #expect(map.held.ranges == [ByteRange(0, 30)])
        map.end(id)
        #expect(map.unassigned == [ByteRange(30, 100)])
        #expect(!map.isComplete)
    }

    @Test func `a rest is halved where both halves are long enough`() {
        var map = SegmentMap(length: 100)
        _ = map.take(TransferID(1))
        map.advance(TransferID(1), to: 20)
        let split = map.split(TransferID(1), least: 10)
        #expect(split == 60)
        #expect(map.unassigned == [ByteRange(60, 100)])
        let second = map.take(TransferID(2), most: 30)
        #expect(second?.rest == ByteRange(60, 90))
        #expect(map.unassigned == [ByteRange(90, 100)])
        for least: Int64 in [21, .max] {
            #expect(!map.canSplit(TransferID(1), least: least))
            let none = map.split(TransferID(1), least: least)
            #expect(none == nil)
        }
        #expect(map.canSplit(TransferID(1), least: 20) && map.canSplit(TransferID(2), least: 15))
        #expect(!map.canSplit(TransferID(2), least: 16) && !map.canSplit(TransferID(3), least: 1))
    }

    @Test func `one transfer takes everything behind it back`() {
        var map = SegmentMap(length: 100)
        _ = map.take(TransferID(1))
        map.advance(TransferID(1), to: 10)
        _ = map.split(TransferID(1), least: 1)
        _ = map.take(TransferID(2))
        map.advance(TransferID(2), to: 70)
        map.end(TransferID(2))
        let limit = map.reclaim(TransferID(1))
        #expect(limit == 100)
        #expect(map.held.ranges == [ByteRange(0, 10)])
        #expect(map.unassigned.isEmpty)
        #expect(map[TransferID(1)]?.rest == ByteRange(10, 100))
        for id in [TransferID(1), TransferID(3)] {
            let none = map.reclaim(id)
            #expect(none == nil)
        }
    }

    @Test func `what a record names beyond the end is not here`() {
        let map = SegmentMap(length: 50, held: ByteRangeSet([ByteRange(0, 10), ByteRange(40, 80), ByteRange(90, 99)]))
        #expect(map.held.ranges == [ByteRange(0, 10), ByteRange(40, 50)])
        #expect(map.missing == 30)
        #expect(map.unassigned == [ByteRange(10, 40)])
    }

    @Test func `an empty file is complete`() {
        let map = SegmentMap(length: 0)
        #expect(map.isComplete)
        #expect(map.missing == 0)
    }

    @Test(arguments: 0..<30)
    func `in a random walk every byte is in just one place`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let length = Int64.random(in: 1...120, using: &random)
        let heldEnd = Int64.random(in: 0...length, using: &random)
        var map = SegmentMap(length: length, held: ByteRangeSet([ByteRange(heldEnd / 2, heldEnd)]))
        var held = (0..<length).map { $0 >= heldEnd / 2 && $0 < heldEnd }
        var number = 0
        var steps = 0
        while !map.isComplete {
            steps += 1
            try #require(steps < 5000)
            let active = map.active.randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                number += 1
                let first = map.unassigned.first
                let most = Bool.random(using: &random) ? .max : Int64.random(in: 1...20, using: &random)
                let segment = map.take(TransferID(number), most: most)
                #expect(segment?.rest.start == first?.start)
                #expect(segment.map { $0.rest.count <= most && !$0.rest.isEmpty } ?? (first == nil))
            case 3...4:
                guard map.unassigned.isEmpty else { continue }
                let share = Int64.random(in: 1...5, using: &random)
                guard let victim = map.active.randomElement(using: &random) else { continue }
                _ = map.split(victim.id, least: Int64.random(in: 1...9, using: &random), share: share)
            case 5: if let active { map.end(active.id) }
            case 6:
                if let active, map.active.count == 1, let limit = map.reclaim(active.id) {
                    for index in Int(active.limit)..<Int(limit) { held[index] = false }
                }
            default:
                guard let active else { continue }
                let position = Int64.random(in: active.position...active.limit, using: &random)
                map.advance(active.id, to: position)
                for index in Int(active.position)..<Int(position) {
                    #expect(!held[index])
                    held[index] = true
                }
                if position == active.limit { map.end(active.id) }
            }
            var places = [Int](repeating: 0, count: Int(length))
            for range in map.held.ranges + map.unassigned + map.active.map(\.rest) {
                for index in Int(range.start)..<Int(range.end) { places[index] += 1 }
            }
            #expect(places.allSatisfy { $0 == 1 })
            #expect(held.indices.allSatisfy { map.held.contains(ByteRange(Int64($0), Int64($0) + 1)) == held[$0] })
            #expect(map.missing == Int64(held.count { !$0 }))
            #expect(zip(map.unassigned, map.unassigned.dropFirst()).allSatisfy { $0.end <= $1.start })
        }
        #expect(held.allSatisfy { $0 })
    }
}
