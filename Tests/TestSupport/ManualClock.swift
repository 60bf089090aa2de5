package import SyncCore
import Synchronization

/// A clock that stands still until a test advances it.
package final class ManualClock: Sendable {
    private let time: Mutex<MonotonicTime>

    /// A clock that stands at `now`.
    package init(now: MonotonicTime = .zero) { time = Mutex(now) }

    /// The moment at which the clock stands.
    package var now: MonotonicTime { time.withLock { $0 } }

    /// Moves the clock forward, and returns the new moment.
    @discardableResult
    package func advance(by duration: Duration) -> MonotonicTime {
        precondition(duration >= .zero, "a monotonic clock never runs backwards")
        return time.withLock { time in
            time = time + duration
            return time
        }
    }
}
