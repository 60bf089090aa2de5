/// Reads the `checksums` format: lists of digests and file names, of any tool. See docs/formats/checksums.md.
package struct ChecksumReader: ManifestReader {
    /// The longest line that is read, in bytes: no file system has longer names.
    static let maximumLineLength = 64 * 1024

    private let context: ManifestContext
    private let listName: ArraySlice<UInt8>
    private let algorithms: ListAlgorithms
    private let isBagIt: Bool
    private var lines: DocumentLines
    private var armour = Clearsign()
    private var problems: ProblemLog
    private var collector: ChecksumCollector
    private var style = Style.undecided
    /// What a comment said of the size of the file that the next line names.
    private var announced: (name: [UInt8], size: Int64)?
    /// Whether the line before could not be read: it may be the first part of a name with a line end in it.
    private var isBroken = false
    /// Whether any line was read. A comment of RHash's may be broken by the name in it, too.
    private var hasLine = false
    /// Whether sentences stand in front of the first line.
    private var hasProse = false

    private enum Style {
        case undecided
        case digests
        case sfv
    }

    /// A reader for one document.
    package init(context: ManifestContext) {
        self.context = context
        listName = context.documentName[...]
        algorithms = ListAlgorithms(listName: listName)
        isBagIt = Self.isBagIt(listName)
        lines = DocumentLines(charset: context.charset, limit: Self.maximumLineLength)
        problems = ProblemLog(sourceName: context.sourceName)
        collector = ChecksumCollector()
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        lines.push(bytes)
        try takeLines(into: &items)
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        try lines.end(of: context.sourceName)
        try takeLines(into: &items)
        guard armour.isWhole else {
            throw ManifestError("\(context.sourceName) ends within its signature; it was cut short")
        }
        collector.finish(into: &items)
        guard hasLine || !hasProse else {
            throw ManifestError("\(context.sourceName) is no checksum list: no line of it has a digest and a name")
        }
    }

    private mutating func takeLines(into items: inout [ManifestItem]) throws(ManifestError) {
        while let line = lines.next() {
            guard case .text(let text) = line else {
                isBroken = hasLine
                try report("the line is longer than 64 KiB; no file's name is that long", into: &items)
                continue
            }
            if let text = armour.take(text), !trimmed(text).isEmpty { try take(text, into: &items) }
        }
    }

    private mutating func report(_ message: String, into items: inout [ManifestItem]) throws(ManifestError) {
        try problems.report(message, line: lines.number, into: &items)
    }

    private mutating func take(_ line: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        if style != .sfv, line.first == UInt8(ascii: "#") {
            announced = Self.announcedSize(line)
            return
        }
        if line.first == UInt8(ascii: ";") { return }
        guard !line.contains(0) else {
            try report(NamedFile.Fault.nul.message(line), into: &items)
            return
        }
        let read: ChecksumLine
        do {
            read = try parse(line)
        } catch {
            guard hasLine || error != .unknown || !Self.isProse(line) else {
                hasProse = true
                return
            }
            isBroken = hasLine
            try report(Self.message(error, line), into: &items)
            return
        }
        let mayContinue = isBroken && style == .sfv
        isBroken = false
        hasLine = true
        guard !mayContinue else {
            try report(
                "\(quoted(line)) may be the rest of a name that begins on the line above, and is left out; delete the line "
                    + "above if it is no part of it", into: &items)
            return
        }
        try place(read, line, into: &items)
    }

    /// Reads a line in the list's style, which its first line decides.
    private mutating func parse(_ line: ArraySlice<UInt8>) throws(ChecksumLine.Fault) -> ChecksumLine {
        if style == .undecided, listName.suffix(4).elementsEqual(".sfv".utf8, by: { asciiLowercased($0) == $1 }) {
            style = .sfv
        }
        switch style {
        case .digests: return try ChecksumLine(line, list: algorithms, isBagIt: isBagIt)
        case .sfv: return try ChecksumLine(sfv: line)
        case .undecided:
            do {
                let read = try ChecksumLine(line, list: algorithms, isBagIt: isBagIt)
                style = .digests
                return read
            } catch {
                guard error == .unknown, let read = try? ChecksumLine(sfv: line) else { throw error }
                style = .sfv
                return read
            }
        }
    }

    private mutating func place(
        _ read: ChecksumLine, _ line: ArraySlice<UInt8>, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        var name = read.name ?? []
        if let url = Self.address(name) {
            try give(read, name, url, path: nil, into: &items)
            return
        }
        let base = try context.requireBase()
        if name.isEmpty || name == [UInt8(ascii: "-")] {
            guard let own = Self.nameOfSideFile(listName) else {
                try report(
                    "\(quoted(line)) holds a digest and no file's name; write the name behind it", into: &items)
                return
            }
            name = own
        } else if isBagIt {
            name = Self.decodedBagItName(name[...])
        }
        let file: NamedFile
        do {
            file = try NamedFile(name[...], below: base)
        } catch {
            try report(error.message(name[...]), into: &items)
            return
        }
        try give(read, name, file.url, path: context.placed(file.path), into: &items)
    }

    private mutating func give(
        _ read: ChecksumLine, _ name: [UInt8], _ url: WebURL, path: [UInt8]?, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let size = read.size ?? announced.flatMap { $0.name == name ? $0.size : nil }
        let entry = Entry(
            urls: [url], suggestedPath: path, size: size.map { .exact($0) } ?? .unknown,
            digests: read.digest.map { [$0] } ?? [],
            origin: EntryOrigin(source: context.sourceName, line: lines.number))
        if let conflict = collector.take(entry, isTagged: read.isTagged, into: &items) {
            try report("\(conflict) for \(quoted(name)); the first is taken", into: &items)
        }
    }

    private static func message(_ fault: ChecksumLine.Fault, _ line: ArraySlice<UInt8>) -> String {
        switch fault {
        case .unknown:
            "\(quoted(line)) is no line of a checksum list, which has a digest and a name; a name with a line end in it "
                + "must be escaped"
        case .badEscape:
            "\(quoted(line)) begins with a backslash, so that others in its name are to be written \\\\, \\n or \\r"
        case .badValue(let what): "\(quoted(line)) does not end in \(what)"
        }
    }
}

