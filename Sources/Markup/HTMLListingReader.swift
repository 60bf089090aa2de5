package import SyncCore

/// Reads the `html` format: an index page as a listing. See docs/formats/html.md.
///
/// Files whose row says their size and date are given at once. The others wait for a richer link to the same file, at
/// most to the end of the page.
package final class HTMLListingReader: ManifestReader {
    private let context: ManifestContext
    private let limits: MarkupLimits
    private let tokenizer: HTMLTokenizer
    private var scanner: ListingScanner
    private var judge: LinkJudge?
    private var collector: ListingCollector
    private var hasParentLink = false
    private var hasSortingLink = false
    /// What the links were taken for, in the page's order; only where that is asked for.
    private var explained: [ExplainedLink] = []

    /// A reader for one page.
    package init(context: ManifestContext, limits: MarkupLimits = .standard) {
        self.context = context
        self.limits = limits
        tokenizer = HTMLTokenizer(charset: context.charset, limits: limits)
        scanner = ListingScanner(limits: limits)
        collector = ListingCollector(context: context)
    }

    package func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        var found: [ManifestItem] = []
        defer { items += found }
        try tokenizer.read(bytes) { event throws(ManifestError) in
            scanner.take(event)
            try judgeRows(into: &found)
        }
    }

    package func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        var found: [ManifestItem] = []
        defer { items += found }
        try tokenizer.finish { event throws(ManifestError) in
            scanner.take(event)
            try judgeRows(into: &found)
        }
        scanner.finish()
        try judgeRows(into: &found)
        giveExplanations(into: &found)
        guard tokenizer.isWhole else {
            throw ManifestError("\(context.sourceName) was cut short: its end is missing; try again")
        }
        try checkShape()
        collector.finish(into: &found)
    }

    private func judgeRows(into items: inout [ManifestItem]) throws(ManifestError) {
        guard !scanner.rows.isEmpty else { return }
        let rows = scanner.rows
        scanner.rows.removeAll(keepingCapacity: true)
        for row in rows {
            guard !row.link.isCut else {
                explain(row.link, .other(.invalid), isKnown: false)
                let message = "the link \(quoted(row.link.reference)) is longer than any URL"
                items.append(
                    .problem(ManifestProblem(origin: EntryOrigin(source: context.sourceName), message: message)))
                continue
            }
            let kind = try openJudge().kind(of: row.link)
            var isKnown = false
            switch kind {
            case .parent: hasParentLink = true
            case .sorting: hasSortingLink = true
            case .other: break
            case .entry(let url, let path, let isDirectory):
                isKnown = !collector.take(row, url: url, path: path, isDirectory: isDirectory, into: &items)
                guard collector.count <= limits.entries else {
                    throw ManifestError("\(context.sourceName) names more than \(limits.entries) files")
                }
            }
            explain(row.link, kind, isKnown: isKnown)
        }
    }

    private func explain(_ link: ListingLink, _ kind: LinkKind, isKnown: Bool) {
        guard context.explainsLinks, let judge else { return }
        explained.append(judge.explanation(of: link, kind, isKnown: isKnown))
    }

    /// Tells what the links were taken for. Some entries show only now that they are none.
    private func giveExplanations(into items: inout [ManifestItem]) {
        for link in explained {
            if link.kind == .entry, let url = link.url, collector.repeatsAnother(url) {
                items.append(
                    .explained(
                        LinkJudge.duplicate(of: link.reference, url, "another link names the same without a query")))
            } else {
                items.append(.explained(link))
            }
        }
        explained = []
    }

    /// The judge, made when the first link asks for it: a `<base>` stands before all links.
    private func openJudge() throws(ManifestError) -> LinkJudge {
        if let judge { return judge }
        let reference = scanner.baseReference.map { trimmed($0[...]) }
        let base = reference.flatMap { context.baseURL?.resolve(bytes: $0) ?? WebURL(bytes: $0) } ?? context.baseURL
        guard let base else {
            throw ManifestError(
                "the links of \(context.sourceName) need the page's address; say it with --base-url")
        }
        let judge = LinkJudge(page: context.baseURL ?? base, base: base)
        self.judge = judge
        return judge
    }

    /// Whether the page, whole as it is, shows a listing: an empty directory is one, a login is none.
    private func checkShape() throws(ManifestError) {
        let signs = scanner.signs
        let indexTitles = ["index of", "directory listing", "directory:", "listing:", "folder listing"]
        let isIndex =
            hasParentLink || hasSortingLink
            || signs.titles.contains { title in
                indexTitles.contains { trimmed(RowMetadata.plain(title)[...]).starts(with: $0.utf8) }
            }
        if signs.hasPasswordField, !isIndex, !collector.hasMetadata {
            throw ManifestError(
                "\(context.sourceName) is a login page; give credentials with --user, --netrc or --cookie")
        }
        // A portal or a moved page: its few links are not the listing that was asked for.
        if signs.isRedirect, !isIndex, !collector.hasMetadata {
            throw ManifestError(
                "\(context.sourceName) only sends its readers to another page, as portals do that want a login; name that "
                    + "page if it is the one that you mean")
        }
        guard collector.count == 0, !isIndex else { return }
        if signs.hasScript, signs.linkCount == 0 {
            throw ManifestError(
                "\(context.sourceName) makes its list by JavaScript, which is not run; look for a plain index or an API of "
                    + "that site")
        }
        throw ManifestError("\(context.sourceName) is no index page: none of its links leads below it")
    }
}
