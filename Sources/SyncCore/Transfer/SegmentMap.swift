/// Names one transfer: a request and its answer. Numbers are never used twice by one loop.
package struct TransferID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: TransferID, right: TransferID) -> Bool { left.number < right.number }
}

/// Who fetches which bytes of one representation, and which are here.
///
/// Every byte of it is at any time in just one place: held, in the rest of one segment, or unassigned. So none can be
/// fetched twice, and none be forgotten.
package struct SegmentMap: Hashable, Sendable {
    /// The part of the representation that one transfer brings.
    package struct Segment: Hashable, Sendable {
        package let id: TransferID
        /// The offset of the next byte that the transfer brings.
        package fileprivate(set) var position: Int64
        /// The offset where it stops being this segment's: lowered when its tail is given to another.
        package fileprivate(set) var limit: Int64
        /// The offset where its request ends. The limit can be raised again up to here without another request.
        package let requestedEnd: Int64

        /// The bytes that are still to come.
        package var rest: ByteRange { ByteRange(position, limit) }
    }

    /// The complete length of the representation, in bytes.
    package let length: Int64
    /// The bytes that are here.
    package private(set) var held: ByteRangeSet
    /// The segments that are being fetched, by the order in which they were begun.
    package private(set) var active: [Segment] = []
    /// The ranges that are neither here nor being fetched, in ascending order.
    package private(set) var unassigned: [ByteRange]

    /// A map of a representation of which some bytes are here.
    package init(length: Int64, held: ByteRangeSet = ByteRangeSet()) {
        precondition(length >= 0, "a length is not negative")
        self.length = length
        self.held = held
        // What a record names beyond the end cannot be of this representation.
        self.held.remove(ByteRange(length, .max))
        unassigned = held.gaps(in: ByteRange(0, length))
    }

    /// Whether every byte is here.
    package var isComplete: Bool { unassigned.isEmpty && active.isEmpty }
    /// How many bytes are neither here nor being fetched.
    package var free: Int64 { unassigned.reduce(0) { $0 + $1.count } }
    /// How many bytes are not here.
    package var missing: Int64 { length - held.count }

    /// The segment of a transfer.
    package subscript(id: TransferID) -> Segment? { active.first { $0.id == id } }

    /// Gives the first unassigned range, or its first `most` bytes, to a transfer.
    package mutating func take(_ id: TransferID, most: Int64 = .max) -> Segment? {
        guard let range = unassigned.first else { return nil }
        let end = range.count <= most ? range.end : range.start + most
        if end == range.end {
            unassigned.removeFirst()
        } else {
            unassigned[0] = ByteRange(end, range.end)
        }
        let segment = Segment(id: id, position: range.start, limit: end, requestedEnd: end)
        active.append(segment)
        return segment
    }

    /// Takes the end of a transfer's rest away from it and leaves it unassigned.
    ///
    /// - Parameters:
    ///   - least: Neither what is taken nor what stays is shorter, in bytes.
    ///   - share: Which part of the rest is taken: 2 for a half, 4 for a quarter.
    /// - Returns: The transfer's new limit; nil where its rest is not twice as long as `least`.
    package mutating func split(_ id: TransferID, least: Int64, share: Int64 = 2) -> Int64? {
        guard canSplit(id, least: least), let index = active.firstIndex(where: { $0.id == id }) else { return nil }
        let rest = active[index].rest
        let start = rest.end - max(1, least, rest.count / max(2, share))
        active[index].limit = start
        leaveUnassigned(ByteRange(start, rest.end))
        return start
    }

    /// Whether ``split(_:least:share:)`` would do something.
    package func canSplit(_ id: TransferID, least: Int64) -> Bool {
        active.first { $0.id == id }.map { $0.rest.count / 2 >= max(1, least) } ?? false
    }

    /// Notes that a transfer has brought everything up to an offset.
    package mutating func advance(_ id: TransferID, to position: Int64) {
        guard let index = active.firstIndex(where: { $0.id == id }) else {
            preconditionFailure("transfer \(id.number) brings bytes without a segment")
        }
        let segment = active[index]
        precondition(
            position >= segment.position && position <= segment.limit,
            "transfer \(id.number) is at \(position), outside of \(segment.rest)")
        held.insert(ByteRange(segment.position, position))
        active[index].position = position
    }

    /// Ends a transfer's segment. What it did not bring is unassigned again.
    package mutating func end(_ id: TransferID) {
        guard let index = active.firstIndex(where: { $0.id == id }) else { return }
        let rest = active.remove(at: index).rest
        if !rest.isEmpty { leaveUnassigned(rest) }
    }

    /// Raises the limit of the only segment to where its request ends, so that one transfer brings all from its position
    /// on. What others brought of that is forgotten, as one answer cannot leave anything out.
    ///
    /// - Returns: The new limit; nil where it stays.
    package mutating func reclaim(_ id: TransferID) -> Int64? {
        guard let index = active.firstIndex(where: { $0.id == id }) else { return nil }
        precondition(active.count == 1, "transfer \(id.number) is not the only one that brings bytes")
        let segment = active[index]
        guard segment.limit < segment.requestedEnd else { return nil }
        let behind = ByteRange(segment.limit, segment.requestedEnd)
        held.remove(behind)
        unassigned = unassigned.flatMap { range -> [ByteRange] in
            [(range.start, min(range.end, behind.start)), (max(range.start, behind.end), range.end)]
                .filter { $0.0 < $0.1 }.map { ByteRange($0.0, $0.1) }
        }
        active[index].limit = segment.requestedEnd
        return segment.requestedEnd
    }

    private mutating func leaveUnassigned(_ range: ByteRange) {
        let index = unassigned.firstIndex { $0.start > range.start } ?? unassigned.count
        unassigned.insert(range, at: index)
        if index + 1 < unassigned.count, unassigned[index].end == unassigned[index + 1].start {
            unassigned[index].end = unassigned.remove(at: index + 1).end
        }
        if index > 0, unassigned[index - 1].end == unassigned[index].start {
            unassigned[index - 1].end = unassigned.remove(at: index).end
        }
    }
}
