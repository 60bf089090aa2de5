internal import CCurl

/// Receives what one transfer brings, on the thread that drives its multi handle, inside of libcurl's own calls.
package protocol TransferReceiver: AnyObject {
    /// One line of a head, with its line end: status line, field, the empty line, trailers.
    ///
    /// - Returns: False to end the transfer.
    func received(headerLine: UnsafeRawBufferPointer) -> Bool
    /// Bytes of the body, 16 KiB at most.
    func received(body: UnsafeRawBufferPointer) -> BodyFlow
    /// A new connection is about to be tried.
    ///
    /// - Parameter address: An IP address in its usual form; nil for another kind.
    /// - Returns: False to have the host's next address tried instead.
    func mayConnect(to address: String?) -> Bool
    /// The transfer's connection carries others beside it (HTTP/2). Told before its request is sent.
    func foundStreams()
}

/// What a receiver says to bytes of a body.
package enum BodyFlow: Sendable {
    /// They were taken.
    case proceed
    /// They were taken, and no more are wanted until the transfer is resumed.
    case pauseAfterwards
    /// The transfer is to end.
    case abort
}

/// One transfer of libcurl, reused for many (https://curl.se/libcurl/c/curl_easy_init.html).
///
/// Belongs to the thread that drives it. While the transfer is in a multi handle, the receiver must stay alive; the
/// owner keeps it until ``MultiHandle/remove(_:)`` returned.
package final class EasyHandle {
    let handle: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headers = HeaderList()
    private var resolve = HeaderList()
    private unowned(unsafe) var receiver: (any TransferReceiver)?
    /// Where the sockets of its new connections are kept; nil while it is in no multi handle, or its connections carry one
    /// transfer each.
    fileprivate unowned(unsafe) var streamSockets: StreamSockets?
    /// Whether its connections may carry other transfers as well.
    private var isWatchingForStreams = false
    /// A number that the owner finds its transfer by.
    package var tag = 0

    package init() throws(CurlError) {
        try CurlLibrary.prepare()
        guard let handle = curl_easy_init() else {
            throw CurlError(code: CurlCode(CURLE_FAILED_INIT), detail: "a transfer handle cannot be made")
        }
        self.handle = handle
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        errorText.deallocate()
    }

    /// Puts every option back to its default. Connections, sessions and names stay known.
    package func reset() throws(CurlError) {
        curl_easy_reset(handle)
        errorText.pointee = 0
        headers = HeaderList()
        resolve = HeaderList()
        receiver = nil
        streamSockets = nil
        isWatchingForStreams = false
        hasCloseNotify = nil
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_ERRORBUFFER, errorText), "CURLOPT_ERRORBUFFER")
        try check(
            dlsync_curl_setopt_pointer(handle, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque()),
            "CURLOPT_PRIVATE")
    }

    /// Sets an option that takes a number or a truth value.
    package func set(_ option: Option.Number, _ value: Int) throws(CurlError) {
        try check(dlsync_curl_setopt_long(handle, CURLoption(option.rawValue), value), "\(option)")
    }

    /// Asks for a receive buffer of a size, in bytes (CURLOPT_BUFFERSIZE(3)). A handle whose last transfer shared an
    /// HTTP/2 connection may have its buffer still, and keeps it: libcurl refuses the option then, which costs no more
    /// than some reads.
    package func preferBufferSize(_ bytes: Int) {
        dlsync_curl_setopt_long(handle, CURLOPT_BUFFERSIZE, bytes)
    }

    /// Sets an option that takes a text; nil takes it back.
    package func set(_ option: Option.Text, _ value: String?) throws(CurlError) {
        try check(dlsync_curl_setopt_string(handle, CURLoption(option.rawValue), value), "\(option)")
    }

    /// Sets an option that takes a text to bytes that need not be UTF-8. What follows a NUL is lost, as in C.
    package func set(_ option: Option.Text, bytes: [UInt8]) throws(CurlError) {
        let code = (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                dlsync_curl_setopt_string(handle, CURLoption(option.rawValue), $0.baseAddress)
            }
        }
        try check(code, "\(option)")
    }

    /// Sends further request fields, lines as in `Name: value`.
    package func set(headers: consuming HeaderList) throws(CurlError) {
        self.headers = headers
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_HTTPHEADER, self.headers.list), "CURLOPT_HTTPHEADER")
    }

    /// Gives addresses for hosts, lines as in `host:port:address` (CURLOPT_RESOLVE(3)).
    package func set(resolve: consuming HeaderList) throws(CurlError) {
        self.resolve = resolve
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_RESOLVE, self.resolve.list), "CURLOPT_RESOLVE")
    }

    /// Has the transfer look out for the server's close_notify (RFC 8446 §6.1): to be called at the head of an answer whose
    /// body ends with its TLS connection. Without close_notify the end may be anybody's doing, and the body cut anywhere;
    /// libcurl, 7.88 for one, takes such an end for a good one.
    package func watchForCloseNotify() throws(CurlError) {
        hasCloseNotify = nil
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_XFERINFODATA, context), "CURLOPT_XFERINFODATA")
        try check(dlsync_curl_setopt_progress(handle, lookForCloseNotify), "CURLOPT_XFERINFOFUNCTION")
        try set(.noProgress, 0)
    }

    /// Whether the server's close_notify had come when the watched transfer ended; nil where nobody watched or the TLS
    /// library is one that tells libcurl by itself.
    package private(set) var hasCloseNotify: Bool?

    /// Says who receives the answer. It is not kept alive.
    package func set(receiver: any TransferReceiver) throws(CurlError) {
        self.receiver = receiver
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_WRITEDATA, context), "CURLOPT_WRITEDATA")
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_HEADERDATA, context), "CURLOPT_HEADERDATA")
        try check(dlsync_curl_setopt_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody), "CURLOPT_WRITEFUNCTION")
        try check(dlsync_curl_setopt_callback(handle, CURLOPT_HEADERFUNCTION, receiveHeader), "CURLOPT_HEADERFUNCTION")
    }

    /// Asks the receiver about every address before a connection to it is tried.
    package func askBeforeConnecting() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_OPENSOCKETDATA, context), "CURLOPT_OPENSOCKETDATA")
        try check(dlsync_curl_setopt_socket_callback(handle, makeSocket), "CURLOPT_OPENSOCKETFUNCTION")
    }

    /// Has the receiver told where the connection carries several transfers at once.
    package func watchForStreams() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(dlsync_curl_setopt_pointer(handle, CURLOPT_PREREQDATA, context), "CURLOPT_PREREQDATA")
        try check(dlsync_curl_setopt_connected_callback(handle, isConnected), "CURLOPT_PREREQFUNCTION")
        isWatchingForStreams = true
    }

    /// Notes whose the sockets of its new connections are. libcurl tells of their end when the transfer is long over.
    func keepSockets(in sockets: StreamSockets) {
        guard isWatchingForStreams else { return }
        streamSockets = sockets
        dlsync_curl_setopt_pointer(handle, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        dlsync_curl_setopt_close_callback(handle, closeSocket)
    }

    /// The IP address of the connection that the last transfer used; nil where it had none.
    package var address: String? {
        var text: UnsafePointer<CChar>?
        guard dlsync_curl_getinfo_string(handle, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text, text.pointee != 0
        else { return nil }
        return String(cString: text)
    }

    /// Holds back a transfer's body, or lets it come again (curl_easy_pause). Bytes that libcurl had in hand may be
    /// given to the receiver before this returns.
    package func setPaused(_ paused: Bool) { curl_easy_pause(handle, paused ? CURLPAUSE_RECV : CURLPAUSE_CONT) }

    /// How many new connections the last transfer made: 0 where one was used again.
    package var newConnections: Int {
        var count = 0
        dlsync_curl_getinfo_long(handle, CURLINFO_NUM_CONNECTS, &count)
        return count
    }

    /// The error of a transfer that ended with a code, with libcurl's own account of it where it gave one.
    package func error(_ code: CurlCode) -> CurlError {
        let detail = String(cString: errorText)
        return CurlError(code: code, detail: detail.isEmpty ? code.text : detail)
    }

    fileprivate func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        receiver?.received(headerLine: line) ?? false
    }

    fileprivate func mayConnect(to address: String?) -> Bool { receiver?.mayConnect(to: address) ?? false }

    fileprivate func noteStreams() {
        guard dlsync_curl_speaks_http2(handle) != 0 else { return }
        streamSockets?.areInUse = true
        receiver?.foundStreams()
    }

    fileprivate func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        streamSockets?.open(address) ?? dlsync_curl_open_socket(address)
    }

    fileprivate func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyFlow {
        receiver?.received(body: bytes) ?? .abort
    }

    fileprivate func noteCloseNotify() {
        switch dlsync_curl_has_close_notify(handle) {
        case 0: hasCloseNotify = false
        case 1: hasCloseNotify = true
        default: break
        }
    }

    private func check(_ code: CURLcode, _ option: @autoclosure () -> String) throws(CurlError) {
        guard code != CURLE_OK else { return }
        throw CurlError(code: CurlCode(code), detail: "\(option()): \(CurlCode(code).text)")
    }
}

