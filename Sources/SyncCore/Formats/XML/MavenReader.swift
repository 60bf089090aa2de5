extension XMLFormat {
    /// Maven's metadata of an artefact (https://maven.apache.org/ref/current/maven-repository-metadata/).
    package static let maven = XMLFormat(
        name: "maven-metadata", rootDescription: "Maven's metadata of an artefact (<metadata>)",
        accepts: {
            $0.name == "metadata"
                && ($0.namespace.isEmpty || $0.namespace.hasPrefix("http://maven.apache.org/METADATA/"))
        },
        makeReader: { MavenReader(context: $0) })
}

/// Reads `maven-metadata.xml`: the versions of an artefact are listings beside it, the files of a snapshot files.
struct MavenReader: XMLContentReader {
    private let context: ManifestContext
    private var base: WebURL?
    private var artifact: [UInt8] = []
    private var hasSnapshot = false
    private var versionCount = 0
    private var snapshots: [Snapshot] = []
    private var snapshot = Snapshot()

    private struct Snapshot {
        var line = 1
        var classifier: [UInt8] = []
        var suffix: [UInt8] = []
        var version: [UInt8] = []
        var updated: [UInt8] = []
    }

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        if place.depth == 1 { base = try context.requireBase() }
        if element.name == "snapshotVersion" { snapshot = Snapshot(line: place.line) }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let value = Array(xmlTrimmed(text))
        switch (place.parent, name) {
        case ("metadata", "artifactId"): artifact = value
        case ("versioning", "snapshot"): hasSnapshot = true
        case ("versions", "version"):
            versionCount += 1
            items.append(version(value, place.line))
        case ("snapshotVersion", "classifier"): snapshot.classifier = value
        case ("snapshotVersion", "extension"): snapshot.suffix = value
        case ("snapshotVersion", "value"): snapshot.version = value
        case ("snapshotVersion", "updated"): snapshot.updated = value
        case ("snapshotVersions", "snapshotVersion"):
            guard snapshots.count < 65_536 else {
                throw ManifestError("\(context.sourceName) names more than 65536 files of a snapshot")
            }
            snapshots.append(snapshot)
        default: break
        }
    }

    /// The artefact's name, of which a file's is made, may stand behind the versions.
    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        for snapshot in snapshots { items.append(file(snapshot)) }
        guard versionCount > 0 || !snapshots.isEmpty else {
            throw ManifestError(
                hasSnapshot
                    ? "\(context.sourceName) names a snapshot but not its files, as Maven 2 did"
                    : "\(context.sourceName) names no versions and no files of a snapshot")
        }
    }

    private func version(_ name: [UInt8], _ line: Int) -> ManifestItem {
        let origin = EntryOrigin(source: context.sourceName, line: line)
        guard Self.isName(name), let url = base?.resolve(bytes: percentEncodedSegment(name) + [UInt8(ascii: "/")])
        else {
            return .problem(ManifestProblem(origin: origin, message: "\(quoted(name)) is no version"))
        }
        return .listing(SubListing(url: url, path: context.placed(name), origin: origin))
    }

    private func file(_ snapshot: Snapshot) -> ManifestItem {
        let origin = EntryOrigin(source: context.sourceName, line: snapshot.line)
        let classifier = snapshot.classifier.isEmpty ? [] : Array("-".utf8) + snapshot.classifier
        let name = artifact + Array("-".utf8) + snapshot.version + classifier + Array(".".utf8) + snapshot.suffix
        guard !artifact.isEmpty, !snapshot.version.isEmpty, !snapshot.suffix.isEmpty, Self.isName(name),
            let url = base?.resolve(bytes: percentEncodedSegment(name)[...])
        else { return .problem(ManifestProblem(origin: origin, message: "\(quoted(name)) is no file of a snapshot")) }
        return .entry(
            Entry(
                urls: [url], suggestedPath: context.placed(name), modified: Self.date(snapshot.updated),
                origin: origin))
    }

    private static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name != [0x2E] && name != [0x2E, 0x2E] && !name.contains(UInt8(ascii: "/"))
            && !name.contains(0)
    }

    /// A time of UTC as `yyyyMMddHHmmss`.
    private static func date(_ text: [UInt8]) -> ListedDate? {
        guard text.count == 14, decimalValue(text) != nil else { return nil }
        func number(_ range: Range<Int>) -> Int { Int(decimalValue(text[range]) ?? 0) }
        guard
            let date = HTTPDate(
                year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
                minute: number(10..<12), second: number(12..<14))
        else { return nil }
        return ListedDate(secondsSinceEpoch: date.secondsSinceEpoch, hasZone: true, precision: .second)
    }
}
