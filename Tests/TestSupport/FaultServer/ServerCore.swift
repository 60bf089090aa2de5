import CSystem
import Glibc
import SyncCore

/// The state of a ``FaultServer`` that its threads share, behind one monitor.
final class ServerCore: Sendable {
    struct Route {
        var kind: Kind
        var script: [Step]

        enum Kind {
            case resource(Resource)
            case handler(@Sendable (RecordedRequest) -> Answer)
            /// Redirects to a path with a new token each time.
            case issuer(location: String)
            /// A resource that wants a token that is not used up.
            case signed(Resource, uses: Int, expired: Int)
        }
    }

    struct GateState {
        var permits = 0
        var isOpen = false
        var arrivals = 0
        var waiting: [Int32] = []
    }

    struct Client {
        let socket: Int32
        let wake: Int32
    }

    struct State {
        var routes: [String: Route] = [:]
        var gates: [String: GateState] = [:]
        var requests: [RecordedRequest] = []
        var tokens: [String: Int] = [:]
        var nextToken = 0
        var limit: ConnectionLimit?
        var clients: [Int: Client] = [:]
        var endedThreads: [Int] = []
        var isStopping = false

        var accepted = 0
        var refused = 0
        var peakConnections = 0
        var active = 0
        var peakActive = 0
    }

    let monitor = Monitor(State())

    // Requests

    /// Enters a request into the log; false for `isServed` where the limit of active requests refuses it.
    func begin(
        _ make: (_ number: Int) -> RecordedRequest
    ) -> (request: RecordedRequest, isServed: Bool) {
        monitor.update { state in
            let request = make(state.requests.count)
            state.requests.append(request)
            var isServed = true
            if case .activeRequests(let most) = state.limit, state.active >= most { isServed = false }
            state.active += 1
            state.peakActive = max(state.peakActive, state.active)
            return (request, isServed)
        }
    }

    func setStatus(_ status: Int, of number: Int) { monitor.update { $0.requests[number].status = status } }

    /// Counts bytes of the body just before they leave. With the last of them the request ends, so that a client that has
    /// the whole answer never finds the server still busy with it.
    func count(bytes: Int64, isLast: Bool, of number: Int) {
        monitor.update { state in
            state.requests[number].bodyBytesSent += bytes
            if isLast {
                state.requests[number].isComplete = true
                state.end(number)
            }
        }
    }

    /// Takes back what was counted for bytes that did not leave.
    func takeBack(bytes: Int64, of number: Int) {
        monitor.update { state in
            state.requests[number].bodyBytesSent -= bytes
            state.requests[number].isComplete = false
            state.end(number)
        }
    }

    func end(_ number: Int) { monitor.update { $0.end(number) } }

    /// The answer that the routes give.
    func answer(to request: RecordedRequest) -> Answer {
        let date = secondsSinceEpochNow()
        return monitor.update { state in
            guard let key = [request.target, request.path].first(where: { state.routes[$0] != nil }),
                var route = state.routes[key]
            else { return .page(status: 404, date: date) }
            var faults: [Fault] = []
            if let index = route.script.firstIndex(where: { $0.usesLeft != 0 && $0.filter.matches(request) }) {
                faults = route.script[index].faults
                if let left = route.script[index].usesLeft { route.script[index].usesLeft = left - 1 }
                state.routes[key] = route
            }
            var answer: Answer
            switch route.kind {
            case .resource(let resource): answer = evaluate(resource, faults, request, date)
            case .handler(let handler): answer = handler(request)
            case .issuer(let location):
                let token = "token-\(state.nextToken)"
                state.nextToken += 1
                answer = .page(status: 302, date: date)
                answer.setField("Location", "\(location)?token=\(token)")
            case .signed(let resource, let uses, let expired):
                let token = request.query ?? ""
                let used = state.tokens[token, default: 0]
                state.tokens[token] = used + 1
                answer =
                    token.hasPrefix("token=token-") && used < uses
                    ? evaluate(resource, faults, request, date) : .page(status: expired, date: date)
            }
            for fault in faults { fault.apply(to: &answer, date: date) }
            return answer
        }
    }

