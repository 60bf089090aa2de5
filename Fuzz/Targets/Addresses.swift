import SyncCore

extension FuzzTarget {
    /// URLs: the first line is a base, the second a reference.
    static let url = FuzzTarget("url") { bytes in
        let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = WebURL(bytes: lines[0]) else { return nil }
        if let fault = urlFault(base) { return fault }
        guard lines.count == 2 else { return nil }
        let text = String(decoding: lines[1], as: UTF8.self)
        let resolved = base.resolve(bytes: lines[1])
        // As text and as bytes a reference is the same, unless it is no text.
        if text.utf8.elementsEqual(lines[1]), base.resolve(text) != resolved {
            return "text resolves to \(describe(base.resolve(text))), its bytes to \(describe(resolved))"
        }
        return resolved.flatMap(urlFault)
    }

    /// Files with passwords: no host gets an entry that is not its own.
    static let netrc = FuzzTarget("netrc") { bytes in
        let netrc = Netrc(bytes)
        // Escapes can spell a name that the bytes do not hold.
        let mayNameHost = bytes.contains(UInt8(ascii: "\\"))
        let host = "unnamed.example"
        let names = String(decoding: bytes, as: UTF8.self).lowercased().contains(host)
        if !mayNameHost, !names, netrc.login(host: host, allowsDefault: false) != nil {
            return "a host that the file does not name gets a login"
        }
        for host in ["host.example", "other.example"] {
            guard let login = netrc.login(host: host, user: Array("somebody".utf8), allowsDefault: true) else {
                continue
            }
            if login.user != Array("somebody".utf8) { return "another user's password goes out" }
        }
        return nil
    }
}

/// What does not hold for a URL that was read.
func urlFault(_ url: WebURL) -> String? {
    let text = url.string
    // What was written down is read as the same, by the quick way for plain URLs and by the parser.
    for (way, again) in [("text", WebURL(text)), ("bytes", WebURL(bytes: Array(text.utf8)[...]))] {
        guard let again, isSame(again, url) else { return "\(text) is read from its \(way) as \(describe(again))" }
    }
    // A host stays as it is written: libcurl makes Punycode of it. An opaque path may have blanks, and is never fetched.
    let isHierarchy = url.path.hasPrefix("/")
    let isClean = !isHierarchy || text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    if !isClean || !(url.path + (url.query ?? "") + (url.fragment ?? "")).utf8.allSatisfy({ $0 < 0x7F }) {
        return "\(text.debugDescription) holds what no URL may"
    }
    let bare = url.withoutCredentials
    guard let again = WebURL(bare.string), isSame(again, bare) else { return "\(text) breaks without its login" }
    if bare.user != nil || bare.password != nil || bare.fragment != nil { return "\(text) keeps its login" }
    if bare.host != url.host || bare.port != url.port || bare.path != url.path || bare.query != url.query {
        return "\(text) is another without its login: \(bare.string)"
    }
    // The identity stays itself, and what may be shown names no user.
    guard let identity = WebURL(url.resourceIdentity) else { return "\(text) has no identity: \(url.resourceIdentity)" }
    if identity.resourceIdentity != url.resourceIdentity { return "\(text) has two identities" }
    if let shown = WebURL(url.redacted), shown.user != nil || shown.password != nil { return "\(text) shows its login" }
    _ = (url.userinfo, url.origin, url.hostAndPort, url.lastPathSegment)
    return nil
}

private func isSame(_ one: WebURL, _ other: WebURL) -> Bool {
    one == other && one.scheme == other.scheme && one.host == other.host && one.port == other.port
        && one.path == other.path && one.query == other.query && one.fragment == other.fragment
        && one.user == other.user && one.password == other.password
}

private func describe(_ url: WebURL?) -> String { url?.string ?? "no URL" }
