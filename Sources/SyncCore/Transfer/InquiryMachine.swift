/// Asks what a URL names now: by HEAD, or where that is refused, by a GET for the first byte.
package struct InquiryMachine: Sendable {
    /// What the loop is to do.
    package enum Action: Hashable, Sendable {
        case wait(Duration)
        /// The inquiry has ended. The URL is the one that answered, after redirects.
        case done(ServerKnowledge)
    }

    private enum Phase: Hashable {
        case head
        case firstByte
        case done
    }

    private let urls: [WebURL]
    private let headers: [HeaderField]
    private let policy: RetryPolicy
    private var random: SplitMix64
    private var retry: RetryState
    private var phase: Phase = .head
    private var urlIndex = 0
    private var active: TransferID?
    private var isWaiting = false
    private var refusal: (failure: Failure, retryAfter: Duration?)?
    private var answer: Representation?
    /// Whether a HEAD was refused and the first byte is asked for next.
    private var goesOn = false
    /// Why a URL before this one did not tell, other than by saying that there is no such file.
    private var doubt: Failure?

    package init(urls: [WebURL], headers: [HeaderField] = [], policy: RetryPolicy, seed: UInt64) {
        precondition(!urls.isEmpty, "an inquiry has a URL")
        self.urls = urls
        self.headers = headers
        self.policy = policy
        random = SplitMix64(seed: seed)
        retry = RetryState(policy: policy)
    }

    /// The URL that the next request goes to.
    package var url: WebURL { urls[urlIndex] }

    /// How many transfers there is use for now: one, until it is there.
    package var demand: Int { phase == .done || active != nil || isWaiting ? 0 : 1 }

    /// The request for a transfer that got a permit.
    package mutating func request(for id: TransferID) -> TransferRequest? {
        guard demand > 0 else { return nil }
        active = id
        return TransferRequest(
            phase == .head ? .head : .get, url, range: phase == .head ? nil : ByteRange(0, 1),
            headers: url.origin == urls[0].origin ? headers : [])
    }

    /// Judges the final head of the answer.
    package mutating func received(_ head: ResponseHead, from url: WebURL, for id: TransferID) -> BodyVerdict {
        guard active == id else { return .cut }
        refusal = nil
        answer = nil
        goesOn = false
        if phase == .head, [400, 403, 405, 500, 501].contains(head.status) {
            // Not every server answers HEAD for what it gives to GET.
            phase = .firstByte
            goesOn = true
            return .drop
        }
        switch Answer(head, to: phase == .head ? nil : ByteRange(0, 1), from: url) {
        case .whole(let now):
            answer = now
            return phase == .head ? .drop : .cut
        case .part(_, let now):
            answer = now
            return .drop
        case .notSatisfiable(let length):
            if length == 0 {
                answer = head.representation
                answer?.length = 0
            } else {
                refusal = (Failure(.status(416), "\(url.redacted) does not give its first byte (416)"), nil)
            }
            return .drop
        case .refused(let failure):
            refusal = (failure, head.retryAfter?.delay(at: head.date))
            return .drop
        }
    }

    /// Notes the end of the transfer.
    package mutating func ended(_ id: TransferID, _ end: TransferEnd) -> [Action] {
        guard active == id else { return [] }
        active = nil
        if let answer {
            phase = .done
            return [.done(.answered(answer))]
        }
        if let refusal { return failed(refusal.failure, retryAfter: refusal.retryAfter) }
        if case .failed(let failure) = end { return failed(failure, retryAfter: nil) }
        if goesOn { return [] }
        return failed(Failure(.protocolError, "\(url.redacted) ended before it had answered"), retryAfter: nil)
    }

    /// The wait is over.
    package mutating func timerFired() { isWaiting = false }

    private mutating func failed(_ failure: Failure, retryAfter: Duration?) -> [Action] {
        refusal = nil
        switch retry.failed(failure, retryAfter: retryAfter, random: random.next()) {
        case .retry(let wait), .retryWithoutCounting(let wait):
            isWaiting = true
            return [.wait(wait)]
        case .giveUp:
            if failure.code != .missing { doubt = failure }
            if urlIndex + 1 < urls.count {
                urlIndex += 1
                phase = .head
                retry = RetryState(policy: policy)
                return []
            }
            phase = .done
            // Only where every URL says that there is no such file, there is none.
            return [.done(doubt.map { .unknown($0) } ?? .missing(failure))]
        }
    }
}