    private func evaluate(
        _ resource: Resource, _ faults: [Fault], _ request: RecordedRequest, _ date: Int64
    ) -> Answer {
        var evaluation = Evaluation(resource: resource, range: request.range)
        for fault in faults { fault.apply(to: &evaluation, request: request) }
        return evaluation.answer(to: request, date: date)
    }

    // Gates

    /// Whether the caller may pass the gate now; if not, it is to be woken by `wake` when that may have changed.
    func tryGate(_ name: String, wake: Int32, isFirstTry: Bool) -> Bool {
        monitor.update { state in
            var gate = state.gates[name] ?? GateState()
            defer { state.gates[name] = gate }
            if isFirstTry { gate.arrivals += 1 }
            if gate.isOpen || gate.permits > 0 {
                if !gate.isOpen { gate.permits -= 1 }
                gate.waiting.removeAll { $0 == wake }
                return true
            }
            if !gate.waiting.contains(wake) { gate.waiting.append(wake) }
            return false
        }
    }

    func leaveGate(_ name: String, wake: Int32) {
        monitor.update { $0.gates[name]?.waiting.removeAll { $0 == wake } }
    }

    func changeGate(_ name: String, _ change: (inout GateState) -> Void) {
        monitor.update { state in
            change(&state.gates[name, default: GateState()])
            for wake in state.gates[name]?.waiting ?? [] { eventfd_write(wake, 1) }
        }
    }

    // Connections

    enum Admission { case serve, refuse(ConnectionRefusal) }

    /// Enters a connection; nil while the server stops.
    func admit(_ number: Int, _ client: Client) -> Admission? {
        monitor.update { state in
            if state.isStopping { return nil }
            state.accepted += 1
            // A client that closes one connection and opens the next never has both, though the thread of the first may
            // not have noticed yet.
            let open = state.clients.values.count { !hasSurelyHungUp($0.socket) }
            state.clients[number] = client
            state.peakConnections = max(state.peakConnections, open + 1)
            if case .connections(let most, let refusal) = state.limit, open >= most {
                state.refused += 1
                return .refuse(refusal)
            }
            return .serve
        }
    }

    /// Closes a connection's descriptors, under the lock so that nobody else uses their numbers.
    func release(_ number: Int) {
        monitor.update { state in
            guard let client = state.clients.removeValue(forKey: number) else { return }
            close(client.socket)
            close(client.wake)
            state.endedThreads.append(number)
        }
    }

    /// Ends all connections. Their threads notice, and end.
    func stopClients() {
        monitor.update { state in
            state.isStopping = true
            for client in state.clients.values {
                shutdown(client.socket, Int32(SHUT_RDWR))
                eventfd_write(client.wake, 1)
            }
        }
    }
}

extension ServerCore.State {
    fileprivate mutating func end(_ number: Int) {
        guard requests[number].isActive else { return }
        requests[number].isActive = false
        active -= 1
    }
}

/// Whether the other side of a socket has closed it.
func hasHungUp(_ socket: Int32) -> Bool {
    var poll = pollfd(fd: socket, events: hangUpEvent, revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
}

/// As ``hasHungUp(_:)``, but never behind the times: while another thread is in a call on the socket, the kernel keeps the
/// peer's FIN back until that call lets go of the socket. Asking for TCP_INFO waits for that.
func hasSurelyHungUp(_ socket: Int32) -> Bool {
    var state: UInt8 = 0
    var size = socklen_t(MemoryLayout<UInt8>.size)
    getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &state, &size)
    return hasHungUp(socket)
}

/// POLLRDHUP, which the Glibc module does not show: the peer has closed its side.
let hangUpEvent: Int16 = 0x2000
