/// What the person gave to be let in: whom it is for is part of it, so that nothing a manifest or a server says can carry
/// it elsewhere.
///
/// A login, cookies and fields from the command line go to the origins that the command line names, and to no other. A
/// login in a URL goes to that URL's origin. A login from netrc goes to the host that the file names, except in the clear
/// after a redirect away from TLS; the file's `default` goes to the origins of the command line.
package struct Secrets: Hashable, Sendable {
    /// The origins that the command line names: those of its sources, and those that are named for this purpose.
    package var origins: Set<String> = []
    /// `-u`.
    package var login: Login?
    /// `-b`: a `Cookie` field's value.
    package var cookies: String?
    /// `-H`.
    package var fields: [HeaderField] = []
    package var netrc: Netrc?

    package init() {}

    /// What one request carries.
    package struct Share: Hashable, Sendable {
        package var login: Login?
        package var fields: [HeaderField] = []
        /// Whether there is anything that a server could refuse.
        package var isEmpty: Bool { login == nil && fields.isEmpty }
    }

    /// What a request to a URL may carry.
    ///
    /// - Parameter isDowngraded: Whether a redirect led here from TLS to plain HTTP.
    package func share(for url: WebURL, isDowngraded: Bool = false) -> Share {
        let isNamed = origins.contains(url.origin)
        var share = Share()
        if isNamed {
            share.fields = fields
            if let cookies { share.fields.append(HeaderField(name: "Cookie", value: cookies)) }
        }
        share.login = loginForURL(url, isNamed: isNamed, isDowngraded: isDowngraded)
        return share
    }

    private func loginForURL(_ url: WebURL, isNamed: Bool, isDowngraded: Bool) -> Login? {
        let own = url.userinfo
        if let own, !own.password.isEmpty { return Login(user: own.user, password: own.password) }
        if isNamed, let login, own == nil || own?.user == login.user { return login }
        if let netrc, !isDowngraded,
            let known = netrc.login(host: url.host, user: own?.user, allowsDefault: isNamed)
        {
            return known
        }
        return own.map { Login(user: $0.user, password: $0.password) }
    }
}
