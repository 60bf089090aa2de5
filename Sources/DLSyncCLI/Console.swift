internal import CSystem
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Standard output and standard error, written whole. A reader that went away ends nothing (SIGPIPE is ignored).
package final class Console: Sendable {
    private struct State {
        /// The progress lines that stand at the bottom of the terminal.
        var progress: [String] = []
    }

    private let state = Mutex(State())
    /// Whether standard error is a terminal.
    package let hasTerminal: Bool

    package init() {
        hasTerminal = isatty(STDERR_FILENO) == 1
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes results to standard output.
    package func print(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes a message to standard error, above the progress lines if there are any.
    package func say(_ message: String) {
        state.withLock { state in
            guard !state.progress.isEmpty else {
                write(message + "\n", to: STDERR_FILENO)
                return
            }
            write(TerminalRedraw.sequence(printing: message, above: state.progress), to: STDERR_FILENO)
        }
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

    private func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { return }
                continue
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
