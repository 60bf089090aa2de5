/// What `stat` says of a regular file below the destination.
public struct LocalFile: Hashable, Sendable {
    /// Its size in bytes.
    public var size: Int64
    /// Its time of last modification, in nanoseconds since 1970.
    public var modifiedNanoseconds: Int64
    /// Its inode number, which tells a file that was replaced from one that was not touched.
    public var inode: UInt64

    /// A file's status.
    public init(size: Int64, modifiedNanoseconds: Int64, inode: UInt64) {
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
        self.inode = inode
    }

    /// The time of last modification in whole seconds, as a server's date has it.
    public var modified: HTTPDate {
        let (seconds, rest) = modifiedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return HTTPDate(secondsSinceEpoch: rest < 0 ? seconds - 1 : seconds)
    }
}

/// What stands under an entry's path.
public enum LocalState: Hashable, Sendable {
    /// Nothing.
    case absent
    /// A regular file.
    case file(LocalFile)
    /// Something that cannot be replaced by a file, or that lies behind something that is no directory; the words
    /// complete "the path …", as in "is a directory" or "leads through a symbolic link".
    case blocked(String)
    /// What is there could not be found out, as the disk refused.
    case unreadable(Failure)
}

extension LocalState {
    /// A directory stands where a file is to be.
    package static let directory = LocalState.blocked("is a directory")
    /// A file stands where one of the path's directories is to be.
    package static let behindFile = LocalState.blocked("leads through a file")

    /// Whether it is something that a run which deletes may take out of the way.
    package var mayGoAway: Bool { self == .directory || self == .behindFile }
}
