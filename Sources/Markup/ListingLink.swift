import SyncCore

/// A link of an index page with the text that says something of it.
struct ListingLink {
    /// The reference as the page has it, character references decoded.
    var reference: [UInt8]
    /// Whether the reference was longer than any URL may be.
    var isCut = false
    /// Whether the link is marked as one to a directory, which its address may not show (serve-index).
    var isMarkedAsDirectory = false
    /// Whether the link has what only links to packages have (PEP 503, 592, 658).
    var isMarkedAsPackage = false
    /// The text that it shows.
    var text: [UInt8] = []
    /// The parts of the text after the first, where the link holds more than a name.
    var innerParts: [[UInt8]] = []
    /// The text of the line before it.
    var before: [UInt8] = []
}

/// What a link is in the listing.
enum LinkKind {
    /// A file, or with a last slash a listing: its URL and its path below this listing.
    case entry(url: WebURL, path: [UInt8], isDirectory: Bool)
    /// The link to the listing above.
    case parent
    /// A link that sorts the listing.
    case sorting
    /// Anything that names nothing below the listing, and what it is then.
    case other(ExplainedLink.Kind)
}

/// Judges a listing's links.
struct LinkJudge {
    private let root: ListingRoot
    private let base: WebURL
    private let origin: String

    /// A judge for a page and what its references are resolved against.
    init(page: WebURL, base: WebURL) {
        origin = page.origin
        let own = ListingRoot(page: page)
        // A base below the page is where its listing is; one above or elsewhere only shortens its links.
        if case .below(_, isDirectory: true) = own.place(of: base) {
            root = ListingRoot(page: base)
        } else {
            root = own
        }
        self.base = base
    }

    /// What a link is.
    func kind(of link: ListingLink) -> LinkKind {
        guard let url = url(of: link) else { return .other(Self.kindWithoutAddress(link)) }
        let place = root.place(of: url)
        if case .below = place {} else if let package = package(link, url) { return package }
        switch place {
        case .elsewhere: return .other(url.origin == origin ? .outside : .otherHost)
        case .parent: return Self.namesParent(link) ? .parent : .other(.outside)
        case .itself(let query): return Self.isSorting(query) ? .sorting : .other(.page)
        case .below(let path, let isDirectory):
            // A query behind a directory sorts it.
            guard !(isDirectory && url.query != nil) else { return .other(.sorting) }
            guard !path.isEmpty else { return .other(.page) }
            if link.isMarkedAsDirectory, !isDirectory,
                let directory = url.resolve(bytes: Array(url.path.utf8)[...] + [UInt8(ascii: "/")])
            {
                return .entry(url: directory, path: path, isDirectory: true)
            }
            return .entry(url: url, path: path, isDirectory: isDirectory)
        }
    }

    /// The digest in a reference's fragment (PEP 503), as in `#sha256=9f86…`.
    static func digest(of link: ListingLink) -> Digest? {
        guard let hash = link.reference.lastIndex(of: UInt8(ascii: "#")) else { return nil }
        let fragment = link.reference[(hash + 1)...]
        guard let equals = fragment.firstIndex(of: UInt8(ascii: "=")),
            let algorithm = DigestAlgorithm(name: String(decoding: fragment[..<equals], as: UTF8.self))
        else { return nil }
        return Digest(algorithm, hex: String(decoding: fragment[(equals + 1)...], as: UTF8.self))
    }

    /// A package of an index, which counts wherever it lies: its page names it with a digest, or with what else installers
    /// want to know of it.
    private func package(_ link: ListingLink, _ url: WebURL) -> LinkKind? {
        guard link.isMarkedAsPackage || Self.digest(of: link) != nil else { return nil }
        let name = decodedLastSegment(of: url)
        return name.isEmpty ? nil : .entry(url: url, path: name, isDirectory: false)
    }

    /// What a link is that leads to no address.
    private static func kindWithoutAddress(_ link: ListingLink) -> ExplainedLink.Kind {
        let reference = trimmed(link.reference[...])
        if link.isCut { return .invalid }
        if reference.isEmpty { return .page }
        if reference.first == UInt8(ascii: "#") { return .fragment }
        return switch practicalScheme(reference) {
        case nil, "http", "https": .invalid
        default: .notHTTP
        }
    }

