extension XMLFormat {
    /// The answer to a WebDAV server's PROPFIND (RFC 4918, section 9.1).
    package static let webdav = XMLFormat(
        name: "webdav", rootDescription: "a WebDAV answer (<multistatus>)",
        accepts: { $0.name == "multistatus" && $0.namespace == "DAV:" }, makeReader: { WebDAVReader(context: $0) })
}

/// Reads what a collection holds: each `<response>` is a member of it, or the collection itself.
struct WebDAVReader: XMLContentReader {
    private let context: ManifestContext
    private var root: ListingRoot?
    private var base: WebURL?
    private var member = Member()
    /// What the open `<propstat>` says, which counts if its status does.
    private var properties = Properties()
    private var responseCount = 0
    private var selfIsCollection: Bool?

    private struct Member {
        var href: [UInt8]?
        var line = 1
        var properties = Properties()
        /// Whether the response says that there is nothing.
        var isMissing = false
    }

    private struct Properties {
        var size: Int64?
        var modified: ListedDate?
        var isCollection: Bool?
        var digests: [Digest] = []
    }

    private static let checksum = "{http://owncloud.org/ns}checksum"

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, element.name) {
        case (1, _, _):
            let address = try context.requireBase()
            base = address
            // A collection's own address ends with a slash, whether it was asked for with one or not.
            let path = address.path.utf8
            root = ListingRoot(page: path.last == UInt8(ascii: "/") ? address : Self.collection(address))
        case (2, _, "response"): member = Member(line: place.line)
        case (3, "response", "propstat"): properties = Properties()
        case (6, "resourcetype", "collection"): properties.isCollection = true
        case (5, "prop", "resourcetype"): properties.isCollection = properties.isCollection ?? false
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let value = xmlTrimmed(text)
        switch (place.depth, place.parent, name) {
        case (3, "response", "href"): if member.href == nil { member.href = Array(value) }
        case (3, "response", "status"): member.isMissing = !Self.isSuccess(value)
        case (5, "prop", "getcontentlength"): properties.size = decimalValue(value)
        case (5, "prop", "getlastmodified"): properties.modified = listedDate(whole: value)?.date
        case (6, _, Self.checksum): properties.digests = Self.digests(value)
        case (4, "propstat", "status"): if !Self.isSuccess(value) { properties = Properties() }
        case (3, "response", "propstat"): merge()
        case (2, _, "response"): try take(into: &items)
        default: break
        }
    }

    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        guard responseCount > 0 else {
            throw ManifestError("\(context.sourceName) says nothing, not even of the collection itself")
        }
        guard selfIsCollection != false || responseCount > 1 else {
            throw ManifestError("\(context.sourceName) describes a file and no collection")
        }
    }

    private mutating func merge() {
        member.properties.size = properties.size ?? member.properties.size
        member.properties.modified = properties.modified ?? member.properties.modified
        member.properties.isCollection = properties.isCollection ?? member.properties.isCollection
        if !properties.digests.isEmpty { member.properties.digests = properties.digests }
    }

    private mutating func take(into items: inout [ManifestItem]) throws(ManifestError) {
        responseCount += 1
        guard !member.isMissing else { return }
        let origin = EntryOrigin(source: context.sourceName, line: member.line)
        guard let href = member.href, let url = url(href), let root else {
            let name = member.href.map { quoted($0) } ?? "nothing"
            items.append(
                .problem(ManifestProblem(origin: origin, message: "a member's address is \(name), which is not valid")))
            return
        }
        // Without the slash the collection lies beside its members.
        switch root.place(of: url.path.utf8.last == UInt8(ascii: "/") ? url : Self.collection(url)) {
        case .itself: selfIsCollection = member.properties.isCollection
        case .parent, .elsewhere: break
        case .below(let path, _):
            let endsInSlash = url.path.utf8.last == UInt8(ascii: "/")
            let place = context.placed(path)
            if member.properties.isCollection ?? endsInSlash {
                // Without the slash a collection's members would lie beside it.
                let address = endsInSlash ? url : Self.collection(url)
                items.append(
                    .listing(
                        SubListing(
                            url: address, path: place, origin: origin, modified: member.properties.modified,
                            format: XMLFormat.webdav.name)))
            } else {
                items.append(
                    .entry(
                        Entry(
                            urls: [url], suggestedPath: place,
                            size: member.properties.size.map { .exact($0) } ?? .unknown,
                            modified: member.properties.modified, digests: member.properties.digests, origin: origin)))
            }
        }
    }

    /// A member's address, on the server that was asked: behind a proxy it may call itself by another name.
    private func url(_ href: [UInt8]) -> WebURL? {
        guard let base, !href.isEmpty else { return nil }
        guard let url = base.resolve(bytes: href[...]), url.scheme == "http" || url.scheme == "https" else {
            return nil
        }
        guard url.origin != base.origin else { return url }
        return base.resolve(bytes: Array(url.path.utf8)[...])
    }

    private static func collection(_ url: WebURL) -> WebURL {
        url.resolve(bytes: Array(url.path.utf8)[...] + [UInt8(ascii: "/")]) ?? url
    }

    /// Whether a status line (RFC 9112, section 4) is one of success.
    private static func isSuccess(_ status: ArraySlice<UInt8>) -> Bool {
        let code = Array(Parts(of: status, separatedBy: 0x20)).dropFirst().first
        return code?.count == 3 && code?.first == UInt8(ascii: "2")
    }

    /// ownCloud's and Nextcloud's `SHA1:… MD5:… ADLER32:…`.
    private static func digests(_ text: ArraySlice<UInt8>) -> [Digest] {
        Parts(of: text, separatedBy: 0x20).compactMap { part in
            guard let colon = part.firstIndex(of: UInt8(ascii: ":")),
                let algorithm = DigestAlgorithm(name: String(decoding: part[..<colon], as: UTF8.self))
            else { return nil }
            return Digest(algorithm, hex: String(decoding: part[(colon + 1)...], as: UTF8.self))
        }
    }
}
