import CSystem
import Glibc
import Synchronization

/// Stands between a client and a server of TLS 1.2 or before, and ends connections where TLS does not: with the end of
/// TCP alone, between two of the server's records, and without the server's own word that all was said (close_notify,
/// RFC 8446 §6.1). It sees the records' heads and understands nothing of what they hold.
package final class RecordRelay: Sendable {
    /// How a connection is ended.
    package enum End: Hashable, Sendable {
        /// As the server does it.
        case faithfully
        /// In place of the server's first alert, which is its close_notify where nothing else is wrong.
        case insteadOfAlert
        /// Behind the record with which the server has sent so many bytes of data, heads of answers included.
        case afterData(Int)
    }

    /// The port on 127.0.0.1.
    package let port: UInt16
    private let listener: Int32
    private let stopEvent: Int32
    private let state: Mutex<State>
    private let thread = Mutex<JoinableThread?>(nil)

    private struct State {
        var ends: [End]
        var connections: [JoinableThread] = []
    }

    /// Relays to a port of 127.0.0.1.
    /// - Parameter ends: what becomes of the connections, in the order of their coming; the last is for all further ones.
    package init(to server: UInt16, ends: [End]) throws {
        state = Mutex(State(ends: ends))
        (listener, port) = try loopbackListener()
        do {
            stopEvent = try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) }
        } catch {
            close(listener)
            throw error
        }
        let (listener, stopEvent) = (listener, stopEvent)
        let accepting = try JoinableThread { [weak self] in
            while let client = accept(from: listener, unless: stopEvent) {
                guard let end = self?.nextEnd() else {
                    close(client)
                    return
                }
                let connection = try? JoinableThread {
                    RelayedConnection(client: client, stopEvent: stopEvent, end: end).serve(server)
                }
                if let connection {
                    self?.state.withLock { $0.connections.append(connection) }
                } else {
                    close(client)
                }
            }
        }
        thread.withLock { $0 = accepting }
    }

    deinit { stop() }

    /// Ends all connections, and returns when all threads are gone. A second call does nothing.
    package func stop() {
        let accepting = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let accepting else { return }
        eventfd_write(stopEvent, 1)
        accepting.join()
        for connection in state.withLock({ $0.connections }) { connection.join() }
        close(listener)
        close(stopEvent)
    }

    private func nextEnd() -> End {
        state.withLock { state in
            guard state.ends.count > 1 else { return state.ends.first ?? .faithfully }
            return state.ends.removeFirst()
        }
    }
}

/// One connection on its way through.
private struct RelayedConnection {
    let client: Int32
    let stopEvent: Int32
    let end: RecordRelay.End
    /// What came from the server and is no whole record yet.
    private var pending: [UInt8] = []
    private var data = 0

    init(client: Int32, stopEvent: Int32, end: RecordRelay.End) {
        self.client = client
        self.stopEvent = stopEvent
        self.end = end
    }

    private static let alert: UInt8 = 21
    private static let applicationData: UInt8 = 23

    /// Relays until one side has ended, or the script says so.
    consuming func serve(_ port: UInt16) {
        defer { close(client) }
        guard let server = try? loopbackConnection(port) else { return }
        var isServerOpen = true
        defer { if isServerOpen { close(server) } }
        while true {
            var polls = [client, server, stopEvent].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if !isServerOpen { polls[1].fd = -1 }
            guard poll(&polls, nfds_t(polls.count), -1) > 0 || errno == EINTR, polls[2].revents == 0 else { return }
            if polls[0].revents != 0 {
                guard let bytes = received(client), !isServerOpen || sent(bytes, to: server) else { return }
            }
            if isServerOpen, polls[1].revents != 0 {
                let bytes = received(server)
                guard bytes.map({ handOn($0) }) != true else { continue }
                // The client sees the end of TCP and nothing else; it is for the client to close its own half.
                shutdown(client, Int32(SHUT_WR))
                close(server)
                isServerOpen = false
            }
        }
    }

    /// Hands on the whole records that are here; false at the end of what is to be handed on.
    private mutating func handOn(_ bytes: [UInt8]) -> Bool {
        guard end != .faithfully else { return sent(bytes, to: client) }
        pending += bytes
        while pending.count >= 5 {
            let count = 5 + Int(pending[3]) << 8 + Int(pending[4])
            guard pending.count >= count else { break }
            let kind = pending[0]
            if kind == Self.alert, end == .insteadOfAlert { return false }
            guard sent(Array(pending[..<count]), to: client) else { return false }
            pending.removeFirst(count)
            if kind == Self.applicationData { data += count - 5 }
            if case .afterData(let most) = end, data >= most { return false }
        }
        return true
    }
}

private func accept(from listener: Int32, unless stopEvent: Int32) -> Int32? {
    while true {
        var polls = [listener, stopEvent].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polls, nfds_t(polls.count), -1) > 0 || errno == EINTR, polls[1].revents == 0 else { return nil }
        guard polls[0].revents != 0 else { continue }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        dlsync_set_close_on_exec(client)
        return client
    }
}

/// What has come; nil at the end.
private func received(_ socket: Int32) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
        repeat { count = recv(socket, buffer.baseAddress, buffer.count, 0) } while count == -1 && errno == EINTR
        count = max(0, count)
    }
    return bytes.isEmpty ? nil : bytes
}

private func sent(_ bytes: [UInt8], to socket: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
            let count = send(socket, buffer.baseAddress.map { $0 + done }, buffer.count - done, Int32(MSG_NOSIGNAL))
            if count == -1, errno == EINTR { continue }
            if count <= 0 { return false }
            done += count
        }
        return true
    }
}
