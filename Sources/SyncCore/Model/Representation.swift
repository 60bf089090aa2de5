/// What a URL names now, as the fields of one answer tell it (RFC 9110 §3.2, §8).
public struct Representation: Hashable, Sendable {
    /// The complete length in bytes; nil where the server does not say.
    public var length: Int64?
    /// The entity tag.
    public var entityTag: EntityTag?
    /// The date of the last change; nil where it is missing, unreadable or not believable.
    public var lastModified: HTTPDate?
    /// The content coding, if the answer has one other than identity. Its bytes are not those of the file then.
    public var contentCoding: String?
    /// The media type without its parameters, in lower case.
    public var mediaType: String?

    /// A representation of which some facts are known.
    public init(
        length: Int64? = nil, entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil, contentCoding: String? = nil,
        mediaType: String? = nil
    ) {
        self.length = length
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.contentCoding = contentCoding
        self.mediaType = mediaType
    }

    /// Whether both may be the same representation: nothing that both state differs.
    ///
    /// Entity tags decide where both have one; a weak one only tells that bytes may be the same, which is enough to say
    /// "unchanged" and never enough to join ranges (RFC 9110 §8.8.3.2).
    public func agrees(with other: Representation) -> Bool {
        if let length, let theirs = other.length, length != theirs { return false }
        if contentCoding != other.contentCoding { return false }
        if let entityTag, let theirs = other.entityTag { return entityTag.opaque == theirs.opaque }
        if let lastModified, let theirs = other.lastModified { return lastModified == theirs }
        return true
    }

    /// Whether two answers prove that they are of the same representation: as ``agrees(with:)``, and both carry a
    /// validator of one kind.
    public func isProvenSame(as other: Representation) -> Bool {
        guard agrees(with: other), length == other.length else { return false }
        if entityTag != nil, other.entityTag != nil { return true }
        return lastModified != nil && other.lastModified != nil
    }
}

/// What binds a partial to the one representation that its bytes are from.
public struct Identity: Hashable, Sendable {
    /// The manifest's URL without credentials, fragment and volatile query parts (signatures, tokens, expiry).
    public var resource: String
    /// What the server said when the first byte was fetched.
    public var representation: Representation

    /// The identity of a representation of a resource.
    public init(resource: String, representation: Representation) {
        self.resource = resource
        self.representation = representation
    }
}
