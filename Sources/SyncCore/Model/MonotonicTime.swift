/// A moment on a clock that never jumps, as the time since some start that only the clock knows.
///
/// Everything that decides takes the moment as an argument; only the shells read a clock, once a turn.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// The time since the clock's start.
    public var sinceStart: Duration

    /// A moment that lies `sinceStart` behind the clock's start.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// The clock's start.
    public static let zero = MonotonicTime(sinceStart: .zero)

    /// Whether a moment comes before another.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.sinceStart < right.sinceStart }
    /// The moment that lies a duration later.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceStart: time.sinceStart + duration)
    }
    /// The time from the right moment to the left.
    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration { left.sinceStart - right.sinceStart }
}

extension Duration {
    /// The duration in seconds, for rates and for people.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
