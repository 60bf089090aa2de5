/// Reads the `tsv` and `csv` formats: tables whose header names the columns. See docs/formats/tsv.md.
package struct TableReader: ManifestReader {
    /// How fields are told apart.
    package enum Style: Hashable, Sendable {
        /// By TABs; a row is a line.
        case tabs
        /// As RFC 4180 has it, by commas, semicolons or TABs, whichever the header has first outside of quotes.
        case commas
    }

    let context: ManifestContext
    /// The most files of one row.
    static let partLimit = 1000

    private let style: Style
    private var decoder: UnicodeDecoder
    private var rows: RowSplitter
    private var problems: ProblemLog
    private var plan: TablePlan?
    /// Whether the header stands in a comment: a better one may follow it.
    private var isTentative = false

    /// A reader for one document.
    package init(_ style: Style, context: ManifestContext) {
        self.style = style
        self.context = context
        decoder = UnicodeDecoder(charset: context.charset)
        rows = style == .tabs ? .tabs : .commas
        problems = ProblemLog(sourceName: context.sourceName)
    }

    package mutating func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        try takeRows(of: decoder.decode(bytes), into: &items)
    }

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        let (rest, isWhole) = decoder.finish()
        try takeRows(of: rest, into: &items)
        guard isWhole, !rows.isInQuotes else {
            throw ManifestError("\(context.sourceName) ends within a quoted field or a character; it was cut short")
        }
        if let row = rows.finish() { try take(row, into: &items) }
    }

    private mutating func takeRows(
        of text: ArraySlice<UInt8>, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        var rest = text
        while let row = rows.next(&rest) { try take(row, into: &items) }
    }

    private mutating func take(_ row: TableRow, into items: inout [ManifestItem]) throws(ManifestError) {
        var row = row
        if style == .tabs { row.fields = row.fields.map(unquoted) }
        guard let plan, !isTentative else {
            if let found = try header(row) {
                isTentative = row.fields.first?.first == UInt8(ascii: "#")
                plan = found
                return
            }
            guard let plan else { return }
            isTentative = false
            try take(row, plan, into: &items)
            return
        }
        try take(row, plan, into: &items)
    }

    private mutating func take(
        _ row: TableRow, _ plan: TablePlan, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        if let fault = row.fault {
            let limit =
                fault == .tooLong
                ? "is longer than 1 MiB; a quote may have no partner" : "has more than \(RowSplitter.fieldLimit) fields"
            try problems.report("the row \(limit)", line: row.line, into: &items)
            return
        }
        if row.fields.allSatisfy({ trimmed($0[...]).isEmpty }) { return }
        // A comment; a row has more fields than one.
        if row.fields.count == 1, plan.width > 1, row.fields[0].first == UInt8(ascii: "#") { return }
        guard row.fields.count <= plan.width || row.fields[plan.width...].allSatisfy(\.isEmpty) else {
            try problems.report(
                "the row has \(row.fields.count) fields and the header \(plan.width); put a field with "
                    + "\(style == .tabs ? "a TAB" : "a separator") in it in quotes", line: row.line, into: &items)
            return
        }
        for group in plan.groups { try take(group, of: row, plan, into: &items) }
    }

    /// The plan of the header; nil for a row in front of it.
    private func header(_ row: TableRow) throws(ManifestError) -> TablePlan? {
        if let fault = row.fault {
            throw ManifestError(
                fault == .tooLong
                    ? "\(context.sourceName) is no table: its first row is longer than 1 MiB"
                    : "\(context.sourceName) has more than \(RowSplitter.fieldLimit) columns")
        }
        guard let first = row.fields.first, !row.fields.allSatisfy({ trimmed($0[...]).isEmpty }) else { return nil }
        // Excel's own line, which names the separator.
        if first.starts(with: "sep=".utf8) { return nil }
        if !row.fields.contains(where: { practicalScheme($0[...]) != nil }), let plan = TablePlan(header: row.fields) {
            return plan
        }
        if plan != nil || first.first == UInt8(ascii: "#") { return nil }
        let names = row.fields.prefix(12).map { quoted($0) }.joined(separator: ", ")
        throw ManifestError(
            "none of the columns of \(context.sourceName) holds addresses or names; call one 'url' or 'path' (there are "
                + "\(names)\(row.fields.count > 12 ? "…" : ""))")
    }
}

// Rows.
extension TableReader {
    private mutating func take(
        _ group: TablePlan.Group, of row: TableRow, _ plan: TablePlan, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let base = group.address == nil ? try requireBase(plan) : context.baseURL
        do throws(RowFault) {
            for entry in try entries(group, Cells(row: row), plan, base) { items.append(.entry(entry)) }
        } catch {
            try problems.report(error.message, line: row.line, into: &items)
        }
    }

