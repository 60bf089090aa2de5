import CSystem
import Glibc

/// How a process ended.
package enum Termination: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
}

/// What a process left.
package struct ProcessResult: Sendable {
    /// How it ended.
    package let termination: Termination
    /// What it wrote to its standard output.
    package let standardOutput: [UInt8]
    /// What it wrote to its standard error.
    package let standardError: [UInt8]
    /// The most memory that it held, in bytes.
    package let peakMemory: Int64

    /// The standard output as text.
    package var outputText: String { String(decoding: standardOutput, as: UTF8.self) }
    /// The standard error as text.
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
}

extension ProcessResult: CustomStringConvertible {
    /// All of it, for failure messages.
    package var description: String {
        "\(termination)\n--- standard output\n\(outputText)\n--- standard error\n\(errorText)"
    }
}

/// One of the two streams that a process writes.
package enum OutputStream: Hashable, Sendable { case output, error }

/// A terminal that takes the place of a process's streams.
package struct Terminal: Sendable {
    package let streams: Set<OutputStream>
    package let columns: UInt16

    /// A terminal of 24 lines at these streams. It sends the bytes on as they are: a line feed gets no carriage return.
    package init(at streams: Set<OutputStream> = [.error], columns: UInt16 = 80) {
        self.streams = streams
        self.columns = columns
    }
}

/// A program that runs beside the test.
///
/// It is the leader of a session of its own, so it has no controlling terminal and its children can be ended with it; all
/// of them are killed when the object is let go. Its output is collected by threads, so it never blocks. A process that
/// has ended is reaped with the object, and a zombie until then.
package final class ChildProcess: Sendable {
    /// Its number.
    package let processID: Int32
    private let core: ProcessCore

    /// Starts a program.
    /// - Parameter program: its path; a name without a slash is looked for in `PATH`.
    /// - Parameter environment: all its variables; nil gives it the test's own.
    /// - Parameter input: what it reads from its standard input; nil is `/dev/null`.
    /// - Parameter directory: where it runs; nil is the test's own place.
    /// - Parameter terminal: what streams are a terminal.
    /// - Throws: ``SystemError``.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8]? = nil,
        directory: String? = nil, terminal: Terminal? = nil
    ) throws {
        let started = try ProcessSpawn(
            program: program, arguments: arguments, environment: environment, input: input, directory: directory,
            terminal: terminal
        ).start()
        let core = ProcessCore(processID: started.processID, stopEvent: started.stopEvent)
        processID = started.processID
        self.core = core
        do {
            // Nobody joins these threads: to tell of the end is the last act of each.
            try startDetachedThread { readStreams(started.streams, into: core) }
            try startDetachedThread { core.awaitEnd() }
        } catch {
            core.send(SIGKILL, toGroup: true)
            throw error
        }
    }

    deinit { core.send(SIGKILL, toGroup: true) }

    /// Sends a signal to the process alone; nothing happens if it has ended.
    package func send(_ signal: Int32) { core.send(signal, toGroup: false) }

    /// Sends a signal to the process and its children.
    package func sendToGroup(_ signal: Int32) { core.send(signal, toGroup: true) }

    /// Whether it has not ended yet.
    package var isRunning: Bool { core.monitor.read { $0.termination == nil } }

    /// What it has written up to now.
    package func written(_ stream: OutputStream) -> [UInt8] { core.monitor.read { $0.written[stream] ?? [] } }

    /// Blocks until the process has ended. Its outputs are then complete; what surviving children write later is not in.
    /// - Throws: ``WaitTimeout``, with what was written; the process still runs then.
    package func wait(timeout: Duration = generousTimeout) throws -> ProcessResult {
        let written = { [core] in core.monitor.read { $0.written.mapValues { String(decoding: $0, as: UTF8.self) } } }
        return try core.monitor.wait(
            for: "the end of process \(processID), which wrote \(written())", timeout: timeout
        ) { state in
            state.termination.flatMap { termination in
                state.isRead
                    ? ProcessResult(
                        termination: termination, standardOutput: state.written[.output] ?? [],
                        standardError: state.written[.error] ?? [], peakMemory: state.peakMemory)
                    : nil
            }
        }
    }

    /// Suspends until the process has ended.
    /// - Throws: ``WaitTimeout``; the process still runs.
    package func wait(timeout: Duration = generousTimeout) async throws -> ProcessResult {
        try await onThread { try self.wait(timeout: timeout) }
    }

    /// Blocks until a stream contains a text.
    /// - Throws: ``WaitTimeout``, also where the process ended without it.
    package func waitForText(_ text: String, in stream: OutputStream) throws {
        let sought = Array(text.utf8)
        let found = try core.monitor.wait(for: "\"\(text)\" from process \(processID)") { state -> Bool? in
            if (state.written[stream] ?? []).contains(sought) { return true }
            return state.isRead ? false : nil
        }
        if !found { throw WaitTimeout(awaited: "\"\(text)\" from process \(processID), which has ended") }
    }

    /// Suspends until a stream contains a text.
    /// - Throws: ``WaitTimeout``, also where the process ended without it.
    package func waitForText(_ text: String, in stream: OutputStream) async throws {
        try await onThread { try self.waitForText(text, in: stream) }
    }

    /// Runs a program to its end. A status other than 0 is a result and no error.
    /// - Throws: ``SystemError`` where it cannot be started; ``WaitTimeout`` where it does not end, it is killed then.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8]? = nil,
        directory: String? = nil, terminal: Terminal? = nil, timeout: Duration = generousTimeout
    ) async throws -> ProcessResult {
        let process = try ChildProcess(
            program, arguments, environment: environment, input: input, directory: directory, terminal: terminal)
        return try await process.wait(timeout: timeout)
    }
}

/// What the threads of a process share.
final class ProcessCore: Sendable {
    struct State {
        var termination: Termination?
        var peakMemory: Int64 = 0
        var written: [OutputStream: [UInt8]] = [:]
        var isRead = false
    }

    let processID: pid_t
    /// Is written when the process has ended.
    let stopEvent: Int32
    let monitor = Monitor(State())

    init(processID: pid_t, stopEvent: Int32) {
        self.processID = processID
        self.stopEvent = stopEvent
    }

    /// The process is reaped last of all: up to here its number and its group's are nobody else's.
    deinit {
        kill(-processID, SIGKILL)
        while waitpid(processID, nil, 0) == -1, errno == EINTR {}
        close(stopEvent)
    }

    func send(_ signal: Int32, toGroup: Bool) { kill(toGroup ? -processID : processID, signal) }

    func awaitEnd() {
        var usage = rusage()
        let status = dlsync_await_end(processID, &usage)
        monitor.update { state in
            state.termination = status < 0 ? .signalled(-status) : .exited(status)
            state.peakMemory = Int64(usage.ru_maxrss) * 1024
        }
        eventfd_write(stopEvent, 1)
    }
}

extension [UInt8] {
    fileprivate func contains(_ sought: [UInt8]) -> Bool {
        if sought.isEmpty { return true }
        return withUnsafeBytes { bytes in
            memmem(bytes.baseAddress, bytes.count, sought, sought.count) != nil
        }
    }
}
