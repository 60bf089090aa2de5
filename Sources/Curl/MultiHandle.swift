internal import CCurl

/// Many transfers driven by one thread (https://curl.se/libcurl/c/libcurl-multi.html).
///
/// Everything but ``Waker/wake()`` belongs to that thread.
package final class MultiHandle {
    private let multi: UnsafeMutableRawPointer
    private let share: ShareHandle
    private var handles: [UnsafeMutableRawPointer: EasyHandle] = [:]
    private let streamSockets = StreamSockets()
    /// Whether transfers were added whose requests go out at the next turn.
    private var hasNew = false

    package init() throws(CurlError) {
        try CurlLibrary.prepare()
        guard let multi = curl_multi_init() else {
            throw CurlError(code: CurlCode(CURLE_FAILED_INIT), detail: "a multi handle cannot be made")
        }
        self.multi = multi
        share = try ShareHandle()
    }

    deinit {
        for easy in handles.values { remove(easy) }
        curl_multi_cleanup(multi)
    }

    /// Bounds the connections: those to one host, and those that are kept open for another use.
    ///
    /// - Parameter streams: The most transfers on one connection; a server's own limit may be lower.
    package func limitConnections(perHost: Int, kept: Int, streams: Int) {
        dlsync_curl_multi_setopt_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams)
        dlsync_curl_multi_setopt_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        dlsync_curl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, kept)
    }

    /// Begins a transfer. TLS sessions are shared between all transfers of this multi handle.
    package func add(_ easy: EasyHandle) throws(CurlError) {
        dlsync_curl_setopt_pointer(easy.handle, CURLOPT_SHARE, share.share)
        easy.keepSockets(in: streamSockets)
        hasNew = true
        let code = curl_multi_add_handle(multi, easy.handle)
        guard code == CURLM_OK else { throw Self.error(code, "curl_multi_add_handle") }
        handles[easy.handle] = easy
    }

    /// Takes a transfer out, ended or not. Its receiver is not called again.
    package func remove(_ easy: EasyHandle) {
        guard handles.removeValue(forKey: easy.handle) != nil else { return }
        curl_multi_remove_handle(multi, easy.handle)
        // A share that a handle still names cannot be freed, and handles are kept longer than their multi handle.
        dlsync_curl_setopt_pointer(easy.handle, CURLOPT_SHARE, nil)
    }

    /// Does what can be done without waiting; receivers are called from within.
    package func perform() throws(CurlError) {
        guard hasNew else { return try performOnce() }
        hasNew = false
        try streamSockets.together(performOnce)
    }

    private func performOnce() throws(CurlError) {
        var running: Int32 = 0
        let code = curl_multi_perform(multi, &running)
        guard code == CURLM_OK else { throw Self.error(code, "curl_multi_perform") }
    }

    /// Sleeps until a socket is ready, libcurl's own timers want attention, it is woken, or the time is over.
    package func wait(milliseconds: Int32) throws(CurlError) {
        let code = curl_multi_poll(multi, nil, 0, milliseconds, nil)
        guard code == CURLM_OK else { throw Self.error(code, "curl_multi_poll") }
    }

    /// The next transfer that has ended, and how; nil when all were told.
    package func nextEnded() -> (handle: EasyHandle, code: CurlCode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let easy = handles[raw]
            else { continue }
            return (easy, CurlCode(dlsync_curl_message_result(message)))
        }
        return nil
    }

    /// What any thread may wake this multi handle's thread with.
    package var waker: Waker { Waker(multi: multi) }

    /// Wakes the thread that sleeps in ``MultiHandle/wait(milliseconds:)``. Must not be used after its multi handle is
    /// gone.
    package struct Waker: @unchecked Sendable {
        // curl_multi_wakeup is the one function of libcurl that any thread may call at any time.
        fileprivate let multi: UnsafeMutableRawPointer

        package func wake() { curl_multi_wakeup(multi) }
    }

    private static func error(_ code: CURLMcode, _ function: String) -> CurlError {
        CurlError(
            code: CurlCode(CURLE_FAILED_INIT), detail: "\(function): \(String(cString: curl_multi_strerror(code)))")
    }
}

@available(*, unavailable)
extension MultiHandle: Sendable {}

/// TLS sessions that all transfers of one thread share, so that a new connection to a known host resumes one.
struct ShareHandle: ~Copyable {
    let share: UnsafeMutableRawPointer

    init() throws(CurlError) {
        guard let share = curl_share_init() else {
            throw CurlError(code: CurlCode(CURLE_FAILED_INIT), detail: "a share handle cannot be made")
        }
        self.share = share
        dlsync_curl_share_setopt_data(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { curl_share_cleanup(share) }
}
