import CSystem
import Glibc
import Synchronization

/// The listening socket of a ``FaultServer``, the thread that accepts, and the threads of the connections.
final class Listener: Sendable {
    let port: UInt16
    private let core: ServerCore
    private let wake: Int32
    private let thread: Mutex<JoinableThread?>

    init(address: String, port wantedPort: UInt16, core: ServerCore) throws {
        self.core = core
        let socket = try checked("socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        do {
            port = try Self.bind(socket, address, wantedPort)
            wake = try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) }
        } catch {
            close(socket)
            throw error
        }
        let wake = wake
        thread = Mutex(try JoinableThread { acceptConnections(from: socket, wake: wake, core: core) })
    }

    func stop() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        core.stopClients()
        eventfd_write(wake, 1)
        thread.join()
        close(wake)
    }

    private static func bind(_ socket: Int32, _ address: String, _ port: UInt16) throws -> UInt16 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
            throw SystemError(code: EINVAL, call: "the address \(address)")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try checked("bind") { Glibc.bind(socket, address, length) }
                try checked("listen") { listen(socket, 1024) }
                try checked("getsockname") { getsockname(socket, address, &length) }
            }
        }
        return UInt16(bigEndian: name.sin_port)
    }
}

/// Accepts until the server stops, then waits for the threads of all connections.
private func acceptConnections(from listener: Int32, wake: Int32, core: ServerCore) {
    var threads: [Int: JoinableThread] = [:]
    var nextNumber = 0
    while !core.monitor.read({ $0.isStopping }) {
        var polls = [
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polls, nfds_t(polls.count), -1) > 0, polls[0].revents != 0 else { continue }
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { continue }
        dlsync_set_close_on_exec(socket)
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))

        // Threads that have ended are joined here, so that a long run keeps none of them.
        for number in core.monitor.update({ state in
            defer { state.endedThreads = [] }
            return state.endedThreads
        }) {
            threads.removeValue(forKey: number)?.join()
        }
        let client = ServerCore.Client(
            socket: socket, wake: eventfd(0, Int32(EFD_CLOEXEC)))
        let number = nextNumber
        guard threads.count < mostConnections, client.wake >= 0, let admission = core.admit(number, client) else {
            close(socket)
            if client.wake >= 0 { close(client.wake) }
            continue
        }
        nextNumber += 1
        do {
            threads[number] = try JoinableThread {
                var connection = FaultConnection(core: core, number: number, client: client)
                connection.serve(admission)
            }
        } catch {
            core.release(number)
        }
    }
    close(listener)
    core.stopClients()
    for thread in threads.values { thread.join() }
}

/// More connections than this are closed at once: a test that opens them has gone wrong.
private let mostConnections = 1024
