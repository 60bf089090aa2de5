extension XMLFormat {
    /// Catalogs of THREDDS data servers, version 1.
    package static let thredds = XMLFormat(
        name: "thredds", rootDescription: "a THREDDS catalog (<catalog>)",
        accepts: {
            $0.name == "catalog" && $0.namespace.hasPrefix("http://www.unidata.ucar.edu/")
        },
        makeReader: { ThreddsReader(context: $0) })
}

/// Reads a client catalog (https://docs.unidata.ucar.edu/tds/current/userguide/client_catalog_specs.html): datasets with
/// plain HTTP access are files, references to catalogs are listings.
struct ThreddsReader: XMLContentReader {
    private let context: ManifestContext
    private var base: WebURL?
    private var services = ThreddsServices()
    private var datasets: [Dataset] = []
    /// Whether the open `<metadata>` holds for the datasets within as well.
    private var isInherited = false
    private var sizeUnit: [UInt8] = []
    private var dateType: [UInt8] = []
    private var skippedCount = 0
    private var foundCount = 0

    private struct Dataset {
        var line: Int
        var urlPath: [UInt8]?
        /// The service of this dataset alone.
        var ownService: [UInt8]?
        /// The service of this dataset and of those within it.
        var inheritedService: [UInt8]?
        var size: SizeKnowledge = .unknown
        var modified: ListedDate?
        var accesses: [(service: [UInt8], urlPath: [UInt8])] = []
    }

