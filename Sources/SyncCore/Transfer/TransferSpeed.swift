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
    /// itself. False as long as the speed is not known.
    ///
    /// Where the two meet, what is on its way already is thrown away: on a quick line some MiB, which have to be few beside
    /// what is gained.
    package func isWorthHelping(rest: Int64) -> Bool {
        guard let rate else { return false }
        let least: Duration = rate > Self.quick ? .seconds(1) : .milliseconds(250)
        return Double(rest) > rate * least.seconds
    }

    /// The rate from which on the sockets' buffers count, in bytes a second.
    private static let quick = Double(64 << 20)
}
