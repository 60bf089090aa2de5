internal import SyncCore

/// Names a job of the loop: one entry, or one listing.
struct JobID: Hashable, Sendable {
    let number: Int
}

/// What the loop works for: it has use for some transfers, and hears how each of them goes.
///
/// Jobs belong to the loop's thread. Each decides by a pure machine and only carries out what that says.
protocol TransferJob: AnyObject {
    var id: JobID { get }
    /// What it brings, for messages.
    var name: String { get }
    /// How many more transfers it has use for now.
    var demand: Int { get }
    /// The URL that its next request goes to, whose host's permit it needs.
    var nextURL: WebURL { get }
    /// How urgent the next transfer is.
    var priority: Limiter.Priority { get }
    /// Whether so much is to come that a connection of its own pays.
    var isLarge: Bool { get }
    /// Whether it waits for the disk, so that it needs nothing of the network now.
    var isAtDisk: Bool { get }

    /// Lets it have one more transfer than it would take by itself, as its host carries fewer than it did:
    /// ``canSplit(_:)`` tells whether it has use for one.
    func inviteHelp()
    /// Whether a part of what a transfer is to bring could be given to another one.
    func canSplit(_ transfer: Transfer) -> Bool
    /// Takes a part away from a transfer, so that there is use for one more.
    func split(_ transfer: Transfer, in loop: isolated TransferLoop)
    /// The request for a transfer that has its permit; nil where there is no use for it any more.
    func request(for id: TransferID) -> TransferRequest?
    /// Judges the head of an answer, and gives the transfer what its body goes to.
    func received(_ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop) -> BodyVerdict
    /// Notes how far a transfer has come.
    func progressed(_ transfer: Transfer)
    /// Notes the end of a transfer.
    func ended(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop)
    /// A wait that it asked for is over.
    func timerFired(in loop: isolated TransferLoop)
    /// A second has passed: what is worth keeping is recorded.
    func tick(in loop: isolated TransferLoop)
    /// Much was written for it: what is here is recorded.
    func record(in loop: isolated TransferLoop)
    /// A tenth of a second has passed while transfers run for it: its speed is looked at, and its progress told.
    func sample(in loop: isolated TransferLoop)
    /// It ends with this failure: nothing more is fetched, what is here is recorded.
    func giveUp(_ failure: Failure, in loop: isolated TransferLoop)
}

extension TransferJob {
    var isAtDisk: Bool { false }
    var isLarge: Bool { false }

    func inviteHelp() {}
    func canSplit(_ transfer: Transfer) -> Bool { false }
    func split(_ transfer: Transfer, in loop: isolated TransferLoop) {}
    func record(in loop: isolated TransferLoop) {}

    /// Ends it because the run is interrupted.
    func interrupt(in loop: isolated TransferLoop) {
        giveUp(Failure(.interrupted, "\(name) was not finished: the run was interrupted"), in: loop)
    }
}
