/// In which form a host understands `If-Range` (RFC 9110 §13.1.5). Some honour only a date, and some stumble over each.
public enum IfRangeForm: String, CaseIterable, Hashable, Sendable {
    /// A strong entity tag.
    case entityTag = "tag"
    /// The date of the last change.
    case date = "date"
    /// None: a range is asked for without a condition, and the answer's own validators are compared.
    case none = "none"
}

/// What a host makes of ranges and validators.
public struct HostTraits: Hashable, Sendable {
    /// Whether it answered a range with the whole representation.
    public var refusesRanges: Bool
    /// The strongest form of `If-Range` that it understands.
    public var ifRange: IfRangeForm
    /// Whether its entity tags differ from answer to answer though the file is the same, so that they tell nothing.
    public var hasUnsteadyTags: Bool

    /// What is expected of a host of which nothing is known, but for what is named.
    public init(refusesRanges: Bool = false, ifRange: IfRangeForm = .entityTag, hasUnsteadyTags: Bool = false) {
        self.refusesRanges = refusesRanges
        self.ifRange = ifRange
        self.hasUnsteadyTags = hasUnsteadyTags
    }
}

/// What one download shows of its host.
public enum HostFinding: Hashable, Sendable {
    /// It answered a range with the whole representation, though it had not changed.
    case rangesAreRefused
    /// It sent a range that was asked for.
    case rangesAreGiven
    /// It understood `If-Range` only in this form.
    case understandsIfRange(IfRangeForm)
    /// Two answers differed in their entity tags alone.
    case tagsDiffer
}

/// What was learnt of a host, so that the next run need not learn it again.
public struct HostFacts: Hashable, Sendable {
    /// The origin, as in `https://example.org:443`.
    public var origin: String
    /// What it makes of ranges and validators.
    public var traits: HostTraits
    /// When its traits were learnt; old facts are worth little.
    public var traitsLearnt: HTTPDate
    /// How many transfers at once it was found to bear; nil where it never complained.
    public var permits: Int?
    /// When that was learnt.
    public var permitsLearnt: HTTPDate

    /// What is known of a host, and since when.
    public init(origin: String, traits: HostTraits = HostTraits(), permits: Int? = nil, learnt: HTTPDate) {
        self.origin = origin
        self.traits = traits
        self.permits = permits
        traitsLearnt = learnt
        permitsLearnt = learnt
    }
}
