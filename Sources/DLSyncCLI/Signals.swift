internal import Dispatch
internal import Glibc
internal import Synchronization

/// Hears SIGINT, SIGTERM and SIGHUP: the first asks for an orderly end, the second ends at once.
struct Signals {
    private final class First: Sendable {
        private let number = Mutex<Int32?>(nil)

        var value: Int32? { number.withLock { $0 } }

        /// Whether this signal is the first.
        func note(_ signal: Int32) -> Bool {
            number.withLock { number in
                guard number == nil else { return false }
                number = signal
                return true
            }
        }
    }

    private let first = First()
    private let sources: [any DispatchSourceSignal]

    /// Begins to listen; `interrupt` is called once, at the first signal.
    init(interrupt: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { [first] number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // State is written every second: what is lost by an end at once is what came since.
                guard first.note(number) else { _exit(128 + number) }
                interrupt()
            }
            source.resume()
            return source
        }
    }

    /// The signal that asked for the end, if one did.
    var received: Int32? { first.value }

    /// Stops listening.
    func stop() {
        for source in sources { source.cancel() }
    }
}
