internal import CCurl

extension EasyHandle {
    /// The options of libcurl that are in use, by the class of their argument. Each is documented under its C name,
    /// https://curl.se/libcurl/c/curl_easy_setopt.html.
    package enum Option {
        /// Options that take a `long`.
        package struct Number: RawRepresentable, Sendable {
            package let rawValue: UInt32
            package init(rawValue: UInt32) { self.rawValue = rawValue }

            package static let connectTimeoutMilliseconds = Number(CURLOPT_CONNECTTIMEOUT_MS)
            package static let followLocation = Number(CURLOPT_FOLLOWLOCATION)
            package static let freshConnect = Number(CURLOPT_FRESH_CONNECT)
            package static let http09Allowed = Number(CURLOPT_HTTP09_ALLOWED)
            package static let httpVersion = Number(CURLOPT_HTTP_VERSION)
            package static let ipResolve = Number(CURLOPT_IPRESOLVE)
            package static let noBody = Number(CURLOPT_NOBODY)
            package static let noProgress = Number(CURLOPT_NOPROGRESS)
            package static let noSignal = Number(CURLOPT_NOSIGNAL)
            package static let pipeWait = Number(CURLOPT_PIPEWAIT)
            package static let tcpKeepAlive = Number(CURLOPT_TCP_KEEPALIVE)
            package static let tcpNoDelay = Number(CURLOPT_TCP_NODELAY)
            package static let verifyHost = Number(CURLOPT_SSL_VERIFYHOST)
            package static let verifyPeer = Number(CURLOPT_SSL_VERIFYPEER)

            private init(_ option: CURLoption) { rawValue = option.rawValue }
        }

        /// Options that take a text, which libcurl copies.
        package struct Text: RawRepresentable, Sendable {
            package let rawValue: UInt32
            package init(rawValue: UInt32) { self.rawValue = rawValue }

            package static let acceptEncoding = Text(CURLOPT_ACCEPT_ENCODING)
            package static let caInfo = Text(CURLOPT_CAINFO)
            package static let caPath = Text(CURLOPT_CAPATH)
            package static let clientCertificate = Text(CURLOPT_SSLCERT)
            package static let clientKey = Text(CURLOPT_SSLKEY)
            package static let copyPostFields = Text(CURLOPT_COPYPOSTFIELDS)
            package static let customRequest = Text(CURLOPT_CUSTOMREQUEST)
            package static let noProxy = Text(CURLOPT_NOPROXY)
            package static let password = Text(CURLOPT_PASSWORD)
            package static let protocols = Text(CURLOPT_PROTOCOLS_STR)
            package static let proxy = Text(CURLOPT_PROXY)
            package static let range = Text(CURLOPT_RANGE)
            package static let url = Text(CURLOPT_URL)
            package static let userAgent = Text(CURLOPT_USERAGENT)
            package static let userName = Text(CURLOPT_USERNAME)

            private init(_ option: CURLoption) { rawValue = option.rawValue }
        }
    }

    /// Values of ``Option/Number/httpVersion``.
    package enum HTTPVersion {
        /// HTTP/1.1 and nothing later.
        package static let http11 = Int(CURL_HTTP_VERSION_1_1)
        /// HTTP/2 over TLS where the server offers it, else HTTP/1.1.
        package static let http2OverTLS = Int(CURL_HTTP_VERSION_2TLS)
    }

    /// Values of ``Option/Number/ipResolve``.
    package enum AddressFamily {
        package static let any = Int(CURL_IPRESOLVE_WHATEVER)
        package static let ipv4 = Int(CURL_IPRESOLVE_V4)
        package static let ipv6 = Int(CURL_IPRESOLVE_V6)
    }
}
