/// A text document's lines, decoded and numbered, however its bytes arrive.
struct DocumentLines {
    private var decoder: UnicodeDecoder
    private var lines: LineSplitter
    private var hasEnded = false

    /// The lines of a document, kept up to `limit` bytes each.
    init(charset: String?, limit: Int) {
        decoder = UnicodeDecoder(charset: charset)
        lines = LineSplitter(limit: limit)
    }

    /// The number of the line that ``next()`` gave last, counted from 1.
    var number: Int { lines.number }

    /// Takes the next bytes. All lines of the bytes before must have been asked for.
    mutating func push(_ bytes: ArraySlice<UInt8>) { lines.push(decoder.decode(bytes)) }

    /// Ends the document: its last lines can be asked for.
    mutating func end(of sourceName: String) throws(ManifestError) {
        let (rest, isWhole) = decoder.finish()
        guard isWhole else {
            throw ManifestError("\(sourceName) ends within a UTF-16 character; it was cut short")
        }
        lines.push(rest)
        hasEnded = true
    }

    /// The next line; nil if more bytes are needed, or at the document's end.
    mutating func next() -> LineSplitter.Line? { lines.next() ?? (hasEnded ? lines.finish() : nil) }
}

/// Tells of lines that cannot be used, up to a number that no honest document reaches.
struct ProblemLog {
    /// The most lines that are told of one document.
    static let limit = 10_000

    private let sourceName: String
    private var count = 0

    init(sourceName: String) { self.sourceName = sourceName }

    /// Tells of a line.
    ///
    /// - Throws: ``ManifestError`` where nearly nothing of a long document can be read.
    mutating func report(_ message: String, line: Int?, into items: inout [ManifestItem]) throws(ManifestError) {
        count &+= 1
        guard count <= Self.limit else {
            throw ManifestError(
                "\(sourceName) has more than \(Self.limit) lines that cannot be read; it is probably of another format, "
                    + "which --format can name")
        }
        items.append(
            .problem(ManifestProblem(origin: EntryOrigin(source: sourceName, line: line), message: message)))
    }
}

/// The lines of a document's start that arrived whole, without blank ones at its top: for recognising a format.
func startLines(of start: ArraySlice<UInt8>, charset: String?) -> [ArraySlice<UInt8>] {
    var decoder = UnicodeDecoder(charset: charset)
    var splitter = LineSplitter(limit: 8192)
    splitter.push((Array(decoder.decode(start)) + decoder.finish().rest)[...])
    var lines: [ArraySlice<UInt8>] = []
    while let line = splitter.next() { if case .text(let text) = line { lines.append(text) } }
    // The last one may be cut, but is all there is of a short document.
    if case .text(let text) = splitter.finish() { lines.append(text) }
    return Array(lines.drop { trimmed($0).isEmpty })
}
