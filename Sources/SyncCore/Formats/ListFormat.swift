extension ManifestFormat {
    /// A URL a line. Recognised by its first line that is no comment: it starts with a scheme.
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
        let line = trimmed(line.last == 0x0D ? line.dropLast() : line)
        guard let first = line.first else { continue }
        if first == UInt8(ascii: "#") {
            hasComment = true
            continue
        }
        guard let scheme = schemePrefix(line) else { return false }
        let isAddress = line.dropFirst(scheme.utf8.count).starts(with: "://".utf8)
        return (isAddress || scheme == "magnet") && !line.contains(0)
    }
    // A list may hold comments only, or start with many of them; a script's first line is none.
    return hasComment && !text.starts(with: "#!".utf8) && !text.contains(0)
}
