internal import CSystem
package import DLSync
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Standard output and standard error, written whole. A reader that went away ends nothing (SIGPIPE is ignored).
package final class Console: Sendable {
    private struct State {
        /// The progress lines that stand at the bottom of the terminal.
        var progress: [String] = []
        /// The first error of writing results.
        var outputError: Int32?
        /// Where messages are kept besides.
        var log: LogFile?
    }

    private let state = Mutex(State())
    /// Whether standard error is a terminal.
    package let hasTerminal: Bool

    package init() {
        hasTerminal = isatty(STDERR_FILENO) == 1
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes results to standard output.
    package func print(_ text: String) {
        guard let error = write(text, to: STDOUT_FILENO) else { return }
        state.withLock { $0.outputError = $0.outputError ?? error }
    }

    /// Why not all results could be written. That the reader of a pipe has gone is no failure: it has what it wanted.
    package var outputFailure: Failure? {
        guard let error = state.withLock({ $0.outputError }), error != EPIPE else { return nil }
        let isFull = error == ENOSPC || error == EDQUOT
        return Failure(
            isFull ? .diskFull : .disk, "standard output cannot be written: \(String(cString: strerror(error)))")
    }

    /// Has every message appended to a log as well.
    func keep(in log: LogFile?) { state.withLock { $0.log = log } }

    /// Writes a message to standard error, above the progress lines if there are any.
    package func say(_ message: String) {
        let log = state.withLock { state in
            if state.progress.isEmpty {
                write(message + "\n", to: STDERR_FILENO)
            } else {
                write(TerminalRedraw.sequence(printing: message, above: state.progress), to: STDERR_FILENO)
            }
            return state.log
        }
        log?.add(message)
    }

    /// Draws the progress lines in the place of those before; none to take them away.
    package func draw(_ lines: [String]) {
        state.withLock { state in
            write(TerminalRedraw.sequence(previousLines: state.progress, lines: lines), to: STDERR_FILENO)
            state.progress = lines
        }
    }

    /// Columns and rows of the terminal.
    package var size: (columns: Int, rows: Int) {
        let columns = Int(dlsync_terminal_columns(STDERR_FILENO))
        return (columns > 0 ? columns : 80, 24)
    }

    /// Writes all of a text; gives the error that kept it from that.
    @discardableResult
    private func write(_ text: String, to descriptor: Int32) -> Int32? { writeAll(Array(text.utf8), to: descriptor) }
}
