/// A part of an XML document, as a value.
package enum XMLEvent: Hashable, Sendable {
    /// An element starts.
    case start(XMLElement)
    /// Text within the open element, references decoded. How a text is divided into events depends on how the document's
    /// bytes arrived.
    case text([UInt8])
    /// The open element ends.
    case end
}

/// The start of an element.
package struct XMLElement: Hashable, Sendable {
    /// The local name. Where the namespace is not that of the document's root, it stands in front in braces, as in
    /// `{http://www.w3.org/1999/xlink}href`, so that no reader takes an extension's element for its own. Prefixes never
    /// count.
    package var name: String
    /// The namespace's URI; empty where there is none.
    package var namespace: String
    /// The attributes. Their names are plain without a prefix, and have their namespace in braces with one.
    package var attributes: [XMLAttribute]
    /// The line that the start tag ends on, counted from 1.
    package var line: Int

    package init(name: String, namespace: String = "", attributes: [XMLAttribute] = [], line: Int = 1) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.line = line
    }

    /// The value of the attribute of a name.
    package subscript(attribute name: String) -> [UInt8]? { attributes.first { $0.name == name }?.value }
}

/// An attribute of an element.
package struct XMLAttribute: Hashable, Sendable {
    package var name: String
    /// The value with references decoded, as UTF-8.
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}
