internal import DLSync
internal import Glibc
internal import Synchronization

/// A file that a run writes for whoever looks after it. Errors are kept for the end: they do not stop the run.
final class OutputFile: Sendable {
    /// What becomes of what stood there.
    enum Kind {
        /// It is emptied now, and grows as it is written.
        case begun
        /// It stays until all is written, and is then replaced by one rename.
        case replaced
        /// As `replaced`, but where nothing is written, nothing is there in the end.
        case replacedOrRemoved
    }

    private struct State {
        var descriptor: Int32
        var error: Int32?
        var isEmpty = true
    }

    private let kind: Kind
    private let path: [UInt8]
    private let state: Mutex<State>

    /// Opens a file, so that a path that cannot be written is told before the work is begun.
    init(_ path: [UInt8], _ kind: Kind) throws(Failure) {
        self.path = path
        self.kind = kind
        if path == OutputFiles.standardOutput {
            state = Mutex(State(descriptor: STDOUT_FILENO))
            return
        }
        let target = kind == .begun ? path : Self.newName(path)
        let descriptor = withCString(target) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o666) }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        state = Mutex(State(descriptor: descriptor))
    }

    deinit {
        state.withLock { state in
            guard state.descriptor > STDERR_FILENO else { return }
            close(state.descriptor)
            if kind != .begun { withCString(Self.newName(path)) { _ = unlink($0) } }
        }
    }

    /// Writes a text behind what was written.
    func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes behind what was written.
    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            guard state.error == nil else { return }
            state.isEmpty = state.isEmpty && bytes.isEmpty
            state.error = writeAll(bytes, to: state.descriptor)
        }
    }

    /// Ends the file, and puts it in its place; gives what went wrong.
    func finish() -> Failure? {
        state.withLock { state in
            guard state.descriptor > STDERR_FILENO else {
                return state.error.flatMap { $0 == EPIPE ? nil : Self.failure(path, $0) }
            }
            // A pipe cannot be synced, and does not have to be.
            if state.error == nil, kind != .begun, fsync(state.descriptor) != 0 { state.error = errno }
            if close(state.descriptor) != 0, state.error == nil { state.error = errno }
            state.descriptor = -1
            if kind != .begun { state.error = putInPlace(state) }
            // That the reader of a pipe has gone is no failure: it has what it wanted.
            return state.error.flatMap { $0 == EPIPE ? nil : Self.failure(path, $0) }
        }
    }

    private func putInPlace(_ state: State) -> Int32? {
        let new = Self.newName(path)
        var error = state.error
        if error == nil, kind == .replacedOrRemoved, state.isEmpty {
            withCString(new) { _ = unlink($0) }
            return withCString(path) { unlink($0) } == 0 || errno == ENOENT ? nil : errno
        }
        if error == nil, withCString(new, { new in withCString(path) { rename(new, $0) } }) != 0 { error = errno }
        if error != nil { withCString(new) { _ = unlink($0) } }
        return error
    }

    /// Replaces a file by a text.
    static func replace(_ path: [UInt8], by text: String) -> Failure? {
        do {
            let file = try OutputFile(path, .replaced)
            file.write(text)
            return file.finish()
        } catch {
            return error
        }
    }

    private static func newName(_ path: [UInt8]) -> [UInt8] { path + Array(".dlsync-new".utf8) }

    static func failure(_ path: [UInt8], _ code: Int32) -> Failure {
        let isFull = code == ENOSPC || code == EDQUOT
        return Failure(
            isFull ? .diskFull : .disk,
            "'\(TerminalText.printable(path))' cannot be written: \(String(cString: strerror(code)))")
    }
}

/// Writes all of some bytes; gives the error that kept it from that.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
            guard errno == EINTR else { return errno }
            continue
        }
        rest = rest.dropFirst(count)
    }
    return nil
}
