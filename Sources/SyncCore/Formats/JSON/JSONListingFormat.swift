extension ManifestFormat {
    /// A directory as JSON. Recognised by an array of objects with names, or an empty one, as the document or in it.
    package static let autoindexJSON = ManifestFormat(
        name: "autoindex-json",
        recognises: { start, context in looksLikeJSONListing(start, context) },
        makeReader: { context in JSONListingReader(context: context) })
}

private func looksLikeJSONListing(_ start: ArraySlice<UInt8>, _ context: ManifestContext) -> Bool {
    var decoder = UnicodeDecoder(charset: context.charset)
    var rest = (Array(decoder.decode(start)) + decoder.finish().rest)[...]
    var tokenizer = JSONTokenizer()
    var depth = 0
    var member: [UInt8] = []
    var listDepth: Int?
    var hasObject = false
    while let token = (try? tokenizer.next(&rest)) ?? nil {
        switch token {
        case .beginArray:
            if let listDepth { return depth > listDepth }
            depth += 1
            let isList = JSONListingReader.lists.contains { member.elementsEqual($0.name.utf8) }
            if depth == 1 || (depth == 2 && isList) { listDepth = depth }
        case .beginObject:
            if depth == listDepth { hasObject = true }
            depth += 1
        case .endArray:
            if depth == listDepth { return !hasObject }
            depth -= 1
        case .endObject: depth -= 1
        case .name(let name):
            member = name.bytes
            guard let listDepth, depth == listDepth + 1 else { continue }
            if ["name", "filename", "url", "uri", "href"].contains(where: { member.elementsEqual($0.utf8) }) {
                return true
            }
        case .string, .number, .bool, .null:
            if let listDepth, depth == listDepth { return false }
        }
        if depth == 0 { return false }
    }
    return false
}
