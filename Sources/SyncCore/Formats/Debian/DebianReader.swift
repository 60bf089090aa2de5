/// Reads the `debian` format: `Release`, `InRelease`, `Packages`, `Sources`, `.dsc` and `.changes`. See
/// docs/formats/debian.md.
package struct DebianReader: ManifestReader {
    /// The longest line that is looked at. Longer ones are of fields that do not matter, such as `Provides`.
    static let maximumLineLength = 64 * 1024
    /// The most files of one stanza.
    static let fileLimit = 1_000_000

    private let context: ManifestContext
    private var lines: DocumentLines
    private var armour = Clearsign()
    private var problems: ProblemLog
    private var stanza = DebianStanza()
    private var field: DebianField?
    private var hasStanza = false
    private var hasFile = false

    /// A reader for one document.
    package init(context: ManifestContext) {
        self.context = context
        lines = DocumentLines(charset: context.charset, limit: Self.maximumLineLength)
        problems = ProblemLog(sourceName: context.sourceName)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        lines.push(bytes)
        try takeLines(into: &items)
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        try lines.end(of: context.sourceName)
        try takeLines(into: &items)
        guard armour.isWhole else {
            throw ManifestError("\(context.sourceName) ends within its signed text or its signature; it was cut short")
        }
        try endStanza(into: &items)
        guard hasFile || !hasStanza else {
            throw ManifestError(
                "\(context.sourceName) names no file; Release, Packages and Sources do, other indices of Debian are not read"
            )
        }
    }

    private mutating func takeLines(into items: inout [ManifestItem]) throws(ManifestError) {
        while let line = lines.next() {
            guard case .text(let text) = line else {
                field = nil
                continue
            }
            if let text = armour.take(text) { try take(text, into: &items) }
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        guard let first = line.first, !trimmed(line).isEmpty else {
            try endStanza(into: &items)
            return
        }
        if first == UInt8(ascii: "#") { return }
        hasStanza = true
        if isBlank(first) {
            if let field { try take(trimmed(line), of: field, isFirst: false, into: &items) }
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            field = nil
            try problems.report("\(quoted(line)) is no field, as in 'Package: name'", line: lines.number, into: &items)
            return
        }
        field = DebianField(line[..<colon])
        if let field { try take(trimmed(line[(colon + 1)...]), of: field, isFirst: true, into: &items) }
    }

    /// Takes a line of a field's value.
    private mutating func take(
        _ value: ArraySlice<UInt8>, of field: DebianField, isFirst: Bool, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        guard !value.isEmpty else { return }
        switch field {
        case .filename where isFirst:
            stanza.filename = Array(value)
            stanza.line = lines.number
        case .directory where isFirst: stanza.directory = Array(value)
        case .size where isFirst:
            stanza.size = decimalValue(value)
            if stanza.size == nil {
                try problems.report(
                    "\(quoted(value)) is no size in bytes", line: lines.number, into: &items)
            }
        case .digest(let algorithm) where isFirst:
            guard let digest = Digest(algorithm, hex: value) else {
                stanza.isBroken = true
                try problems.report(
                    "\(quoted(value)) is no \(algorithm.rawValue) digest", line: lines.number, into: &items)
                return
            }
            stanza.digests.append(digest)
        case .digest(let algorithm): try takeRow(value, algorithm, into: &items)
        case .files where !isFirst: try takeRow(value, .md5, into: &items)
        case .filename, .directory, .size, .files: break
        }
    }

    private mutating func takeRow(
        _ line: ArraySlice<UInt8>, _ algorithm: DigestAlgorithm, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        guard let row = DebianFileRow(line), let digest = Digest(algorithm, hex: row.digest) else {
            try problems.report(
                "\(quoted(line)) has no \(algorithm.rawValue) digest, size and name", line: lines.number, into: &items)
            return
        }
        if let conflict = stanza.take(row, digest, line: lines.number) {
            try problems.report(conflict, line: lines.number, into: &items)
        }
        guard stanza.files.count <= Self.fileLimit else {
            throw ManifestError("\(context.sourceName) names more than \(Self.fileLimit) files in one stanza")
        }
    }

    private mutating func endStanza(into items: inout [ManifestItem]) throws(ManifestError) {
        let ended = stanza
        stanza = DebianStanza()
        field = nil
        let base = ended.isEmpty ? nil : try context.requireBase()
        guard let base else { return }
        hasFile = true
        let root = Self.archiveRoot(of: base)
        if let name = ended.filename, !ended.isBroken {
            try give(
                name, below: root, ended.size.map { .exact($0) } ?? .unknown, ended.digests, line: ended.line,
                into: &items)
        }
        for file in ended.files where !file.isBroken {
            let name = ended.directory.map { $0 + [UInt8(ascii: "/")] + file.name } ?? file.name
            try give(
                name, below: ended.directory == nil ? base : root, .exact(file.size), file.digests, line: file.line,
                into: &items)
        }
    }

    private mutating func give(
        _ name: [UInt8], below base: WebURL, _ size: SizeKnowledge, _ digests: [Digest], line: Int,
        into items: inout [ManifestItem]
    ) throws(ManifestError) {
        do {
            let file = try NamedFile(name[...], below: base)
            items.append(
                .entry(
                    Entry(
                        urls: [file.url], suggestedPath: context.placed(file.path), size: size, digests: digests,
                        origin: EntryOrigin(source: context.sourceName, line: line))))
        } catch {
            try problems.report(error.message(name[...]), line: line, into: &items)
        }
    }

    /// What `Filename` and `Directory` are relative to: the directory above `dists/` where the index lies below one, or
    /// else the index's own directory, as in a flat repository, or as `--base-url` says.
    static func archiveRoot(of index: WebURL) -> WebURL {
        let path = Array(index.path.utf8)
        let mark = Array("/dists/".utf8)
        guard path.count >= mark.count else { return index }
        for start in stride(from: path.count - mark.count, through: 0, by: -1)
        where path[start..<(start + mark.count)].elementsEqual(mark) {
            // The dot keeps a path that begins with two slashes from being taken for a host.
            return index.resolve(bytes: (Array("/.".utf8) + path[...start])[...]) ?? index
        }
        return index
    }
}

/// What a stanza says of files.
struct DebianStanza {
    /// A file of a list.
    struct File {
        var name: [UInt8]
        var size: Int64
        var digests: [Digest]
        var line: Int
        /// Whether two lines contradict each other about it.
        var isBroken = false
    }

    var filename: [UInt8]?
    /// The line that names it.
    var line = 0
    var directory: [UInt8]?
    var size: Int64?
    var digests: [Digest] = []
    /// Whether the package's own digest could not be read.
    var isBroken = false
    private(set) var files: [File] = []
    private var places: [[UInt8]: Int] = [:]

    /// Whether it names no file.
    var isEmpty: Bool { filename == nil && files.isEmpty }

    /// Takes a row of a list. Gives what it says otherwise than a row before: the file is left out then.
    mutating func take(_ row: DebianFileRow, _ digest: Digest, line: Int) -> String? {
        let name = Array(row.name)
        guard let place = places[name] else {
            places[name] = files.count
            files.append(File(name: name, size: row.size, digests: [digest], line: line))
            return nil
        }
        if files[place].isBroken { return nil }
        let other = files[place].digests.first { $0.algorithm == digest.algorithm }
        guard files[place].size == row.size, other == nil || other == digest else {
            files[place].isBroken = true
            return "\(quoted(name)) has another \(files[place].size == row.size ? "digest" : "size") than before"
        }
        if other == nil { files[place].digests.append(digest) }
        return nil
    }
}
