package import SyncCore

/// The formats that are read, in the order in which a document is tried. One more format is one more line.
package let manifestFormats: [ManifestFormat] = [
    .html,
    ManifestFormat(.gcs),
    ManifestFormat(.s3),
    ManifestFormat(.azure),
    ManifestFormat(.metalink),
    ManifestFormat(.sitemap),
    ManifestFormat(.feed),
    ManifestFormat(.repomd),
    ManifestFormat(.webdav),
    ManifestFormat(.thredds),
    ManifestFormat(.autoindexXML),
    ManifestFormat(.maven),
    .autoindexJSON,
    .debian,
    .checksums,
    .bagItFetch,
    .tsv,
    .csv,
    .list,
]

/// Finds the format of a document.
///
/// - Parameters:
///   - start: The document's first bytes, up to 4 KiB; all of a shorter one.
///   - context: What is known of the document besides.
///   - name: The format that the user names with `--format`; nil to recognise it by content.
/// - Throws: ``ManifestError`` if no format has that name, or none fits.
package func chooseFormat(
    start: ArraySlice<UInt8>, context: ManifestContext, named name: String? = nil
) throws(ManifestError) -> ManifestFormat {
    let known = manifestFormats.map(\.name).joined(separator: ", ")
    if let name {
        guard let format = manifestFormats.first(where: { $0.name == name }) else {
            throw ManifestError("there is no format '\(name)'; --format takes one of: \(known)")
        }
        return format
    }
    if let format = manifestFormats.first(where: { $0.recognises(start, context) }) { return format }
    let root = XMLPrologue.root(of: start, charset: context.charset)
    let content = root.map { "is XML whose root element is \(quoted($0.name.utf8))" } ?? describeContent(start)
    throw ManifestError(
        "\(context.sourceName) \(content) and is no manifest that can be recognised; if it is one, name "
            + "its format with --format (\(known))")
}
