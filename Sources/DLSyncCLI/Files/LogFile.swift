internal import DLSync
internal import Glibc
internal import Synchronization

/// A file to which lines are appended, each by one write, so that several runs may share it. Before each line it is
/// looked whether the path still names the file: one that was rotated away is begun anew, without a signal.
final class LogFile: Sendable {
    private struct State {
        var descriptor: Int32
        var error: Int32?
    }

    private let path: [UInt8]
    private let state: Mutex<State>

    init(_ path: [UInt8]) throws(Failure) {
        self.path = path
        let descriptor = Self.open(path)
        guard descriptor >= 0 else { throw OutputFile.failure(path, errno) }
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { state.withLock { _ = close($0.descriptor) } }

    /// Appends a line.
    func add(_ message: String) {
        let line = LogRendering.line(message, at: currentDate(), processID: getpid())
        state.withLock { state in
            if wasRotated(state.descriptor) {
                let new = Self.open(path)
                if new >= 0 {
                    close(state.descriptor)
                    state.descriptor = new
                }
            }
            if let error = writeAll(Array(line.utf8), to: state.descriptor) { state.error = state.error ?? error }
        }
    }

    /// Why not all lines are there.
    var failure: Failure? { state.withLock { $0.error }.map { OutputFile.failure(path, $0) } }

    private func wasRotated(_ descriptor: Int32) -> Bool {
        var here = stat()
        var named = stat()
        guard fstat(descriptor, &here) == 0 else { return true }
        guard withCString(path, { stat($0, &named) }) == 0 else { return true }
        return here.st_ino != named.st_ino || here.st_dev != named.st_dev
    }

    private static func open(_ path: [UInt8]) -> Int32 {
        withCString(path) { Glibc.open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o666) }
    }
}
