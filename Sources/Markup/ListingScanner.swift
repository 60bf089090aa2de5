import SyncCore

/// Finds the rows of an index page in its elements and text.
///
/// A row is a link with the text that belongs to it. In a table that is the table's row; elsewhere the line behind the
/// link, the line below where there is none (Artifactory), or the line in front of it (IIS, webfs). Nothing depends on
/// headings, classes or the language of the page.
struct ListingScanner {
    /// A link and what its row says.
    struct Row {
        var link: ListingLink
        var metadata: RowMetadata
    }

    /// What the page says of itself besides its rows.
    struct Signs {
        /// The title or first heading, in lower case.
        var titles: [[UInt8]] = []
        var hasPasswordField = false
        var hasScript = false
        /// Whether the page sends its reader to another one.
        var isRedirect = false
        var linkCount = 0
    }

    /// The rows that are complete and were not taken yet.
    var rows: [Row] = []
    /// The first `<base href>`; kept until taken.
    var baseReference: [UInt8]?
    private(set) var signs = Signs()

    private let limits: MarkupLimits
    private var openLink: ListingLink?
    private var openTitle: [UInt8]?
    private var preformattedDepth = 0
    // Outside of tables.
    private var pendingLink: ListingLink?
    private var pendingDateTime: [UInt8]?
    /// The text since the last link or hard boundary, by lines.
    private var lines: [[UInt8]] = [[]]
    // In a row of a table.
    private var isInRow = false
    private var cells: [RowCell] = []
    private var rowLinks: [ListingLink] = []
    /// The reference of the open cell's first link.
    private var cellReference: [UInt8]?
    private var columns = RowColumns()

    init(limits: MarkupLimits) { self.limits = limits }

    /// Takes the next part of the page.
    mutating func take(_ event: MarkupEvent) {
        switch event {
        case .start(let name, let attributes): start(name, attributes)
        case .end(let name): end(name)
        case .text(let text): self.text(text)
        }
    }

    /// Ends the page.
    mutating func finish() {
        endLink()
        endRow()
        endLines()
    }

    private mutating func start(_ name: String, _ attributes: [MarkupAttribute]) {
        switch name {
        case "a":
            endLink()
            guard let reference = attributes["href"] else { return }
            var link = ListingLink(reference: reference.value, isCut: reference.isCut)
            let classes = attributes["class"].map { RowMetadata.plain($0.value) } ?? []
            link.isMarkedAsDirectory = Parts(of: classes[...], separatedBy: 0x20).contains {
                $0.elementsEqual("icon-directory".utf8)
            }
            link.isMarkedAsPackage = attributes.contains { Self.packageMarks.contains($0.name) }
            startLink(link)
        case "base":
            if baseReference == nil, let reference = attributes["href"] { baseReference = reference.value }
        case "script": signs.hasScript = true
        case "meta":
            let isRefresh = attributes["http-equiv"].map { asciiLowercase($0.value).elementsEqual("refresh".utf8) }
            let content = asciiLowercase(attributes["content"]?.value ?? [])
            if isRefresh == true, String(decoding: content, as: UTF8.self).contains("url=") { signs.isRedirect = true }
        case "input":
            let type = attributes["type"].map { asciiLowercase($0.value) }
            if type?.elementsEqual("password".utf8) == true { signs.hasPasswordField = true }
        case "title", "h1", "h2":
            if signs.titles.count < 8 { openTitle = [] }
            endLines()
        case "time":
            guard let dateTime = attributes["datetime"]?.value else { return }
            if isInRow, !cells.isEmpty {
                cells[cells.count - 1].dateTime = dateTime
            } else if pendingLink != nil, pendingDateTime == nil {
                pendingDateTime = dateTime
            }
        default: startBlock(name, attributes)
        }
    }

    private mutating func startBlock(_ name: String, _ attributes: [MarkupAttribute]) {
        switch name {
        case "tr":
            endRow()
            endLines()
            isInRow = true
        case "td", "th":
            guard isInRow else {
                breakLine()
                return
            }
            guard cells.count < limits.attributes else { return }
            let value = ["data-order", "data-sort", "data-sort-value", "data-value"].lazy
                .compactMap { attributes[$0]?.value }.first
            cells.append(RowCell(sortValue: value))
            cellReference = nil
        case "table":
            leaveRow()
            columns = RowColumns()
        case "pre":
            leaveRow()
            endLines()
            preformattedDepth += 1
        case "span" where openLink != nil:
            openLink?.innerParts.append([])
        default:
            if Self.hardBoundaries.contains(name) { endLines() } else if Self.lineBreaks.contains(name) { breakLine() }
        }
    }

    private mutating func end(_ name: String) {
        switch name {
        case "a": endLink()
        case "title", "h1", "h2":
            if let title = openTitle { signs.titles.append(asciiLowercase(title)) }
            openTitle = nil
        case "tr": endRow()
        case "table":
            endRow()
            columns = RowColumns()
        case "pre":
            endLines()
            preformattedDepth = max(0, preformattedDepth - 1)
        default: break
        }
        if name != "hr", Self.hardBoundaries.contains(name) {
            endLines()
        } else if name != "br", Self.lineBreaks.contains(name) {
            breakLine()
        }
    }

