import CLibXML2
package import SyncCore

/// Reads XML however its bytes are cut, by libxml2's push parser, and gives plain values: no pointer of libxml2 leaves.
///
/// The document must be well-formed from its start to its end. No DTD is loaded, no entity may be declared, and nothing
/// is read but the bytes that are given: neither a file nor the network.
package final class XMLTokenizer {
    private let sourceName: String
    private let charset: String?
    private let hasRawNames: Bool
    private let limits: XMLLimits
    /// Carries bytes through that are not UTF-8, where that is wanted and the document names no encoding.
    private var escape: ByteEscape?
    private var parser: xmlParserCtxtPtr?
    /// The bytes that wait for their block to be full, so that nothing depends on how they arrived.
    private var block: [UInt8] = []
    private var hasStarted = false
    private var byteCount = 0
    private var silentByteCount = 0
    private var depth = 0
    private var hasRoot = false
    private var names = XMLNames()
    private var events: [XMLEvent] = []
    private var failure: ManifestError?
    /// The first thing that made the document not well-formed.
    private var fault: (line: Int, message: String)?

    /// A tokenizer for one document. The charset that a server names counts only where the document names none, and not
    /// where names are raw: bytes that are not UTF-8 are given back unchanged then.
    package init(
        sourceName: String, charset: String? = nil, hasRawNames: Bool = false, limits: XMLLimits = .standard
    ) {
        self.hasRawNames = hasRawNames
        self.sourceName = sourceName
        self.charset = charset
        self.limits = limits
    }

    deinit {
        // A declared entity makes the parser begin a document, which is not its own to free.
        if let document = parser?.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(parser)
    }

    /// Takes the next bytes and hands over what they complete.
    ///
    /// - Throws: ``ManifestError`` where the document is not well-formed or breaks a limit, and what `body` throws. The
    ///   tokenizer is not used again then.
    package func read(
        _ bytes: ArraySlice<UInt8>, _ body: (XMLEvent) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        var bytes = bytes
        while !bytes.isEmpty {
            let piece = bytes.prefix(limits.blockBytes - block.count)
            block.append(contentsOf: piece)
            bytes = bytes[piece.endIndex...]
            if block.count >= limits.blockBytes { try parseBlock(body) }
        }
    }

    /// Ends the document and hands over what was still open.
    ///
    /// - Throws: ``ManifestError`` where it was cut short.
    package func finish(_ body: (XMLEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        try parseBlock(body)
        if let rest = escape?.finish(), !rest.isEmpty { try feed(rest, body) }
        guard let parser else { throw ManifestError("\(sourceName) is empty") }
        let line = Int(xmlSAX2GetLineNumber(parser))
        xmlParseChunk(parser, nil, 0, 1)
        // What the parser misses at the end is the end. It may have made a whole tag of half a one.
        if fault != nil || depth != 0, failure == nil {
            guard hasRoot else { throw noElement }
            throw ManifestError("\(sourceName) was cut short on line \(line): its end is missing; try again")
        }
        try handOver(body)
        guard hasRoot else { throw noElement }
    }

    private var noElement: ManifestError {
        ManifestError("\(sourceName) holds no whole element, so it is cut short or no XML document")
    }

    private func parseBlock(_ body: (XMLEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        var text = block[...]
        // Blanks before the declaration are a slip of servers' templates that XML does not allow.
        if !hasStarted { text = text.drop(while: isXMLBlank) }
        if !text.isEmpty {
            if !hasStarted, hasRawNames, XMLPrologue.namesNoEncoding(text) { escape = ByteEscape() }
            hasStarted = true
            byteCount += text.count
            guard byteCount <= limits.documentBytes else {
                throw ManifestError("\(sourceName) is larger than \(limits.documentBytes) bytes")
            }
            if let escaped = escape?.escape(text) { text = escaped }
            if !text.isEmpty { try feed(text, body) }
        }
        block.removeAll(keepingCapacity: true)
    }

    private func feed(
        _ text: ArraySlice<UInt8>, _ body: (XMLEvent) throws(ManifestError) -> Void
    ) throws(ManifestError) {
        let parser = try openParser(start: text)
        silentByteCount += text.count
        text.withUnsafeBytes { bytes in
            _ = xmlParseChunk(
                parser, bytes.assumingMemoryBound(to: CChar.self).baseAddress, CInt(clamping: bytes.count), 0)
        }
        try handOver(body)
        if let fault {
            throw ManifestError("\(sourceName) is not well-formed XML on line \(fault.line): \(fault.message)")
        }
        // The parser holds a tag until it is whole, and compares each attribute of it with all others. A CDATA section,
        // which may be the text of an article, it holds as well.
        let most = parser.pointee.instate == XML_PARSER_CDATA_SECTION ? limits.sectionBytes : limits.silentBytes
        guard silentByteCount <= most else {
            throw ManifestError("\(sourceName) holds a tag, section, comment or declaration of more than \(most) bytes")
        }
    }

    private func handOver(_ body: (XMLEvent) throws(ManifestError) -> Void) throws(ManifestError) {
        let found = events
        events.removeAll(keepingCapacity: true)
        for event in found { try body(event) }
        if let failure { throw failure }
    }

    private func openParser(start: ArraySlice<UInt8>) throws(ManifestError) -> xmlParserCtxtPtr {
        if let parser { return parser }
        _ = initializeLibXML2
        var callbacks = Self.callbacks()
        // The parser copies the table. The tokenizer outlives the parser, which it owns, so it is not retained.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard let parser = xmlCreatePushParserCtxt(&callbacks, owner, nil, 0, nil) else {
            throw ManifestError("there is no memory to read \(sourceName)")
        }
        self.parser = parser
        xmlCtxtUseOptions(parser, CInt(bitPattern: XML_PARSE_NONET.rawValue))
        if let charset, !hasRawNames, XMLPrologue.namesNoEncoding(start),
            let handler = xmlFindCharEncodingHandler(charset)
        {
            xmlSwitchToEncoding(parser, handler)
        }
        return parser
    }
}

// What the parser calls.
extension XMLTokenizer {
    /// A table that is empty but for what is wanted, so that the parser builds no tree, knows no entities but XML's own
    /// five, and has no way to load any. `error` and `warning` stay empty: they are variadic and write to standard
    /// error.
    private static func callbacks() -> xmlSAXHandler {
        var table = xmlSAXHandler()
        table.initialized = XML_SAX2_MAGIC
        table.startElementNs = { context, name, _, uri, _, _, count, _, attributes in
            XMLTokenizer.of(context)?.startElement(name, uri, Int(count), attributes)
        }
        table.endElementNs = { context, _, _, _ in XMLTokenizer.of(context)?.endElement() }
        table.characters = { context, text, count in XMLTokenizer.of(context)?.text(text, count) }
        table.ignorableWhitespace = { context, text, count in XMLTokenizer.of(context)?.text(text, count) }
        // What the parser gives of a section is little of what it holds.
        table.cdataBlock = { context, text, count in XMLTokenizer.of(context)?.keep(text, count) }
        table.comment = { context, _ in XMLTokenizer.of(context)?.silentByteCount = 0 }
        table.processingInstruction = { context, _, _ in XMLTokenizer.of(context)?.silentByteCount = 0 }
        table.entityDecl = { context, _, _, _, _, _ in XMLTokenizer.of(context)?.refuseEntity() }
        table.unparsedEntityDecl = { context, _, _, _, _ in XMLTokenizer.of(context)?.refuseEntity() }
        table.serror = { context, error in XMLTokenizer.of(context)?.note(error) }
        return table
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLTokenizer? {
        context.map { Unmanaged<XMLTokenizer>.fromOpaque($0).takeUnretainedValue() }
    }

    private var line: Int { parser.map { Int(xmlSAX2GetLineNumber($0)) } ?? 1 }

    private func startElement(
        _ name: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?, _ count: Int,
        _ fields: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil, let name else { return }
        silentByteCount = 0
        depth += 1
        guard depth <= limits.depth else {
            return stop("has more than \(limits.depth) elements within each other on line \(line)")
        }
        guard count <= limits.attributes else {
            return stop("has an element with more than \(limits.attributes) attributes on line \(line)")
        }
        let resolved = names.element(name, uri)
        hasRoot = true
        var attributes: [XMLAttribute] = []
        attributes.reserveCapacity(count)
        // Five pointers each: local name, prefix, namespace, start and end of the value.
        for index in 0..<count {
            guard let fields, let name = fields[5 * index], let start = fields[5 * index + 3],
                let end = fields[5 * index + 4]
            else { continue }
            let value = UnsafeBufferPointer(start: start, count: end - start)
            guard value.count <= limits.attributeBytes else {
                return stop("has an attribute of more than \(limits.attributeBytes) bytes on line \(line)")
            }
            attributes.append(
                XMLAttribute(name: names.attribute(name, fields[5 * index + 2]), value: decoded(value)))
        }
        events.append(
            .start(
                XMLElement(name: resolved.name, namespace: resolved.namespace, attributes: attributes, line: line)))
    }

    /// An attribute's value. The parser leaves each `&` in it as `&#38;`, for a second pass that a tree would get.
    private func decoded(_ value: UnsafeBufferPointer<xmlChar>) -> [UInt8] {
        guard value.contains(UInt8(ascii: "&")) else { return bytes(value) }
        let escape = Array("&#38;".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        var index = 0
        while index < value.count {
            bytes.append(value[index])
            let isEscape = value[index] == escape[0] && value.dropFirst(index).starts(with: escape)
            index += isEscape ? escape.count : 1
        }
        return bytes
    }

    private func endElement() {
        guard failure == nil else { return }
        silentByteCount = 0
        depth -= 1
        events.append(.end)
    }

    private func text(_ text: UnsafePointer<xmlChar>?, _ count: CInt) {
        silentByteCount = 0
        keep(text, count)
    }

    private func keep(_ text: UnsafePointer<xmlChar>?, _ count: CInt) {
        guard failure == nil, let text, count > 0 else { return }
        events.append(.text(bytes(UnsafeBufferPointer(start: text, count: Int(count)))))
    }

    private func bytes(_ text: UnsafeBufferPointer<xmlChar>) -> [UInt8] {
        escape == nil ? Array(text) : ByteEscape.restore(text)
    }

    private func refuseEntity() {
        stop("declares entities of its own on line \(line), which manifests do not need and attacks do; it is refused")
    }

    private func stop(_ what: String) {
        if failure == nil { failure = ManifestError("\(sourceName) \(what)") }
        if let parser { xmlStopParser(parser) }
    }

    /// Keeps the first report of what is not well-formed; the parser says the rest of it many times.
    private func note(_ error: UnsafeMutablePointer<xmlError>?) {
        guard let error = error?.pointee, error.level == XML_ERR_FATAL, fault == nil, failure == nil else { return }
        let message = error.message.map { String(cString: $0) } ?? ""
        fault = (Int(error.line), plainText(xmlTrimmed(Array(message.utf8)[...])))
    }
}
