/// The way of one request over redirects (RFC 9110 §15.4), followed by dlsync itself so that nothing that was meant for
/// one origin reaches another.
package struct Route: Hashable, Sendable {
    /// The URL that the source named.
    package let start: WebURL
    /// The URL that is asked now.
    package private(set) var url: WebURL
    /// The origin of that URL.
    package private(set) var origin: String
    /// How many redirects lie behind.
    package private(set) var hops = 0
    /// Whether one of them led from TLS to plain HTTP, where nothing secret may follow.
    package private(set) var isDowngraded = false

    /// No way is longer than this.
    package static let mostHops = 20

    package init(_ url: WebURL) {
        start = url
        self.url = url
        origin = url.origin
    }

    /// Whether an answer sends the request elsewhere.
    package func isRedirect(_ head: ResponseHead) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status) && head.location != nil
    }

    /// The route after a redirect to a reference, as sent in `Location`.
    package func following(_ location: [UInt8]) throws(Failure) -> Route {
        guard hops < Self.mostHops else {
            throw Failure(.tooManyRedirects, "\(start.redacted) is redirected more than \(Self.mostHops) times")
        }
        guard let target = url.resolve(bytes: location[...]) else {
            throw Failure(.protocolError, "\(url.redacted) redirects to something that is no URL")
        }
        guard target.scheme == "http" || target.scheme == "https" else {
            throw Failure(
                .refusedScheme, "\(url.redacted) redirects to a \(target.scheme): URL, which is not followed")
        }
        var next = self
        next.url = target
        next.origin = target.origin
        next.hops += 1
        next.isDowngraded = isDowngraded || (url.scheme == "https" && target.scheme == "http")
        return next
    }
}
