/// What the state remembers of a file that dlsync completed, or proved to be complete.
public struct FileRecord: Hashable, Sendable {
    /// Where it lies.
    public var path: RelativePath
    /// What it is a copy of. The representation's length is the file's size.
    public var identity: Identity
    /// The file's status right after it was put in place: another size, time or inode now means that somebody touched it.
    public var file: LocalFile
    /// The digest that it was verified against, or the one that was computed for the record; nil where there is neither.
    public var digest: Digest?
    /// What its source said of it when it was proven, in the words of ``ListedFacts``; nil where that was too little.
    package var listed: String?
    /// The digests of its blocks, to be written with the record. It is nil in a record that is read: they are many, and
    /// asked for by themselves.
    package var blocks: PieceDigests?

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

/// What the state remembers of an entry that could not be brought up to date.
public struct FailureRecord: Hashable, Sendable {
    /// The entry's path.
    public var path: RelativePath
    /// Its resource, as ``Identity`` has it.
    public var resource: String
    /// What was wrong the last time, as one sentence without its full stop.
    public var message: String
    /// When it failed for the first time since it was last well.
    public var firstDate: HTTPDate
    /// When it failed the last time.
    public var lastDate: HTTPDate
    /// In how many runs it failed since it was last well.
    public var runs: Int64

    /// A record of a failure.
    public init(
        path: RelativePath, resource: String, message: String, firstDate: HTTPDate, lastDate: HTTPDate, runs: Int64
    ) {
        self.path = path
        self.resource = resource
        self.message = message
        self.firstDate = firstDate
        self.lastDate = lastDate
        self.runs = runs
    }
}

/// What the state remembers of a run.
public struct RunRecord: Hashable, Sendable {
    /// Its number, which no other run of the same state has.
    public var number: Int64
    /// When it started.
    public var started: HTTPDate
    /// When it ended; nil for one that still runs or was killed.
    public var ended: HTTPDate?
    /// Its exit status; nil as long as it has not ended.
    public var exitStatus: Int32?

    /// A record of a run.
    public init(number: Int64, started: HTTPDate, ended: HTTPDate? = nil, exitStatus: Int32? = nil) {
        self.number = number
        self.started = started
        self.ended = ended
        self.exitStatus = exitStatus
    }
}

/// What the state remembers of a source.
public struct SourceRecord: Hashable, Sendable {
    /// What tells it from others: a URL without its volatile parts, a file's full path, or `-`.
    public var name: String
    /// How many files it named when it was read last.
    public var files: Int64
    /// When the last run began that had it; nil for more than a hundred runs ago.
    public var lastRead: HTTPDate?

    /// A record of a source.
    public init(name: String, files: Int64, lastRead: HTTPDate?) {
        self.name = name
        self.files = files
        self.lastRead = lastRead
    }

    /// The name as it is shown, without credentials and signatures.
    public var shownName: String { WebURL(name)?.redacted ?? name }
}
