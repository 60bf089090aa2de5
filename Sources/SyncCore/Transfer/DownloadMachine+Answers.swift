extension DownloadMachine {
    /// Judges the final head of a transfer's answer, before any byte of its body.
    ///
    /// - Parameters:
    ///   - head: The answer's head, after redirects.
    ///   - url: The URL that gave it.
    /// - Returns: What to do first, and what becomes of the body then.
    package mutating func received(
        _ head: ResponseHead, from url: WebURL, for id: TransferID
    ) -> (actions: [Action], body: BodyVerdict) {
        guard let purpose = assignment(of: id)?.purpose else { return ([], .cut) }
        let answer = Answer(head, to: purpose.range, from: url, decodes: decodes)
        if case .refused = answer {} else { redirected = url == task.urls[urlIndex] ? nil : url }
        noteServedDigest(head, answer)
        if case .refused = answer {} else { noteMirrors(head, from: url) }
        switch (answer, purpose) {
        case (_, .confirmation):
            return confirm(answer, id)
        case (.whole(let now), .sample):
            return original == nil || now.length == map?.length ? giveUpRanges(id, now) : mirrorDiffers(id)
        case (.part(let part, let now), .sample(let asked)):
            return takeSample(id, part, asked, now)
        case (.whole(let now), .whole):
            return beginWhole(id, now)
        case (.whole(let now), .first):
            return giveUpRanges(id, now)
        case (.whole(let now), .segment):
            return wholeInsteadOfSegment(id, now, from: url)
        case (.part(_, let now), .first(let asked)):
            return beginParts(id, now, first: asked, from: url)
        case (.part(_, let now), .segment):
            return beginSegment(id, now)
        case (.part, .whole):
            preconditionFailure("a part is no answer to a request for the whole, which was judged before")
        case (.notSatisfiable(let length), .first):
            return nothingThere(id, length: length, head.representation)
        case (.notSatisfiable, _):
            return original == nil ? restart(id) : mirrorDiffers(id)
        case (.refused(let failure), _):
            note(
                Refusal(
                    failure: failure, retryAfter: head.retryAfter?.delay(at: head.date),
                    isBesideOthers: assignments.count > 1),
                of: id)
            return ([], .drop)
        }
    }

    /// The whole representation comes, by one transfer.
    private mutating func beginWhole(_ id: TransferID, _ now: Representation) -> ([Action], BodyVerdict) {
        if let failure = brokenPromise(now) ?? softError(now) ?? missingRanges(now) { return refuse(id, failure) }
        let hadBytes = map?.held.isEmpty == false || streamed > 0
        if task.announced?.differsInTagAlone(from: now) == true { found(.tagsDiffer) }
        representation = now
        original = nil
        contributors = 1
        binding = bestBinding
        streamed = 0
        assign(.whole, to: id)
        var actions: [Action] = hadBytes ? [.discardPartial] : []
        actions.append(.openPartial(length: now.contentCoding == nil ? now.length : nil))
        guard let length = now.length, now.contentCoding == nil else {
            map = nil
            phase = .streaming
            return (actions, .write(at: 0, limit: nil))
        }
        var map = SegmentMap(length: length)
        _ = map.take(id)
        self.map = map
        isBindingProven = false
        if phase != .streaming { phase = .spreading }
        return (actions, .write(at: 0, limit: length))
    }

    /// The first bytes come, and tell how many there are.
    private mutating func beginParts(
        _ id: TransferID, _ now: Representation, first: ByteRange, from url: WebURL
    ) -> ([Action], BodyVerdict) {
        guard let length = now.length else {
            return refuse(id, Failure(.wrongRange, "\(url.redacted) sent a range without the complete length"))
        }
        if let failure = brokenPromise(now) ?? softError(now) { return refuse(id, failure) }
        representation = now
        contributors = 1
        binding = bestBinding
        var map = SegmentMap(length: length)
        let segment = map.take(id, most: first.count)
        self.map = map
        phase = .spreading
        noteRangesGiven()
        wrongRanges = 0
        assign(.segment(segment?.rest ?? first), to: id)
        cutEqually()
        return ([.openPartial(length: length)], .write(at: 0, limit: segment?.limit))
    }

    /// A range of the known representation comes, or one of another.
    private mutating func beginSegment(_ id: TransferID, _ now: Representation) -> ([Action], BodyVerdict) {
        guard let representation, let segment = map?[id] else { return ([], .cut) }
        guard representation.agrees(with: now) || willProve(representation, now) else {
            return otherRepresentation(id, representation, now)
        }
        let isFirstAnswer = phase == .leading
        phase = .spreading
        contributors += 1
        isBindingProven = binding != .none
        if original == nil, binding != bestBinding { found(.understandsIfRange(binding)) }
        noteRangesGiven()
        wrongRanges = 0
        let actions: [Action] = isFirstAnswer ? [.openPartial(length: representation.length)] : []
        return (actions, .write(at: segment.position, limit: segment.limit))
    }

    /// 200 where a range was asked for: the representation changed, or the form of If-Range is not understood, or there
    /// are no ranges.
    private mutating func wholeInsteadOfSegment(
        _ id: TransferID, _ now: Representation, from url: WebURL
    ) -> ([Action], BodyVerdict) {
        guard let representation, representation.agrees(with: now) || willProve(representation, now) else {
            if let failure = softError(now) { return refuse(id, failure) }
            let others = cancelOthers(than: id)
            restarts += 1
            // What changes again and again must come in one answer, or it would never end.
            if restarts > Self.mostRestarts { phase = .streaming }
            let (actions, body) = beginWhole(id, now)
            return (others + actions, body)
        }
        if binding != .none, !isBindingProven {
            // Unchanged, and yet not a range: the condition may be what it stumbles over. Once in each form.
            binding = binding == .entityTag && representation.lastModified != nil ? .date : .none
            forget(id)
            return ([], .cut)
        }
        if phase == .spreading, areRangesProven || assignments.count > 1 {
            // Ranges were to be had before: one wrong answer costs one try on another connection.
            wrongRanges += 1
            if wrongRanges == 1 {
                needsFreshConnection = true
                forget(id)
                return ([], .cut)
            }
        }
        if let actions = goOnWithWhole(instead: id) { return (actions, .cut) }
        return giveUpRanges(id, now)
    }

    /// The server has ranges, whatever else it answers.
    private mutating func noteRangesGiven() {
        guard !areRangesProven else { return }
        areRangesProven = true
        if task.traits.refusesRanges { found(.rangesAreGiven) }
    }

    /// This answer is the whole, and it is all that the server gives: it becomes the one stream.
    private mutating func giveUpRanges(_ id: TransferID, _ now: Representation) -> ([Action], BodyVerdict) {
        if !areRangesProven { found(.rangesAreRefused) }
        let others = cancelOthers(than: id)
        phase = .streaming
        samples = []
        let (actions, body) = beginWhole(id, now)
        return (others + actions, body)
    }

    /// The server says that the first bytes of a new file do not exist.
    private mutating func nothingThere(
        _ id: TransferID, length: Int64?, _ now: Representation
    ) -> ([Action], BodyVerdict) {
        forget(id)
        guard length == 0 else {
            phase = .streaming
            return ([], .cut)
        }
        var empty = now
        empty.length = 0
        if let failure = brokenPromise(empty) { return ([end(with: failure)], .cut) }
        representation = empty
        map = SegmentMap(length: 0)
        phase = .complete
        return ([.openPartial(length: 0), .complete(empty)], .cut)
    }

    /// What is here is not of what is there: all of it is fetched again, by a new first transfer.
    mutating func restart(_ id: TransferID) -> ([Action], BodyVerdict) {
        let cancelled = cancelOthers(than: id)
        forget(id)
        restarts += 1
        startOver()
        // What changes again and again must come in one answer, or it would never end.
        if restarts > Self.mostRestarts { phase = .streaming }
        return (cancelled + [.discardPartial], .cut)
    }

    /// A range of something else than what is here comes.
    private mutating func otherRepresentation(
        _ id: TransferID, _ known: Representation, _ now: Representation
    ) -> ([Action], BodyVerdict) {
        guard known.differsInTagAlone(from: now) else { return restart(id) }
        found(.tagsDiffer)
        // Most likely one file behind several servers that do not agree on its tag. One answer is of one version.
        if let actions = goOnWithWhole(instead: id) { return (actions, .cut) }
        let (actions, body) = restart(id)
        phase = .streaming
        return (actions, body)
    }

    /// Whether the finished file's digest will tell if two answers, of which only the tags differ, were of one version.
    private mutating func willProve(_ known: Representation, _ now: Representation) -> Bool {
        guard task.digest != nil, known.differsInTagAlone(from: now) else { return false }
        found(.tagsDiffer)
        return true
    }

    /// Makes the transfer that was asked for the whole, if one runs, the only one: it brings all that is behind it.
    ///
    /// - Parameter id: The transfer whose answer showed that no other will do; its body is not wanted.
    mutating func goOnWithWhole(instead id: TransferID?) -> [Action]? {
        guard phase == .spreading, let whole = assignments.first(where: { $0.purpose == .whole })?.id, whole != id,
            map?[whole] != nil
        else { return nil }
        phase = .streaming
        if let id { forget(id) }
        let others = cancelOthers(than: whole)
        return others + (map?.reclaim(whole).map { [.limit(whole, $0)] } ?? [])
    }

    /// Forgets all that was learnt of the representation.
    mutating func startOver() {
        phase = .leading
        map = nil
        representation = nil
        streamed = 0
        samples = []
        original = nil
        servedDigest = nil
        contributors = 0
        equalLength = nil
        isBindingProven = false
        growth = Self.growth(task, policy)
    }

    private func brokenPromise(_ now: Representation) -> Failure? {
        guard let promised = task.promisedSize, let length = now.length, length != promised, now.contentCoding == nil
        else { return nil }
        return Failure(
            .softError, "\(url.redacted) has \(length) bytes where the source promises \(promised)")
    }

    /// A server that gives the whole or nothing, where that is not enough.
    private func missingRanges(_ now: Representation) -> Failure? {
        guard policy.requiresRanges, now.length.map({ $0 >= policy.minimumSegment }) ?? true else { return nil }
        return Failure(
            .noRanges,
            "\(url.redacted) can only be fetched in one piece; leave --require-ranges out if that is good enough")
    }

    /// An error page with status 200, where neither size nor digest will tell.
    private func softError(_ now: Representation) -> Failure? {
        guard task.promisedSize == nil, task.digest == nil else { return nil }
        return SoftError.failure(now, at: task.urls[urlIndex], known: original ?? representation ?? task.announced)
    }

    mutating func refuse(_ id: TransferID, _ failure: Failure) -> ([Action], BodyVerdict) {
        note(Refusal(failure: failure), of: id)
        return ([], .drop)
    }

    mutating func cancelOthers(than id: TransferID) -> [Action] {
        let others = assignments.map(\.id).filter { $0 != id }.sorted()
        for other in others { forget(other) }
        return others.map(Action.cancel)
    }

    mutating func forget(_ id: TransferID) {
        assignments.removeAll { $0.id == id }
        map?.end(id)
    }

    mutating func end(with failure: Failure) -> Action {
        // Bytes that were not compared yet must not be taken for those of the representation, and the beginning of
        // what comes only as a whole is of no use to another run.
        if (phase == .sampling && original == nil) || phase == .streaming { map = nil }
        phase = .failed
        return .fail(failure)
    }
}

extension Representation {
    /// Whether two answers tell of the same length and the same date, and nothing but their entity tags differs.
    func differsInTagAlone(from other: Representation) -> Bool {
        entityTag != other.entityTag && length != nil && length == other.length && contentCoding == other.contentCoding
            && lastModified != nil && lastModified == other.lastModified
    }
}

extension DownloadMachine.Purpose {
    /// The range that was asked for.
    var range: ByteRange? {
        switch self {
        case .whole, .confirmation: nil
        case .first(let range), .segment(let range), .sample(let range): range
        }
    }
}

extension RetryAfter {
    /// How long to wait, by the server's own clock where it gives a date.
    package func delay(at date: HTTPDate?) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let then):
            .seconds(max(0, then.secondsSinceEpoch &- (date?.secondsSinceEpoch ?? then.secondsSinceEpoch)))
        }
    }
}
