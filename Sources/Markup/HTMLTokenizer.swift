import CLibXML2
package import SyncCore

/// Reads HTML however its bytes are cut, by libxml2's push parser, and gives plain values: no pointer of libxml2 leaves.
///
/// The parser repairs what is wrong (`HTML_PARSE_RECOVER`), reads nothing but the bytes that it is given, and says
/// nothing on standard error.
package final class HTMLTokenizer {
    /// Whether the document ended as it should: a page that opens `<html>` closes it, and none ends within a tag.
    ///
    /// The HTML standard lets `</html>` be left out, but the servers that make index pages write it, and without it a
    /// page that was cut short cannot be told from a whole one.
    package var isWhole: Bool { ends.isWhole && (!decoded || endedWithCharacter) }

    private let limits: MarkupLimits
    private var parser: htmlParserCtxtPtr?
    private var decoder: UnicodeDecoder
    private var escape = ByteEscape()
    private var wholeTags = WholeTags()
    /// The bytes that wait for their block to be full.
    private var block: [UInt8] = []
    private var ends = DocumentEnds()
    private var decoded = false
    private var endedWithCharacter = true
    /// What the parser found in the bytes that it was given last.
    private var events: [MarkupEvent] = []
    private var failure: ManifestError?
    private var byteCount = 0
    private var silentByteCount = 0
    private var depth = 0

    /// A tokenizer for one document; `charset` is the one that the server names, in lower case.
    package init(charset: String? = nil, limits: MarkupLimits = .standard) {
        self.limits = limits
        decoder = UnicodeDecoder(charset: charset)
    }

    deinit { htmlFreeParserCtxt(parser) }

    /// Takes the next bytes and hands over what they complete.
    ///
    /// - Throws: ``ManifestError`` where the document breaks a limit, and what `body` throws. The tokenizer is not used
    ///   again then.
    package func read(
        _ bytes: ArraySlice<UInt8>, _ body: (MarkupEvent) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        try parse(decoder.decode(bytes), isLast: false, body)
    }

    /// Ends the document and hands over what was still open.
    package func finish(_ body: (MarkupEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        let (rest, isWhole) = decoder.finish()
        decoded = true
        endedWithCharacter = isWhole
        try parse(rest, isLast: true, body)
    }

    /// Hands the text on in blocks that begin and end at the same places however it arrived, so that nothing of the
    /// parser depends on the cuts.
    private func parse(
        _ text: ArraySlice<UInt8>, isLast: Bool, _ body: (MarkupEvent) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        var text = text
        while !text.isEmpty {
            let piece = text.prefix(limits.blockBytes - block.count)
            block.append(contentsOf: piece)
            text = text[piece.endIndex...]
            guard block.count >= limits.blockBytes else { return }
            try parseBlock(body)
        }
        guard isLast else { return }
        try parseBlock(body)
        try feed(wholeTags.take(escape.finish()), body)
        try feed(wholeTags.finish(), body)
        guard let parser else { return }
        htmlParseChunk(parser, nil, 0, 1)
        try handOver(body)
    }

    private func parseBlock(_ body: (MarkupEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        byteCount += block.count
        guard byteCount <= limits.documentBytes else {
            throw ManifestError("the page is larger than \(limits.documentBytes) bytes; no index page is")
        }
        ends.look(at: block[...])
        try feed(wholeTags.take(escape.escape(block[...])), body)
        block.removeAll(keepingCapacity: true)
    }

    private func feed(
        _ text: ArraySlice<UInt8>, _ body: (MarkupEvent) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        guard !text.isEmpty else { return }
        let parser = try openParser()
        silentByteCount += text.count
        text.withUnsafeBytes { bytes in
            _ = htmlParseChunk(
                parser, bytes.assumingMemoryBound(to: CChar.self).baseAddress, CInt(clamping: bytes.count), 0)
        }
        try handOver(body)
        guard silentByteCount <= limits.silentBytes else {
            throw ManifestError("the page holds a tag, text or comment of more than \(limits.silentBytes) bytes")
        }
    }

    private func handOver(_ body: (MarkupEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        let found = events
        events.removeAll(keepingCapacity: true)
        for event in found { try body(event) }
        if let failure { throw failure }
    }

    private func openParser() throws(ManifestError) -> htmlParserCtxtPtr {
        if let parser { return parser }
        _ = initializeLibXML2
        var callbacks = Self.callbacks()
        // The parser copies the table. The tokenizer outlives the parser, which it owns, so it is not retained.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard let parser = htmlCreatePushParserCtxt(&callbacks, owner, nil, 0, nil, XML_CHAR_ENCODING_UTF8) else {
            throw ManifestError("there is no memory to read the page")
        }
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
            | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        htmlCtxtUseOptions(parser, CInt(bitPattern: options))
        self.parser = parser
        return parser
    }
}

// What the parser calls.
extension HTMLTokenizer {
    /// A table that is empty but for what is wanted, so that the parser builds no tree. `error` and `warning` stay
    /// empty: they are variadic and write to standard error. `serror` takes all reports and drops them.
    private static func callbacks() -> htmlSAXHandler {
        var table = htmlSAXHandler()
        table.initialized = XML_SAX2_MAGIC
        table.startElement = { context, name, attributes in
            HTMLTokenizer.of(context)?.startElement(name, attributes)
        }
        table.endElement = { context, name in HTMLTokenizer.of(context)?.endElement(name) }
        table.characters = { context, text, count in HTMLTokenizer.of(context)?.text(text, count) }
        table.ignorableWhitespace = { context, text, count in HTMLTokenizer.of(context)?.text(text, count) }
        // Scripts and styles. Without this they would come as text.
        table.cdataBlock = { context, _, _ in HTMLTokenizer.of(context)?.silentByteCount = 0 }
        table.serror = { _, _ in }
        return table
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTMLTokenizer? {
        context.map { Unmanaged<HTMLTokenizer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func startElement(
        _ name: UnsafePointer<xmlChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil, let name else { return }
        silentByteCount = 0
        depth += 1
        guard depth <= limits.depth else {
            failure = ManifestError("the page has more than \(limits.depth) elements within each other")
            return
        }
        var attributes: [MarkupAttribute] = []
        // Name and value alternate; a null name ends them.
        var pair = pairs
        while let current = pair, let attributeName = current[0] {
            guard attributes.count < limits.attributes else {
                failure = ManifestError("the page has an element with more than \(limits.attributes) attributes")
                return
            }
            let (value, isCut) = self.value(of: current[1])
            attributes.append(
                MarkupAttribute(name: String(cString: attributeName).lowercased(), value: value, isCut: isCut))
            pair = current + 2
        }
        events.append(.start(name: String(cString: name), attributes: attributes))
    }

    private func value(of text: UnsafePointer<xmlChar>?) -> (bytes: [UInt8], isCut: Bool) {
        guard let text else { return ([], false) }
        let count = Int(xmlStrlen(text))
        let kept = min(count, limits.attributeBytes)
        return (ByteEscape.restore(UnsafeBufferPointer(start: text, count: kept)), kept < count)
    }

    private func endElement(_ name: UnsafePointer<xmlChar>?) {
        guard failure == nil, let name else { return }
        silentByteCount = 0
        depth -= 1
        events.append(.end(name: String(cString: name)))
    }

    private func text(_ text: UnsafePointer<xmlChar>?, _ count: CInt) {
        guard failure == nil, let text, count > 0 else { return }
        silentByteCount = 0
        events.append(.text(ByteEscape.restore(UnsafeBufferPointer(start: text, count: Int(count)))))
    }
}

/// Runs libxml2's own set-up once, whichever thread comes first (https://gnome.pages.gitlab.gnome.org/libxml2/html/).
let initializeLibXML2: Void = xmlInitParser()

/// Keeps a tag back until it is whole: libxml2's parser takes a `</script` or `</style` that is cut within its name for
/// text, and the rest of the page with it.
private struct WholeTags {
    /// The start of a tag whose end has not arrived yet.
    private var held: [UInt8] = []
    /// A tag longer than this is handed on as it comes: it is not the end of a script.
    private static let limit = 64 << 10

    mutating func take(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = text.lastIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) else {
            if held.isEmpty { return text }
            held.append(contentsOf: text)
            return held.count > Self.limit ? finish() : []
        }
        // Text goes on as far as the tag that is open at its end, if there is one.
        let end = text[last] == UInt8(ascii: "<") ? last : text.endIndex
        let complete = held.isEmpty ? text[..<end] : held[...] + text[..<end]
        held = Array(text[end...])
        return complete
    }

    mutating func finish() -> ArraySlice<UInt8> {
        defer { held = [] }
        return held[...]
    }
}
