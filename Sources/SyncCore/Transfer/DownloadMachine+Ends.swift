extension DownloadMachine {
    /// Notes the end of a transfer. Its progress was told before.
    ///
    /// - Parameter matches: Of a sample, whether its bytes are those that are here.
    package mutating func ended(_ id: TransferID, _ end: TransferEnd, matches: Bool? = nil) -> [Action] {
        guard let assignment = assignment(of: id) else { return afterChange() }
        let (purpose, refusal) = (assignment.purpose, assignment.refusal)
        let rest = map?[id]?.rest
        let fault = Fault(
            range: purpose.range, target: assignment.target, isOld: assignment.failuresBefore < countedFailures,
            isBesideOthers: assignments.count > 1 || refusal?.isBesideOthers == true)
        forget(id)
        if case .confirmation = purpose {
            return confirmed(refusal?.failure.code == .changedWhileFetched ? refusal : nil)
        }
        if let refusal { return failed(refusal.failure, retryAfter: refusal.retryAfter, fault) }
        switch end {
        case .failed(let failure):
            // A connection that is lost behind the last byte that was wanted of it is no loss.
            if rest?.isEmpty == true || isAllHere { return afterChange() }
            return failed(failure, retryAfter: nil, fault)
        case .finished, .cut:
            break
        }
        if case .sample = purpose { return sampled(end == .finished && matches == true) }
        if map == nil, phase == .streaming {
            return end == .finished ? streamFinished(fault) : failed(cutShort, retryAfter: nil, fault)
        }
        if map == nil {
            // The loop tells of an end without an answer as of a failure; should one come, it must not cost nothing.
            return failed(cutShort, retryAfter: nil, fault)
        }
        if let rest, !rest.isEmpty, end == .finished, rest.start == purpose.range?.start ?? 0 {
            // An answer that promised bytes and brought none would be asked for again for ever.
            return failed(cutShort, retryAfter: nil, fault)
        }
        return afterChange()
    }

    /// What there is to know of a transfer that failed.
    private struct Fault {
        /// What was asked for.
        var range: ByteRange?
        /// Where a redirect had led, if it was sent there at once.
        var target: WebURL?
        /// Whether another failure was counted while it ran.
        var isOld = false
        /// Whether other transfers run, or ran when the server refused this one.
        var isBesideOthers = false
    }

    /// An answer that did not tell its length has ended as it should.
    private mutating func streamFinished(_ fault: Fault) -> [Action] {
        if let promised = task.promisedSize, promised != streamed, representation?.contentCoding == nil || decodes {
            return failed(
                Failure(.softError, "\(url.redacted) has \(streamed) bytes where the source promises \(promised)"),
                retryAfter: nil, fault)
        }
        return allHere(length: streamed)
    }

    private var cutShort: Failure { Failure(.cutShort, "\(url.redacted) ended before all bytes had come") }

    /// The disk refused something: nothing is to be had from trying again.
    package mutating func diskFailed(_ failure: Failure) -> [Action] {
        let cancelled = cancelAll()
        return cancelled + [end(with: failure)]
    }

    /// The finished bytes do not match their digest: fetched once more, from another URL or past all caches.
    ///
    /// - Parameter wrong: The ranges that are wrong, where the digests of parts tell: all others are right and stay. None
    ///   where nothing tells them apart.
    package mutating func verificationFailed(_ failure: Failure, wrong: [ByteRange] = []) -> [Action] {
        let hasAnotherURL = urlIndex + 1 < task.urls.count
        let rest = rightBytes(without: wrong)
        guard hasAnotherURL || !bypassesCaches else {
            guard let rest else {
                startOver()
                return [.discardPartial, end(with: failure)]
            }
            // Another run goes on from what is right.
            map = rest
            return [end(with: failure)]
        }
        if hasAnotherURL {
            urlIndex += 1
            areRangesProven = false
        }
        bypassesCaches = true
        redirected = nil
        wrongRanges = 0
        retry = RetryState(policy: policy.retry)
        guard let rest else {
            startOver()
            return [.discardPartial]
        }
        mended += rest.missing
        map = rest
        phase = .leading
        if hasAnotherURL {
            original = original ?? representation
            representation = Representation(length: rest.length)
            binding = .none
        }
        return []
    }

    /// What is here without the ranges that are wrong; nil where none of it is of use.
    private func rightBytes(without wrong: [ByteRange]) -> SegmentMap? {
        guard let map, representation?.contentCoding == nil, !decodes, !wrong.isEmpty else { return nil }
        var held = ByteRangeSet([ByteRange(0, map.length)])
        for range in wrong { held.remove(range) }
        return held.isEmpty ? nil : SegmentMap(length: map.length, held: held)
    }

    private mutating func sampled(_ matches: Bool) -> [Action] {
        guard matches else {
            if original != nil { return nextURL(after: otherFile) }
            startOver()
            return [.discardPartial]
        }
        samples.removeFirst()
        if samples.isEmpty {
            phase = .leading
            return afterChange()
        }
        return []
    }

    /// What is next after a transfer ended without a fault.
    private mutating func afterChange() -> [Action] {
        guard isAllHere, let map else { return [] }
        return allHere(length: map.length)
    }

    private var isAllHere: Bool {
        guard let map, phase == .spreading || phase == .streaming else { return false }
        return map.isComplete
    }

    mutating func finish(length: Int64) -> Action {
        var complete = original ?? representation ?? Representation()
        if complete.contentCoding == nil { complete.length = length }
        representation = complete
        phase = .complete
        return .complete(complete)
    }

    private mutating func failed(_ failure: Failure, retryAfter: Duration?, _ fault: Fault) -> [Action] {
        if let target = fault.target, failure.mayBeExpiredRedirect {
            // A signed URL that a redirect led to has run out: the source's own URL names the file, and leads to a new
            // one. That answer decides, and so this one, of which there may be many at once, spends nothing.
            if redirected == target { redirected = nil }
            return []
        }
        if fault.isBesideOthers, failure.isRefusalOfOneMore || !policy.retry.mayPass(failure) {
            // The others go on: the server takes so many at once and no more. The last of them decides.
            growth.refused(active: assignments.count)
            return []
        }
        redirected = nil
        if let range = fault.range, failure.mayBeTooMuch, phase == .spreading || phase == .leading,
            range.count > 2 * Self.shortestRange
        {
            // Some servers refuse ranges above some length. Halving ends soon, at a length that none refuses for that.
            mostPerRequest = max(Self.shortestRange, range.count / 2)
            return []
        }
        if failure.code == .contentCoded, !decodes { return allowCoding() }
        if failure.code == .wrongRange, phase != .streaming { return wrongRange() }
        if fault.range != nil, failure.isSilence { rangeHung() }
        if fault.isOld, policy.retry.mayPass(failure), retryAfter == nil { return [] }
        countedFailures += 1
        switch retry.failed(failure, retryAfter: retryAfter, random: random.next()) {
        case .retry(let wait), .retryWithoutCounting(let wait):
            if assignments.isEmpty, phase != .streaming { compareIfUnbound() }
            isWaiting = true
            return [.wait(wait)]
        case .giveUp:
            return nextURL(after: failure)
        }
    }

    /// No server refuses a range of this many bytes for its length.
    private static let shortestRange: Int64 = 1 << 20

    /// The server does not send the file as it is: it may encode it, and what arrives is decoded. Ranges of an encoded body
    /// are none of the file, so it comes as one stream.
    private mutating func allowCoding() -> [Action] {
        let cancelled = cancelAll()
        let hadBytes = map?.held.isEmpty == false || streamed > 0
        startOver()
        decodes = true
        phase = .streaming
        return cancelled + (hadBytes ? [.discardPartial] : [])
    }

    /// A range came that was not asked for: tried once on another connection, then by one stream.
    private mutating func wrongRange() -> [Action] {
        needsFreshConnection = true
        wrongRanges += 1
        guard wrongRanges > 1 else { return [] }
        if let actions = goOnWithWhole(instead: nil) { return actions }
        guard assignments.isEmpty else {
            // Others get what they asked for, and go on.
            growth.refused(active: assignments.count)
            return []
        }
        let hadBytes = map?.held.isEmpty == false
        startOver()
        phase = .streaming
        return hadBytes ? [.discardPartial] : []
    }

    /// A range was asked for and nothing came. Some servers announce ranges and hang over them: if none was ever given,
    /// the whole is asked for. What is here stays until that comes.
    private mutating func rangeHung() {
        hungRanges += 1
        guard hungRanges > 1, !areRangesProven, assignments.isEmpty, original == nil, !policy.requiresRanges,
            phase == .leading || phase == .sampling || phase == .spreading
        else { return }
        samples = []
        phase = .streaming
    }

    /// Goes on at the next mirror. Bytes of another are kept only where the digest will prove the mixture.
    private mutating func nextURL(after failure: Failure) -> [Action] {
        let cancelled = cancelAll()
        guard urlIndex + 1 < task.urls.count else { return cancelled + [end(with: failure)] }
        urlIndex += 1
        retry = RetryState(policy: policy.retry)
        wrongRanges = 0
        areRangesProven = false
        if let map, !map.held.isEmpty, phase == .spreading || phase == .leading || original != nil {
            // What is here is kept, and the mirror shows by samples that it serves the same; a digest proves more, later.
            original = original ?? representation
            representation = Representation(length: map.length)
            binding = .none
            phase = .leading
            if task.digest == nil { compareWithServer() }
            return cancelled
        }
        let hadBytes = map?.held.isEmpty == false || streamed > 0
        startOver()
        return cancelled + (hadBytes ? [.discardPartial] : [])
    }

    private mutating func cancelAll() -> [Action] {
        let all = assignments.map(\.id).sorted()
        for id in all { forget(id) }
        return all.map(Action.cancel)
    }
}

extension Failure {
    /// Whether a URL that a redirect led to may simply have expired.
    fileprivate var mayBeExpiredRedirect: Bool {
        switch code {
        case .denied, .missing, .status(403), .status(400): true
        default: false
        }
    }

    /// Whether the server took the request and said nothing.
    fileprivate var isSilence: Bool { code == .stalled || code == .timedOut }

    /// Whether a server may say by this that it was asked for too much at once.
    fileprivate var mayBeTooMuch: Bool {
        switch code {
        case .status(400), .status(403), .status(413): true
        default: false
        }
    }

    /// Whether a server says by this that it takes no further connection now.
    fileprivate var isRefusalOfOneMore: Bool {
        switch code {
        case .couldNotConnect, .status(403), .status(429), .status(503): true
        default: false
        }
    }
}
