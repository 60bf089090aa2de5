/// What one download is to bring, and what there is to start from.
package struct DownloadTask: Hashable, Sendable {
    /// What is here already.
    package enum Start: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// Bytes of one representation that was identified when they were fetched.
        case partial(Representation, held: ByteRangeSet)
        /// So many first bytes from another tool, which may or may not be of this representation.
        case adopted(length: Int64)
    }

    /// Where it can be had, best first. Never empty.
    package var urls: [WebURL]
    /// The source's own fields, for the first URL's origin.
    package var headers: [HeaderField]
    /// The exact size that the source promises.
    package var promisedSize: Int64?
    /// What the server said when it was asked before, if it was.
    package var announced: Representation?
    /// What the finished file must match.
    package var digest: Digest?
    /// What is known of the first URL's host.
    package var traits: HostTraits
    package var start: Start

    package init(
        urls: [WebURL], headers: [HeaderField] = [], promisedSize: Int64? = nil, announced: Representation? = nil,
        digest: Digest? = nil, traits: HostTraits = HostTraits(), start: Start = .nothing
    ) {
        self.traits = traits
        self.urls = urls
        self.headers = headers
        self.promisedSize = promisedSize
        self.announced = announced
        self.digest = digest
        self.start = start
    }
}

/// How downloads are done, from the command line.
package struct TransferPolicy: Hashable, Sendable {
    package var segments: SegmentLimit
    /// The most segments of one file, by the limit on one host.
    package var mostSegments: Int
    /// No range shorter than this is split off, in bytes.
    package var minimumSegment: Int64
    /// But of a slow transfer a range as short as this may be.
    package var minimumShare: Int64
    package var retry: RetryPolicy
    /// Whether only servers are good enough that can go on in the middle of a file (`--require-ranges`). Files shorter than
    /// `minimumSegment` are fetched from any.
    package var requiresRanges: Bool

    package init(
        segments: SegmentLimit = .auto, mostSegments: Int = 8, minimumSegment: Int64 = 1 << 20,
        minimumShare: Int64 = 64 << 10,
        retry: RetryPolicy = RetryPolicy(), requiresRanges: Bool = false
    ) {
        self.requiresRanges = requiresRanges
        self.segments = segments
        self.mostSegments = mostSegments
        self.minimumSegment = minimumSegment
        self.minimumShare = min(minimumShare, minimumSegment)
        self.retry = retry
    }
}
