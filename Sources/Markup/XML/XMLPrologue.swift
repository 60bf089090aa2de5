import SyncCore

/// How a document starts.
enum XMLPrologue {
    /// Whether a document's start names no encoding of its own: no mark, no declaration, and not UTF-16.
    static func namesNoEncoding(_ start: ArraySlice<UInt8>) -> Bool {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) || start.starts(with: [0xFF, 0xFE])
            || start.starts(with: [0xFE, 0xFF]) || start.prefix(4).contains(0)
        {
            return false
        }
        guard start.starts(with: "<?xml".utf8) else { return true }
        let declaration = start.prefix { $0 != UInt8(ascii: ">") }
        return !declaration.indices.contains { declaration[$0...].starts(with: "encoding".utf8) }
    }

    /// The root element of a document by its first bytes; nil where there is none in them, or it is not XML.
    static func root(of start: ArraySlice<UInt8>, charset: String?) -> XMLElement? {
        guard let first = start.first(where: { !isXMLBlank($0) }), [0x3C, 0xEF, 0xFE, 0xFF, 0x00].contains(first)
        else { return nil }
        let tokenizer = XMLTokenizer(sourceName: "", charset: charset, hasRawNames: true)
        var root: XMLElement?
        let take = { (event: XMLEvent) throws(ManifestError) in
            if root == nil, case .start(let element) = event { root = element }
        }
        // What follows the root's start tag may well be cut: only what came before it counts.
        try? tokenizer.read(start, take)
        if root == nil { try? tokenizer.finish(take) }
        return root
    }
}
