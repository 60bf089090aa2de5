/// How fast one transfer is at present, by samples that its loop takes: newer ones count more.
package struct TransferSpeed: Hashable, Sendable {
    /// Bytes per second; nil before there were enough samples to believe.
    package private(set) var rate: Double?
    private var samples = 0
    private var last: MonotonicTime

    private static let enough = 3
    private static let weightOfNewest = 0.3

    package init(startedAt now: MonotonicTime) { last = now }

    /// Takes the bytes since the last sample.
    package mutating func sample(bytes: Int64, now: MonotonicTime) {
        let time = (now - last).seconds
        guard time > 0 else { return }
        last = now
        samples += 1
        let newest = Double(bytes) / time
        estimate = samples == 1 ? newest : estimate + (newest - estimate) * Self.weightOfNewest
        rate = samples >= Self.enough ? estimate : nil
    }

    private var estimate = 0.0

    /// Whether so many bytes would keep the transfer busy for longer than it takes another one to begin and to pay for
    /// itself. It does not as long as the speed is not known.
    ///
    /// Where the two meet, what is on its way already is thrown away: on a quick line some MiB, which have to be few beside
    /// what is gained.
    ///
    /// - Returns: How long they would keep it busy, in seconds; nil where help does not pay.
    package func timeWorthHelping(rest: Int64) -> Double? {
        guard let rate, rest > 0 else { return nil }
        let least: Duration = rate > Self.quick ? .seconds(1) : .milliseconds(250)
        return Double(rest) > rate * least.seconds ? Double(rest) / max(1, rate) : nil
    }

    /// The fewest bytes that are worth a request of another transfer: those that take this one half a second, within limits.
    ///
    /// - Parameter policy: Its minimum segment is the fewest of a transfer that is not slow, its minimum share those of any.
    package func leastShare(_ policy: TransferPolicy) -> Int64 {
        guard let rate, rate / 2 < Double(policy.minimumSegment) else { return policy.minimumSegment }
        return max(policy.minimumShare, Int64(rate / 2))
    }

    /// The rate from which on the sockets' buffers count, in bytes a second.
    private static let quick = Double(64 << 20)
}
