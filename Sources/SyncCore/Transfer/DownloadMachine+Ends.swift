extension DownloadMachine {
    /// Notes the end of a transfer. Its progress was told before.
    ///
    /// - Parameter matches: Of a sample, whether its bytes are those that are here.
    package mutating func ended(_ id: TransferID, _ end: TransferEnd, matches: Bool? = nil) -> [Action] {
        guard let purpose = purposes[id] else { return afterChange() }
        let refusal = refusals[id]
        let rest = map?[id]?.rest
        forget(id)
        if let refusal { return failed(refusal.failure, retryAfter: refusal.retryAfter) }
        switch end {
        case .failed(let failure):
            if map == nil, phase == .streaming { streamed = 0 }
            return failed(failure, retryAfter: nil)
        case .finished, .cut:
            break
        }
        if case .sample = purpose { return sampled(end == .finished && matches == true) }
        if map == nil, phase == .streaming {
            return end == .finished ? [finish(length: streamed)] : failed(cutShort, retryAfter: nil)
        }
        if let rest, !rest.isEmpty, end == .finished, rest.start == purpose.range?.start ?? 0 {
            // An answer that promised bytes and brought none would be asked for again for ever.
            return failed(cutShort, retryAfter: nil)
        }
        return afterChange()
    }

    private var cutShort: Failure { Failure(.cutShort, "\(url.redacted) ended before all bytes had come") }

    /// The disk refused something: nothing is to be had from trying again.
    package mutating func diskFailed(_ failure: Failure) -> [Action] {
        let cancelled = cancelAll()
        return cancelled + [end(with: failure)]
    }

    /// The finished bytes do not match their digest: fetched once more, from another URL or past all caches.
    package mutating func verificationFailed(_ failure: Failure) -> [Action] {
        let hasAnotherURL = urlIndex + 1 < task.urls.count
        guard hasAnotherURL || !bypassesCaches else { return [.discardPartial, end(with: failure)] }
        if hasAnotherURL { urlIndex += 1 }
        bypassesCaches = true
        redirected = nil
        startOver()
        return [.discardPartial]
    }

    private mutating func sampled(_ matches: Bool) -> [Action] {
        guard matches else {
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
        guard let map, map.isComplete, phase == .spreading || phase == .streaming else { return [] }
        return [finish(length: map.length)]
    }

    private mutating func finish(length: Int64) -> Action {
        var complete = representation ?? Representation()
        if complete.contentCoding == nil { complete.length = length }
        representation = complete
        phase = .complete
        return .complete(complete)
    }

    private mutating func failed(_ failure: Failure, retryAfter: Duration?) -> [Action] {
        if redirected != nil, failure.mayBeExpiredRedirect {
            // A signed URL that a redirect led to has run out: the source's own URL names the file, and leads to a new one.
            redirected = nil
            renewals += 1
            if renewals <= 2 { return [] }
        }
        if !purposes.isEmpty, failure.isRefusalOfOneMore {
            // The others go on: the server takes so many at once and no more.
            growth.refused(active: purposes.count)
            return []
        }
        redirected = nil
        if failure.code == .wrongRange {
            needsFreshConnection = true
            wrongRanges += 1
            if wrongRanges > 1, phase != .streaming {
                let cancelled = cancelAll()
                let hadBytes = map?.held.isEmpty == false
                startOver()
                phase = .streaming
                return cancelled + (hadBytes ? [.discardPartial] : [])
            }
            return []
        }
        switch retry.failed(failure, retryAfter: retryAfter, random: random.next()) {
        case .retry(let wait), .retryWithoutCounting(let wait):
            if purposes.isEmpty, phase != .streaming { compareIfUnbound() }
            isWaiting = true
            return [.wait(wait)]
        case .giveUp:
            return nextURL(after: failure)
        }
    }

    /// Goes on at the next mirror. Bytes of another are kept only where the digest will prove the mixture.
    private mutating func nextURL(after failure: Failure) -> [Action] {
        let cancelled = cancelAll()
        guard urlIndex + 1 < task.urls.count else { return cancelled + [end(with: failure)] }
        urlIndex += 1
        retry = RetryState(policy: policy.retry)
        wrongRanges = 0
        if task.digest != nil, let length = map?.length, phase == .spreading || phase == .leading {
            representation = Representation(length: length)
            binding = .none
            phase = .leading
            return cancelled
        }
        let hadBytes = map?.held.isEmpty == false || streamed > 0
        startOver()
        return cancelled + (hadBytes ? [.discardPartial] : [])
    }

    private mutating func cancelAll() -> [Action] {
        let all = purposes.keys.sorted()
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

    /// Whether a server says by this that it takes no further connection now.
    fileprivate var isRefusalOfOneMore: Bool {
        switch code {
        case .couldNotConnect, .status(403), .status(429), .status(503): true
        default: false
        }
    }
}
