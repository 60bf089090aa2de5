internal import Glibc
package import SyncCore

/// The clock that the loop reads once a turn.
package protocol LoopClock: Sendable {
    var now: MonotonicTime { get }
    /// What the clock on the wall shows, in minutes since midnight.
    var minuteOfDay: Int { get }
}

/// The machine's own monotonic clock.
package struct SystemClock: LoopClock {
    package init() {}

    package var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(sinceStart: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    /// In the local time zone (localtime_r(3)), whose rules say when clocks are put forward and back.
    package var minuteOfDay: Int {
        var seconds = time(nil)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return Int(seconds / 60 % 1440) }
        return Int(local.tm_hour * 60 + local.tm_min)
    }
}

/// How many processors this process may use (sysconf(3)).
func processorCount() -> Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// The date on the machine's calendar, in whole seconds.
package func currentDate() -> HTTPDate { HTTPDate(secondsSinceEpoch: Int64(time(nil))) }
