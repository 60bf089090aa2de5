internal import Glibc
package import SyncCore

/// The clock that the loop reads once a turn.
package protocol LoopClock: Sendable {
    var now: MonotonicTime { get }
}

/// The machine's own monotonic clock.
package struct SystemClock: LoopClock {
    package init() {}

    package var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(sinceStart: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }
}

/// The date on the machine's calendar, in whole seconds.
package func currentDate() -> HTTPDate { HTTPDate(secondsSinceEpoch: Int64(time(nil))) }
