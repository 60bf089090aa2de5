internal import CCurl

/// The sockets whose connections may carry several transfers at once (HTTP/2), so that requests which begin together leave
/// together.
///
/// libcurl sends each request of a connection by a call of its own, and with Nagle's algorithm off each is a packet. A new
/// connection may have ten packets on their way (RFC 6928), so that on a long line the eleventh request would wait for a
/// whole round trip; and every packet costs both sides more than the request that is in it.
final class StreamSockets {
    private var sockets: Set<Int32> = []
    /// Whether a connection was found to carry streams. Before, there is nothing to hold together.
    var areInUse = false

    /// Opens a socket, and remembers it until it is closed.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        let socket = dlsync_curl_open_socket(address)
        if socket != CURL_SOCKET_BAD { sockets.insert(socket) }
        return socket
    }

    func close(_ socket: curl_socket_t) -> Int32 {
        sockets.remove(socket)
        return dlsync_curl_close_socket(socket)
    }

    /// Runs something during which no incomplete packet leaves, and has what was left over sent then (`TCP_CORK` in tcp(7)).
    func together<Failure: Error>(_ send: () throws(Failure) -> Void) throws(Failure) {
        guard areInUse else { return try send() }
        for socket in sockets { dlsync_curl_hold_back(socket, 1) }
        defer { for socket in sockets { dlsync_curl_hold_back(socket, 0) } }
        try send()
    }
}
