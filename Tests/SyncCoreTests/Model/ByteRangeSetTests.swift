import SyncCore
import Testing

@Suite struct ByteRangeSetTests {
    @Test(
        arguments: [
            ([(0, 0)], ""),
            ([(0, 10)], "0-10"),
            ([(0, 10), (10, 20)], "0-20"),
            ([(10, 20), (0, 10)], "0-20"),
            ([(0, 10), (20, 30)], "0-10,20-30"),
            ([(0, 10), (20, 30), (10, 20)], "0-30"),
            ([(0, 10), (20, 30), (5, 25)], "0-30"),
            ([(0, 10), (20, 30), (40, 50), (9, 41)], "0-50"),
            ([(5, 6), (0, 100)], "0-100"),
            ([(0, 100), (5, 6)], "0-100"),
            ([(0, Int64.max)], "0-9223372036854775807"),
            ([(Int64.max - 1, Int64.max), (0, 1)], "0-1,9223372036854775806-9223372036854775807"),
        ] as [([(Int64, Int64)], String)])
    func `ranges that touch become one`(ranges: [(Int64, Int64)], encoded: String) {
        let set = ByteRangeSet(ranges.map { ByteRange($0.0, $0.1) })
        #expect(set.encoded == encoded)
        #expect(ByteRangeSet(encoded: encoded) == set)
    }

    @Test(arguments: [
        "a", "-", "1", "1-", "-1", "1-1", "2-1", "0-10,", ",0-10", "0-10,10-20", "0-10,5-20", "20-30,0-10",
        "0-10;20-30",
        "-5-10", "+0-10", "00-10", "0-10 ", "0-9223372036854775808", "0-10,,20-30", "0-1-2",
    ])
    func `text that was never written is no set`(text: String) {
        #expect(ByteRangeSet(encoded: text) == nil)
    }

    @Test func `the largest offsets do not trap`() {
        var set = ByteRangeSet([ByteRange(0, .max)])
        #expect(set.count == .max)
        #expect(set.contains(ByteRange(.max - 1, .max)))
        #expect(set.contains(ByteRange(.max, .max)))
        #expect(set.gaps(in: ByteRange(0, .max)).isEmpty)
        set.remove(ByteRange(1, .max))
        #expect(set.gaps(in: ByteRange(0, .max)) == [ByteRange(1, .max)])
        #expect(set.contiguousPrefix == 1)
    }

    @Test(arguments: 0..<20)
    func `a random walk agrees with an array of bytes`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let size = 60
        var set = ByteRangeSet()
        var bytes = [Bool](repeating: false, count: size)
        for _ in 0..<400 {
            let start = Int.random(in: 0...size, using: &random)
            let range = start..<Int.random(in: start...size, using: &random)
            let byteRange = ByteRange(Int64(range.lowerBound), Int64(range.upperBound))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                set.insert(byteRange)
                for index in range { bytes[index] = true }
            case 1:
                set.remove(byteRange)
                for index in range { bytes[index] = false }
            default:
                #expect(set.contains(byteRange) == range.allSatisfy { bytes[$0] })
                var gaps = [Bool](repeating: false, count: size)
                for gap in set.gaps(in: byteRange) {
                    #expect(!gap.isEmpty)
                    for index in Int(gap.start)..<Int(gap.end) { gaps[index] = true }
                }
                #expect(gaps.indices.allSatisfy { gaps[$0] == (range.contains($0) && !bytes[$0]) })
            }
            #expect(set.count == Int64(bytes.count { $0 }))
            #expect(set.contiguousPrefix == Int64(bytes.prefix { $0 }.count))
            #expect(set.isEmpty == !bytes.contains(true))
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.end < $1.start })
            #expect(ByteRangeSet(encoded: set.encoded) == set)
        }
    }
}
