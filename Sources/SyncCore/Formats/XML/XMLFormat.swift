/// What a kind of XML document is known by, and how it is read.
package struct XMLFormat: Sendable {
    /// The name that `--format` takes.
    package var name: String
    /// What its root is called, for a message, as in "a Metalink document (metalink)".
    package var rootDescription: String
    /// Whether a document of this root is of the format.
    package var accepts: @Sendable (_ root: XMLElement) -> Bool
    /// Whether its servers write names' bytes as they are: what is not UTF-8 comes to the reader unchanged, where a
    /// strict reading would refuse the document.
    package var hasRawNames = false
    /// A reader for one document.
    package var makeReader: @Sendable (_ context: ManifestContext) -> any XMLContentReader

    package init(
        name: String, rootDescription: String, hasRawNames: Bool = false,
        accepts: @escaping @Sendable (_ root: XMLElement) -> Bool,
        makeReader: @escaping @Sendable (_ context: ManifestContext) -> any XMLContentReader
    ) {
        self.name = name
        self.rootDescription = rootDescription
        self.hasRawNames = hasRawNames
        self.accepts = accepts
        self.makeReader = makeReader
    }
}
