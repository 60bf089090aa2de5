extension ManifestFormat {
    /// Digests and names. Recognised by its first line that is no comment: it is one of a style that is known.
    package static let checksums = ManifestFormat(
        name: "checksums",
        recognises: { start, context in looksLikeChecksums(start, context) },
        makeReader: { context in ChecksumReader(context: context) })
}

private func looksLikeChecksums(_ start: ArraySlice<UInt8>, _ context: ManifestContext) -> Bool {
    var armour = Clearsign()
    let lines = startLines(of: start, charset: context.charset).compactMap { armour.take($0) }
    let isComment = { (line: ArraySlice<UInt8>) in
        trimmed(line).isEmpty || line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";")
    }
    // A list may start with more comments than are looked at.
    guard let first = lines.first(where: { !isComment($0) }) else {
        return lines.first?.first == UInt8(ascii: ";") && context.documentName.suffix(4).elementsEqual(".sfv".utf8)
    }
    guard !first.contains(0) else { return false }
    if let line = try? ChecksumLine(first, list: .usual) {
        // Some word of 32 letters may be all there is of a text.
        return line.name != nil || lines.filter { !isComment($0) }.count == 1
    }
    guard practicalScheme(first) == nil else { return false }
    // Some lists begin with sentences about themselves.
    let rest = lines.filter { !isComment($0) }.drop(while: ChecksumReader.isProse)
    let read = rest.prefix(2).compactMap { try? ChecksumLine($0, list: .usual) }
    if read.count == 2, read.allSatisfy({ $0.name != nil }) { return true }
    // A name with a line end in it breaks a comment of SFV's, too.
    let candidates = lines.first?.first == UInt8(ascii: ";") ? lines.filter { !isComment($0) } : [first]
    return candidates.contains { (try? ChecksumLine(sfv: $0)) != nil }
}
