/// What the state remembers of a file that dlsync completed, or proved to be complete.
public struct FileRecord: Hashable, Sendable {
    /// Where it lies.
    public var path: RelativePath
    /// What it is a copy of. The representation's length is the file's size.
    public var identity: Identity
    /// The file's status right after it was put in place: another size, time or inode now means that somebody touched it.
    public var file: LocalFile
    /// The digest that it was verified against, if there was one.
    public var digest: Digest?

    /// A record of a complete file.
    public init(path: RelativePath, identity: Identity, file: LocalFile, digest: Digest? = nil) {
        self.path = path
        self.identity = identity
        self.file = file
        self.digest = digest
    }
}

/// What the state remembers of unfinished data.
public struct PartialRecord: Hashable, Sendable {
    /// The name of the data's file in `.dlsync/partial/`.
    public var id: String
    /// The path that the finished file will have.
    public var path: RelativePath
    /// The one representation that the data is from.
    public var identity: Identity
    /// The byte ranges that were written.
    public var extents: ByteRangeSet
    /// The byte ranges that were also synced: all that counts after a crash of the machine.
    public var syncedExtents: ByteRangeSet

    /// A record of a partial.
    public init(
        id: String, path: RelativePath, identity: Identity, extents: ByteRangeSet,
        syncedExtents: ByteRangeSet = ByteRangeSet()
    ) {
        self.id = id
        self.path = path
        self.identity = identity
        self.extents = extents
        self.syncedExtents = syncedExtents
    }
}
