internal import Curl
internal import SyncCore

extension Transfer {
    /// Sets libcurl's handle up for the next request.
    func prepare(
        _ configuration: LoopConfiguration, isRateLimited: Bool, avoidsHTTP2: Bool = false
    ) throws(CurlError) {
        try easy.reset()
        try easy.set(receiver: self)
        try easy.askBeforeConnecting()
        try easy.set(.noSignal, 1)
        try easy.set(.noProgress, 1)
        try easy.set(.followLocation, 0)
        try easy.set(.http09Allowed, 0)
        try easy.set(.tcpKeepAlive, 1)
        try easy.set(.protocols, "http,https")
        // With a directory of certificates set, each new connection reads the whole bundle again (17 ms of CPU time).
        try easy.set(.caPath, nil)
        try easy.set(.url, route.url.withoutCredentials.string)
        try easy.set(.userAgent, configuration.userAgent)
        try easy.set(.connectTimeoutMilliseconds, Int(configuration.connectTimeout.seconds * 1000))
        try easy.set(.ipResolve, configuration.addressFamily.curlValue)
        easy.preferBufferSize(isLarge ? WriteBuffer.size : 64 << 10)
        // Paused streams of a shared connection hold each other up, and ranges gain nothing from sharing one.
        let wantsOwnConnection = isRateLimited || isLarge || avoidsHTTP2 || configuration.onlyHTTP11
        try easy.set(
            .httpVersion,
            wantsOwnConnection ? EasyHandle.HTTPVersion.http11 : EasyHandle.HTTPVersion.http2OverTLS)
        if route.url.scheme == "https", !wantsOwnConnection {
            try easy.watchForStreams()
            // Who has a permit opens a connection at once; who has none waits for one of theirs.
            if seat == .rider { try easy.set(.pipeWait, 1) }
        }
        // Every coding that libcurl was built with is offered, and undone.
        if request.decodes { try easy.set(.acceptEncoding, "") }
        switch request.method {
        case .get: break
        case .head: try easy.set(.noBody, 1)
        case .propfind:
            try easy.set(.customRequest, "PROPFIND")
            try easy.set(.copyPostFields, CollectionQuery.body)
        }
        if request.onFreshConnection { try easy.set(.freshConnect, 1) }
        if let range = request.range { try easy.set(.range, "\(range.start)-\(range.end - 1)") }
        let share = configuration.secrets.share(for: route.url, isDowngraded: route.isDowngraded)
        carriesSecrets = !share.isEmpty
        if let login = share.login {
            try easy.set(.userName, bytes: login.user)
            try easy.set(.password, bytes: login.password)
        }
        try prepareConnection(configuration)
        try easy.set(headers: headerLines(share.fields))
    }

    /// How the connection is made: proxy, certificates, addresses.
    private func prepareConnection(_ configuration: LoopConfiguration) throws(CurlError) {
        if let proxy = configuration.proxy { try easy.set(.proxy, proxy) }
        if let file = configuration.certificateAuthorities { try easy.set(.caInfo, file) }
        if let file = configuration.clientCertificate { try easy.set(.clientCertificate, file) }
        if let file = configuration.clientKey { try easy.set(.clientKey, file) }
        if configuration.isInsecure {
            try easy.set(.verifyPeer, 0)
            try easy.set(.verifyHost, 0)
        }
        guard !configuration.resolve.isEmpty else { return }
        var lines = HeaderList()
        for line in configuration.resolve { try lines.append(line) }
        try easy.set(resolve: lines)
    }

    /// Whether so much is asked for that a connection of its own and a large buffer pay.
    var isLarge: Bool { (request.range?.count ?? 0) >= 1 << 20 }

    private func headerLines(_ fields: [HeaderField]) throws(CurlError) -> HeaderList {
        var lines = HeaderList()
        // A range of an encoded body is no range of the file; identity is asked for in HEAD and GET alike.
        if !request.decodes { try lines.append("Accept-Encoding: identity") }
        if let condition = request.ifRange { try lines.append("If-Range: \(condition)") }
        if request.bypassesCaches { try lines.append("Cache-Control: no-cache") }
        let own = request.method == .propfind ? CollectionQuery.fields : []
        for field in own + request.headers + fields {
            // An empty value is sent as such only with a semicolon (CURLOPT_HTTPHEADER(3)).
            try lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        return lines
    }

    /// What libcurl's result means for the transfer.
    func end(_ code: CurlCode) -> TransferEnd {
        if let failure { return .failed(failure) }
        if wasCut { return .cut }
        guard code != .ok else {
            guard head != nil else {
                return .failed(Failure(.protocolError, "\(route.url.redacted) gave no answer that is HTTP"))
            }
            if easy.hasCloseNotify == false {
                return .failed(
                    Failure(
                        .connectionLost,
                        "\(route.url.redacted): the connection ended without the server's word that all was sent"))
            }
            return .finished
        }
        return .failed(easy.error(code).failure(at: route.url))
    }
}

extension LoopConfiguration.AddressFamily {
    fileprivate var curlValue: Int {
        switch self {
        case .any: EasyHandle.AddressFamily.any
        case .ipv4: EasyHandle.AddressFamily.ipv4
        case .ipv6: EasyHandle.AddressFamily.ipv6
        }
    }
}

extension CurlError {
    /// The failure in dlsync's words. libcurl's account never holds request fields or credentials.
    func failure(at url: WebURL) -> Failure {
        let name = url.redacted
        switch code {
        case .couldntResolveHost, .couldntResolveProxy:
            return Failure(.couldNotResolve, "\(name): the host's address cannot be found")
        case .couldntConnect:
            return Failure(.couldNotConnect, "\(name): no connection: \(detail)")
        case .operationTimedOut:
            return Failure(.timedOut, "\(name): timed out: \(detail)")
        case .partialFile:
            return Failure(.cutShort, "\(name) was cut short: \(detail)")
        case .sslConnectError, .recvError, .sendError, .gotNothing, .http2, .http2Stream:
            return Failure(.connectionLost, "\(name): the connection was lost: \(detail)")
        case .peerFailedVerification, .sslCertProblem, .sslCACertBadFile, .sslCipher:
            return Failure(.tls, "\(name): \(detail)")
        default:
            return Failure(.protocolError, "\(name): \(detail)")
        }
    }
}
