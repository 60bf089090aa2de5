package import SyncCore

/// Reads an XML document of one format: its bytes become elements, and these the format's items.
package final class XMLManifestReader: ManifestReader {
    private let context: ManifestContext
    private let format: XMLFormat
    private let limits: XMLLimits
    private let tokenizer: XMLTokenizer
    private var outline = XMLOutline()
    private var content: any XMLContentReader
    private var hasRoot = false
    private var itemCount = 0

    /// A reader for one document.
    package init(_ format: XMLFormat, context: ManifestContext, limits: XMLLimits = .standard) {
        self.format = format
        self.context = context
        self.limits = limits
        tokenizer = XMLTokenizer(
            sourceName: context.sourceName, charset: context.charset, hasRawNames: format.hasRawNames, limits: limits)
        content = format.makeReader(context)
    }

    package func read(_ bytes: ArraySlice<UInt8>, into items: inout [ManifestItem]) throws(ManifestError) {
        var found: [ManifestItem] = []
        defer { items += found }
        try tokenizer.read(bytes) { event throws(ManifestError) in try take(event, into: &found) }
        try count(found)
    }

    package func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        var found: [ManifestItem] = []
        defer { items += found }
        try tokenizer.finish { event throws(ManifestError) in try take(event, into: &found) }
        try content.finish(into: &found)
        try count(found)
    }

    private func take(_ event: XMLEvent, into items: inout [ManifestItem]) throws(ManifestError) {
        if !hasRoot, case .start(let root) = event {
            hasRoot = true
            guard format.accepts(root) else { throw refusal(root) }
        }
        try take(event, to: &content, into: &items)
    }

    private func take<Content: XMLContentReader>(
        _ event: XMLEvent, to content: inout Content, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        try outline.take(event, to: &content, into: &items)
    }

    private func count(_ found: [ManifestItem]) throws(ManifestError) {
        itemCount += found.count
        guard itemCount <= limits.entries else {
            throw ManifestError("\(context.sourceName) names more than \(limits.entries) files")
        }
    }

    private func refusal(_ root: XMLElement) -> ManifestError {
        if asciiLowercase(root.name.utf8).elementsEqual("html".utf8) {
            return ManifestError(
                "\(context.sourceName) is a web page, such as a login or an error, where \(format.rootDescription) was "
                    + "expected")
        }
        return ManifestError(
            "\(context.sourceName) is not \(format.rootDescription): its root element is \(quoted(root.name.utf8))")
    }
}

extension ManifestFormat {
    /// The row of an XML format: recognised by its root element and the root's namespace.
    init(_ format: XMLFormat) {
        self.init(
            name: format.name,
            recognises: { start, context in
                XMLPrologue.root(of: start, charset: context.charset).map(format.accepts) ?? false
            },
            makeReader: { context in XMLManifestReader(format, context: context) })
    }
}
