import SyncCore

/// Makes each file and listing of a page one item, however often the page links to it.
struct ListingCollector {
    /// How many files and listings were found.
    private(set) var count = 0
    /// Whether any row told a size or a date.
    private(set) var hasMetadata = false

    private let context: ManifestContext
    /// Where a file waits in ``waiting``, by its URL; -1 once it was given.
    private var known: [WebURL: Int] = [:]
    private var waiting: [Entry] = []

    init(context: ManifestContext) { self.context = context }

    private var origin: EntryOrigin { EntryOrigin(source: context.sourceName) }

    /// Takes a row that names a file or listing. Gives whether it is the first that names it.
    @discardableResult
    mutating func take(
        _ row: ListingScanner.Row, url: WebURL, path: [UInt8], isDirectory: Bool, into items: inout [ManifestItem]
    ) -> Bool {
        let place = context.directory.isEmpty ? path : context.directory + [UInt8(ascii: "/")] + path
        if row.metadata.size != .unknown || row.metadata.modified?.hasTime == true { hasMetadata = true }
        if isDirectory {
            guard known.updateValue(-1, forKey: url) == nil else { return false }
            count += 1
            items.append(
                .listing(SubListing(url: url, path: place, origin: origin, modified: row.metadata.modified)))
            return true
        }
        let digests = LinkJudge.digest(of: row.link).map { [$0] } ?? row.metadata.digests
        let entry = Entry(
            urls: [url], suggestedPath: place, size: row.metadata.size.inIndex, modified: row.metadata.modified,
            digests: digests, origin: origin)
        if let index = known[url] {
            if index >= 0 { merge(entry, at: index) }
            return false
        }
        count += 1
        if entry.size != .unknown, entry.modified != nil {
            known[url] = -1
            items.append(.entry(entry))
        } else {
            known[url] = waiting.count
            waiting.append(entry)
        }
        return true
    }

    /// Gives the files that waited, but for those that are another file's link with a query behind it.
    mutating func finish(into items: inout [ManifestItem]) {
        for entry in waiting where !entry.urls.contains(where: repeatsAnother) { items.append(.entry(entry)) }
        waiting = []
        known = [:]
    }

    /// Whether a file's address is that of another one, and a query. To be asked when all links are known.
    func repeatsAnother(_ url: WebURL) -> Bool {
        guard url.query != nil, let plain = url.resolve(bytes: Array(url.path.utf8)[...]) else { return false }
        return known[plain] != nil
    }

    private mutating func merge(_ entry: Entry, at index: Int) {
        if waiting[index].size == .unknown { waiting[index].size = entry.size }
        if waiting[index].modified == nil { waiting[index].modified = entry.modified }
        if waiting[index].digests.isEmpty { waiting[index].digests = entry.digests }
    }
}
