package import SyncCore

extension ManifestFormat {
    /// Index pages. Recognised by their first tag, whatever the server calls them.
    package static let html = ManifestFormat(
        name: "html",
        recognises: { start, _ in looksLikeHTML(start) },
        makeReader: { context in HTMLListingReader(context: context) })
}

/// Whether a document starts as HTML does: with its doctype or one of its tags, behind blanks and comments.
private func looksLikeHTML(_ start: ArraySlice<UInt8>) -> Bool {
    var decoder = UnicodeDecoder()
    let decoded = Array(decoder.decode(start)) + decoder.finish().rest
    // A second mark, or one behind a line end, is a slip that servers' templates make.
    var text = asciiLowercase(decoded)[...]
    while true {
        let before = text.count
        while let first = text.first, [0x20, 0x09, 0x0A, 0x0D, 0x0C].contains(first) { text = text.dropFirst() }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        if text.starts(with: "<!--".utf8) {
            guard let end = endOfComment(text) else { return false }
            text = text[end...]
        }
        if text.count == before { break }
    }
    guard text.first == UInt8(ascii: "<") else { return false }
    if text.starts(with: "<?xml".utf8) {
        // XHTML has a prologue of XML in front.
        let rest = text.prefix(1024)
        return contains(rest, "<!doctype html") || contains(rest, "<html")
    }
    let tag = text.dropFirst().prefix { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "!") }
    if tag.elementsEqual("!doctype".utf8) {
        return trimmed(text.dropFirst(9)).starts(with: "html".utf8)
    }
    let tags = [
        "html", "head", "title", "meta", "base", "link", "script", "style", "body", "h1", "h2", "h3", "h4", "pre",
        "table",
        "ul", "ol", "div", "p", "a", "hr", "center", "font", "main", "header", "nav", "section",
    ]
    return tags.contains { tag.elementsEqual($0.utf8) }
}

private func endOfComment(_ text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex + 4
    while index + 2 < text.endIndex {
        if text[index...].starts(with: "-->".utf8) { return index + 3 }
        index += 1
    }
    return nil
}

private func contains(_ text: ArraySlice<UInt8>, _ word: String) -> Bool {
    text.indices.contains { text[$0...].starts(with: word.utf8) }
}