    private static let xlink = "{http://www.w3.org/1999/xlink}"

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        if place.depth == 1 { base = try context.requireBase() }
        switch (place.parent, element.name) {
        case (_, "service"): services.start(element)
        case ("catalog", "dataset"), ("dataset", "dataset"):
            var dataset = Dataset(line: place.line)
            dataset.urlPath = element[attribute: "urlPath"]
            dataset.ownService = element[attribute: "serviceName"]
            dataset.inheritedService = datasets.last?.inheritedService
            datasets.append(dataset)
        case ("dataset", "metadata"):
            isInherited = element[attribute: "inherited"]?.elementsEqual("true".utf8) ?? false
        case ("dataset", "access"):
            guard let path = element[attribute: "urlPath"], let last = datasets.indices.last,
                datasets[last].accesses.count < 64
            else { return }
            datasets[last].accesses.append((element[attribute: "serviceName"] ?? [], path))
        case (_, "dataSize"): sizeUnit = element[attribute: "units"] ?? []
        case (_, "date"): dateType = element[attribute: "type"] ?? []
        case (_, "catalogRef"): takeReference(element, into: &items)
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let value = xmlTrimmed(text)
        switch (place.parent, name) {
        case (_, "service"): services.end()
        case ("catalog", "dataset"), ("dataset", "dataset"):
            if let dataset = datasets.popLast() { take(dataset, into: &items) }
        case ("dataset", "metadata"): isInherited = false
        default:
            guard let last = datasets.indices.last else { return }
            take(name, value, place, for: &datasets[last])
        }
    }

    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        guard skippedCount > 0, foundCount == 0 else { return }
        items.append(
            .problem(
                ManifestProblem(
                    origin: EntryOrigin(source: context.sourceName),
                    message: "none of the \(skippedCount) datasets can be had by plain HTTP (serviceType HTTPServer)")))
    }

    private func take(_ name: String, _ value: ArraySlice<UInt8>, _ place: XMLPlace, for dataset: inout Dataset) {
        switch (place.parent, name) {
        case ("dataset", "serviceName"): dataset.ownService = Array(value)
        case ("metadata", "serviceName"):
            if isInherited { dataset.inheritedService = Array(value) } else { dataset.ownService = Array(value) }
        // What is inherited speaks of no file.
        case ("dataset", "dataSize"), ("access", "dataSize"): dataset.size = Self.size(value, unit: sizeUnit)
        case ("metadata", "dataSize") where !isInherited: dataset.size = Self.size(value, unit: sizeUnit)
        case ("dataset", "date") where dateType.elementsEqual("modified".utf8):
            dataset.modified = listedDate(whole: value)?.date
        case ("metadata", "date") where !isInherited && dateType.elementsEqual("modified".utf8):
            dataset.modified = listedDate(whole: value)?.date
        default: break
        }
    }

    private mutating func take(_ dataset: Dataset, into items: inout [ManifestItem]) {
        var accesses = dataset.accesses
        if let path = dataset.urlPath { accesses.append((dataset.ownService ?? dataset.inheritedService ?? [], path)) }
        guard !accesses.isEmpty else { return }
        for (service, path) in accesses {
            guard let access = services.httpAccess(named: service) else { continue }
            let urls = urls(access, path)
            let name = urls.first.map { decodedLastSegment(of: $0) } ?? []
            guard !name.isEmpty else { continue }
            foundCount += 1
            items.append(
                .entry(
                    Entry(
                        urls: urls, suggestedPath: context.placed(name), size: dataset.size,
                        modified: dataset.modified,
                        origin: EntryOrigin(source: context.sourceName, line: dataset.line))))
            return
        }
        skippedCount += 1
    }

    /// The addresses of a dataset: the service's base and the path joined, which is no resolution; and the path alone
    /// where it repeats the base, as some servers have it.
    private func urls(_ access: ThreddsServices.Access, _ path: [UInt8]) -> [WebURL] {
        var references = [access.base + path + access.suffix]
        let rooted = path.first == UInt8(ascii: "/") ? path : [UInt8(ascii: "/")] + path
        if access.base.count > 1, rooted.starts(with: access.base) { references.append(rooted + access.suffix) }
        return references.compactMap { base?.resolve(bytes: $0[...]) }.filter { ["http", "https"].contains($0.scheme) }
    }

    private mutating func takeReference(_ element: XMLElement, into items: inout [ManifestItem]) {
        let origin = EntryOrigin(source: context.sourceName, line: element.line)
        guard let href = element[attribute: Self.xlink + "href"].map({ Array(xmlTrimmed($0[...])) }), !href.isEmpty,
            let url = base?.resolve(bytes: href[...]), url.scheme == "http" || url.scheme == "https"
        else {
            items.append(
                .problem(ManifestProblem(origin: origin, message: "a reference to a catalog has no valid address")))
            return
        }
        foundCount += 1
        let titles = [element[attribute: Self.xlink + "title"], element[attribute: "name"]]
        let name = titles.compactMap { $0.map { Array(xmlTrimmed($0[...])) } }.first { !$0.isEmpty }
        items.append(
            .listing(
                SubListing(
                    url: url, path: context.placed(Self.directory(name ?? [], url)), origin: origin)))
    }

    /// The directory of a catalog's files: its title, as one name; else what its address has in front of `catalog.xml`.
    private static func directory(_ title: [UInt8], _ url: WebURL) -> [UInt8] {
        guard title.isEmpty || title == [0x2E] || title == [0x2E, 0x2E] else {
            return title.flatMap { $0 == UInt8(ascii: "/") ? Array("%2F".utf8) : [$0] }
        }
        let segments = Array(url.path.utf8).split(separator: UInt8(ascii: "/")).map { decodedPathSegment($0) }
        return segments.dropLast().last ?? Array("catalog".utf8)
    }

    /// A size with the unit that a catalog gives it, such as 671.8 Mbytes: rounded unless it is in bytes.
    private static func size(_ text: ArraySlice<UInt8>, unit: [UInt8]) -> SizeKnowledge {
        let unit = asciiLowercase(unit)
        guard let prefix = unit.first, unit.dropFirst().elementsEqual("bytes".utf8) || unit.elementsEqual("bytes".utf8)
        else { return .unknown }
        let suffix = unit.elementsEqual("bytes".utf8) ? Array(" B".utf8) : [0x20, prefix] + Array("B".utf8)
        return ListedSize(whole: (Array(text) + suffix)[...])?.size ?? .unknown
    }
}
