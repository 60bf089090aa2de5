/// Reads the `list` format: a URL a line, aria2's input files, and options behind a URL. See docs/formats/list.md.
package struct ListReader: ManifestReader {
    /// The longest line that is read, in bytes.
    package static let maximumLineLength = 64 * 1024

    private let context: ManifestContext
    private var decoder: UnicodeDecoder
    private var lines = LineSplitter(limit: maximumLineLength)
    /// The entry that the next line may still add options to.
    private var draft: Draft?
    private var hasURL = false
    private var problems: ProblemLog
    /// Why the list cannot be read at all.
    private var failure: ManifestError?

    /// A reader for one document.
    package init(context: ManifestContext) {
        self.context = context
        self.decoder = UnicodeDecoder(charset: context.charset)
        problems = ProblemLog(sourceName: context.sourceName)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        takeLines(of: decoder.decode(bytes), into: &items)
        if let failure { throw failure }
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        let (rest, isWhole) = decoder.finish()
        takeLines(of: rest, into: &items)
        guard isWhole else {
            throw ManifestError("\(context.sourceName) ends within a UTF-16 character; it was cut short")
        }
        if failure == nil, let line = lines.finish() { take(line, into: &items) }
        if let failure { throw failure }
        endDraft(into: &items)
    }

    private mutating func takeLines(of text: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        lines.push(text)
        while failure == nil, let line = lines.next() { take(line, into: &items) }
    }

    private mutating func take(_ line: LineSplitter.Line, into items: inout [ManifestItem]) {
        guard case .text(let text) = line else {
            endDraft(into: &items)
            draft = Draft(line: lines.number, isRefused: true)
            report("the line is longer than 64 KiB; no URL is that long", into: &items)
            return
        }
        guard let first = text.first else { return }
        guard !text.contains(0) else {
            if !isBlank(first) { startDraft(into: &items) }
            refuse(
                "the line holds a NUL byte; save the list as UTF-8, or as UTF-16 with a byte order mark", into: &items)
            return
        }
        guard isBlank(first) else {
            if first != UInt8(ascii: "#") { takeURLs(withoutQuotes(trimmed(text)), into: &items) }
            return
        }
        let content = trimmed(text)
        guard let start = content.first, start != UInt8(ascii: "#") else { return }
        if let option = Self.option(content) {
            takeOption(name: option.name, value: option.value, into: &items)
        } else if practicalScheme(withoutQuotes(content)) != nil {
            takeURLs(withoutQuotes(content), into: &items)
        } else {
            refuse(
                "\(quoted(content)) is neither an option, as in 'out=name', nor a URL; an indented line holds an option "
                    + "of the URL above it", into: &items)
        }
    }
}

// URLs.
extension ListReader {
    private mutating func startDraft(into items: inout [ManifestItem]) {
        endDraft(into: &items)
        draft = Draft(line: lines.number)
    }

    /// Takes a line that names a file: URLs separated by TAB, each with options behind it.
    private mutating func takeURLs(_ line: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        startDraft(into: &items)
        guard line.contains(where: isBlank) else {
            takeURL(line, into: &items)
            return
        }
        for field in Parts(of: line, separatedBy: 0x09) {
            let field = trimmed(field)
            if field.isEmpty { continue }
            if draft?.urls.isEmpty == false, Self.optionNameEnd(field) != nil {
                takeOptions(field, into: &items)
            } else {
                takeField(field, into: &items)
            }
        }
    }

    /// Takes one field of a line: a URL, and behind a blank its options or a comment.
    private mutating func takeField(_ field: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        var end = field.startIndex
        for word in Parts(of: field, separatedBy: 0x20) {
            if word.startIndex == field.startIndex {
                end = word.endIndex
            } else if word.first == UInt8(ascii: "#") {
                break
            } else if Self.optionNameEnd(word) != nil {
                takeURL(field[..<end], into: &items)
                takeOptions(field[word.startIndex...], into: &items)
                return
            } else if schemePrefix(word) != nil, practicalScheme(word) != nil {
                refuse(
                    "two URLs are separated by a blank; put a TAB between mirrors of one file, or a line end "
                        + "between two files", into: &items)
                return
            } else {
                // A blank that someone forgot to encode.
                end = word.endIndex
            }
        }
        takeURL(field[..<end], into: &items)
    }

    private mutating func takeURL(_ text: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        let hash = text.firstIndex(of: UInt8(ascii: "#"))
        let reference = hash.map { text[..<$0] } ?? text
        let isPlain = reference.starts(with: "http://".utf8) || reference.starts(with: "https://".utf8)
        guard let scheme = isPlain ? "http" : practicalScheme(reference) else {
            takeName(reference, into: &items)
            return
        }
        guard scheme == "http" || scheme == "https" else {
            // An entry with another URL goes on with that one; with none it is left out.
            report(
                "'\(scheme):' addresses are not supported, only http and https; give an http or https address of the "
                    + "file or delete this one", into: &items)
            return
        }
        guard let url = Self.absolute(reference) else {
            refuse("\(quoted(reference)) is not a valid URL; check its host and port", into: &items)
            return
        }
        draft?.urls.append(url)
        hasURL = true
        if let hash, let option = Self.option(text[(hash + 1)...]),
            case .digest(let algorithm) = ListOption(name: option.name)
        {
            takeDigest(algorithm, option.value, into: &items)
        }
    }

