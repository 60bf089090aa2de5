extension XMLFormat {
    /// The metadata of RPM repositories: `repomd.xml`, and the list of packages that it names.
    package static let repomd = XMLFormat(
        name: "repomd", rootDescription: "the metadata of an RPM repository (<repomd>, or <metadata> of packages)",
        accepts: {
            $0.name == "repomd" || ($0.name == "metadata" && $0.namespace == "http://linux.duke.edu/metadata/common")
        },
        makeReader: { RepositoryReader(context: $0) })
}

/// Reads `repomd.xml`, whose files are the repository's metadata, and `primary.xml`, whose files are its packages. Both
/// give places relative to the repository's root, the directory above `repodata`.
struct RepositoryReader: XMLContentReader {
    private let context: ManifestContext
    private var root: WebURL?
    private var file = RepositoryFile()
    private var checksumType: [UInt8]?
    private var kind: [UInt8] = []
    private var hasPrimary = false
    private var isIndex = false

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, element.name) {
        case (1, _, _):
            root = Self.root(of: try context.requireBase())
            isIndex = element.name == "repomd"
        case (2, "repomd", "data"), (2, "metadata", "package"):
            file = RepositoryFile(line: place.line)
            kind = element[attribute: "type"] ?? []
        case (3, "data", "location"), (3, "package", "location"):
            file.location = element[attribute: "href"]
            file.base = element[attribute: "{http://www.w3.org/XML/1998/namespace}base"]
        case (3, _, "checksum"): checksumType = element[attribute: "type"]
        case (3, "package", "size"): file.size = element[attribute: "package"].flatMap { decimalValue($0) }
        case (3, "package", "time"): file.modified = element[attribute: "file"].flatMap { decimalValue($0) }
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let value = xmlTrimmed(text)
        switch (place.depth, place.parent, name) {
        case (3, "data", "size"): file.size = decimalValue(value)
        case (3, "data", "timestamp"): file.modified = Self.seconds(value)
        case (3, "data", "checksum"), (3, "package", "checksum"):
            let algorithm = checksumType.flatMap { DigestAlgorithm(name: String(decoding: $0, as: UTF8.self)) }
            file.digest = algorithm.flatMap { Digest($0, hex: String(decoding: value, as: UTF8.self)) }
        case (2, "repomd", "data"), (2, "metadata", "package"): take(into: &items)
        default: break
        }
    }

    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        guard !isIndex || hasPrimary else {
            throw ManifestError("\(context.sourceName) names no list of packages (<data type=\"primary\">)")
        }
    }

    private mutating func take(into items: inout [ManifestItem]) {
        let origin = EntryOrigin(source: context.sourceName, line: file.line)
        guard let location = file.location, !location.isEmpty, let url = url(location) else {
            let what = file.location.map { "the place \(quoted($0)) makes no valid address" }
            items.append(
                .problem(ManifestProblem(origin: origin, message: what ?? "the file has no place (<location href>)")))
            return
        }
        // A place that is an address of its own has only its name to be called by.
        let isAddress = practicalScheme(location[...]) != nil
        let path = isAddress ? decodedLastSegment(of: url) : Self.path(location)
        items.append(
            .entry(
                Entry(
                    urls: [url], suggestedPath: context.placed(path),
                    size: file.size.map { .exact($0) } ?? .unknown,
                    modified: file.modified.map {
                        ListedDate(secondsSinceEpoch: $0, hasZone: true, precision: .second)
                    },
                    digests: file.digest.map { [$0] } ?? [], origin: origin)))
        if isIndex, kind.elementsEqual("primary".utf8) {
            hasPrimary = true
            items.append(
                .listing(
                    SubListing(url: url, path: context.directory, origin: origin, format: XMLFormat.repomd.name)))
        }
    }

    private func url(_ location: [UInt8]) -> WebURL? {
        var base = root
        if let other = file.base {
            let directory = other.last == UInt8(ascii: "/") ? other : other + [UInt8(ascii: "/")]
            base = root?.resolve(bytes: directory[...])
        }
        guard let url = base?.resolve(bytes: location[...]), url.scheme == "http" || url.scheme == "https" else {
            return nil
        }
        return url
    }

    /// A place as a path, decoded as its address is. Whether it is safe is seen when the entry is placed.
    private static func path(_ location: [UInt8]) -> [UInt8] {
        let segments = location.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return Array(segments.map { decodedPathSegment($0) }.joined(separator: "/".utf8))
    }

    /// The root of the repository that a document belongs to.
    private static func root(of document: WebURL) -> WebURL? {
        let directories = document.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropLast()
        return document.resolve(directories.last?.elementsEqual("repodata".utf8) == true ? "../" : "./")
    }

    /// Seconds since 1970, of which some tools write fractions.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        decimalValue(text.prefix { $0 != UInt8(ascii: ".") })
    }
}

private struct RepositoryFile {
    var line = 1
    var location: [UInt8]?
    var base: [UInt8]?
    var size: Int64?
    var modified: Int64?
    var digest: Digest?
}
