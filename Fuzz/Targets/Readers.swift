import Markup
import SyncCore
import TestSupport

extension FuzzTarget {
    /// A target for each format, of the format's name.
    static let readers: [FuzzTarget] = manifestFormats.map { format in
        FuzzTarget(format.name) { bytes in
            // Bytes of one length meet one context, so that small changes of a document are seen by the same reader.
            let context = contexts[bytes.count % contexts.count]
            return readingFault(bytes, context: context) { format.makeReader(context) }
        }
    }

    /// The choice of a format by a document's first bytes.
    static let recognition = FuzzTarget("recognition") { bytes in
        let context = contexts[bytes.count % contexts.count]
        let start = bytes.prefix(4096)
        let fits = manifestFormats.first { $0.recognises(start, context) }
        let chosen = try? chooseFormat(start: start, context: context)
        return fits?.name == chosen?.name ? nil : "a second look at the same bytes chose another format"
    }
}

/// What a document may come with.
private let contexts: [ManifestContext] = [
    ManifestContext(sourceName: "fuzz", baseURL: WebURL("http://example.org/pub/dir/index")),
    ManifestContext(sourceName: "fuzz"),
    ManifestContext(
        sourceName: "fuzz", baseURL: WebURL("https://user:word@example.org:8443/a%20b/?prefix=x"), charset: "utf-8",
        directory: Array("below/it".utf8)),
    ManifestContext(sourceName: "fuzz", baseURL: WebURL("http://example.org/"), charset: "iso-8859-1"),
]

/// Reads a document whole and in pieces, which must be the same, and looks at what it gives.
private func readingFault(
    _ bytes: [UInt8], context: ManifestContext, _ makeReader: @escaping () -> any ManifestReader
) -> String? {
    let verifier = ReaderVerifier(makeReader)
    let whole = verifier.read(pieces: [bytes[...]])
    let cut = verifier.read(pieces: randomPieces(of: bytes))
    if cut.items != whole.items {
        let index = zip(whole.items, cut.items).enumerated().first { $1.0 != $1.1 }?.offset
        let place = index.map { "\(whole.items[$0]) and \(cut.items[$0])" } ?? "their number"
        return "in pieces it gives other items, \(whole.items.count) and \(cut.items.count): \(place)"
    }
    if cut.error != whole.error {
        return "in pieces it ends otherwise: \(String(describing: whole.error)), \(String(describing: cut.error))"
    }
    if let message = whole.error?.message, let fault = messageFault(message) { return fault }
    for item in whole.items {
        if let fault = itemFault(item) { return "\(fault): \(item)" }
    }
    return nil
}

private func itemFault(_ item: ManifestItem) -> String? {
    switch item {
    case .entry(let entry): entryFault(entry)
    case .listing(let listing): urlFault(listing.url)
    case .nextPage(let url): urlFault(url)
    case .problem(let problem): messageFault(problem.message)
    case .explained(let link): messageFault(link.reason)
    }
}

private func entryFault(_ entry: Entry) -> String? {
    if entry.urls.isEmpty { return "a file that is nowhere" }
    if let fault = entry.urls.lazy.compactMap(urlFault).first { return fault }
    switch entry.size {
    case .exact(let size), .claimed(let size): if size < 0 { return "a negative size" }
    case .within(let range): if range.lowerBound < 0 { return "a negative size" }
    case .unknown: break
    }
    // What would end a field's line would begin another field, of the document's choice.
    let fieldBytes = entry.headers.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
    if fieldBytes.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) { return "a field with a line end in it" }
    for layout in Placement.Layout.allCases {
        guard let path = try? Placement(layout: layout, directoriesToCut: entry.urls.count % 3).path(of: entry) else {
            continue
        }
        let components = path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let leaves = components.contains { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        if leaves || path.bytes.contains(0) { return "a path that leaves the destination" }
    }
    return nil
}

private func messageFault(_ message: String) -> String? {
    if message.isEmpty { return "an empty message" }
    return message.utf8.count > 8192 ? "a message of \(message.utf8.count) bytes: \(message.prefix(200))" : nil
}
