internal import SyncCore

/// Fetches one listing or manifest for a reader.
final class ListingJob: TransferJob {
    let id: JobID
    let nextURL: WebURL
    let priority = Limiter.Priority.listing
    private var machine: ListingMachine
    private let channel: ListingChannel

    /// - Parameter asCollection: Whether it is a WebDAV collection, which is asked for what it holds.
    init(
        id: JobID, url: WebURL, asCollection: Bool, channel: ListingChannel, retry: RetryPolicy, seed: UInt64
    ) {
        self.id = id
        nextURL = url
        self.channel = channel
        machine = ListingMachine(url, asCollection: asCollection, policy: retry, seed: seed)
    }

    var name: String { nextURL.redacted }
    var demand: Int { machine.demand }

    func request(for id: TransferID) -> TransferRequest? { machine.request(for: id) }

    func received(_ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop) -> BodyVerdict {
        let verdict = machine.received(head, from: transfer.route.url)
        if verdict == .deliver {
            transfer.sink = .deliver(channel)
            channel.begin(head, from: transfer.route.url)
        }
        return verdict
    }

    func progressed(_ transfer: Transfer) {}

    func ended(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop) {
        for action in machine.ended(transfer.id, end) {
            switch action {
            case .wait(let duration):
                loop.wait(duration, for: self)
            case .done:
                channel.finish(nil)
                loop.remove(self)
            case .fail(let failure):
                channel.finish(failure)
                loop.remove(self)
            }
        }
    }

    /// Its reader wants nothing more.
    func abandon(in loop: isolated TransferLoop) {
        loop.cancelTransfers(of: id)
        loop.remove(self)
    }

    func timerFired(in loop: isolated TransferLoop) { machine.timerFired() }

    func tick(in loop: isolated TransferLoop) {}

    func sample(in loop: isolated TransferLoop) {}

    func giveUp(_ failure: Failure, in loop: isolated TransferLoop) {
        channel.finish(failure)
        abandon(in: loop)
    }
}
