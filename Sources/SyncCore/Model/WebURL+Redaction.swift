extension WebURL {
    /// The URL without user name, password and fragment, and with the values of volatile query parts (signatures,
    /// tokens) replaced by `…`: for messages, logs and reports.
    public var redacted: String {
        let bare = withoutCredentials
        guard let query = bare.query, let volatile = VolatileParts(query: query) else { return bare.string }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let shown = parts.map { part -> String in
            let key = part.prefix { $0 != UInt8(ascii: "=") }
            let text = String(decoding: part, as: UTF8.self)
            return volatile.contains(key: key) ? "\(String(decoding: key, as: UTF8.self))=…" : text
        }
        return bare.beforeQuery + "?" + shown.joined(separator: "&")
    }

    /// The URL without credentials, fragment and volatile query parts: what identifies the resource between runs.
    public var resourceIdentity: String {
        let bare = withoutCredentials
        guard let query = bare.query, let volatile = VolatileParts(query: query) else { return bare.string }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = parts.filter { !volatile.contains(key: $0.prefix { $0 != UInt8(ascii: "=") }) }
            .map { String(decoding: $0, as: UTF8.self) }
        return kept.isEmpty ? bare.beforeQuery : bare.beforeQuery + "?" + kept.joined(separator: "&")
    }

    private var beforeQuery: String {
        String(decoding: string.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }
}

/// Which parts of a query change from one copy of a URL to the next, or are secrets, though the resource is the same.
///
/// | keys (without regard to case) | whose |
/// |---|---|
/// | `X-Amz-…`, `X-Goog-…` | presigned URLs of S3 (version 4) and Google Cloud Storage |
/// | `Signature` with `AWSAccessKeyId`, `GoogleAccessId`, `Expires`, `Policy`, `Key-Pair-Id` | S3 (version 2), GCS, CloudFront |
/// | `sig` with `se`, `sp`, `sv`, `sr`, `st`, `spr`, `sip`, `ss`, `srt`, `si`, `sk…` | Azure's shared access signatures |
/// | `hdnts`, `hdnea`, `hdntl`, `__gda__`, `__token__` | Akamai's tokens |
/// | `md5` with `expires` | nginx's secure links |
/// | `token`, `access_token`, `auth_token`, `api_key`, `apikey`, `sig`, `signature`, `password` | anybody |
///
/// A key that also has plain meanings (`sp`, `policy`, `expires`) counts only beside the one that signs: two pages of
/// one site must not become one resource.
private struct VolatileParts {
    private var hasSignature = false
    private var hasAzureSignature = false
    private var hasDatedHash = false

    /// Nil where the query has no volatile part.
    init?(query: String) {
        var hasHash = false
        var hasExpiry = false
        var isVolatile = false
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let key = Self.normalised(part.prefix { $0 != UInt8(ascii: "=") })
            switch key {
            case "signature": hasSignature = true
            case "sig": hasAzureSignature = true
            case "md5": hasHash = true
            case "expires": hasExpiry = true
            default: isVolatile = isVolatile || Self.isAlwaysVolatile(key)
            }
        }
        hasDatedHash = hasHash && hasExpiry
        guard isVolatile || hasSignature || hasAzureSignature || hasDatedHash else { return nil }
    }

    func contains(key: some Collection<UInt8>) -> Bool {
        let key = Self.normalised(key)
        switch key {
        case "expires": return hasSignature || hasDatedHash
        case "md5": return hasDatedHash
        case "awsaccesskeyid", "googleaccessid", "policy", "key-pair-id": return hasSignature
        case "se", "sp", "sv", "sr", "st", "spr", "sip", "ss", "srt", "si", "skoid", "sktid", "skt", "ske", "sks",
            "skv":
            return hasAzureSignature
        default: return Self.isAlwaysVolatile(key)
        }
    }

    private static func isAlwaysVolatile(_ key: String) -> Bool {
        switch key {
        case "token", "access_token", "auth_token", "api_key", "apikey", "sig", "signature", "password", "hdnts",
            "hdnea", "hdntl", "__gda__", "__token__":
            true
        default: key.hasPrefix("x-amz-") || key.hasPrefix("x-goog-")
        }
    }

    private static func normalised(_ key: some Collection<UInt8>) -> String {
        String(decoding: percentDecoded(key).map(asciiLowercased), as: UTF8.self)
    }
}
