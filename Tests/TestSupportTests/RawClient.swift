import Glibc
import TestSupport

/// An answer as it came over the socket, read without any library of HTTP.
struct RawAnswer {
    var bytes: [UInt8] = []
    var wasReset = false

    var head: String {
        String(decoding: bytes[..<(endOfHead ?? 0)], as: UTF8.self)
    }
    var body: [UInt8] { Array(bytes[(endOfHead ?? bytes.count)...]) }
    var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    var endOfHead: Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == [13, 10, 13, 10] }.map { $0 + 4 }
    }
}

/// A socket to a server on loopback.
final class RawClient {
    let socket: Int32

    init(address: String = "127.0.0.1", port: UInt16) throws {
        let socket = try checked("socket") { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        self.socket = socket
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        _ = try withUnsafePointer(to: &name) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try checked("connect") { connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
    }

    deinit { close(socket) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        try checked("send") { Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// A request of these fields on the open connection.
    func request(_ method: String = "GET", _ target: String, _ fields: [String] = []) throws {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields
        try send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Reads until the connection ends.
    func readToEnd() -> RawAnswer {
        var answer = RawAnswer()
        while readMore(&answer) {}
        return answer
    }

    /// Reads until the head and so many bytes of the body are here, or the connection ends.
    func read(body count: Int) -> RawAnswer {
        var answer = RawAnswer()
        while answer.endOfHead == nil || answer.body.count < count { if !readMore(&answer) { break } }
        return answer
    }

    private func readMore(_ answer: inout RawAnswer) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0 { answer.wasReset = errno == ECONNRESET }
        if count > 0 { answer.bytes += buffer[..<count] }
        return count > 0
    }
}

extension FaultServer {
    /// One request on a connection of its own, read until that ends.
    func exchange(_ method: String = "GET", _ target: String, _ fields: [String] = []) throws -> RawAnswer {
        let client = try RawClient(address: address, port: port)
        try client.request(method, target, fields + ["Connection: close"])
        return client.readToEnd()
    }
}
