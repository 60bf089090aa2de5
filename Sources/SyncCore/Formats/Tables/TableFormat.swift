extension ManifestFormat {
    /// A table of TABs. Recognised by a header with a column of addresses, or of names beside sizes or digests.
    package static let tsv = ManifestFormat(
        name: "tsv",
        recognises: { start, context in hasTableHeader(start, context, .tabs) },
        makeReader: { context in TableReader(.tabs, context: context) })

    /// A table of commas or semicolons, with quotes. Recognised like ``tsv``.
    package static let csv = ManifestFormat(
        name: "csv",
        recognises: { start, context in hasTableHeader(start, context, .commas) },
        makeReader: { context in TableReader(.commas, context: context) })
}

private func hasTableHeader(_ start: ArraySlice<UInt8>, _ context: ManifestContext, _ style: TableReader.Style) -> Bool
{
    var decoder = UnicodeDecoder(charset: context.charset)
    var rest = (Array(decoder.decode(start)) + decoder.finish().rest)[...]
    var rows = style == .tabs ? RowSplitter.tabs : .commas
    var commentedWidth: Int?
    while let row = rows.next(&rest) ?? rows.finish() {
        guard row.fault == nil, let first = row.fields.first else { return false }
        if row.fields.allSatisfy({ trimmed($0[...]).isEmpty }) || first.starts(with: "sep=".utf8) { continue }
        let fields = style == .tabs ? row.fields.map(unquoted) : row.fields
        // Behind a comment that reads like a header a row tells whether it is one.
        if let commentedWidth, first.first != UInt8(ascii: "#"), fields.count > 1, fields.count == commentedWidth {
            return true
        }
        // A URL is no column's name, and no table has NULs.
        guard !fields.contains(where: { $0.contains(0) || practicalScheme($0[...]) != nil }) else { return false }
        let plan = TablePlan(header: fields).flatMap { $0.isDistinct ? $0 : nil }
        if first.first == UInt8(ascii: "#") {
            if plan != nil { commentedWidth = fields.count }
            continue
        }
        guard let plan else { return false }
        return style == .commas || fields.count > 1 || plan.kind == .transferList
    }
    return false
}
