import Glibc

/// Something that was waited for did not come within its generous bound.
package struct WaitTimeout: Error, CustomStringConvertible {
    /// What was waited for.
    package let awaited: String
    /// The message of a failed test.
    package var description: String { "gave up waiting for \(awaited)" }
}

/// How long a test waits for something that comes at once when all is well: it bounds a fault and measures nothing.
package let generousTimeout = Duration.seconds(60)

/// A value behind a lock, with a condition that wakes those who wait for the value to change.
///
/// The lock protects every access to the value, which is what makes the type Sendable.
package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// A monitor of a first value.
    package init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes all who wait.
    package func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Reads the value.
    package func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(state)
    }

    /// Blocks the thread until `condition` gives a result. Not for code that runs on the pool of Swift's tasks: there,
    /// ``onThread(_:)`` goes around it.
    /// - Parameter awaited: what is waited for, for the error.
    /// - Throws: ``WaitTimeout``.
    package func wait<Result>(
        for awaited: @autoclosure () -> String, timeout: Duration = generousTimeout,
        until condition: (inout State) throws -> Result?
    ) throws -> Result {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += Int(timeout.components.seconds)
        if let result = try wait(until: deadline, for: condition) { return result }
        // The description may read this monitor: the lock is free again.
        throw WaitTimeout(awaited: awaited())
    }

    private func wait<Result>(
        until deadline: timespec, for condition: (inout State) throws -> Result?
    ) rethrows -> Result? {
        var deadline = deadline
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try condition(&state) { return result }
            if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return try condition(&state) }
        }
    }
}
