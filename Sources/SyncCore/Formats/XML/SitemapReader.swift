extension XMLFormat {
    /// Sitemaps and indexes of sitemaps (https://www.sitemaps.org/protocol.html).
    package static let sitemap = XMLFormat(
        name: "sitemap", rootDescription: "a sitemap (<urlset> or <sitemapindex>)",
        accepts: { $0.name == "urlset" || $0.name == "sitemapindex" }, makeReader: { SitemapReader(context: $0) })
}

/// Reads sitemaps: each `<url>` is a file, each `<sitemap>` a listing.
struct SitemapReader: XMLContentReader {
    private let context: ManifestContext
    private var location: [UInt8]?
    private var modified: ListedDate?

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        guard place.depth == 2 else { return }
        location = nil
        modified = nil
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, name) {
        case (3, "url", "loc"), (3, "sitemap", "loc"): location = Array(xmlTrimmed(text))
        case (3, "url", "lastmod"), (3, "sitemap", "lastmod"): modified = listedDate(whole: xmlTrimmed(text))?.date
        case (2, "urlset", "url"), (2, "sitemapindex", "sitemap"):
            items.append(item(isListing: name == "sitemap", place.line))
        default: break
        }
    }

    private func item(isListing: Bool, _ line: Int) -> ManifestItem {
        let origin = EntryOrigin(source: context.sourceName, line: line)
        func problem(_ message: String) -> ManifestItem {
            .problem(ManifestProblem(origin: origin, message: message))
        }
        guard let location, !location.isEmpty else {
            return problem("the <\(isListing ? "sitemap" : "url")> has no address (<loc>) and is passed over")
        }
        guard let url = context.baseURL?.resolve(bytes: location[...]) ?? WebURL(bytes: location[...]),
            url.scheme == "http" || url.scheme == "https"
        else { return problem("\(quoted(location)) is no valid http or https address") }
        if isListing {
            return .listing(SubListing(url: url, path: context.directory, origin: origin, modified: modified))
        }
        return .entry(
            Entry(
                urls: [url], suggestedPath: context.placed(Self.path(of: url)), modified: modified,
                origin: origin))
    }

    /// The place of a page: all of its path, since the pages of a site have the same few names, and its query, which
    /// tells pages of one path apart.
    private static func path(of url: WebURL) -> [UInt8] {
        let path = Array(url.path.utf8)
        var components = Parts(of: path[...], separatedBy: UInt8(ascii: "/")).map { decodedPathSegment($0) }
        if path.last == UInt8(ascii: "/") || components.isEmpty { components.append(Placement.indexName) }
        if let query = url.query, !query.isEmpty {
            components[components.count - 1] += Array("?".utf8) + decodedPathSegment(query.utf8)
        }
        return Array(components.joined(separator: "/".utf8))
    }
}
