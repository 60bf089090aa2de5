import Curl
import SyncCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EasyHandleTests {
    private let multi: MultiHandle

    init() throws { multi = try MultiHandle() }

    @Test("A transfer gives its head line by line, then its body whole") func brings() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 300_000)))
            let get = try Prepared(server.url("/a"))
            #expect(try multi.run(get) == .ok)
            #expect(get.received.lines.first == "HTTP/1.1 200 OK\r\n")
            #expect(get.received.lines.last == "\r\n")
            #expect(get.received.lines.contains("Content-Length: 300000\r\n"))
            #expect(get.received.body == pattern(seed: 1, ByteRange(0, 300_000)))
            #expect(get.easy.newConnections == 1)
        }
    }

    @Test("Options reach the wire, and a reset takes all of them back") func resets() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 100)))
            let get = try Prepared(server.url("/a"))
            var lines = HeaderList()
            try lines.append("X-One: 1")
            try lines.append("X-Two: 2")
            try get.easy.set(headers: lines)
            try get.easy.set(.range, "10-19")
            try get.easy.set(.userAgent, "somebody")
            try get.easy.set(.userName, bytes: Array("me".utf8))
            try get.easy.set(.password, bytes: [0x70, 0xFF])
            #expect(try multi.run(get) == .ok)
            #expect(get.received.body == pattern(seed: 1, ByteRange(10, 20)))
            let again = try Prepared(server.url("/a"), on: get.easy)
            #expect(try multi.run(again) == .ok)
            #expect(again.received.body.count == 100)

            let (first, second) = (server.requests[0], server.requests[1])
            #expect(first.field("X-One") == "1" && first.field("X-Two") == "2")
            #expect(first.range == "bytes=10-19")
            #expect(first.field("User-Agent") == "somebody")
            // "me:p" and a byte that is no UTF-8.
            #expect(first.field("Authorization") == "Basic bWU6cP8=")
            for name in ["X-One", "X-Two", "Range", "User-Agent", "Authorization"] {
                #expect(second.field(name) == nil, "\(name)")
            }
            // The connection is known still.
            #expect(second.connection == first.connection)
            #expect(again.easy.newConnections == 0)
        }
    }

    @Test("HEAD brings no body") func head() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 100)))
            let head = try Prepared(server.url("/a"))
            try head.easy.set(.noBody, 1)
            #expect(try multi.run(head) == .ok)
            #expect(server.requests.map(\.method) == ["HEAD"])
            #expect(head.received.body.isEmpty && head.received.lines.contains("Content-Length: 100\r\n"))
        }
    }

    @Test("Addresses that are given for a host are used, each in its turn") func resolves() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 100)))
            let get = try Prepared("http://some.invalid:\(server.port)/a")
            var lines = HeaderList()
            try lines.append("some.invalid:\(server.port):127.0.0.2,127.0.0.1")
            try get.easy.set(resolve: lines)
            try get.easy.askBeforeConnecting()
            #expect(try multi.run(get) == .ok)
            #expect(server.requests.map { $0.field("Host") } == ["some.invalid:\(server.port)"])
            #expect(get.received.addresses == ["127.0.0.2", "127.0.0.1"])
        }
    }

    @Test("An address that the receiver does not want is not connected to; the next one is") func choosesAddress()
        throws
    {
        do {
            let servers = try FaultServer.onOnePort(["127.0.0.2", "127.0.0.1"])
            defer { for server in servers { server.stop() } }
            let (unwanted, server) = (servers[0], servers[1])
            for server in servers { server.serve("/a", Resource(.pattern(seed: 1, count: 100))) }
            let get = try Prepared("http://some.invalid:\(server.port)/a")
            get.received.refusedAddresses = ["127.0.0.2"]
            var lines = HeaderList()
            try lines.append("some.invalid:\(server.port):127.0.0.2,127.0.0.1")
            try get.easy.set(resolve: lines)
            try get.easy.askBeforeConnecting()
            #expect(try multi.run(get) == .ok)
            #expect(server.requests.count == 1)
            #expect(unwanted.statistics.connectionsAccepted == 0)
        }
    }

    @Test("A receiver may end its transfer at a line of the head, or amid the body") func aborts() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 1 << 20)))
            let atHead = try Prepared(server.url("/a"))
            atHead.received.takes = { $0 != "\r\n" }
            #expect(try multi.run(atHead) == .writeError)
            #expect(atHead.received.body.isEmpty)
            let atBody = try Prepared(server.url("/a"))
            atBody.received.flow = { $0 >= 100_000 ? .abort : .proceed }
            #expect(try multi.run(atBody) == .writeError)
            #expect(atBody.received.body.count < 1 << 20)
        }
    }

    @Test("A body that is held back comes on when it is wanted again, and no byte is lost") func pauses() throws {
        try FaultServer.run { server in
            server.serve("/a", Resource(.pattern(seed: 1, count: 1 << 20)))
            let get = try Prepared(server.url("/a"))
            var pauses = 0
            var isHeld = false
            get.received.flow = { _ in
                pauses += 1
                isHeld = true
                return .pauseAfterwards
            }
            try multi.add(get.easy)
            let ends = try multi.run(until: 1) {
                guard isHeld else { return }
                isHeld = false
                get.easy.setPaused(false)
            }
            #expect(ends == [0: .ok])
            #expect(pauses > 1)
            #expect(get.received.body == pattern(seed: 1, ByteRange(0, 1 << 20)))
        }
    }

    @Test("What libcurl does not take is an error that names the option") func refusesValue() throws {
        let easy = try EasyHandle()
        try easy.reset()
        let error = #expect(throws: CurlError.self) { try easy.set(.httpVersion, 4711) }
        #expect(error?.code.rawValue != 0)
        #expect(error?.detail.contains("Number") == true, "\(String(describing: error))")
        let scheme = #expect(throws: CurlError.self) { try easy.set(.protocols, "nonsense") }
        #expect(scheme?.code == .unsupportedProtocol)
    }
}