// What names and comments say besides.
extension ChecksumReader {
    /// The address that stands in a name's place; nil for a name. No path has two slashes behind a colon.
    private static func address(_ name: [UInt8]) -> WebURL? {
        guard name.starts(with: "http://".utf8) || name.starts(with: "https://".utf8) else { return nil }
        return WebURL(bytes: name[...])
    }

    /// Whether a line is of a text in front of a list: it has several words, and nothing like a digest.
    static func isProse(_ line: ArraySlice<UInt8>) -> Bool {
        guard trimmed(line).contains(0x20), !line.contains(0x09), !line.contains(0), practicalScheme(line) == nil else {
            return false
        }
        var run = 0
        for byte in line {
            run = hexValue(byte) == nil ? 0 : run &+ 1
            if run == 16 { return false }
        }
        return true
    }

    /// Whether a name is that of a BagIt manifest (RFC 8493 §2.1.3, §2.2.1).
    private static func isBagIt(_ name: ArraySlice<UInt8>) -> Bool {
        let lower = asciiLowercase(name)
        return (lower.starts(with: "manifest-".utf8) || lower.starts(with: "tagmanifest-".utf8))
            && lower.suffix(4).elementsEqual(".txt".utf8)
    }

    /// The file's name in a list that is called like it: `disk.iso` for `disk.iso.sha256`.
    private static func nameOfSideFile(_ listName: ArraySlice<UInt8>) -> [UInt8]? {
        let suffixes = [
            ".md5", ".sha", ".sha1", ".sha224", ".sha256", ".sha384", ".sha512", ".b2", ".md5sum", ".sha1sum",
            ".sha256sum",
            ".sha512sum", ".b2sum", ".md5.txt", ".sha1.txt", ".sha256.txt", ".sha512.txt",
        ]
        let lower = asciiLowercase(listName)
        let suffix = suffixes.first {
            lower.count > $0.utf8.count && lower.suffix($0.utf8.count).elementsEqual($0.utf8)
        }
        return suffix.map { Array(listName.dropLast($0.utf8.count)) }
    }

    /// `# name: 123 bytes`, as Fedora and its kin write it above a tagged line.
    private static func announcedSize(_ line: ArraySlice<UInt8>) -> (name: [UInt8], size: Int64)? {
        let text = trimmed(line.dropFirst())
        guard text.suffix(6).elementsEqual(" bytes".utf8),
            let colon = text.lastIndex(of: UInt8(ascii: ":")),
            let size = decimalValue(trimmed(text[(colon + 1)...].dropLast(6)))
        else { return nil }
        return (Array(text[..<colon]), size)
    }

    /// A name of a BagIt manifest: only line ends and the percent sign are encoded in it (RFC 8493 §2.1.3).
    static func decodedBagItName(_ name: ArraySlice<UInt8>) -> [UInt8] {
        guard name.contains(UInt8(ascii: "%")) else { return Array(name) }
        var decoded: [UInt8] = []
        var rest = name
        while let byte = rest.first {
            let code = asciiLowercase(rest.prefix(3))
            let plain: UInt8? =
                code.elementsEqual("%0a".utf8)
                ? 0x0A : code.elementsEqual("%0d".utf8) ? 0x0D : code.elementsEqual("%25".utf8) ? 0x25 : nil
            decoded.append(plain ?? byte)
            rest = rest.dropFirst(plain == nil ? 1 : 3)
        }
        return decoded
    }
}
