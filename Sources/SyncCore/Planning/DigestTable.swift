/// Digests that come from another place than the entries that they are of (`--digests`).
///
/// A list of digests names files by their URLs, or by their paths from where the list lies. An entry is matched by any of
/// its URLs, and else by its path below its own listing, since a list may be a copy of one on another server. Two files of
/// one path are not the same where one of the two roots lies below the other.
package struct DigestTable: Sendable {
    private struct Listed {
        var digests: [Digest]
        /// The URL that the path starts from.
        var root: String?
    }

    private var byURL: [String: [Digest]] = [:]
    private var byPath: [RelativePath: Listed] = [:]

    /// Knows no digest.
    package init() {}

    /// What relative names in a file are resolved against where nothing else is known: a host that does not exist
    /// (RFC 6761 §6.4), so that such names only match by path.
    package static let nowhere = "https://digests.invalid/"

    /// Whether it knows no digest.
    package var isEmpty: Bool { byURL.isEmpty }

    /// Takes the digests of an entry of a list.
    ///
    /// - Throws: ``Failure`` where another digest of one algorithm is known of the same file; the first stays.
    package mutating func take(_ entry: Entry) throws(Failure) {
        guard let url = entry.urls.first, !entry.digests.isEmpty else { return }
        var digests = byURL[url.resourceIdentity] ?? []
        for digest in entry.digests {
            guard let other = digests.first(where: { $0.algorithm == digest.algorithm }) else {
                digests.append(digest)
                continue
            }
            guard other == digest else {
                throw Failure(
                    .badEntry,
                    "two different \(digest.algorithm.rawValue) digests are given of \(url.redacted); the first is taken"
                )
            }
        }
        byURL[url.resourceIdentity] = digests
        // A list without paths tells nothing of where its files lie below another listing.
        guard entry.suggestedPath != nil, let path = try? Placement().path(of: entry) else { return }
        let root = Self.root(of: url, path)
        guard byPath[path].map({ $0.root == root }) ?? true else { return }
        byPath[path] = Listed(digests: digests, root: root)
    }

    /// The entry with the digests that are known of it, in the place of its source's own: those the user named for this.
    package func digested(_ entry: Entry) -> Entry {
        let named = entry.urls.lazy.compactMap { byURL[$0.resourceIdentity] }.first
        guard let digests = named ?? digestsByPath(of: entry) else { return entry }
        var digested = entry
        digested.digests = digests
        return digested
    }

    private func digestsByPath(of entry: Entry) -> [Digest]? {
        // The path below the entry's own listing, whatever the layout makes of it.
        guard let path = try? Placement().path(of: entry), let listed = byPath[path] else { return nil }
        if let root = entry.urls.first.flatMap({ Self.root(of: $0, path) }), let other = listed.root,
            root.utf8.starts(with: other.utf8) || other.utf8.starts(with: root.utf8)
        {
            return nil
        }
        return listed.digests
    }

    /// A URL without its last segments, as many as a path has; nil where it has fewer.
    private static func root(of url: WebURL, _ path: RelativePath) -> String? {
        let slash = UInt8(ascii: "/")
        var rest = Array(url.resourceIdentity.utf8.prefix { $0 != UInt8(ascii: "?") })
        guard url.path.utf8.count(where: { $0 == slash }) > path.bytes.count(where: { $0 == slash }) else {
            return nil
        }
        for _ in path.bytes.split(separator: slash) {
            if rest.last == slash { rest.removeLast() }
            rest.removeLast(rest.reversed().prefix { $0 != slash }.count)
        }
        return String(decoding: rest, as: UTF8.self)
    }
}
