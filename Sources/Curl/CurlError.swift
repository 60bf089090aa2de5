internal import CCurl

/// A result code of libcurl's easy interface (https://curl.se/libcurl/c/libcurl-errors.html).
package struct CurlCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let ok = CurlCode(CURLE_OK)
    package static let unsupportedProtocol = CurlCode(CURLE_UNSUPPORTED_PROTOCOL)
    package static let couldntResolveProxy = CurlCode(CURLE_COULDNT_RESOLVE_PROXY)
    package static let couldntResolveHost = CurlCode(CURLE_COULDNT_RESOLVE_HOST)
    package static let couldntConnect = CurlCode(CURLE_COULDNT_CONNECT)
    package static let partialFile = CurlCode(CURLE_PARTIAL_FILE)
    package static let writeError = CurlCode(CURLE_WRITE_ERROR)
    package static let operationTimedOut = CurlCode(CURLE_OPERATION_TIMEDOUT)
    package static let sslConnectError = CurlCode(CURLE_SSL_CONNECT_ERROR)
    package static let gotNothing = CurlCode(CURLE_GOT_NOTHING)
    package static let sendError = CurlCode(CURLE_SEND_ERROR)
    package static let recvError = CurlCode(CURLE_RECV_ERROR)
    package static let peerFailedVerification = CurlCode(CURLE_PEER_FAILED_VERIFICATION)
    package static let sslCertProblem = CurlCode(CURLE_SSL_CERTPROBLEM)
    package static let sslCACertBadFile = CurlCode(CURLE_SSL_CACERT_BADFILE)
    package static let sslCipher = CurlCode(CURLE_SSL_CIPHER)
    package static let http2 = CurlCode(CURLE_HTTP2)
    package static let http2Stream = CurlCode(CURLE_HTTP2_STREAM)
    package static let weirdServerReply = CurlCode(CURLE_WEIRD_SERVER_REPLY)
    package static let abortedByCallback = CurlCode(CURLE_ABORTED_BY_CALLBACK)

    init(_ code: CURLcode) { rawValue = code.rawValue }

    /// libcurl's own words for the code.
    package var text: String { String(cString: curl_easy_strerror(CURLcode(rawValue))) }
}

/// A failure of libcurl: a code, and what was being done.
package struct CurlError: Error, Hashable, Sendable {
    package let code: CurlCode
    /// What was being done, or libcurl's own account of it.
    package let detail: String

    package init(code: CurlCode, detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// libcurl's process-wide set-up, done once before the first handle (curl_global_init).
package enum CurlLibrary {
    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Sets libcurl up; later calls cost nothing.
    package static func prepare() throws(CurlError) {
        guard isReady else { throw CurlError(code: CurlCode(rawValue: 2), detail: "libcurl cannot be initialised") }
    }

    /// The version of the library that is loaded, as in `7.88.1`.
    package static var version: String {
        guard let version = curl_version_info(CURLVERSION_TENTH)?.pointee.version else { return "" }
        return String(cString: version)
    }
}
