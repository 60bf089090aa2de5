/// What a download asks for next, and of how many transfers.
extension DownloadMachine {
    /// How many more transfers there is use for now.
    package var demand: Int {
        guard !isWaiting else { return 0 }
        switch phase {
        case .sampling, .leading, .streaming, .confirming:
            return assignments.isEmpty ? 1 : 0
        case .spreading:
            guard let map else { return 0 }
            return max(0, min(rangesLeft(map), growth.allowed - assignments.count))
        case .complete, .failed:
            return 0
        }
    }

    /// The request for a transfer that got a permit; nil where there is no use for it any more.
    package mutating func request(for id: TransferID) -> TransferRequest? {
        guard demand > 0 else { return nil }
        let purpose: Purpose
        switch phase {
        case .sampling:
            guard let sample = samples.first else { return nil }
            purpose = .sample(sample)
        case .confirming:
            purpose = .confirmation
        case .leading where map == nil, .streaming:
            purpose = (phase == .leading ? firstRange : nil).map(Purpose.first) ?? .whole
        case .leading, .spreading:
            let most = min(mostPerRequest, guidedLength)
            guard let segment = map?.take(id, most: most) else { return nil }
            purpose = .segment(segment.rest)
        case .complete, .failed:
            return nil
        }
        assignments.append(
            Assignment(id: id, purpose: purpose, target: redirected, failuresBefore: countedFailures))
        let range = purpose.range
        defer { needsFreshConnection = false }
        return TransferRequest(
            phase == .confirming ? .head : .get, url, range: range, ifRange: range == nil ? nil : ifRange,
            headers: url.origin == task.urls[0].origin ? task.headers : [], onFreshConnection: needsFreshConnection,
            bypassesCaches: bypassesCaches, decodes: decodes)
    }

    /// Splits the rest of a transfer for one more, if the file may have one. The caller holds a spare permit, and asks for
    /// the request next.
    ///
    /// Of equal shares the last one is halved, as one transfer is free for it. Elsewhere as little is taken as lets all
    /// transfers go on that the file may have: they share the rest in further ranges.
    ///
    /// - Parameter least: Neither what is taken nor what stays is shorter, in bytes.
    package mutating func split(_ id: TransferID, least: Int64) -> [Action] {
        guard canSplit(id, least: least),
            let limit = map?.split(id, least: least, share: equalLength == nil ? 2 * Int64(growth.allowed) : 2)
        else { return [] }
        return [.limit(id, limit)]
    }

    /// Whether ``split(_:least:)`` would do something.
    package func canSplit(_ id: TransferID, least: Int64) -> Bool {
        guard phase == .spreading, !isWaiting, assignments.count < growth.allowed, let map, map.unassigned.isEmpty
        else { return false }
        return map.canSplit(id, least: least)
    }

    /// Lets the file have one more transfer than it has, whatever was learnt of its speed: its host carried more before, and
    /// what another file no longer needs is nothing new to it.
    package mutating func inviteHelp() {
        guard phase == .spreading else { return }
        growth.invite(active: assignments.count)
    }

    // MARK: How much is asked for at once

    /// The range that a new file's first request asks for: with a fixed number of segments only the first one's part,
    /// so that no connection has to be cut where the next begins.
    private var firstRange: ByteRange? {
        guard case .fixed(let count) = policy.segments, count > 1, !task.traits.refusesRanges else {
            return policy.requiresRanges ? ByteRange(0, max(1, policy.minimumSegment)) : nil
        }
        let size = task.promisedSize ?? task.announced?.length
        guard let size else { return ByteRange(0, max(1, policy.minimumSegment)) }
        guard size / 2 >= max(1, policy.minimumSegment) else { return nil }
        return ByteRange(0, max(policy.minimumSegment, size / Int64(max(1, min(count, policy.mostSegments)))))
    }

    /// How long the next range is: half of an equal share of what is not here, so that ranges grow shorter towards the end and
    /// all transfers end together, whatever each one's speed is, without any being cut (guided self-scheduling).
    private var guidedLength: Int64 {
        guard growth.allowed > 1, let map else { return .max }
        if let equalLength { return equalLength }
        let (free, least) = (map.free, max(1, policy.minimumSegment))
        // Not even rests are left over that are too short for a range of their own.
        guard free >= 2 * least else { return .max }
        return max(least, map.missing / Int64(2 * growth.allowed))
    }

    /// Cuts a file into as many equal ranges as it may have transfers from the start on, so that connections of one speed
    /// end together and none is idle while the next range is asked for. The first transfer brings its range in two parts
    /// where it had to ask for the size.
    mutating func cutEqually() {
        equalLength = nil
        guard case .fixed = policy.segments, let map else { return }
        let count = min(Int64(growth.allowed), map.missing / max(1, policy.minimumSegment))
        if count > 1 { equalLength = (map.missing - 1) / count + 1 }
    }

    /// How many transfers there are ranges for.
    private func rangesLeft(_ map: SegmentMap) -> Int {
        guard growth.allowed > 1 else { return map.unassigned.count }
        let length = equalLength ?? max(1, policy.minimumSegment)
        return max(map.unassigned.count, Int(min(256, map.free / length)))
    }

    private var ifRange: String? {
        guard let representation, phase != .sampling else { return nil }
        switch binding {
        case .entityTag: return representation.entityTag?.fieldValue
        case .date: return representation.lastModified?.fieldValue
        case .none: return nil
        }
    }

    /// The strongest form of `If-Range` that the representation has and the host understands.
    var bestBinding: IfRangeForm {
        switch task.traits.ifRange {
        case .none: return .none
        case .entityTag where representation?.entityTag.map { !$0.isWeak } == true: return .entityTag
        case .entityTag, .date: return representation?.lastModified != nil ? .date : .none
        }
    }
}
