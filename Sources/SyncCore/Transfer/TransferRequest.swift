/// One request, as the machines decide it and the loop sends it.
package struct TransferRequest: Hashable, Sendable {
    /// A request's method; dlsync changes nothing on a server.
    package enum Method: Hashable, Sendable {
        case get
        case head
        /// Asks what a WebDAV collection holds (RFC 4918 §9.1). It has a body, and changes nothing either.
        case propfind
    }

    package var url: WebURL
    package var method: Method
    /// The bytes that are asked for; nil for the whole.
    package var range: ByteRange?
    /// The value of `If-Range` (RFC 9110 §13.1.5); only beside a range.
    package var ifRange: String?
    /// Fields that the source gave. They are for the origin of `url` alone and stay behind on a redirect to another.
    package var headers: [HeaderField]
    /// Whether a connection of its own is asked for: the last one gave an answer that it should not have.
    package var onFreshConnection: Bool
    /// Whether caches on the way are told to ask the origin server (RFC 9111 §5.2.1.4): data did not match its digest.
    package var bypassesCaches: Bool
    /// Whether a content coding is offered, and undone as it arrives: the server does not send the file without one.
    package var decodes: Bool

    package init(
        _ method: Method, _ url: WebURL, range: ByteRange? = nil, ifRange: String? = nil, headers: [HeaderField] = [],
        onFreshConnection: Bool = false, bypassesCaches: Bool = false, decodes: Bool = false
    ) {
        self.url = url
        self.method = method
        self.range = range
        self.ifRange = ifRange
        self.headers = headers
        self.onFreshConnection = onFreshConnection
        self.bypassesCaches = bypassesCaches
        self.decodes = decodes
    }
}

/// What becomes of the body that follows a head.
package enum BodyVerdict: Hashable, Sendable {
    /// It is written to the partial from this offset on, and the transfer ends where the limit is reached. Without a
    /// limit it ends where the server ends it.
    case write(at: Int64, limit: Int64?)
    /// It is kept in memory, up to this many bytes.
    case keep(most: Int)
    /// It is given to whoever reads the listing.
    case deliver
    /// It is of no use: a short one is read, so that the connection can be used again, a long one is cut.
    case drop
    /// The transfer ends here, and its connection with it.
    case cut
}

/// How a transfer ended.
package enum TransferEnd: Hashable, Sendable {
    /// With the answer's own end.
    case finished
    /// Where its limit was, or because its body was of no use.
    case cut
    /// Before the answer's end.
    case failed(Failure)
}

/// What one answer is to the request that it answers, by the answer alone (RFC 9110 §15.3.7, §15.5.17).
package enum Answer: Hashable, Sendable {
    /// The whole representation.
    case whole(Representation)
    /// These bytes of it, which lie where they were asked for.
    case part(ByteRange, of: Representation)
    /// No such bytes; the complete length, if the server says it.
    case notSatisfiable(completeLength: Int64?)
    /// Nothing that could be written to a file.
    case refused(Failure)

    /// Judges a final answer to a GET for `range`, or for the whole where it is nil.
    ///
    /// - Parameter decodes: Whether a content coding is undone as the body arrives. Its length is that of the encoded body
    ///   then, and tells nothing of the file's.
    package init(_ head: ResponseHead, to range: ByteRange?, from url: WebURL, decodes: Bool = false) {
        switch head.status {
        case 200 where head.representation.contentCoding == nil || head.isStoredAsSent(url):
            self = .whole(head.representation)
        case 200 where decodes:
            var decoded = head.representation
            decoded.length = nil
            self = .whole(decoded)
        case 200:
            self = .refused(Self.coded(head, url))
        case 206:
            self = Self.part(head, range, url)
        case 416 where range != nil:
            self = .notSatisfiable(completeLength: head.contentRange?.completeLength)
        case 401, 407:
            self = .refused(Failure(.denied, "\(url.redacted) wants other credentials (\(head.status))"))
        case 404, 410:
            self = .refused(Failure(.missing, "\(url.redacted) does not exist (\(head.status))"))
        case let status:
            self = .refused(Failure(.status(status), "\(url.redacted) answered with status \(status)"))
        }
    }

    private static func part(_ head: ResponseHead, _ asked: ByteRange?, _ url: WebURL) -> Answer {
        func wrong(_ what: String) -> Answer {
            .refused(Failure(.wrongRange, "\(url.redacted) answered a request for a range with \(what)"))
        }
        guard let asked else { return wrong("a part, though the whole was asked for") }
        guard !head.isMultipart else { return wrong("several parts") }
        guard head.representation.contentCoding == nil else { return .refused(coded(head, url)) }
        guard let range = head.contentRange?.range else { return wrong("a part that does not say which") }
        guard range.start == asked.start, range.end <= asked.end else {
            return wrong("the bytes \(range) instead of \(asked)")
        }
        if let length = head.contentLength, length != range.count {
            return wrong("\(length) bytes that it calls \(range)")
        }
        return .part(range, of: head.representation)
    }

    private static func coded(_ head: ResponseHead, _ url: WebURL) -> Failure {
        Failure(
            .contentCoded,
            "\(url.redacted) is only sent \(head.representation.contentCoding ?? "")-encoded, though identity was asked for"
        )
    }
}

extension ResponseHead {
    /// Whether a content coding is the file's own: old servers send `a.tar.gz` as gzip-encoded tar, and what is wanted
    /// are the bytes as they are sent.
    package func isStoredAsSent(_ url: WebURL) -> Bool {
        guard representation.contentCoding == "gzip" || representation.contentCoding == "x-gzip" else { return false }
        let path = url.path.lowercased()
        return [".gz", ".tgz", ".svgz", ".gzip"].contains { path.hasSuffix($0) }
    }
}
