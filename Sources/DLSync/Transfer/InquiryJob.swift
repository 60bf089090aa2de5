internal import SyncCore

/// Asks about one URL for a caller that waits.
final class InquiryJob: TransferJob {
    let id: JobID
    let priority = Limiter.Priority.inquiry
    private var machine: InquiryMachine
    private var suggestedName: [UInt8]?
    private let answer: (ServerKnowledge, [UInt8]?) -> Void

    init(id: JobID, machine: InquiryMachine, answer: @escaping (ServerKnowledge, [UInt8]?) -> Void) {
        self.id = id
        self.machine = machine
        self.answer = answer
    }

    var name: String { nextURL.redacted }
    var demand: Int { machine.demand }
    var nextURL: WebURL { machine.url }

    func request(for id: TransferID) -> TransferRequest? { machine.request(for: id) }

    func received(_ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop) -> BodyVerdict {
        suggestedName = head.suggestedName ?? suggestedName
        return machine.received(head, from: transfer.route.url, for: transfer.id)
    }

    func progressed(_ transfer: Transfer) {}

    func ended(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop) {
        for action in machine.ended(transfer.id, end) {
            switch action {
            case .wait(let duration): loop.wait(duration, for: self)
            case .done(let knowledge): finish(knowledge, in: loop)
            }
        }
    }

    func timerFired(in loop: isolated TransferLoop) { machine.timerFired() }

    func tick(in loop: isolated TransferLoop) {}

    func sample(in loop: isolated TransferLoop) {}

    func giveUp(_ failure: Failure, in loop: isolated TransferLoop) {
        loop.cancelTransfers(of: id)
        finish(.unknown(failure), in: loop)
    }

    private func finish(_ knowledge: ServerKnowledge, in loop: isolated TransferLoop) {
        answer(knowledge, suggestedName)
        loop.remove(self)
    }
}
