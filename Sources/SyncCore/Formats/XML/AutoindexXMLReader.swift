extension XMLFormat {
    /// nginx's index pages as XML (https://nginx.org/en/docs/http/ngx_http_autoindex_module.html).
    package static let autoindexXML = XMLFormat(
        name: "autoindex-xml", rootDescription: "nginx's index of a directory as XML (<list>)", hasRawNames: true,
        accepts: { $0.name == "list" && $0.namespace.isEmpty }, makeReader: { AutoindexXMLReader(context: $0) })
}

/// Reads nginx's index: names are raw, sizes exact, dates of UTC.
struct AutoindexXMLReader: XMLContentReader {
    private let context: ManifestContext
    private var base: WebURL?
    private var size: Int64?
    private var modified: ListedDate?

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        if place.depth == 1 { base = try context.requireBase() }
        guard place.depth == 2 else { return }
        size = element[attribute: "size"].flatMap { decimalValue($0) }
        modified = element[attribute: "mtime"].flatMap { listedDate(whole: $0[...])?.date }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        // `<other>` is what can be neither listed nor fetched, such as a link to nowhere.
        guard place.depth == 2, name == "file" || name == "directory" else { return }
        let origin = EntryOrigin(source: context.sourceName, line: place.line)
        let isDot = text.elementsEqual([0x2E]) || text.elementsEqual([0x2E, 0x2E])
        guard !text.isEmpty, !isDot, !text.contains(UInt8(ascii: "/")), !text.contains(0),
            let url = base?.resolve(
                bytes: percentEncodedSegment(text) + (name == "directory" ? [UInt8(ascii: "/")] : []))
        else {
            items.append(
                .problem(
                    ManifestProblem(origin: origin, message: "\(quoted(text)) is the name of no file or directory")))
            return
        }
        let path = context.placed(Array(text))
        if name == "directory" {
            items.append(.listing(SubListing(url: url, path: path, origin: origin, modified: modified)))
        } else {
            items.append(
                .entry(
                    Entry(
                        urls: [url], suggestedPath: path,
                        size: size.map { SizeKnowledge.exact($0).inIndex } ?? .unknown,
                        modified: modified, origin: origin)))
        }
    }
}
