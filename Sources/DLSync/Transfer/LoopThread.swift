internal import Curl
internal import Glibc
internal import Synchronization

/// The thread that libcurl's multi handle runs on, as the executor of the one actor that may touch it.
///
/// The thread takes turns: first whatever was enqueued for the actor, then one turn of the loop, which ends asleep in
/// `curl_multi_poll`. Enqueueing wakes it.
final class LoopThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var thread: pthread_t?
        var isStopped = false
        /// Whether somebody runs what came after the end, so that it is still one job at a time.
        var isDraining = false
    }

    private let state = Mutex(State())
    private let waker = Mutex<MultiHandle.Waker?>(nil)

    /// Starts the thread. `turn` is called on it again and again, until it returns false.
    ///
    /// - Parameter turn: One turn of the loop; it does its own waiting.
    func start(waker: MultiHandle.Waker, turn: @escaping @Sendable () -> Bool) {
        self.waker.withLock { $0 = waker }
        let body = ThreadBody { [self] in
            state.withLock { $0.thread = pthread_self() }
            while true {
                runJobs()
                guard turn() else { break }
            }
            self.waker.withLock { $0 = nil }
            // What came while the last turn ended is run, so that nobody waits for an answer for ever.
            repeat { runJobs() } while !stop()
        }
        body.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // The job's own task may hold the last reference to the loop: once the job is in the list, whoever runs it, here or
        // on another thread, may let go of everything, and this object is still needed until the end of this call.
        let own = Unmanaged.passRetained(self)
        defer { own.release() }
        let job = UnownedJob(job)
        let (hasThread, runsHere) = state.withLock { state in
            state.jobs.append(job)
            let runsHere = state.isStopped && !state.isDraining
            if runsHere { state.isDraining = true }
            return (!state.isStopped, runsHere)
        }
        if hasThread { wake() }
        if runsHere {
            repeat { runJobs() } while !endDraining()
        }
    }

    /// Ends the duty of whoever runs what came after the thread's end, unless something came meanwhile.
    private func endDraining() -> Bool {
        state.withLock { state in
            state.isDraining = !state.jobs.isEmpty
            return !state.isDraining
        }
    }

    /// Wakes the thread from its sleep. Any thread may call it.
    func wake() { waker.withLock { $0?.wake() } }

    /// Whether this is the loop's thread: what `assumeIsolated` asks in libcurl's callbacks, which run outside of any job.
    func checkIsolated() {
        let isHere = state.withLock { state in
            state.isStopped || state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? true
        }
        precondition(isHere, "the transfer loop is entered from another thread")
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func runJobs() {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs.removeAll(keepingCapacity: true) }
                return state.jobs
            }
            guard !jobs.isEmpty else { return }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Ends the thread's duty, unless something came meanwhile. Jobs that come later find a loop that has stopped, and run
    /// where they were enqueued.
    private func stop() -> Bool {
        state.withLock { state in
            state.isStopped = state.jobs.isEmpty
            return state.isStopped
        }
    }
}

/// A closure as the body of a thread of its own.
private final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, nil, runThreadBody, context)
        precondition(code == 0, "a thread cannot be made: error \(code)")
        pthread_detach(thread)
    }

    fileprivate func run() { body() }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
