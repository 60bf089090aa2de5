import CSystem
import Glibc
import Synchronization

/// A real server, run for a test on a free port of loopback with everything it writes in a temporary directory.
package final class WebServer: Sendable {
    /// The directory that is served.
    package let root: String
    /// The port on 127.0.0.1.
    package let port: UInt16
    private let software: Software
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    private let isStopped = Mutex(false)

    /// What differs between the programs.
    struct Software: Sendable {
        let name: String
        /// The program and its arguments, given the directory that holds `server.conf`.
        let command: @Sendable (_ directory: String) -> [String]
        /// The configuration.
        let configuration: @Sendable (_ directory: String, _ root: String, _ port: UInt16) -> String
        /// The signal that lets it answer what it has begun, and end.
        let gracefulSignal: Int32
        /// Reads a line of `access.log`; nil where it is none.
        let readLogLine: @Sendable (_ line: Substring) -> AccessLogEntry?
        /// `http` or `https`.
        let scheme: String
    }

    /// Starts the server, and returns when it accepts connections.
    /// - Throws: ``SystemError`` where the program is missing; ``ServerFailure`` where it does not come up.
    init(_ software: Software, root: String) throws {
        self.software = software
        self.root = root
        var complaint = ""
        // Between the choice of a free port and its use, another program may take it: then another one is tried.
        for _ in 0..<5 {
            let directory = try TemporaryDirectory()
            let port = try freePort()
            try writeFile(directory.appending("server.conf"), software.configuration(directory.path, root, port))
            let command = software.command(directory.path)
            let process = try ChildProcess(command[0], Array(command.dropFirst()))
            if Self.isUp(process, port, directory) {
                self.directory = directory
                self.port = port
                self.process = process
                return
            }
            process.sendToGroup(SIGKILL)
            complaint =
                String(decoding: process.written(.error), as: UTF8.self)
                + ((try? readText(directory.appending("error.log"))) ?? "")
        }
        throw ServerFailure(description: "\(software.name) does not start: \(complaint)")
    }

    deinit { stop() }

    /// The scheme, the address and the port, without a slash behind.
    package var origin: String { "\(software.scheme)://127.0.0.1:\(port)" }
    /// The URL of a path, which begins with a slash.
    package func url(_ path: String) -> String { origin + path }

    /// Has the server read its configuration anew, with new workers, while it goes on.
    package func reload() { process.send(SIGHUP) }

    /// Stops the server; what it has begun to answer gets a little time. A second call does nothing.
    package func stop() {
        let wasStopped = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return isStopped
        }
        if wasStopped { return }
        process.send(software.gracefulSignal)
        for (timeout, signal) in [(10, SIGTERM), (10, SIGKILL)] {
            if (try? process.wait(timeout: .seconds(timeout))) != nil { return }
            process.sendToGroup(signal)
        }
        _ = try? process.wait()
    }

    /// What the log holds now. A request is entered a moment after its client has the answer.
    package func readLog() throws -> [AccessLogEntry] {
        let path = directory.appending("access.log")
        guard exists(path) else { return [] }
        return try readText(path).split(separator: "\n").compactMap(software.readLogLine)
    }

    /// Stops the server, so that the log is complete, and reads it.
    package func stopAndReadLog() throws -> [AccessLogEntry] {
        stop()
        return try readLog()
    }

    /// What the server complained of.
    package func readErrorLog() throws -> String { try readText(directory.appending("error.log")) }

    private static func isUp(_ process: ChildProcess, _ port: UInt16, _ directory: TemporaryDirectory) -> Bool {
        for _ in 0..<3000 {
            guard process.isRunning else { return false }
            // The file with its number is written once it has the port, so what answers there is this server.
            if exists(directory.appending("pid")), canConnect(port) { return true }
            poll(nil, 0, 5)
        }
        return false
    }
}

/// A server that did not come up, and what it said.
package struct ServerFailure: Error, CustomStringConvertible {
    /// The message.
    package let description: String
}

/// A port of loopback that was free a moment ago.
package func freePort() throws -> UInt16 {
    try withLoopbackSocket(port: 0) { socket, address, length in
        var length = length
        try checked("bind") { bind(socket, address, length) }
        try checked("getsockname") { getsockname(socket, address, &length) }
    }
}

/// A socket that listens on a free port of 127.0.0.1.
func loopbackListener() throws -> (socket: Int32, port: UInt16) {
    try keptLoopbackSocket(port: 0) { socket, address, length in
        var length = length
        try checked("bind") { bind(socket, address, length) }
        try checked("listen") { listen(socket, 128) }
        try checked("getsockname") { getsockname(socket, address, &length) }
    }
}

/// A socket that is connected to a port of 127.0.0.1.
func loopbackConnection(_ port: UInt16) throws -> Int32 {
    try keptLoopbackSocket(port: port) { socket, address, length in
        try checked("connect") { connect(socket, address, length) }
    }.socket
}

private func canConnect(_ port: UInt16) -> Bool {
    (try? withLoopbackSocket(port: port) { socket, address, length in
        try checked("connect") { connect(socket, address, length) }
    }) != nil
}

/// Calls `body` with a new socket and the address of a port of loopback; returns the port that the address then has.
@discardableResult
private func withLoopbackSocket(
    port: UInt16, _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) throws -> Void
) throws -> UInt16 {
    let (socket, port) = try keptLoopbackSocket(port: port, body)
    close(socket)
    return port
}

/// Calls `body` with a new socket and the address of a port of loopback; returns the socket with the port that the
/// address then has.
private func keptLoopbackSocket(
    port: UInt16, _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) throws -> Void
) throws -> (socket: Int32, port: UInt16) {
    let socket = try checked("socket") {
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
    do {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        try withUnsafeMutablePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try body(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return (socket, UInt16(bigEndian: name.sin_port))
    } catch {
        close(socket)
        throw error
    }
}