    private static let packageMarks: Set<String> = [
        "data-core-metadata", "data-dist-info-metadata", "data-gpg-sig", "data-requires-python", "data-yanked",
    ]
    private static let hardBoundaries: Set<String> = [
        "body", "dl", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "table", "ul",
    ]
    private static let lineBreaks: Set<String> = ["address", "br", "dd", "div", "dt", "p"]
}

// Text and links.
extension ListingScanner {
    private mutating func text(_ text: [UInt8]) {
        let limit = limits.textBytes
        openTitle?.append(text[...], upTo: limit)
        openLink?.text.append(text[...], upTo: limit)
        if let part = openLink?.innerParts.indices.last { openLink?.innerParts[part].append(text[...], upTo: limit) }
        if isInRow {
            guard let last = cells.indices.last else { return }
            cells[last].fullText.append(text[...], upTo: limit)
            if openLink == nil { cells[last].text.append(text[...], upTo: limit) }
        } else if openLink == nil {
            appendToLines(text)
        }
    }

    private mutating func appendToLines(_ text: [UInt8]) {
        guard preformattedDepth > 0 else {
            appendToLine(text[...])
            return
        }
        var rest = text[...]
        while let end = rest.firstIndex(of: 0x0A) {
            appendToLine(rest[..<end])
            breakLine()
            rest = rest[(end + 1)...]
        }
        appendToLine(rest)
    }

    private mutating func appendToLine(_ text: ArraySlice<UInt8>) {
        let limit = limits.textBytes
        lines[lines.count - 1].append(text, upTo: limit)
    }

    private mutating func breakLine() {
        guard !isInRow, openLink == nil else { return }
        // Only the lines next to a link matter: the two behind the one before, and the one in front of the next.
        if lines.count >= 8 { lines.remove(at: 6) }
        lines.append([])
    }

    private mutating func startLink(_ link: ListingLink) {
        signs.linkCount += 1
        var link = link
        if isInRow {
            if let cellReference, cellReference != link.reference {
                // More than one file in a cell: the table is there for the layout, not for the listing.
                leaveRow()
            } else {
                cellReference = link.reference
            }
        }
        if !isInRow {
            link.before = lines.count > 1 || pendingLink == nil ? lines[lines.count - 1] : []
            endPending(isFollowedByLink: true)
        }
        openLink = link
    }

    private mutating func endLink() {
        guard let link = openLink else { return }
        openLink = nil
        if isInRow {
            rowLinks.append(link)
            if rowLinks.count > 64 { leaveRow() }
        } else {
            pendingLink = link
        }
    }

    /// Ends the text that may belong to the link before it.
    private mutating func endLines() {
        guard openLink == nil else { return }
        endPending(isFollowedByLink: false)
    }

    private mutating func endPending(isFollowedByLink: Bool) {
        if let link = pendingLink {
            rows.append(Row(link: link, metadata: metadata(of: link, isFollowedByLink: isFollowedByLink)))
        }
        pendingLink = nil
        pendingDateTime = nil
        lines = [[]]
    }

    private func metadata(of link: ListingLink, isFollowedByLink: Bool) -> RowMetadata {
        let isPreformatted = preformattedDepth > 0
        var found = RowMetadata(behind: lines[0], isPreformatted: isPreformatted)
        if !found.isFound, isBlankText(lines[0]) {
            // The lines between, without the one that the next link stands on.
            let between = lines[1...].dropLast(isFollowedByLink ? 1 : 0)
            if let line = between.first(where: { !isBlankText($0) }) {
                found = RowMetadata(behind: line, isPreformatted: isPreformatted)
            }
        }
        if !found.isFound { found = RowMetadata(inFrontOf: link.before) }
        if !found.isFound {
            found = RowMetadata(cells: link.innerParts.dropFirst().map { RowCell(text: $0) }, columns: RowColumns())
        }
        if let pendingDateTime, let date = RowCell(dateTime: pendingDateTime).date { found.modified = date }
        return found
    }

    private func isBlankText(_ text: [UInt8]) -> Bool { trimmed(RowMetadata.plain(text)[...]).isEmpty }
}

// Rows of tables.
extension ListingScanner {
    /// Ends a row of a table.
    private mutating func endRow() {
        guard isInRow else { return }
        endLink()
        if rowLinks.isEmpty || cells.allSatisfy({ isBlankText($0.text) }) {
            columns.learn(from: cells)
        }
        let metadata = RowMetadata(cells: cells, columns: columns)
        let first = rowLinks.first?.reference
        for link in rowLinks {
            // The row speaks of its first file; a link to something else, such as a signature, is not that.
            let own = link.reference == first ? metadata : RowMetadata()
            rows.append(Row(link: link, metadata: own))
        }
        clearRow()
    }

    /// Goes on outside of tables' rows: the row turned out to be layout.
    private mutating func leaveRow() {
        guard isInRow else { return }
        for link in rowLinks {
            rows.append(Row(link: link, metadata: RowMetadata()))
        }
        clearRow()
    }

    private mutating func clearRow() {
        isInRow = false
        cells = []
        rowLinks = []
        cellReference = nil
        lines = [[]]
    }
}

extension [UInt8] {
    /// Appends a text as far as the whole stays within a limit.
    fileprivate mutating func append(_ text: ArraySlice<UInt8>, upTo limit: Int) {
        append(contentsOf: text.prefix(Swift.max(0, limit - count)))
    }
}
