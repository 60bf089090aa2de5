/// Reads what an XML document of one format says: a state machine on its elements.
///
/// That the document is well-formed, and that its root is one that the format names, is seen to before.
package protocol XMLContentReader {
    /// Whether it wants to know the texts of elements. Without that they are not kept, however long they are.
    var needsText: Bool { get }

    /// An element starts.
    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError)

    /// An element ends whose own text, without that of elements within it, is `text`.
    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError)

    /// The document ends, well-formed and whole.
    ///
    /// - Throws: ``ManifestError`` where it lacks what makes it a listing.
    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError)
}

extension XMLContentReader {
    package var needsText: Bool { true }

    package mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {}

    package mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {}
}

/// Where an element stands.
package struct XMLPlace: Hashable, Sendable {
    /// How deep: the root is 1.
    package var depth: Int
    /// The element around it; empty for the root.
    package var parent: String
    /// The line that its start tag ends on, counted from 1.
    package var line: Int

    package init(depth: Int, parent: String, line: Int) {
        self.depth = depth
        self.parent = parent
        self.line = line
    }
}

/// Follows a document's elements and gathers the text of each, for a reader that only wants to know an element and what
/// it says.
package struct XMLOutline: Sendable {
    /// The most bytes of text that the open elements may have together.
    package static let mostTextBytes = 1 << 20
    /// Blanks beyond this many are indentation.
    private static let mostBlanks = 4096

    private struct Open {
        var name: String
        var line: Int
        /// Where its text starts in ``text``.
        var textStart: Int
        /// Whether its text so far is blank.
        var isBlank = true
    }

    private var open: [Open] = []
    private var text: [UInt8] = []

    package init() {}

    /// Takes the next event and passes it on.
    package mutating func take(
        _ event: XMLEvent, to reader: inout some XMLContentReader, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        switch event {
        case .start(let element):
            // Blanks between elements say nothing, and there may be no end of them.
            if let last = open.last, last.isBlank { text.removeLast(text.count - last.textStart) }
            let place = XMLPlace(depth: open.count + 1, parent: open.last?.name ?? "", line: element.line)
            open.append(Open(name: element.name, line: element.line, textStart: text.count))
            try reader.start(element, at: place, into: &items)
        case .text(let piece):
            guard reader.needsText, let last = open.indices.last else { return }
            if open[last].isBlank { open[last].isBlank = piece.allSatisfy(isXMLBlank) }
            if open[last].isBlank, text.count - open[last].textStart > Self.mostBlanks {
                text.removeLast(text.count - open[last].textStart)
            }
            guard text.count + piece.count <= Self.mostTextBytes else {
                throw ManifestError(
                    "the text of the element '\(open[last].name)' on line \(open[last].line) is longer than "
                        + "\(Self.mostTextBytes) bytes; no manifest needs that")
            }
            text.append(contentsOf: piece)
        case .end:
            guard let last = open.popLast() else { return }
            let place = XMLPlace(depth: open.count + 1, parent: open.last?.name ?? "", line: last.line)
            let own = Array(text[last.textStart...])
            text.removeLast(own.count)
            try reader.end(last.name, text: own[...], at: place, into: &items)
        }
    }
}

/// Whether a byte is white space in XML.
package func isXMLBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

/// A text without the white space at both of its ends.
package func xmlTrimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while let first = text.first, isXMLBlank(first) { text = text.dropFirst() }
    while let last = text.last, isXMLBlank(last) { text = text.dropLast() }
    return text
}
