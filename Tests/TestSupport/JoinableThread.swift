import Glibc
import Synchronization

/// A thread that somebody waits for.
package final class JoinableThread: Sendable {
    private let identifier: Mutex<pthread_t?>

    /// Starts a thread.
    /// - Throws: ``SystemError``.
    package init(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(ThreadBody(body))
        let code = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemError(code: code, call: "pthread_create")
        }
        identifier = Mutex(thread)
    }

    /// Waits for the thread's end. A second call does nothing.
    package func join() {
        guard
            let thread = identifier.withLock({ identifier in
                defer { identifier = nil }
                return identifier
            })
        else { return }
        pthread_join(thread, nil)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The C entry of a thread. It stands in a file of its own level so that it carries nobody's isolation.
private nonisolated func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}

/// Runs something that blocks on a thread of its own, so that it takes none from the pool of Swift's tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            // Nobody joins it: resuming the continuation is its last act.
            try startDetachedThread { continuation.resume(with: Swift.Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// Starts a thread that nobody waits for.
/// - Throws: ``SystemError``.
func startDetachedThread(_ body: @escaping @Sendable () -> Void) throws {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let box = Unmanaged.passRetained(ThreadBody(body))
    let code = pthread_create(&thread, &attributes, runThreadBody, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw SystemError(code: code, call: "pthread_create")
    }
}