@available(*, unavailable)
extension EasyHandle: Sendable {}

// The callbacks stand at file level, outside of every actor's isolation: libcurl calls them wherever it runs.

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    switch handle.receivedBody(UnsafeRawBufferPointer(start: bytes, count: count)) {
    case .proceed:
        return count
    case .pauseAfterwards:
        handle.setPaused(true)
        return count
    case .abort:
        return count == 0 ? 1 : 0
    }
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    return handle.receivedHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
}

/// Is called for each piece that has arrived and once at the end, while the transfer still has its connection.
private func lookForCloseNotify(
    _ context: UnsafeMutableRawPointer?, _ expected: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().noteCloseNotify()
    return 0
}

private func makeSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String? in
        guard let start = buffer.baseAddress, dlsync_curl_address_text(address, start, UInt32(buffer.count)) != 0 else {
            return nil
        }
        return String(cString: start)
    }
    return handle.mayConnect(to: text) ? handle.openSocket(address) : CURL_SOCKET_BAD
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    guard let context else { return 1 }
    return Unmanaged<StreamSockets>.fromOpaque(context).takeUnretainedValue().close(socket)
}

/// Is called once for each request, when its connection is there.
private func isConnected(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?,
    _ port: Int32, _ ownPort: Int32
) -> Int32 {
    if let context { Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().noteStreams() }
    return CURL_PREREQFUNC_OK
}
