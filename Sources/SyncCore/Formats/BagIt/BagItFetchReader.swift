extension ManifestFormat {
    /// A bag's list of what is to be fetched. Recognised by its first line: address, length, name.
    package static let bagItFetch = ManifestFormat(
        name: "bagit-fetch",
        recognises: { start, context in
            guard let line = startLines(of: start, charset: context.charset).first, let row = BagItFetchRow(line) else {
                return false
            }
            return practicalScheme(row.address) != nil && !line.contains(0)
        },
        makeReader: { context in BagItFetchReader(context: context) })
}

/// A line of `fetch.txt` (RFC 8493 §2.2.3), which blanks or TABs divide into three.
struct BagItFetchRow {
    var address: ArraySlice<UInt8>
    /// The length; nil for `-`.
    var length: Int64?
    var name: ArraySlice<UInt8>

    /// Reads a line; nil where it is none.
    init?(_ line: ArraySlice<UInt8>) {
        address = line.prefix { !isBlank($0) }
        let behind = line[address.endIndex...].drop(while: isBlank)
        let length = behind.prefix { !isBlank($0) }
        name = behind[length.endIndex...].drop(while: isBlank)
        guard !address.isEmpty, !name.isEmpty else { return nil }
        if length.elementsEqual("-".utf8) { return }
        guard let count = decimalValue(length) else { return nil }
        self.length = count
    }
}

/// Reads the `bagit-fetch` format: address, length and name. See docs/formats/bagit-fetch.md.
package struct BagItFetchReader: ManifestReader {
    private let context: ManifestContext
    private var lines: DocumentLines
    private var problems: ProblemLog

    /// A reader for one document.
    package init(context: ManifestContext) {
        self.context = context
        lines = DocumentLines(charset: context.charset, limit: ListReader.maximumLineLength)
        problems = ProblemLog(sourceName: context.sourceName)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        lines.push(bytes)
        try takeLines(into: &items)
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        try lines.end(of: context.sourceName)
        try takeLines(into: &items)
    }

    private mutating func takeLines(into items: inout [ManifestItem]) throws(ManifestError) {
        while let line = lines.next() {
            guard case .text(let text) = line else {
                try report("the line is longer than 64 KiB; no URL is that long", into: &items)
                continue
            }
            if !trimmed(text).isEmpty { try take(text, into: &items) }
        }
    }

    private mutating func report(_ message: String, into items: inout [ManifestItem]) throws(ManifestError) {
        try problems.report(message, line: lines.number, into: &items)
    }

    private mutating func take(_ line: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        guard let row = BagItFetchRow(line) else {
            return try report(
                "\(quoted(line)) has no address, length and name; the length is '-' where it is not known", into: &items
            )
        }
        guard let scheme = practicalScheme(row.address), scheme == "http" || scheme == "https" else {
            return try report(
                "\(quoted(row.address)) is no http or https address; give one of the file or delete the line",
                into: &items)
        }
        guard let url = WebURL(bytes: row.address) else {
            return try report("\(quoted(row.address)) is not a valid URL; check its host and port", into: &items)
        }
        let name = ChecksumReader.decodedBagItName(row.name)
        do {
            let file = try NamedFile(name[...], below: url)
            items.append(
                .entry(
                    Entry(
                        urls: [url], suggestedPath: context.placed(file.path),
                        size: row.length.map { .exact($0) } ?? .unknown,
                        origin: EntryOrigin(source: context.sourceName, line: lines.number))))
        } catch {
            try report(error.message(name[...]), into: &items)
        }
    }
}
