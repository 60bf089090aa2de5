import CSystem
import Glibc

/// How a connection beyond the limit is refused.
package enum ConnectionRefusal: Sendable {
    /// By a reset.
    case reset
    /// By this status, with `Retry-After` if there is a value for it, and a close.
    case status(Int, retryAfter: String? = nil)
}

/// How much a server lets its clients do at once.
package enum ConnectionLimit: Sendable {
    /// At most this many connections.
    case connections(Int, ConnectionRefusal)
    /// At most this many requests that are being answered; the others get 503, as nginx's `limit_conn` has it.
    case activeRequests(Int)
}

/// A scripted HTTP/1.1 server on loopback, in this process: right by default, wrong where a script says so, and with a log
/// of everything that it was asked.
///
/// It never sleeps: where an answer is to wait, it waits at a ``Gate`` that the test opens.
package final class FaultServer: Sendable {
    let core = ServerCore()
    private let listener: Listener

    /// The address that the server listens on.
    package let address: String
    /// The port that the server listens on.
    package var port: UInt16 { listener.port }
    /// The scheme, the address and the port, without a slash behind: `http://127.0.0.1:40000`.
    package var origin: String { "http://\(address):\(port)" }
    /// The URL of a path, which begins with a slash.
    package func url(_ path: String) -> String { origin + path }

    /// Starts a server. It stops when it is let go, but ``run(address:_:)`` says so more clearly.
    /// - Parameter address: an IPv4 address of loopback; `127.0.0.2` and so on are further hosts.
    /// - Parameter port: the port; 0 takes any free one.
    package init(address: String = "127.0.0.1", port: UInt16 = 0) throws {
        self.address = address
        listener = try Listener(address: address, port: port, core: core)
    }

    /// Starts servers on several addresses and one port, as one host with several addresses has them.
    package static func onOnePort(_ addresses: [String]) throws -> [FaultServer] {
        var last: any Error = SystemError(code: EADDRINUSE, call: "bind")
        // Another server may have the port at one of the addresses.
        for _ in 0..<100 {
            do {
                var servers = [try FaultServer(address: addresses[0])]
                for address in addresses.dropFirst() {
                    servers.append(try FaultServer(address: address, port: servers[0].port))
                }
                return servers
            } catch {
                last = error
            }
        }
        throw last
    }

    deinit { stop() }

    /// Ends all connections, and returns when all threads are gone. A second call does nothing.
    package func stop() {
        listener.stop()
        // Handlers may hold this server, so they are let go; outside the lock, since it may be the last of them.
        let routes = core.monitor.update { state in
            defer { state.routes = [:] }
            return state.routes
        }
        withExtendedLifetime(routes) {}
    }

    /// Runs a server for the length of `body`.
    package static func run<Result>(
        address: String = "127.0.0.1", _ body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        let server = try FaultServer(address: address)
        defer { server.stop() }
        return try await body(server)
    }

    /// Runs a server for the length of `body`.
    package static func run<Result>(
        address: String = "127.0.0.1", _ body: (FaultServer) throws -> Result
    ) throws -> Result {
        let server = try FaultServer(address: address)
        defer { server.stop() }
        return try body(server)
    }

    // What is served

    /// Puts a resource under a path (or under a target with its query, which goes before the path), with a script.
    package func serve(_ path: String, _ resource: Resource, script: [Step] = []) {
        core.monitor.update { $0.routes[path] = .init(kind: .resource(resource), script: script) }
    }

    /// Lets `handler` make the answers of a path (or target). It runs under the server's lock: it only computes.
    package func handle(
        _ path: String, script: [Step] = [], _ handler: @escaping @Sendable (RecordedRequest) -> Answer
    ) {
        core.monitor.update { $0.routes[path] = .init(kind: .handler(handler), script: script) }
    }

    /// Answers every request of a path with a redirect, relative or to another origin.
    package func redirect(_ path: String, to location: String, status: Int = 302, script: [Step] = []) {
        core.monitor.update { state in
            let steps = script + [.always(.redirect(location, status: status))]
            state.routes[path] = .init(kind: .resource(Resource(.bytes([]))), script: steps)
        }
    }

    /// Serves a resource under signed URLs only: `path` redirects to `signedPath?token=…`, with a new token each time; a
    /// token is good for `usesPerToken` requests, HEADs among them, and the next gets the status `expired`.
    /// - Parameter host: the server that has `signedPath`, if it is another origin.
    package func serveSigned(
        _ path: String, at signedPath: String, of host: FaultServer? = nil, _ resource: Resource, usesPerToken: Int,
        expired: Int = 403, script: [Step] = []
    ) {
        let location = host.map { $0.url(signedPath) } ?? signedPath
        core.monitor.update { $0.routes[path] = .init(kind: .issuer(location: location), script: []) }
        (host ?? self).core.monitor.update { state in
            state.routes[signedPath] = .init(
                kind: .signed(resource, uses: usesPerToken, expired: expired), script: script)
        }
    }

    /// Lets all tokens that were used up to now expire.
    package func expireTokens() {
        core.monitor.update { state in
            for token in state.tokens.keys { state.tokens[token] = .max - 1 }
        }
    }

    /// Puts another version of a resource under a path, between two requests. The script goes on.
    package func replace(_ path: String, _ resource: Resource) {
        core.monitor.update { state in
            switch state.routes[path]?.kind {
            case .signed(_, let uses, let expired):
                state.routes[path]?.kind = .signed(resource, uses: uses, expired: expired)
            case .none: state.routes[path] = .init(kind: .resource(resource), script: [])
            default: state.routes[path]?.kind = .resource(resource)
            }
        }
    }

    /// Gives a path another script.
    package func setScript(_ path: String, _ script: [Step]) {
        core.monitor.update { $0.routes[path]?.script = script }
    }

    /// Takes a path away: 404 from now on.
    package func remove(_ path: String) { core.monitor.update { $0.routes[path] = nil } }

    /// Limits what clients may do at once; nil takes the limit away.
    package func limit(_ limit: ConnectionLimit?) { core.monitor.update { $0.limit = limit } }

    // The log

    /// All requests in the order of their arrival.
    package var requests: [RecordedRequest] { core.monitor.read { $0.requests } }

    /// The requests of a path.
    package func requests(to path: String) -> [RecordedRequest] { requests.filter { $0.path == path } }

    /// The bytes of bodies that were sent in all answers so far.
    package var bodyBytesSent: Int64 { requests.reduce(0) { $0 + $1.bodyBytesSent } }

    /// The numbers of connections and requests.
    package var statistics: ServerStatistics {
        core.monitor.read { state in
            ServerStatistics(
                connectionsAccepted: state.accepted, connectionsRefused: state.refused,
                openConnections: state.clients.count, peakConnections: state.peakConnections,
                activeRequests: state.active, peakActiveRequests: state.peakActive)
        }
    }

    /// A gate of the scripts, by its name.
    package func gate(_ name: String) -> Gate { Gate(name: name, core: core) }

    /// Blocks until `count` requests that `filter` matches have been received.
    /// - Throws: ``WaitTimeout``.
    @discardableResult
    package func waitForRequests(
        _ count: Int, _ filter: RequestFilter = .any, timeout: Duration = generousTimeout
    ) throws -> [RecordedRequest] {
        let awaited = { "\(count) requests at \(self.origin); there are \(self.requests)" }
        return try core.monitor.wait(for: awaited(), timeout: timeout) { state in
            let matching = state.requests.filter(filter.matches)
            return matching.count >= count ? matching : nil
        }
    }

    /// Suspends until `count` requests that `filter` matches have been received.
    /// - Throws: ``WaitTimeout``.
    @discardableResult
    package func waitForRequests(
        _ count: Int, _ filter: RequestFilter = .any, timeout: Duration = generousTimeout
    ) async throws -> [RecordedRequest] {
        try await onThread { try self.waitForRequests(count, filter, timeout: timeout) }
    }

    /// Blocks until the server is busy with no request. A request that its client gave up ends a moment later here.
    /// - Throws: ``WaitTimeout``.
    package func waitUntilIdle() throws {
        try core.monitor.wait(for: "the end of all requests at \(origin)") { $0.active == 0 ? () : nil }
    }

    /// Suspends until the server is busy with no request.
    /// - Throws: ``WaitTimeout``.
    package func waitUntilIdle() async throws { try await onThread { try self.waitUntilIdle() } }
}

/// What a ``FaultServer`` counted.
package struct ServerStatistics: Hashable, Sendable {
    /// All connections, refused ones too.
    package let connectionsAccepted: Int
    /// Those that the limit refused.
    package let connectionsRefused: Int
    /// Those that are open now.
    package let openConnections: Int
    /// The most that were open at once, refused ones among them.
    package let peakConnections: Int
    /// The requests that are being answered now.
    package let activeRequests: Int
    /// The most that were being answered at once, refused ones among them.
    package let peakActiveRequests: Int
}
