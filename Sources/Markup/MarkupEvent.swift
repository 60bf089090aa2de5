/// A part of a marked-up document, as a value.
package enum MarkupEvent: Hashable, Sendable {
    /// An element starts; names are in lower case.
    case start(name: String, attributes: [MarkupAttribute])
    /// An element ends, by its tag or because another tag or the document's end closes it.
    case end(name: String)
    /// Text between tags. How a text is divided into events depends on how the document's bytes arrived.
    case text([UInt8])
}

/// An attribute of an element.
package struct MarkupAttribute: Hashable, Sendable {
    /// The name in lower case.
    package var name: String
    /// The value with character references decoded; empty for an attribute without one.
    package var value: [UInt8]
    /// Whether the value was longer than the limit and was cut.
    package var isCut: Bool

    package init(name: String, value: [UInt8], isCut: Bool = false) {
        self.name = name
        self.value = value
        self.isCut = isCut
    }
}

extension [MarkupAttribute] {
    /// The first attribute of a name.
    package subscript(name: String) -> MarkupAttribute? { first { $0.name == name } }
}
