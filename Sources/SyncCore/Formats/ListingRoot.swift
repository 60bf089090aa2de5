/// The listing that a page shows: links are judged by where they lie from it.
package struct ListingRoot {
    /// Where a URL lies.
    package enum Place {
        /// The listing itself: a link to sort it, or to a place in the page.
        case itself(query: String?)
        /// The directory right above.
        case parent
        /// Strictly below: the path from the listing, decoded, without a last slash.
        case below(path: [UInt8], isDirectory: Bool)
        /// Anywhere else.
        case elsewhere
    }

    private let origin: String
    private let pagePath: [UInt8]
    /// The page's path up to its last slash.
    private let directory: [UInt8]
    private let segments: [[UInt8]]
    /// The page's URL up to its last slash: what the URLs of nearly all entries begin with.
    private let prefix: [UInt8]

    /// The listing of a page's URL.
    package init(page: WebURL) {
        origin = page.origin
        pagePath = Array(page.path.utf8)
        let end = pagePath.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? pagePath.count
        directory = Array(pagePath[..<end])
        segments = Self.segments(directory[...])
        let rest = (page.query.map { $0.utf8.count + 1 } ?? 0) + (page.fragment.map { $0.utf8.count + 1 } ?? 0)
        let beforeQuery = Array(page.string.utf8).dropLast(rest)
        prefix = Array(beforeQuery.dropLast(pagePath.count - end))
    }

    /// Where a URL lies from the listing.
    package func place(of url: WebURL) -> Place {
        if let below = plainNameBelow(url) { return below }
        guard url.origin.utf8.elementsEqual(origin.utf8) else { return .elsewhere }
        let path = Array(url.path.utf8)
        if path == directory || path == pagePath { return .itself(query: url.query) }
        var below: [[UInt8]]
        if path.starts(with: directory) {
            below = Self.segments(path[directory.count...])
        } else {
            // The same path may be encoded in another way, as `~` and `%7E`.
            let all = Self.segments(path[...])
            guard all.count >= segments.count, all.starts(with: segments.dropLast()) else {
                return Array(all.dropLast()) == segments.dropLast(2) && all.last == [] ? .parent : .elsewhere
            }
            below = Array(all.dropFirst(segments.count - 1))
        }
        if below == [[]] { return .itself(query: url.query) }
        let isDirectory = below.last == []
        if isDirectory { below.removeLast() }
        return .below(path: Array(below.joined(separator: [UInt8(ascii: "/")])), isDirectory: isDirectory)
    }

    /// The place of a URL that is the page's directory and a plain name: the short way for most entries.
    private func plainNameBelow(_ url: WebURL) -> Place? {
        let bytes = url.string.utf8
        guard bytes.count > prefix.count, bytes.starts(with: prefix) else { return nil }
        let name = Array(bytes.dropFirst(prefix.count))
        let isPlain = name.allSatisfy { isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E, 0x5F].contains($0) }
        guard isPlain, !pagePath.dropFirst(directory.count).elementsEqual(name) else { return nil }
        return .below(path: name, isDirectory: false)
    }

    private static func segments(_ path: ArraySlice<UInt8>) -> [[UInt8]] {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(decodedPathSegment)
    }
}