    /// How a link was classified, in words.
    ///
    /// - Parameters:
    ///   - kind: What ``kind(of:)`` said of it.
    ///   - isKnown: Whether a link before it names the same.
    func explanation(of link: ListingLink, _ kind: LinkKind, isKnown: Bool) -> ExplainedLink {
        switch kind {
        case .entry(let url, let path, let isDirectory):
            guard !isKnown else { return Self.duplicate(of: link.reference, url, "a link before it names the same") }
            let isBelow = if case .below = root.place(of: url) { true } else { false }
            let reason =
                isDirectory
                ? link.isMarkedAsDirectory
                    ? "a directory, as the link is marked as one" : "a directory below the listing"
                : isBelow ? "a file below the listing" : "a package, by its digest or its marks, wherever it lies"
            return ExplainedLink(
                isDirectory ? .listing : .entry, reference: link.reference, url: url, path: path, reason: reason)
        case .parent:
            return explanation(of: link, .parent, "the listing above, which is not followed")
        case .sorting:
            return explanation(of: link, .sorting, "the same listing in another order")
        case .other(let kind):
            let reason =
                switch kind {
                case .sorting: "a query behind a directory only shows it in another way"
                case .fragment: "a place in the page itself"
                case .page: "the page itself"
                case .otherHost: "only what lies on \(origin) is of this listing"
                case .outside: "only what lies strictly below the listing is of it"
                case .notHTTP: "only http and https are fetched"
                case .invalid, .entry, .listing, .parent, .duplicate:
                    link.isCut ? "it is longer than any URL" : "it is no valid address"
                }
            return explanation(of: link, kind, reason)
        }
    }

    /// Says of a link that it names what another does.
    static func duplicate(of reference: [UInt8], _ url: WebURL, _ reason: String) -> ExplainedLink {
        ExplainedLink(.duplicate, reference: reference, url: url, reason: reason)
    }

    private func explanation(of link: ListingLink, _ kind: ExplainedLink.Kind, _ reason: String) -> ExplainedLink {
        ExplainedLink(kind, reference: link.reference, url: link.isCut ? nil : url(of: link), reason: reason)
    }

    private func url(of link: ListingLink) -> WebURL? {
        if let name = Self.literalName(link) { return resolved(name) }
        let reference = trimmed(link.reference[...])
        return resolved(Array(reference.prefix { $0 != UInt8(ascii: "#") }))
    }

    private func resolved(_ reference: [UInt8]) -> WebURL? {
        guard !reference.isEmpty else { return nil }
        switch practicalScheme(reference[...]) {
        case nil:
            // `a:b.txt` is a file's name; the dot keeps its colon from being read as a scheme's end.
            let hasColon = reference.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: ":"))
            return base.resolve(bytes: (hasColon ? Array("./".utf8) + reference : reference)[...])
        case "http", "https":
            // The URL standard takes `http:x.txt` for a relative name, others for a host: it is no one's link.
            guard let colon = reference.firstIndex(of: UInt8(ascii: ":")),
                reference[(colon + 1)...].starts(with: "//".utf8)
            else { return nil }
            return base.resolve(bytes: reference[...])
        default: return nil
        }
    }

    /// The reference encoded anew where a server forgot to: a name with `?`, `#` or `\` in it that the text shows just
    /// like the reference is the name of a file.
    private static func literalName(_ link: ListingLink) -> [UInt8]? {
        let special = Array("?#\\".utf8)
        let reference = link.reference
        guard let first = reference.first, !special.contains(first), reference.contains(where: special.contains),
            practicalScheme(reference[...]) == nil
        else { return nil }
        let name = reference.last == UInt8(ascii: "/") ? reference.dropLast() : reference[...]
        let text = trimmed(link.text[...])
        guard !name.contains(UInt8(ascii: "/")), text.elementsEqual(name) || text.elementsEqual(reference) else {
            return nil
        }
        return reference.flatMap { special.contains($0) ? percentEncodedSegment([$0]) : [$0] }
    }

    private static func namesParent(_ link: ListingLink) -> Bool {
        let text = asciiLowercase(trimmed(link.text[...]))
        let words = ["..", "parent", "[to parent", "up to", "up", "go up"]
        return trimmed(link.reference[...]).starts(with: "..".utf8) || words.contains { text.starts(with: $0.utf8) }
    }

    /// Whether a query is one by which servers sort: `C=N;O=D`, `N=D`, `sort=name`.
    private static func isSorting(_ query: String?) -> Bool {
        guard let query else { return false }
        let key = asciiLowercase(query.utf8.prefix { $0 != UInt8(ascii: "=") })
        return ["c", "o", "n", "m", "s", "d", "sort", "order", "orderby", "col"].contains {
            key.elementsEqual($0.utf8)
        }
    }
}
