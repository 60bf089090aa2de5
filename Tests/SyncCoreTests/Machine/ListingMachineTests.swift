import SyncCore
import Testing

@Suite struct ListingMachineTests {
    private let url: WebURL
    private static let page = Representation(length: 500)

    init() throws { url = try #require(WebURL("https://example.org/dir/")) }

    private enum End: Equatable {
        case done
        case failed(Failure.Code)
        case open
    }

    private func told(_ answers: [(ResponseHead?, TransferEnd)]) -> (end: End, requests: Int, delivered: Int) {
        var machine = ListingMachine(url, policy: RetryPolicy(retries: 2), seed: 1)
        var requests = 0
        var delivered = 0
        for (head, end) in answers {
            let id = TransferID(requests + 1)
            guard let request = machine.request(for: id) else { break }
            #expect(request == TransferRequest(.get, url))
            #expect(machine.demand == 0)
            requests += 1
            if let head, machine.received(head, from: url) == .deliver { delivered += 1 }
            for action in machine.ended(id, end) {
                switch action {
                case .wait:
                    #expect(machine.demand == 0)
                    machine.timerFired()
                case .done: return (.done, requests, delivered)
                case .fail(let failure): return (.failed(failure.code), requests, delivered)
                }
            }
        }
        return (.open, requests, delivered)
    }

    @Test func `a page that has come to its end is done`() {
        let (end, requests, delivered) = told([(.whole(Self.page), .finished)])
        #expect(end == .done)
        #expect(requests == 1)
        #expect(delivered == 1)
    }

    @Test(arguments: [
        TransferEnd.cut, .failed(Failure(.connectionLost, "lost")), .failed(Failure(.cutShort, "short")),
    ])
    func `a page that was cut is fetched again, and is never taken for whole (BR 35)`(cut: TransferEnd) {
        let again = told([(.whole(Self.page), cut), (.whole(Self.page), .finished)])
        #expect(again.end == .done)
        #expect(again.requests == 2)
        let never = told([(ResponseHead?, TransferEnd)](repeating: (.whole(Self.page), cut), count: 9))
        #expect(never.requests == 3)
        #expect(never.end != .done)
        #expect(never.end != .open)
    }

    @Test(arguments: [TransferEnd.finished, .cut])
    func `an end without an answer is no empty page`(end: TransferEnd) {
        let (result, requests, _) = told([(ResponseHead?, TransferEnd)](repeating: (nil, end), count: 9))
        #expect(result == .failed(.cutShort))
        #expect(requests == 3)
        let after = told([(.whole(Self.page), .cut), (nil, .finished), (nil, .finished), (nil, .finished)])
        #expect(after.end == .failed(.cutShort))
    }

    @Test(arguments: [
        (404, Failure.Code.missing), (410, .missing), (401, .denied), (403, .status(403)), (204, .status(204)),
        (206, .wrongRange), (416, .status(416)), (304, .status(304)),
    ])
    func `anything but the page is a failure`(status: Int, code: Failure.Code) {
        let (end, _, delivered) = told(
            [(ResponseHead?, TransferEnd)](repeating: (ResponseHead(status: status), .finished), count: 9))
        #expect(end == .failed(code))
        #expect(delivered == 0)
    }

    @Test func `an error that passes is followed by the page`() {
        let (end, requests, _) = told([
            (ResponseHead(status: 503, retryAfter: .delay(.seconds(5))), .finished),
            (ResponseHead(status: 500), .cut), (.whole(Self.page), .finished),
        ])
        #expect(end == .done)
        #expect(requests == 3)
    }

    @Test func `an encoded page is a failure`() {
        var coded = Self.page
        coded.contentCoding = "br"
        #expect(told([(.whole(coded), .finished)]).end == .failed(.contentCoded))
    }

    /// What becomes of an answer of a status to a request for a collection.
    private func toldOfCollection(_ status: Int) -> (delivered: Bool, failure: Failure?) {
        var machine = ListingMachine(url, asCollection: true, policy: RetryPolicy(retries: 0), seed: 1)
        #expect(machine.request(for: TransferID(1)) == TransferRequest(.propfind, url))
        let verdict = machine.received(ResponseHead(status: status), from: url)
        guard case .fail(let failure)? = machine.ended(TransferID(1), .finished).first else {
            return (verdict == .deliver, nil)
        }
        return (verdict == .deliver, failure)
    }

    @Test(
        arguments: [
            (207, nil), (200, .status(200)), (405, .status(405)), (501, .status(501)), (404, .missing),
            (401, .denied), (206, .wrongRange),
        ] as [(Int, Failure.Code?)])
    func `a collection is asked for by PROPFIND, and 207 is its answer`(status: Int, code: Failure.Code?) {
        let told = toldOfCollection(status)
        #expect(told.delivered == (code == nil))
        #expect(told.failure?.code == code)
        if status == 405 { #expect(told.failure?.message.contains("PROPFIND with status 405") == true) }
    }

    @Test func `207 is no answer to GET`() {
        let (end, _, delivered) = told([(ResponseHead(status: 207), .finished)])
        #expect(end == .failed(.status(207)))
        #expect(delivered == 0)
    }

    @Test func `the end of another transfer is none of its concern`() {
        var machine = ListingMachine(url, policy: RetryPolicy(), seed: 1)
        _ = machine.request(for: TransferID(1))
        let actions = machine.ended(TransferID(2), .finished)
        #expect(actions == [])
        #expect(machine.demand == 0)
    }
}
