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
    while let row = rows.next(&rest) ?? rows.finish() {
        guard row.fault == nil, let first = row.fields.first else { return false }
        if row.fields.allSatisfy({ trimmed($0[...]).isEmpty }) || first.starts(with: "sep=".utf8) { continue }
        let fields = style == .tabs ? row.fields.map(unquoted) : row.fields
        // A URL is no column's name, and no table has NULs.
        guard !fields.contains(where: { $0.contains(0) || practicalScheme($0[...]) != nil }) else { return false }
        if let plan = TablePlan(header: fields), plan.isDistinct {
            return style == .commas || fields.count > 1 || plan.kind == .transferList
        }
        guard first.first == UInt8(ascii: "#") else { return false }
    }
    return false
}
