import CSystem
import Glibc
import SyncCore

/// One connection of a ``FaultServer``, served by a thread of its own.
struct FaultConnection {
    let core: ServerCore
    let number: Int
    let socket: Int32
    let wake: Int32
    private var received: [UInt8] = []
    private var requestCount = 0

    init(core: ServerCore, number: Int, client: ServerCore.Client) {
        self.core = core
        self.number = number
        socket = client.socket
        wake = client.wake
    }

    /// What becomes of the connection after an answer.
    private enum Sequel { case keep, close, reset }

    /// Answers requests until one side has enough, then closes the socket.
    mutating func serve(_ admission: ServerCore.Admission) {
        var sequel = Sequel.keep
        if case .refuse(.reset) = admission { sequel = .reset }
        while sequel == .keep, let head = readHead() {
            guard let parts = RequestHead(head) else {
                _ = send(Answer.page(status: 400, date: secondsSinceEpochNow()).head)
                break
            }
            let body = readBody(parts)
            let (request, isServed) = core.begin { [number, requestCount] in
                RecordedRequest(
                    number: $0, connection: number, numberOnConnection: requestCount, method: parts.method,
                    target: parts.target, version: parts.version, fields: parts.fields, body: body)
            }
            requestCount += 1
            var answer = isServed ? core.answer(to: request) : .page(status: 503, date: secondsSinceEpochNow())
            if case .refuse(.status(let status, let retryAfter)) = admission {
                answer = .page(status: status, date: secondsSinceEpochNow())
                if let retryAfter { answer.setField("Retry-After", retryAfter) }
                answer.setField("Connection", "close")
            }
            sequel = send(answer, to: request)
            core.end(request.number)
        }
        if sequel == .reset { resetOnClose() }
        core.release(number)
    }

    // Receiving

    private mutating func readHead() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = endOfHead(from: searched) {
                let head = Array(received[..<end])
                received.removeFirst(end)
                return head
            }
            searched = max(0, received.count - 3)
            if received.count > 1 << 20 || !receiveMore() { return nil }
        }
    }

    private func endOfHead(from start: Int) -> Int? {
        guard received.count >= 4 else { return nil }
        for index in start..<max(start, received.count - 3) where received[index] == 13 {
            if received[index + 1] == 10, received[index + 2] == 13, received[index + 3] == 10 { return index + 4 }
        }
        return nil
    }

    private mutating func readBody(_ head: RequestHead) -> [UInt8] {
        let length = head.contentLength
        while received.count < length, receiveMore() {}
        let body = Array(received.prefix(length))
        received.removeFirst(body.count)
        return body
    }

    private mutating func receiveMore() -> Bool {
        let bytes = [UInt8](unsafeUninitializedCapacity: 16384) { buffer, count in
            repeat { count = recv(socket, buffer.baseAddress, buffer.count, 0) } while count == -1 && errno == EINTR
            count = max(0, count)
        }
        received += bytes
        return !bytes.isEmpty
    }

    // Sending

    private func send(_ answer: Answer, to request: RecordedRequest) -> Sequel {
        if let gate = answer.heldAt, !pass(gate) { return .close }
        if let raw = answer.raw {
            core.count(bytes: 0, isLast: true, of: request.number)
            _ = send(raw)
            return .close
        }
        var answer = answer
        let asksToClose = request.field("Connection")?.lowercased() == "close" || request.version == "HTTP/1.0"
        if asksToClose, answer.field("Connection") == nil { answer.setField("Connection", "close") }
        let hasBody = request.method != "HEAD" && answer.mayHaveBody
        core.setStatus(answer.status, of: request.number)
        let nothingFollows =
            !hasBody || (answer.bodyCount == 0 && answer.chunkedEnding == nil && answer.incidents.isEmpty)
        if nothingFollows { core.count(bytes: 0, isLast: true, of: request.number) }
        guard send(answer.preface + answer.head) else { return .close }
        if hasBody, !nothingFollows {
            let sequel = BodySender(connection: self, answer: answer, request: request.number).send()
            switch sequel {
            case .finished: break
            case .cut(.reset): return .reset
            case .cut(.close), .lost: return .close
            }
        }
        let closes =
            answer.closesQuietly || answer.version == "HTTP/1.0" || (hasBody && answer.endsWithConnection)
            || answer.field("Connection")?.lowercased() == "close"
            || (hasBody && answer.chunkedEnding != nil && answer.chunkedEnding != .proper)
        return closes ? .close : .keep
    }

    /// Sends all bytes; false where the client is gone.
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Glibc.send(
                    socket, buffer.baseAddress.map { $0 + done }, buffer.count - done, Int32(MSG_NOSIGNAL))
                if count == -1, errno == EINTR { continue }
                if count <= 0 { return false }
                done += count
            }
            return true
        }
    }

    /// Waits until the gate lets this connection pass; false where the client went away or the server stops. Without a
    /// name it can only be false.
    func pass(_ gate: String?) -> Bool {
        var isFirstTry = true
        while true {
            if let gate, core.tryGate(gate, wake: wake, isFirstTry: isFirstTry) { return true }
            isFirstTry = false
            var polls = [
                pollfd(fd: socket, events: hangUpEvent, revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&polls, nfds_t(polls.count), -1) == -1, errno != EINTR { return false }
            if polls[1].revents != 0 {
                var value: eventfd_t = 0
                eventfd_read(wake, &value)
            }
            if polls[0].revents != 0 || core.monitor.read({ $0.isStopping }) {
                if let gate { core.leaveGate(gate, wake: wake) }
                return false
            }
        }
    }

    /// Makes the close of the socket a reset, once everything that was sent has arrived, so that the client has exactly
    /// the bytes that the script says.
    private func resetOnClose() {
        for _ in 0..<2000 where dlsync_unsent_bytes(socket) > 0 && !hasHungUp(socket) { poll(nil, 0, 5) }
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
}
