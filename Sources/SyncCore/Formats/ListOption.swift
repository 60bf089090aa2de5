/// An option of a list's line: what stands before the `=`.
enum ListOption: Hashable {
    case out
    case directory
    case checksum
    case header
    case size
    case referer
    case userAgent
    case digest(DigestAlgorithm)
    /// A digest that is not computed here.
    case unsupportedDigest
    /// An option of aria2 that means nothing to dlsync.
    case ignored

    /// The option of a name; nil for an unknown one.
    init?(name: String) {
        switch name {
        case "out": self = .out
        case "dir": self = .directory
        case "checksum": self = .checksum
        case "header": self = .header
        case "size": self = .size
        case "referer": self = .referer
        case "user-agent": self = .userAgent
        case "sha-256", "sha256": self = .digest(.sha256)
        case "sha-512", "sha512": self = .digest(.sha512)
        case "md5": self = .digest(.md5)
        case "adler32", "crc32": self = .unsupportedDigest
        default:
            if Self.ariaOptions.contains(name) {
                self = .ignored
            } else if let algorithm = DigestAlgorithm(name: name) {
                self = .digest(algorithm)
            } else {
                return nil
            }
        }
    }

    /// The known name that is nearest to an unknown one; nil where none is near.
    static func nearest(to name: String) -> String? {
        let names = ["out", "dir", "checksum", "header", "size", "sha-256", "sha-512", "sha-1", "md5"]
        let limit = max(1, name.utf8.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in names + ["referer", "user-agent"] + ariaOptions.sorted() {
            let distance = editDistance(Array(name.utf8), Array(candidate.utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The options that aria2 takes in an input file (aria2c(1), "Input File") and that are none of ours.
    private static let ariaOptions: Set<String> = [
        "all-proxy", "all-proxy-passwd", "all-proxy-user", "allow-overwrite", "allow-piece-length-change",
        "always-resume", "async-dns", "auto-file-renaming", "bt-enable-hook-after-hash-check", "bt-enable-lpd",
        "bt-exclude-tracker", "bt-external-ip", "bt-force-encryption", "bt-hash-check-seed",
        "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level",
        "bt-prioritize-piece", "bt-remove-unselected-file", "bt-request-peer-speed-limit", "bt-require-crypto",
        "bt-save-metadata", "bt-seed-unverified", "bt-stop-timeout", "bt-tracker", "bt-tracker-connect-timeout",
        "bt-tracker-interval", "bt-tracker-timeout", "check-integrity", "conditional-get", "connect-timeout",
        "content-disposition-default-utf8", "continue", "dry-run", "enable-http-keep-alive",
        "enable-http-pipelining", "enable-mmap", "enable-peer-exchange", "file-allocation", "follow-metalink",
        "follow-torrent", "force-save", "ftp-passwd", "ftp-pasv", "ftp-proxy", "ftp-proxy-passwd",
        "ftp-proxy-user", "ftp-reuse-connection", "ftp-type", "ftp-user", "gid", "hash-check-only",
        "http-accept-gzip", "http-auth-challenge", "http-no-cache", "http-passwd", "http-proxy",
        "http-proxy-passwd", "http-proxy-user", "http-user", "https-proxy", "https-proxy-passwd",
        "https-proxy-user", "index-out", "lowest-speed-limit", "max-connection-per-server",
        "max-download-limit", "max-file-not-found", "max-mmap-limit", "max-resume-failure-tries", "max-tries",
        "max-upload-limit", "metalink-base-uri", "metalink-enable-unique-protocol", "metalink-language",
        "metalink-location", "metalink-os", "metalink-preferred-protocol", "metalink-version",
        "min-split-size", "no-file-allocation-limit", "no-netrc", "no-proxy", "parameterized-uri", "pause",
        "pause-metadata", "piece-length", "proxy-method", "realtime-chunk-checksum", "remote-time",
        "remove-control-file", "retry-wait", "reuse-uri", "rpc-save-upload-metadata", "seed-ratio",
        "seed-time", "select-file", "split", "ssh-host-key-md", "stream-piece-selector", "timeout",
        "uri-selector", "use-head",
    ]
}

/// How many bytes must be put in, taken out, changed or swapped with their neighbour to make one text of another.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard left.count <= 64, right.count <= 64 else { return .max }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in 0..<left.count {
        var current = [row + 1]
        for column in 0..<right.count {
            let change = last[column] + (left[row] == right[column] ? 0 : 1)
            var cost = min(change, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
