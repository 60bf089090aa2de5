/// One download from its first request to its last byte: decides what is asked, what an answer means, and when all is
/// here.
///
/// A pure value. The loop tells it what happens and does what it answers; `demand` says how many more transfers it has
/// use for. The first transfer goes alone (it *leads*): what its answer says of the representation is what all later
/// answers are held against, before a byte of theirs is written.
///
/// It has one owner and is never copied: it is large, and asked many times a file.
package struct DownloadMachine: ~Copyable, Sendable {
    /// What the loop is to do, in order.
    package enum Action: Hashable, Sendable {
        /// Make the partial ready for so many bytes (nil: nobody knows how many).
        case openPartial(length: Int64?)
        /// Forget every byte of the partial.
        case discardPartial
        /// End a transfer. No end of it is reported to the machine.
        case cancel(TransferID)
        /// Let a running transfer write up to another offset.
        case limit(TransferID, Int64)
        /// Fire the timer after a while.
        case wait(Duration)
        /// All bytes are here: verify and publish. The representation is the one that they are of.
        case complete(Representation)
        /// The download has failed for good; what is here stays for another run.
        case fail(Failure)
    }

    enum Phase: Hashable {
        /// Bytes of another tool are compared with the server's at some places.
        case sampling
        /// One transfer learns what there is.
        case leading
        /// The representation is known; any number of transfers brings its ranges.
        case spreading
        /// The server has no ranges, or none to be trusted: one transfer brings the whole.
        case streaming
        /// All bytes are here; whether they are still those of the server is asked once more.
        case confirming
        case complete
        case failed
    }

    /// What a transfer was asked to bring.
    enum Purpose: Hashable {
        case whole
        /// The first bytes of something whose length is not known yet.
        case first(ByteRange)
        case segment(ByteRange)
        case sample(ByteRange)
        /// What the server has now that all is here.
        case confirmation
    }

    /// Further URLs are added to its own where a server names them.
    private(set) var task: DownloadTask
    let policy: TransferPolicy
    var random: SplitMix64
    var phase: Phase
    /// The representation that the bytes in the partial are of.
    var representation: Representation?
    /// Which bytes are here; nil as long as the length is not known.
    var map: SegmentMap?
    /// How far a transfer of unknown length has come.
    var streamed: Int64 = 0
    /// The transfers that run. There are few, so a list is quicker than a dictionary.
    var assignments: [Assignment] = []
    /// How many failures were counted. What fails with transfers that began before the last of them is the same fault.
    var countedFailures = 0
    var growth: SegmentGrowth
    var retry: RetryState
    var isWaiting = false
    var urlIndex = 0
    /// Where the last redirect led; asked first while it works, since it saves a request for each segment.
    var redirected: WebURL?
    /// How a range is bound to the representation: in which form `If-Range` is sent. The answer's own validators are
    /// compared in every case.
    var binding: IfRangeForm = .entityTag
    /// What was seen of the host and not told yet.
    private var findings: [HostFinding] = []
    /// Whether two answers differed in their entity tags alone.
    var haveTagsDiffered = false
    var samples: [ByteRange] = []
    var needsFreshConnection = false
    var bypassesCaches = false
    /// No more bytes than this are asked for at once: the server refuses longer ranges.
    var mostPerRequest = Int64.max
    /// Whether the server is allowed to encode, since it does not send the file as it is.
    var decodes = false
    /// What the bytes here are of, while a mirror that has to prove that it serves the same is asked.
    var original: Representation?
    /// A digest of the whole file that the server gave with it (RFC 9530, RFC 1864); nil where it gave none.
    package var servedDigest: Digest?
    /// The length of what is being confirmed.
    var confirmedLength: Int64 = 0
    /// How many transfers have brought bytes of the present representation.
    var contributors = 0
    /// Whether a range has come in answer to a request with `If-Range` in its present form.
    var isBindingProven = false
    /// Whether a range came that was asked for, so that the server has ranges, whatever else it answers.
    var areRangesProven = false
    /// How many answers in a row were to another range than the one that was asked for.
    var wrongRanges = 0
    /// How many requests for ranges in a row brought no answer, though the connection was made.
    var hungRanges = 0
    /// The length of the ranges of a file that is cut into equal ones.
    var equalLength: Int64?
    /// How often what was here turned out to be of something else.
    var restarts = 0
    /// How many bytes were wrong when all were here, and fetched once more.
    var mended: Int64 = 0
    /// How often that may be, before one answer has to bring all.
    static let mostRestarts = 3

    /// What a running transfer was asked for.
    struct Assignment: Hashable {
        let id: TransferID
        var purpose: Purpose
        /// Where it was sent because a redirect once led there.
        let target: WebURL?
        /// How many failures had been counted when it was asked for.
        let failuresBefore: Int
        /// Why its body is dropped.
        var refusal: Refusal?
    }

    struct Refusal: Hashable {
        var failure: Failure
        var retryAfter: Duration?
        /// Whether other transfers ran when it came.
        var isBesideOthers = false
    }

    package init(_ task: DownloadTask, policy: TransferPolicy, seed: UInt64) {
        precondition(!task.urls.isEmpty, "a download has a URL")
        self.task = task
        self.policy = policy
        random = SplitMix64(seed: seed)
        growth = Self.growth(task, policy)
        retry = RetryState(policy: policy.retry)
        phase = .leading
        switch task.start {
        case .nothing:
            break
        case .partial(let known, let held):
            guard let length = known.length, length >= 0 else { break }
            representation = known
            map = SegmentMap(length: length, held: held)
            if map?.isComplete == true {
                phase = .complete
            } else {
                compareIfUnbound()
            }
        case .adopted(let length):
            guard let announced = task.announced, let whole = announced.length, length > 0, length < whole else {
                break
            }
            representation = announced
            map = SegmentMap(length: whole, held: ByteRangeSet([ByteRange(0, length)]))
            compareWithServer()
        }
        binding = bestBinding
    }

    /// What there is to do before the first transfer: nothing but for a partial that was complete already.
    package var firstActions: [Action] {
        guard phase == .complete, let representation else { return [] }
        return [.openPartial(length: representation.length), .complete(representation)]
    }

    /// The URL that the next request goes to.
    package var url: WebURL { redirected ?? task.urls[urlIndex] }

    /// Whether the machine has ended, in one way or the other.
    package var isEnded: Bool { phase == .complete || phase == .failed }

    /// What is worth telling of a download that ended well, each in words without a full stop.
    package var remarks: [String] {
        var remarks: [String] = []
        if restarts > Self.mostRestarts {
            remarks.append("it differed in every answer, so it was taken from one of them")
        } else if restarts > 0 {
            remarks.append("it changed on the server and was begun anew")
        }
        if haveTagsDiffered { remarks.append("the server's entity tags differ from answer to answer") }
        if mostPerRequest < .max { remarks.append("the server refuses ranges of more than \(mostPerRequest) bytes") }
        if decodes { remarks.append("the server only sends it encoded, so it was decoded") }
        if mended > 0 { remarks.append("\(mended) bytes of it were wrong and were fetched once more") }
        if urlIndex > 0 { remarks.append("it came from \(task.urls[urlIndex].redacted)") }
        if map == nil, !decodes { remarks.append("its length is unverified, as the server did not tell it") }
        return remarks
    }

    /// What was seen of the host since the last look.
    package mutating func takeFindings() -> [HostFinding] {
        defer { findings.removeAll() }
        return findings
    }

    mutating func found(_ finding: HostFinding) {
        if finding == .tagsDiffer {
            guard !haveTagsDiffered else { return }
            haveTagsDiffered = true
        }
        findings.append(finding)
    }

    /// No file has more URLs than these, whatever servers name.
    private static let mostURLs = 16

    /// Takes the mirrors that an answer of the source's own URL names (RFC 6249 §2, §3), for when that fails. Nothing that
    /// came by TLS goes on without it, unless a digest proves the file.
    mutating func noteMirrors(_ head: ResponseHead, from url: WebURL) {
        guard urlIndex == 0, !head.duplicates.isEmpty else { return }
        let isProven = task.digest != nil || servedDigest != nil
        for duplicate in head.duplicates {
            guard task.urls.count < Self.mostURLs, let mirror = url.resolve(bytes: duplicate[...])?.withoutCredentials,
                mirror.scheme == "https" || (mirror.scheme == "http" && (isProven || task.urls[0].scheme == "http")),
                !task.urls.contains(mirror), mirror != url.withoutCredentials
            else { continue }
            task.urls.append(mirror)
        }
    }

    /// Looks at the file's speed, to see whether another transfer would pay.
    ///
    /// - Parameter onTheWay: Bytes that have arrived and that ``progressed(_:to:)`` was not told of.
    package mutating func sampleSpeed(onTheWay: Int64 = 0, now: MonotonicTime) {
        guard phase == .spreading, let map else { return }
        growth.sample(missing: map.missing - onTheWay, active: map.active.count, now: now)
    }

    /// Notes how far a transfer has come: every byte before `position` is in the partial.
    package mutating func progressed(_ id: TransferID, to position: Int64) {
        guard let purpose = assignment(of: id)?.purpose else { return }
        if map?[id] != nil {
            guard position > (map?[id]?.position ?? 0) else { return }
            map?.advance(id, to: position)
        } else if case .whole = purpose, position > streamed {
            streamed = position
        }
        // Where a fault means to begin anew, bytes are no sign that it will end well.
        guard phase != .streaming else { return }
        retry.madeProgress()
    }

    /// The wait is over.
    package mutating func timerFired() { isWaiting = false }

    /// What a partial's record is to say; nil where there is nothing that another run could go on from.
    package var resumable: (representation: Representation, held: ByteRangeSet)? {
        guard let map, phase != .sampling || original != nil, phase != .streaming, !map.held.isEmpty,
            let known = original ?? representation
        else { return nil }
        return (known, map.held)
    }

    /// How many bytes are here, and how many there will be.
    package var progress: (held: Int64, length: Int64?) {
        map.map { ($0.held.count, $0.length) } ?? (streamed, nil)
    }

    /// How many transfers run.
    package var activeTransfers: Int { assignments.count }

    func assignment(of id: TransferID) -> Assignment? { assignments.first { $0.id == id } }

    mutating func assign(_ purpose: Purpose, to id: TransferID) {
        guard let index = assignments.firstIndex(where: { $0.id == id }) else { return }
        assignments[index].purpose = purpose
    }

    /// Notes why the body of a transfer is dropped; its end will be a failure then.
    mutating func note(_ refusal: Refusal, of id: TransferID) {
        guard let index = assignments.firstIndex(where: { $0.id == id }) else { return }
        assignments[index].refusal = refusal
    }

    /// A host without ranges is not asked for several at once.
    static func growth(_ task: DownloadTask, _ policy: TransferPolicy) -> SegmentGrowth {
        SegmentGrowth(task.traits.refusesRanges ? .fixed(1) : policy.segments, most: policy.mostSegments)
    }

    /// Has bytes that no validator binds to the representation compared with the server's before more are added.
    mutating func compareIfUnbound() {
        guard let map, let representation, !map.held.isEmpty, !representation.bindsRanges else { return }
        compareWithServer()
    }

    mutating func compareWithServer() {
        samples = Self.samples(of: map?.held ?? ByteRangeSet())
        phase = .sampling
    }

    /// The places at which bytes are compared: of each range head and tail, of the longest six places between, of
    /// 16 KiB each, and of no more than 16 ranges.
    static func samples(of held: ByteRangeSet) -> [ByteRange] {
        let size: Int64 = 16 << 10
        let longest = held.ranges.max { $0.count < $1.count }
        return held.ranges.prefix(16).flatMap { range -> [ByteRange] in
            let places = range == longest ? 8 : 2
            guard range.count > Int64(places) * size else {
                return [ByteRange(range.start, range.start + min(range.count, 8 * size))]
            }
            return (0..<places).map { index in
                let last = range.count - size
                let start = range.start + (index == places - 1 ? last : last / Int64(places - 1) * Int64(index))
                return ByteRange(start, start + size)
            }
        }
    }
}

extension Representation {
    /// Whether ranges fetched at different times can be bound to this representation: by a strong entity tag, or by a
    /// date (RFC 9110 §13.1.5).
    package var bindsRanges: Bool { entityTag.map { !$0.isWeak } == true || lastModified != nil }
}