    /// Takes a name without a scheme, which the base makes a URL of.
    private mutating func takeName(_ name: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        guard draft?.urls.isEmpty == true else {
            refuse(
                "\(quoted(name)) behind a TAB is neither a URL nor an option; a TAB separates whole URLs of one file",
                into: &items)
            return
        }
        if let option = Self.option(name), ListOption(name: option.name) != nil {
            refuse(
                "the option '\(option.name)=' has no URL before it; put it behind the URL, or indent the line below it",
                into: &items)
            return
        }
        guard let base = context.baseURL else {
            guard hasURL else {
                failure = ManifestError(
                    "\(context.sourceName) names files without their addresses, such as \(quoted(name)); say with --base-url "
                        + "where its names begin")
                return
            }
            refuse(
                "\(quoted(name)) is a name and no URL; write the whole URL, or say with --base-url where names begin",
                into: &items)
            return
        }
        // A colon in the first segment would be taken for a scheme's end.
        let reference = schemePrefix(name) == nil ? name : Array("./".utf8) + name
        guard let url = base.resolve(bytes: reference), url.scheme == "http" || url.scheme == "https" else {
            refuse("\(quoted(name)) cannot be resolved against \(base.redacted); write the whole URL", into: &items)
            return
        }
        draft?.urls.append(url)
        draft?.path = Self.path(of: name)
    }

    /// The place below the destination of a name with directories; nil where the last segment is to do.
    private static func path(of name: ArraySlice<UInt8>) -> [UInt8]? {
        let path = name.prefix { $0 != UInt8(ascii: "?") }
        guard let first = path.first, first != UInt8(ascii: "/") else { return nil }
        var segments: [[UInt8]] = []
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let segment = decodedPathSegment(segment)
            if segment == [0x2E] { continue }
            guard !segment.isEmpty, segment != [0x2E, 0x2E] else { return nil }
            segments.append(segment)
        }
        return segments.count > 1 ? Array(segments.joined(separator: [UInt8(ascii: "/")])) : nil
    }

    private static func absolute(_ reference: ArraySlice<UInt8>) -> WebURL? {
        // Plain ASCII has a fast way that takes text.
        for byte in reference where byte >= 0x80 { return WebURL(bytes: reference) }
        return WebURL(String(decoding: reference, as: UTF8.self))
    }
}

// Options.
extension ListReader {
    /// The name and value of `name=value`; nil where the bytes before the first `=` are no option's name.
    private static func option(_ word: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
        guard let end = optionNameEnd(word) else { return nil }
        return (String(decoding: word[..<end], as: UTF8.self), word[(end &+ 1)...])
    }

    /// Where the `=` of `name=value` stands; nil for what is none.
    private static func optionNameEnd(_ word: ArraySlice<UInt8>) -> Int? {
        guard let first = word.first, isLetter(first) else { return nil }
        var index = word.startIndex
        while index < word.endIndex {
            let byte = word[index]
            if byte == UInt8(ascii: "=") { return index }
            guard isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") else { return nil }
            index &+= 1
        }
        return nil
    }

    /// Takes options separated by blanks. What is no option itself belongs to the value before it.
    private mutating func takeOptions(_ text: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        var start: Int?
        var end = text.startIndex
        for word in Parts(of: text, separatedBy: 0x20) {
            if word.elementsEqual("#".utf8) { break }
            if Self.optionNameEnd(word) != nil {
                if let start { takeOption(text[start..<end], into: &items) }
                start = word.startIndex
            }
            end = word.endIndex
        }
        if let start { takeOption(text[start..<end], into: &items) }
    }

    private mutating func takeOption(_ text: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        guard let option = Self.option(text) else { return }
        takeOption(name: option.name, value: option.value, into: &items)
    }

    private mutating func takeOption(name: String, value: ArraySlice<UInt8>, into items: inout [ManifestItem]) {
        guard draft != nil else {
            report("the option '\(name)=' has no URL above it; options follow their URL", into: &items)
            return
        }
        switch ListOption(name: name) {
        case .out: draft?.out = value
        case .directory: draft?.directory = value
        case .checksum:
            guard let equals = value.firstIndex(of: UInt8(ascii: "=")) else {
                refuse("'checksum=' takes an algorithm and a digest, as in checksum=sha-256=9f86…", into: &items)
                return
            }
            let algorithmName = String(decoding: value[..<equals], as: UTF8.self)
            guard let algorithm = DigestAlgorithm(name: algorithmName) else {
                refuseDigest(value[..<equals], into: &items)
                return
            }
            takeDigest(algorithm, value[(equals + 1)...], into: &items)
        case .digest(let algorithm): takeDigest(algorithm, value, into: &items)
        case .unsupportedDigest: refuseDigest(name.utf8, into: &items)
        case .size:
            guard let size = decimalValue(value) else {
                refuse("'size=' takes the exact number of bytes in digits, not \(quoted(value))", into: &items)
                return
            }
            draft?.size = .exact(size)
        case .header: takeHeader(String(decoding: value, as: UTF8.self), into: &items)
        case .referer where value.elementsEqual("*".utf8): break
        case .referer: takeHeader("Referer: \(String(decoding: value, as: UTF8.self))", into: &items)
        case .userAgent: takeHeader("User-Agent: \(String(decoding: value, as: UTF8.self))", into: &items)
        case .ignored: break
        case nil:
            let hint = ListOption.nearest(to: name).map { "did you mean '\($0)='?" }
            refuse(
                "there is no option '\(name)='; "
                    + (hint ?? "if it is part of the URL, write the blank before it as %20"), into: &items)
        }
    }

