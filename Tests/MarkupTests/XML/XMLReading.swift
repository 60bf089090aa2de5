import Markup
import SyncCore
import TestSupport

/// Reads a document in every way of cutting it, by the format that it is recognised as.
func readXML(
    _ bytes: some Sequence<UInt8>, at url: String? = "http://h.example/dir/doc.xml", directory: String = "",
    charset: String? = nil, named name: String? = nil, preferring locations: Set<CountryCode> = []
) throws -> Reading {
    let bytes = Array(bytes)
    var context = ManifestContext(
        sourceName: "doc", baseURL: url.flatMap { WebURL($0) }, charset: charset, directory: Array(directory.utf8))
    context.locations = locations
    let format = try chooseFormat(start: bytes.prefix(4096), context: context, named: name)
    return try ReaderVerifier { [context] in format.makeReader(context) }.read(bytes)
}

func readXML(_ text: String, at url: String? = "http://h.example/dir/doc.xml", directory: String = "") throws -> Reading
{
    try readXML(text.utf8, at: url, directory: directory)
}

extension Reading {
    /// The items, one line each: `path url`, `path/ url`, `next url`, `problem LINE message`.
    var lines: [String] {
        items.map { item in
            switch item {
            case .entry(let entry):
                "\(text(entry.suggestedPath ?? entry.urls[0].lastPathSegment)) "
                    + entry.urls.map(\.string).joined(separator: " ")
            case .listing(let listing): "\(text(listing.path))/ \(listing.url.string)"
            case .nextPage(let url): "next \(url.string)"
            case .problem(let problem): "problem \(problem.origin.line ?? 0) \(problem.message)"
            case .explained(let link): "\(link.kind.rawValue) \(link.reason)"
            }
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