    private func requireBase(_ plan: TablePlan) throws(ManifestError) -> WebURL {
        if case .identifiers = plan.kind, context.baseURL == nil {
            throw ManifestError(
                "\(context.sourceName) names files by identifiers, without addresses; say where they begin, as in "
                    + "--base-url https://api.gdc.cancer.gov/data/")
        }
        return try context.requireBase()
    }

    private func entries(
        _ group: TablePlan.Group, _ cells: Cells, _ plan: TablePlan, _ base: WebURL?
    ) throws(RowFault) -> [Entry] {
        guard !cells.row.fields.contains(where: { $0.contains(0) }) else {
            throw RowFault(
                message: "the row holds a NUL byte; save the table as UTF-8, or as UTF-16 with a byte order mark")
        }
        guard group.address != nil else { return try named(group, cells, plan, base) }
        let cell = cells.cell(group.address)
        let addresses = Self.parts(cell, isBare: group.isBare)
        if addresses == [cell] { return [try entry(group, cells, plan, base, addresses[0], part: nil)] }
        guard addresses.count <= Self.partLimit else {
            throw RowFault(message: "the row names more than \(Self.partLimit) files; put them into rows of their own")
        }
        var entries: [Entry] = []
        for (index, address) in addresses.enumerated() where !address.isEmpty {
            entries.append(try entry(group, cells, plan, base, address, part: (index, addresses.count)))
        }
        return entries
    }

    /// The addresses of a cell: several with semicolons between, if each is one by itself.
    private static func parts(_ cell: ArraySlice<UInt8>, isBare: Bool) -> [ArraySlice<UInt8>] {
        guard cell.contains(UInt8(ascii: ";")) else { return cell.isEmpty ? [] : [cell] }
        var parts = cell.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let areAddresses = parts.allSatisfy { $0.isEmpty || isBare || practicalScheme($0) != nil }
        return areAddresses ? parts : [cell]
    }

    private func entry(
        _ group: TablePlan.Group, _ cells: Cells, _ plan: TablePlan, _ base: WebURL?, _ address: ArraySlice<UInt8>,
        part: (index: Int, count: Int)?
    ) throws(RowFault) -> Entry {
        let url = try url(address, isBare: group.isBare, base)
        var path = try self.path(group, cells, url, part)
        if plan.kind == .transferList {
            let host = Array(url.hostAndPort.utf8)
            path = ([host] + url.path.utf8.split(separator: UInt8(ascii: "/")).map(decodedPathSegment))
                .joined(separator: [UInt8(ascii: "/")]).map { $0 }
        }
        var size = try self.size(group, cells, part)
        // Programs that do not know a size write 0 here.
        if plan.kind == .transferList, size == .exact(0) { size = .unknown }
        return Entry(
            urls: [url], suggestedPath: path.map(context.placed), size: size,
            modified: part == nil ? listedDate(whole: cells.cell(group.modified))?.date : nil,
            digests: try digests(group, cells, part),
            origin: EntryOrigin(source: context.sourceName, line: cells.row.line))
    }

    private func url(_ address: ArraySlice<UInt8>, isBare: Bool, _ base: WebURL?) throws(RowFault) -> WebURL {
        var reference = Array(address)
        var scheme = practicalScheme(address)
        // Servers of such columns give the same files by HTTP.
        if isBare, scheme == nil || scheme == "ftp" {
            reference = Array("https://".utf8) + (scheme == nil ? address : address.dropFirst("ftp://".utf8.count))
            scheme = "https"
        }
        guard let scheme else {
            guard let base else {
                throw RowFault(
                    message: "\(quoted(address)) has no scheme; write the whole URL, or say with --base-url where "
                        + "addresses begin")
            }
            // A colon in the first segment would be taken for a scheme's end.
            if schemePrefix(address) != nil { reference = Array("./".utf8) + reference }
            guard let url = base.resolve(bytes: reference[...]), url.scheme == "http" || url.scheme == "https" else {
                throw RowFault(message: "\(quoted(address)) cannot be resolved against \(base.redacted)")
            }
            return url
        }
        guard scheme == "http" || scheme == "https" else {
            throw RowFault(
                message:
                    "'\(scheme):' addresses are not supported, only http and https; give an http or https address of "
                    + "the file or delete the row")
        }
        guard let url = WebURL(bytes: reference[...]) else {
            throw RowFault(message: "\(quoted(address)) is not a valid URL; check its host and port")
        }
        return url
    }
}