    private mutating func takeDigest(
        _ algorithm: DigestAlgorithm, _ hex: ArraySlice<UInt8>, into items: inout [ManifestItem]
    ) {
        guard let digest = Digest(algorithm, hex: hex) else {
            refuse(
                "\(quoted(hex)) is no \(algorithm.rawValue) digest, which has \(algorithm.byteCount * 2) hexadecimal "
                    + "digits", into: &items)
            return
        }
        if let other = draft?.digests.first(where: { $0.algorithm == algorithm }) {
            if other != digest {
                refuse("two different \(algorithm.rawValue) digests are given for one file", into: &items)
            }
            return
        }
        draft?.digests.append(digest)
    }

    private mutating func refuseDigest(_ name: some Sequence<UInt8>, into items: inout [ManifestItem]) {
        refuse(
            "\(quoted(name)) is no digest that can be checked here; give md5, sha-1, sha-256, sha-384 or sha-512",
            into: &items)
    }

    private mutating func takeHeader(_ line: String, into items: inout [ManifestItem]) {
        guard let field = HeaderField(line: line) else {
            // The value may be a secret and is not repeated.
            refuse("a header is written 'Name: value', without control characters", into: &items)
            return
        }
        draft?.headers.append(field)
    }
}

// Entries.
extension ListReader {
    /// What is known of an entry while its lines are read.
    private struct Draft {
        let line: Int
        var urls: [WebURL] = []
        /// The path of a name that the base made a URL of, if it has directories.
        var path: [UInt8]?
        var out: ArraySlice<UInt8>?
        var directory: ArraySlice<UInt8>?
        var size: SizeKnowledge = .unknown
        var digests: [Digest] = []
        var headers: [HeaderField] = []
        /// Whether a line of it was reported: the entry is left out, and its other options are read for their own
        /// faults only. A file under a wrong name or without its check would be worse than none.
        var isRefused = false
    }

    private func origin(line: Int) -> EntryOrigin { EntryOrigin(source: context.sourceName, line: line) }

    private mutating func report(_ message: String, into items: inout [ManifestItem]) {
        do {
            try problems.report(message, line: lines.number, into: &items)
        } catch {
            failure = error
        }
    }

    /// Reports the current line and leaves its entry out.
    private mutating func refuse(_ message: String, into items: inout [ManifestItem]) {
        draft?.isRefused = true
        report(message, into: &items)
    }

    private mutating func endDraft(into items: inout [ManifestItem]) {
        guard let ended = draft else { return }
        draft = nil
        guard !ended.isRefused, let first = ended.urls.first else { return }
        let place = Self.place(out: ended.out, directory: ended.directory, of: first) ?? ended.path.map(context.placed)
        if let place, place.isEmpty || ended.out != nil && place.last == UInt8(ascii: "/") {
            let message =
                "\(quoted(first.string.utf8)) names no file to store in \(quoted(place)); give its name with out="
            items.append(.problem(ManifestProblem(origin: origin(line: ended.line), message: message)))
            return
        }
        items.append(
            .entry(
                Entry(
                    urls: ended.urls, suggestedPath: place, size: ended.size, digests: ended.digests,
                    headers: ended.headers, origin: origin(line: ended.line))))
    }

    /// The place that `dir=` and `out=` ask for together. An absolute directory stays absolute: the entry is refused when
    /// it is placed, like any path that leaves the destination.
    private static func place(out: ArraySlice<UInt8>?, directory: ArraySlice<UInt8>?, of url: WebURL) -> [UInt8]? {
        guard let directory = directory.map(withoutDots), !directory.isEmpty else {
            return out.map { Array(withoutDots($0)) }
        }
        var place = Array(directory)
        if place.last != UInt8(ascii: "/") { place.append(UInt8(ascii: "/")) }
        place.append(contentsOf: out.map { Array(withoutDots($0)) } ?? decodedLastSegment(of: url))
        return place
    }

    /// A path without the `./` that people put in front; empty for `.` alone.
    private static func withoutDots(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var path = path
        while path.starts(with: "./".utf8) { path = path.dropFirst(2) }
        return path.elementsEqual(".".utf8) ? [] : path
    }
}
