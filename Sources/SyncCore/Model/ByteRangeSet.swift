/// A set of byte offsets, kept as sorted ranges of which no two touch: the map of what a partial holds.
public struct ByteRangeSet: Hashable, Sendable {
    /// The ranges in ascending order, none empty, none touching the next.
    public private(set) var ranges: [ByteRange]

    /// The empty set.
    public init() { ranges = [] }

    /// The union of some ranges, in any order.
    public init(_ ranges: some Sequence<ByteRange>) {
        self.init()
        for range in ranges { insert(range) }
    }

    /// How many bytes the set holds.
    public var count: Int64 { ranges.reduce(0) { $0 + $1.count } }
    /// Whether the set holds no byte.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Adds a range; bytes that are in the set already change nothing.
    public mutating func insert(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        let first = firstIndex(endingAtOrAfter: range.start)
        var last = first
        var merged = range
        while last < ranges.count, ranges[last].start <= range.end {
            merged.start = min(merged.start, ranges[last].start)
            merged.end = max(merged.end, ranges[last].end)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged))
    }

    /// Takes a range out; bytes that are not in the set change nothing.
    public mutating func remove(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { held -> [ByteRange] in
            guard held.intersection(range) != nil else { return [held] }
            var rest: [ByteRange] = []
            if held.start < range.start { rest.append(ByteRange(held.start, range.start)) }
            if range.end < held.end { rest.append(ByteRange(range.end, held.end)) }
            return rest
        }
    }

    /// Whether every byte of a range is in the set.
    public func contains(_ range: ByteRange) -> Bool {
        guard !range.isEmpty else { return true }
        let index = firstIndex(endingAtOrAfter: range.start + 1)
        return index < ranges.count && ranges[index].start <= range.start && range.end <= ranges[index].end
    }

    /// The parts of a range that are not in the set, in ascending order.
    public func gaps(in whole: ByteRange) -> [ByteRange] {
        var gaps: [ByteRange] = []
        var position = whole.start
        for range in ranges {
            guard range.end > position else { continue }
            guard range.start < whole.end else { break }
            if range.start > position { gaps.append(ByteRange(position, range.start)) }
            position = range.end
        }
        if position < whole.end { gaps.append(ByteRange(position, whole.end)) }
        return gaps
    }

    /// How many bytes from offset 0 on are in the set without a gap.
    public var contiguousPrefix: Int64 {
        guard let first = ranges.first, first.start == 0 else { return 0 }
        return first.end
    }

    /// The index of the first range whose end is at or behind an offset.
    private func firstIndex(endingAtOrAfter offset: Int64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].end < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ByteRangeSet: CustomStringConvertible {
    /// The ranges as in `0..<10, 20..<30`.
    public var description: String { ranges.map(\.description).joined(separator: ", ") }
}

extension ByteRangeSet {
    /// The set as text for the state and for resume data: `0-10,20-30`, each end exclusive.
    package var encoded: String { ranges.map { "\($0.start)-\($0.end)" }.joined(separator: ",") }

    /// Reads what ``encoded`` wrote; nil for anything else, so that damaged state is never taken for data.
    package init?(encoded: String) {
        self.init()
        guard !encoded.isEmpty else { return }
        var position: Int64 = -1
        for part in encoded.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Int64(ends[0]), let end = Int64(ends[1]), start > position, end > start
            else { return nil }
            ranges.append(ByteRange(start, end))
            position = end
        }
        // Other spellings of the numbers, as "+1" and "01", were never written.
        guard self.encoded == encoded else { return nil }
    }
}
