/// When a transfer last moved on (`--stall-timeout`).
///
/// What we hold back ourselves, for the rate limit or a disk that is behind, is no stall: the shell tells
/// ``progressed(at:)`` too whenever it lets a transfer go on.
package struct StallWatch: Hashable, Sendable {
    /// The last moment at which the transfer moved on.
    package private(set) var lastProgress: MonotonicTime

    /// A watch over a transfer that starts now.
    package init(startedAt now: MonotonicTime) { lastProgress = now }

    /// The transfer moved on. An earlier moment than the last one changes nothing.
    package mutating func progressed(at now: MonotonicTime) { lastProgress = max(lastProgress, now) }

    /// Slower than this, in bytes per second, a transfer brings so little that another connection is better.
    package static let leastRate = 100.0

    /// Judges what was seen of the transfer since the last sample.
    ///
    /// - Parameters:
    ///   - moved: Whether anything came.
    ///   - rate: How fast it is, in bytes per second, where that is known.
    ///   - isHeld: Whether we hold it back ourselves.
    package mutating func sample(moved: Bool, rate: Double?, isHeld: Bool, at now: MonotonicTime) {
        if isHeld || (moved && (rate ?? .infinity) >= Self.leastRate) { progressed(at: now) }
    }

    /// The moment at which the transfer counts as stalled if nothing comes before.
    package func deadline(timeout: Duration) -> MonotonicTime { lastProgress + timeout }

    /// Whether nothing came for the timeout.
    package func isStalled(now: MonotonicTime, timeout: Duration) -> Bool { now >= deadline(timeout: timeout) }
}
