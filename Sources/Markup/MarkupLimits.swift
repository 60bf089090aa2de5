/// What a marked-up document may have at most. A page that has more is an attack or no listing; it is refused, or the
/// part is passed over where that loses nothing.
package struct MarkupLimits: Hashable, Sendable {
    /// Bytes of a document.
    package var documentBytes = 1 << 29
    /// Bytes that are parsed at a time.
    package var blockBytes = 16 << 10
    /// Bytes in a row that bring neither an element nor text: one endless tag or comment, which the parser must hold.
    package var silentBytes = 8 << 20
    /// Elements that are open at once.
    package var depth = 2048
    /// Attributes of an element.
    package var attributes = 512
    /// Bytes of an attribute's value; a longer one is cut and marked.
    package var attributeBytes = 64 << 10
    /// Bytes of the text of one row, cell or link that are kept; the rest says nothing of its file.
    package var textBytes = 4 << 10
    /// Files and listings of a document.
    package var entries = 2_000_000

    /// The limits that real pages never reach.
    package static let standard = MarkupLimits()

    package init() {}
}
