public import SyncCore

/// What a verification found of one file.
public struct Verification: Hashable, Sendable {
    /// How the file stands to what it should be.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// It has the digest that it should have.
        case right
        /// It is another file, or a damaged one.
        case differs
        /// It is not there.
        case missing
        /// Nothing is known that it could be compared with.
        case unverifiable
        /// It could not be read.
        case unreadable
    }

    /// The file's path below the destination.
    public var path: RelativePath
    /// Its first URL, without credentials and signatures.
    public var url: String
    /// How it stands.
    public var verdict: Verdict
    /// Why, in words.
    public var reason: String
    /// How many bytes of it were read.
    public var bytes: Int64 = 0
    /// The digest that it was compared with.
    public var digest: Digest?
    /// The parts that differ, where digests of parts tell them from the others.
    public var badParts: ByteRangeSet?
    /// What is wrong, where something is; nil where it is only to be repaired, since the outcome of that will tell.
    public var failure: Failure?
}
