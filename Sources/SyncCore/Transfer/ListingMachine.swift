/// Fetches one listing or manifest: a plain GET, or a PROPFIND for a WebDAV collection, tried again from the start where
/// it was cut.
package struct ListingMachine: Sendable {
    /// What the loop is to do.
    package enum Action: Hashable, Sendable {
        case wait(Duration)
        /// The document has been told to its end.
        case done
        case fail(Failure)
    }

    private let url: WebURL
    private let method: TransferRequest.Method
    private var random: SplitMix64
    private var retry: RetryState
    private var active: TransferID?
    private var isWaiting = false
    private var isEnded = false
    /// Whether the answer that runs is the document.
    private var isDocument = false
    private var refusal: (failure: Failure, retryAfter: Duration?)?

    package init(_ url: WebURL, asCollection: Bool = false, policy: RetryPolicy, seed: UInt64) {
        self.url = url
        method = asCollection ? .propfind : .get
        random = SplitMix64(seed: seed)
        retry = RetryState(policy: policy)
    }

    /// How many transfers there is use for now: one, until it is there.
    package var demand: Int { isEnded || active != nil || isWaiting ? 0 : 1 }

    /// The request for a transfer that got a permit.
    package mutating func request(for id: TransferID) -> TransferRequest? {
        guard demand > 0 else { return nil }
        active = id
        isDocument = false
        return TransferRequest(method, url)
    }

    /// Judges the final head of the answer.
    package mutating func received(_ head: ResponseHead, from url: WebURL) -> BodyVerdict {
        if method == .propfind, let failure = noCollection(head, url) {
            refusal = (failure, nil)
            return .drop
        }
        var head = head
        // 207 is to PROPFIND what 200 is to GET (RFC 4918 §13).
        if method == .propfind, head.status == 207 { head.status = 200 }
        switch Answer(head, to: nil, from: url) {
        case .whole:
            refusal = nil
            isDocument = true
            return .deliver
        case .refused(let failure):
            refusal = (failure, head.retryAfter?.delay(at: head.date))
            return .drop
        case .part, .notSatisfiable:
            refusal = (Failure(.status(head.status), "\(url.redacted) answered with status \(head.status)"), nil)
            return .drop
        }
    }

    /// Notes the end of the transfer.
    package mutating func ended(_ id: TransferID, _ end: TransferEnd) -> [Action] {
        guard active == id else { return [] }
        active = nil
        if let refusal { return failed(refusal.failure, retryAfter: refusal.retryAfter) }
        switch end {
        case .finished where isDocument:
            isEnded = true
            return [.done]
        case .finished, .cut:
            return failed(Failure(.cutShort, "\(url.redacted) was cut short"), retryAfter: nil)
        case .failed(let failure):
            return failed(failure, retryAfter: nil)
        }
    }

    /// The wait is over.
    package mutating func timerFired() { isWaiting = false }

    /// Why a server's answer is none to PROPFIND, where it is that method that it does not know.
    private func noCollection(_ head: ResponseHead, _ url: WebURL) -> Failure? {
        switch head.status {
        case 200, 400, 405, 501:
            Failure(
                .status(head.status),
                "\(url.redacted) is no WebDAV collection: its server answers PROPFIND with status \(head.status); leave "
                    + "--format webdav out if it has an index page")
        default: nil
        }
    }

    private mutating func failed(_ failure: Failure, retryAfter: Duration?) -> [Action] {
        refusal = nil
        switch retry.failed(failure, retryAfter: retryAfter, random: random.next()) {
        case .retry(let wait), .retryWithoutCounting(let wait):
            isWaiting = true
            return [.wait(wait)]
        case .giveUp:
            isEnded = true
            return [.fail(failure)]
        }
    }
}
