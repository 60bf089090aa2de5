import SyncCore
import Testing

@Suite struct InquiryMachineTests {
    private static let version = Representation.numbered(1, length: 100, .tagAndDate)

    private static func machine(urls: Int = 1, headers: [HeaderField] = []) throws -> InquiryMachine {
        let urls = try (1...urls).map { try #require(WebURL("https://host\($0).test/file")) }
        return InquiryMachine(urls: urls, headers: headers, policy: RetryPolicy(retries: 2), seed: 1)
    }

    /// Answers what is asked until the machine has done, and tells what was asked and what was learnt.
    private static func asked(
        _ machine: inout InquiryMachine, _ answers: [(ResponseHead?, TransferEnd)]
    ) throws -> (requests: [TransferRequest], knowledge: ServerKnowledge?) {
        var requests: [TransferRequest] = []
        for (number, (head, end)) in answers.enumerated() {
            #expect(machine.demand == 1)
            let id = TransferID(number + 1)
            let asked = machine.request(for: id)
            let request = try #require(asked)
            requests.append(request)
            #expect(machine.demand == 0)
            if let head { _ = machine.received(head, from: machine.url, for: id) }
            for action in machine.ended(id, end) {
                switch action {
                case .wait:
                    #expect(machine.demand == 0)
                    machine.timerFired()
                case .done(let knowledge):
                    #expect(machine.demand == 0)
                    return (requests, knowledge)
                }
            }
        }
        return (requests, nil)
    }

    @Test func `a HEAD tells all`() throws {
        var machine = try Self.machine()
        let (requests, knowledge) = try Self.asked(&machine, [(.whole(Self.version), .finished)])
        #expect(requests.map(\.method) == [.head])
        #expect(knowledge == .answered(Self.version))
    }

    @Test(arguments: [400, 403, 405, 500, 501])
    func `where HEAD is refused the first byte is asked for (BR 63)`(status: Int) throws {
        for answer in [ResponseHead.part(ByteRange(0, 1), of: Self.version), .whole(Self.version)] {
            var machine = try Self.machine()
            let (requests, knowledge) = try Self.asked(
                &machine, [(ResponseHead(status: status), .finished), (answer, .cut)])
            #expect(requests.map(\.method) == [.head, .get])
            #expect(requests.last?.range == ByteRange(0, 1))
            #expect(requests[0].url == requests[1].url)
            #expect(knowledge == .answered(Self.version))
        }
    }

    @Test func `an empty file has no first byte, and keeps its validators`() throws {
        var head = ResponseHead.notSatisfiable(0)
        head.representation = .numbered(1, length: nil, .tagAndDate)
        var machine = try Self.machine()
        let (_, knowledge) = try Self.asked(&machine, [(ResponseHead(status: 405), .finished), (head, .finished)])
        #expect(knowledge == .answered(.numbered(1, length: 0, .tagAndDate)))
    }

    @Test(arguments: [404, 410])
    func `what does not exist is missing`(status: Int) throws {
        var machine = try Self.machine()
        let (_, knowledge) = try Self.asked(&machine, [(ResponseHead(status: status), .finished)])
        guard case .missing(let failure) = knowledge else {
            Issue.record("\(String(describing: knowledge))")
            return
        }
        #expect(failure.code == .missing)
    }

    @Test(arguments: [401, 407, 418, 451])
    func `what the server keeps to itself is unknown`(status: Int) throws {
        var machine = try Self.machine()
        let (_, knowledge) = try Self.asked(&machine, [(ResponseHead(status: status), .finished)])
        guard case .unknown = knowledge else {
            Issue.record("\(String(describing: knowledge))")
            return
        }
    }

    @Test func `an encoded answer tells nothing`() throws {
        var coded = Self.version
        coded.contentCoding = "br"
        var machine = try Self.machine()
        let (_, knowledge) = try Self.asked(&machine, [(.whole(coded), .finished)])
        guard case .unknown(let failure) = knowledge else {
            Issue.record("\(String(describing: knowledge))")
            return
        }
        #expect(failure.code == .contentCoded)
    }

    @Test func `what passes is asked again, a bounded number of times`() throws {
        var machine = try Self.machine()
        let lost = TransferEnd.failed(Failure(.connectionLost, "lost"))
        let (requests, knowledge) = try Self.asked(
            &machine, [(nil, lost), (ResponseHead(status: 502), .finished), (.whole(Self.version), .finished)])
        #expect(requests.count == 3)
        #expect(knowledge == .answered(Self.version))
        var other = try Self.machine()
        let (all, end) = try Self.asked(&other, [(nil, lost), (nil, lost), (nil, lost), (nil, lost)])
        #expect(all.count == 3)
        #expect(end == .unknown(Failure(.connectionLost, "lost")))
    }

    @Test(arguments: [TransferEnd.finished, .cut])
    func `ends without an answer are bounded`(end: TransferEnd) throws {
        var machine = try Self.machine()
        let (requests, knowledge) = try Self.asked(
            &machine, [(ResponseHead?, TransferEnd)](repeating: (nil, end), count: 20))
        #expect(requests.count == 3)
        #expect(knowledge != nil)
    }

    @Test func `a refused HEAD whose connection is lost is followed by the first byte`() throws {
        var machine = try Self.machine()
        let (requests, knowledge) = try Self.asked(
            &machine,
            [
                (ResponseHead(status: 405), .failed(Failure(.connectionLost, "lost"))),
                (.part(ByteRange(0, 1), of: Self.version), .finished),
            ])
        #expect(requests.map(\.method) == [.head, .get])
        #expect(knowledge == .answered(Self.version))
    }

    @Test func `the mirrors are asked in their order, and the source's fields stay at its origin`() throws {
        let field = HeaderField(name: "X-Key", value: "secret")
        var machine = try Self.machine(urls: 2, headers: [field])
        let (requests, knowledge) = try Self.asked(
            &machine, [(ResponseHead(status: 404), .finished), (.whole(Self.version), .finished)])
        #expect(requests.map(\.url.string) == ["https://host1.test/file", "https://host2.test/file"])
        #expect(requests.map(\.headers) == [[field], []])
        #expect(knowledge == .answered(Self.version))
    }

    @Test(arguments: [([404, 410], true), ([404, 401], false), ([401, 404], false)])
    func `only what is missing everywhere is missing`(statuses: [Int], isMissing: Bool) throws {
        var machine = try Self.machine(urls: 2)
        let (_, knowledge) = try Self.asked(
            &machine, statuses.map { (ResponseHead(status: $0), TransferEnd.finished) })
        switch knowledge {
        case .missing: #expect(isMissing)
        case .unknown: #expect(!isMissing)
        default: Issue.record("\(String(describing: knowledge))")
        }
    }

    @Test func `another transfer is none of its concern`() throws {
        var machine = try Self.machine()
        _ = machine.request(for: TransferID(1))
        let verdict = machine.received(.whole(Self.version), from: machine.url, for: TransferID(2))
        #expect(verdict == .cut)
        let actions = machine.ended(TransferID(2), .finished)
        #expect(actions == [])
        let second = machine.request(for: TransferID(3))
        #expect(second == nil)
    }
}
