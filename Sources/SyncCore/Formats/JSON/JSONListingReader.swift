/// Reads the `autoindex-json` format: a directory as a JSON array of objects. See docs/formats/autoindex-json.md.
package struct JSONListingReader: ManifestReader {
    /// The members of an object that hold its lists, where an array is not the whole document, and whether what they name
    /// is directories unless a row says otherwise.
    static let lists: [(name: String, isOfDirectories: Bool)] = [
        ("files", false), ("entries", false), ("items", false), ("contents", false), ("children", false),
        ("listing", false), ("paths", false), ("dirs", true), ("directories", true), ("folders", true),
    ]
    /// The most files and directories of one listing.
    static let entryLimit = 2_000_000

    private let context: ManifestContext
    private var decoder: UnicodeDecoder
    private var tokenizer = JSONTokenizer()
    private var problems: ProblemLog
    /// How many containers are open.
    private var depth = 0
    /// The depth inside of the array of rows, while it is open.
    private var listDepth: Int?
    private var hasList = false
    private var isOfDirectories = false
    private var row: JSONListingRow?
    private var memberName = JSONText()
    private var rowCount = 0
    private var namedCount = 0
    private var usedCount = 0

    /// A reader for one document.
    package init(context: ManifestContext) {
        self.context = context
        decoder = UnicodeDecoder(charset: context.charset)
        problems = ProblemLog(sourceName: context.sourceName)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        try take(decoder.decode(bytes), into: &items)
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        let (rest, isWhole) = decoder.finish()
        try take(rest, into: &items)
        guard isWhole, tokenizer.isWhole else {
            throw ManifestError("\(context.sourceName) was cut short: its JSON does not end; try again")
        }
        guard hasList else { throw noListing("it has no array of files") }
        guard rowCount == 0 || namedCount > 0 else { throw noListing("none of its objects has a name") }
        guard rowCount == 0 || usedCount > 0 else { throw noListing("none of its addresses lies below it") }
    }

    private func noListing(_ why: String) -> ManifestError {
        ManifestError("\(context.sourceName) is JSON but no directory listing: \(why)")
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        var rest = bytes
        while true {
            let token: JSONToken?
            do {
                token = try tokenizer.next(&rest)
            } catch {
                throw ManifestError("\(context.sourceName) is no valid JSON: \(error.message)")
            }
            guard let token else { return }
            try take(token, into: &items)
        }
    }

    private mutating func take(_ token: JSONToken, into items: inout [ManifestItem]) throws(ManifestError) {
        switch token {
        case .beginArray:
            if let listDepth, depth == listDepth { throw noListing("its array holds another array") }
            let list = Self.lists.first { memberName.bytes.elementsEqual($0.name.utf8) }
            let isList = depth == 0 || (depth == 1 && list != nil)
            depth &+= 1
            if isList {
                hasList = true
                listDepth = depth
                isOfDirectories = depth > 1 && list?.isOfDirectories == true
            }
        case .beginObject:
            if depth == listDepth { row = JSONListingRow(isDirectory: isOfDirectories ? true : nil) }
            depth &+= 1
        case .endArray:
            if depth == listDepth { listDepth = nil }
            depth &-= 1
        case .endObject:
            depth &-= 1
            if depth == listDepth, let ended = row {
                row = nil
                try end(ended, into: &items)
            }
        case .name(let name): memberName = name
        case .string, .number, .bool, .null:
            guard let listDepth else { return }
            if depth == listDepth { throw noListing("its array holds other things than objects") }
            if depth == listDepth &+ 1 { row?.take(memberName.bytes, token) }
        }
    }

    private mutating func end(_ row: JSONListingRow, into items: inout [ManifestItem]) throws(ManifestError) {
        rowCount &+= 1
        guard rowCount <= Self.entryLimit else {
            throw ManifestError("\(context.sourceName) names more than \(Self.entryLimit) files")
        }
        guard row.name != nil || row.address != nil else {
            try problems.report("object \(rowCount) has no name", line: nil, into: &items)
            return
        }
        namedCount &+= 1
        guard row.name?.isWhole ?? true, row.address?.isWhole ?? true else {
            usedCount &+= 1
            try problems.report(
                "the name of object \(rowCount) is longer than any file's, or holds half a character", line: nil,
                into: &items)
            return
        }
        try place(row, into: &items)
    }
}

// Places.
extension JSONListingReader {
    private mutating func place(_ row: JSONListingRow, into items: inout [ManifestItem]) throws(ManifestError) {
        let name = row.name?.bytes ?? []
        guard let base = context.baseURL else {
            throw ManifestError(
                "the names of \(context.sourceName) need the listing's address; say it with --base-url")
        }
        guard !row.isOther, name != Array(".".utf8), name != Array("..".utf8), name != Array("../".utf8) else {
            usedCount &+= 1
            return
        }
        if let address = row.address?.bytes {
            try place(row, address: address, base, into: &items)
            return
        }
        let endsInSlash = name.last == UInt8(ascii: "/")
        let plain = endsInSlash ? name.dropLast() : name[...]
        usedCount &+= 1
        do {
            let file = try NamedFile(plain, below: base)
            give(row, file.path, file.url, isDirectory: row.isDirectory ?? endsInSlash, into: &items)
        } catch {
            try problems.report(error.message(plain), line: nil, into: &items)
        }
    }

    /// Takes the place from the row's own address, if it lies below the listing.
    private mutating func place(
        _ row: JSONListingRow, address: [UInt8], _ base: WebURL, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        // A colon in the first segment would be taken for a scheme's end.
        let isName = schemePrefix(address[...]) != nil && practicalScheme(address[...]) == nil
        let reference = isName ? Array("./".utf8) + address : address
        guard let url = base.resolve(bytes: reference[...]) else {
            usedCount &+= 1
            try problems.report("\(quoted(address)) is no valid address", line: nil, into: &items)
            return
        }
        guard url.origin == base.origin, let below = Self.segments(of: url, below: base) else { return }
        usedCount &+= 1
        let isDirectory = row.isDirectory ?? (below.last == [])
        let path = Array((below.last == [] ? below.dropLast() : below[...]).joined(separator: [UInt8(ascii: "/")]))
        give(row, path, url, isDirectory: isDirectory, into: &items)
    }

    /// The decoded segments of a URL's path that lie strictly below a base's directory; nil where there are none.
    private static func segments(of url: WebURL, below base: WebURL) -> [[UInt8]]? {
        func segments(_ url: WebURL) -> [[UInt8]] {
            url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(decodedPathSegment)
        }
        let own = segments(base).dropLast()
        let all = segments(url)
        guard all.count > own.count, all.starts(with: own) else { return nil }
        let below = Array(all.dropFirst(own.count))
        return below == [[]] ? nil : below
    }

    private func give(
        _ row: JSONListingRow, _ path: [UInt8], _ url: WebURL, isDirectory: Bool, into items: inout [ManifestItem]
    ) {
        let origin = EntryOrigin(source: context.sourceName)
        guard isDirectory else {
            items.append(
                .entry(
                    Entry(
                        urls: [url], suggestedPath: context.placed(path), size: row.size.inIndex,
                        modified: row.modified,
                        origin: origin)))
            return
        }
        // The dot keeps a path that begins with two slashes from being taken for a host.
        let reference = "/." + url.path + (url.path.hasSuffix("/") ? "" : "/")
        guard let listing = url.resolve(bytes: Array(reference.utf8)[...]) else { return }
        items.append(
            .listing(SubListing(url: listing, path: context.placed(path), origin: origin, modified: row.modified)))
    }
}
