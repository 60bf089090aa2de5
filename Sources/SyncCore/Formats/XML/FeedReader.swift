extension XMLFormat {
    /// Feeds whose items have files: RSS (https://www.rssboard.org/rss-specification) and Atom (RFC 4287).
    package static let feed = XMLFormat(
        name: "feed", rootDescription: "a feed (<rss> or <feed>)",
        accepts: {
            $0.name == "rss" || ($0.name == "feed" && [atom, "http://purl.org/atom/ns#"].contains($0.namespace))
        },
        makeReader: { FeedReader(context: $0) })
}

private let atom = "http://www.w3.org/2005/Atom"

/// Reads feeds: their enclosures are files; their pages and pictures are not.
struct FeedReader: XMLContentReader {
    /// All that counts stands in attributes, and the texts are whole articles.
    let needsText = false
    private let context: ManifestContext
    private var seen = Set<WebURL>()
    private var nextPage: WebURL?
    /// What references are resolved against within elements that say so (XML Base), innermost last.
    private var bases: [(depth: Int, url: WebURL)] = []

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        while let last = bases.last, last.depth >= place.depth { bases.removeLast() }
        if let reference = element[attribute: "{http://www.w3.org/XML/1998/namespace}base"], let base = url(reference) {
            bases.append((place.depth, base))
        }
        switch (place.parent, element.name) {
        case ("item", "enclosure"): take(element[attribute: "url"], element, into: &items)
        case ("entry", "link"), ("item", "{\(atom)}link"):
            if Self.relation(of: element).elementsEqual("enclosure".utf8) {
                take(element[attribute: "href"], element, into: &items)
            }
        case ("feed", "link"), ("channel", "{\(atom)}link"):
            // RFC 5005, section 3: the feed's further pages.
            guard Self.relation(of: element).elementsEqual("next".utf8), let href = element[attribute: "href"] else {
                return
            }
            nextPage = url(href)
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {}

    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        guard let nextPage else { return }
        guard nextPage != context.baseURL else {
            throw ManifestError("\(context.sourceName) names itself as its next page, so that the feed has no end")
        }
        items.append(.nextPage(nextPage))
    }

    private mutating func take(_ address: [UInt8]?, _ element: XMLElement, into items: inout [ManifestItem]) {
        let origin = EntryOrigin(source: context.sourceName, line: element.line)
        guard let address, let url = url(address) else {
            let message = address.map { "the enclosure \(quoted($0)) is no valid http or https address" }
            items.append(
                .problem(ManifestProblem(origin: origin, message: message ?? "the enclosure has no address")))
            return
        }
        guard seen.insert(url).inserted else { return }
        let length = element[attribute: "length"].flatMap { decimalValue(xmlTrimmed($0[...])) } ?? 0
        // Many feeds write 0 where they do not know, and wrong numbers where they guess.
        items.append(.entry(Entry(urls: [url], size: length > 0 ? .claimed(length) : .unknown, origin: origin)))
    }

    private func url(_ address: [UInt8]) -> WebURL? {
        let address = xmlTrimmed(address[...])
        let base = bases.last?.url ?? context.baseURL
        guard !address.isEmpty, let url = base?.resolve(bytes: address) ?? WebURL(bytes: address),
            url.scheme == "http" || url.scheme == "https"
        else { return nil }
        return url
    }

    private static func relation(of link: XMLElement) -> [UInt8] {
        link[attribute: "rel"].map { asciiLowercase(xmlTrimmed($0[...])) } ?? Array("alternate".utf8)
    }
}
