public import SyncCore

/// What became of one entry.
public struct Outcome: Hashable, Sendable {
    /// How it ended.
    public enum Status: String, Hashable, Sendable {
        /// The file is here and right.
        case done
        /// It is not, for a reason.
        case failed
        /// Nothing was to be done, or nothing could be, and what is here stays.
        case kept
    }

    /// The file's path below the destination.
    public var path: RelativePath
    /// Its first URL, without credentials and signatures.
    public var url: String
    /// What was done, or was to be done.
    public var action: Action
    /// How it ended.
    public var status: Status
    /// Why the action was taken, or why it failed.
    public var reason: String
    /// Body bytes that were received for it.
    public var bytes: Int64 = 0
    /// Requests that were made for it.
    public var requests = 0
    /// The time from its first request to its end.
    public var duration: Duration = .zero
    /// The size of the finished file.
    public var size: Int64?
    /// The digest that it was verified against.
    public var digest: Digest?
    /// Why it failed.
    public var failure: Failure?
    /// Whether it is gone for good: the server has it no more, and its listing, looked at once more, does not name it.
    public var isGone = false
    /// What the source says of it; of what failed only.
    public var entry: Entry?
    /// When it failed for the first time since it was last well; nil if it did not fail.
    public var failingSince: HTTPDate?
    /// In how many runs it failed since it was last well, this one included.
    public var failedRuns: Int64 = 0
}

/// One line of a plan.
public struct PlannedEntry: Hashable, Sendable {
    /// What is known of the entry.
    public var facts: EntryFacts
    /// What is to be done, and why.
    public var decision: Decision
}
