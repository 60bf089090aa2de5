/// What an XML document may have at most. One that has more is an attack or no manifest, and is refused.
package struct XMLLimits: Hashable, Sendable {
    /// Bytes of a document.
    package var documentBytes = 1 << 30
    /// Bytes that are parsed at a time.
    package var blockBytes = 16 << 10
    /// Bytes in a row that bring neither an element nor text: one endless tag, comment or declaration. The parser holds
    /// a tag in memory, and its time grows with the square of a tag's attributes.
    package var silentBytes = 128 << 10
    /// Bytes of a CDATA section.
    package var sectionBytes = 8 << 20
    /// Elements that are open at once.
    package var depth = 256
    /// Attributes of an element.
    package var attributes = 256
    /// Bytes of an attribute's value.
    package var attributeBytes = 64 << 10
    /// Files and listings of a document.
    package var entries = 2_000_000

    /// The limits that real documents never reach.
    package static let standard = XMLLimits()

    package init() {}
}
