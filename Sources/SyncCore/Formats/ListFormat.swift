extension ManifestFormat {
    /// A URL a line. Recognised by its first line that is no comment: it starts with a scheme. A list of paths is one, too.
    package static let list = ManifestFormat(
        name: "list",
        recognises: { start, context in looksLikeList(start, charset: context.charset) },
        makeReader: { context in ListReader(context: context) })
}

private func looksLikeList(_ start: ArraySlice<UInt8>, charset: String?) -> Bool {
    var decoder = UnicodeDecoder(charset: charset)
    let text = Array(decoder.decode(start)) + decoder.finish().rest
    var hasComment = false
    for line in text.split(separator: 0x0A) {
        let line = withoutQuotes(trimmed(line.last == 0x0D ? line.dropLast() : line))
        guard let first = line.first else { continue }
        if first == UInt8(ascii: "#") {
            hasComment = true
            continue
        }
        guard let scheme = schemePrefix(line), practicalScheme(line) != nil else { return looksLikePaths(text) }
        let isAddress = line.dropFirst(scheme.utf8.count).starts(with: "://".utf8)
        return (isAddress || scheme == "magnet") && !line.contains(0)
    }
    // A list may hold comments only, or start with many of them; a script's first line is none.
    return hasComment && !text.starts(with: "#!".utf8) && !text.contains(0)
}

/// Whether every line is a path with directories, and nothing that a sentence or a program has.
private func looksLikePaths(_ text: [UInt8]) -> Bool {
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
        trimmed(line.last == 0x0D ? line.dropLast() : line)
    }
    var count = 0
    for (index, line) in lines.enumerated() {
        guard let first = line.first, first != UInt8(ascii: "#") else { continue }
        guard line.allSatisfy({ isLetter($0) || isDigit($0) || $0 >= 0x80 || "/-._~%+=@,:!".utf8.contains($0) }) else {
            return false
        }
        let isPath = first != UInt8(ascii: "/") && line.last != UInt8(ascii: "/") && line.contains(UInt8(ascii: "/"))
        if isPath { count += 1 }
        // The last line may be cut.
        guard isPath || (index == lines.count - 1 && count > 0) else { return false }
    }
    return count > 0
}

/// A line without the quotes around all of it, which some portals put around an address.
func withoutQuotes(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = UInt8(ascii: "\"")
    guard line.count > 2, line.first == quote, line.last == quote else { return line }
    let inner = line.dropFirst().dropLast()
    return inner.contains(quote) ? line : inner
}
