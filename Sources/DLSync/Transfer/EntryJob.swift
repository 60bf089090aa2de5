internal import SyncCore

/// The way of one entry: compared, fetched, handed to be verified and published.
///
/// The planner and the two machines decide; the job carries out what they say and tells them what happened.
final class EntryJob: TransferJob {
    enum Stage {
        /// Something is read or copied on the disk.
        case busy
        case inquiring
        case downloading
        /// All bytes are here; the publishing queue has them.
        case publishing
        /// The file is whole, and held back until the rest of the run is done.
        case held(PublishDesk.Item)
        case ended

        var isDownloading: Bool { if case .downloading = self { true } else { false } }
        var isPublishing: Bool { if case .publishing = self { true } else { false } }
    }

    let id: JobID
    let context: RunContext
    var facts: EntryFacts
    var stage = Stage.busy
    /// The machine of the stage `inquiring`.
    private var inquiry: InquiryMachine?
    /// The machine of the stages `downloading` and `publishing`.
    var running: RunningDownload?
    var decision: Decision?
    /// What a file was that is mended; nil for one that is not.
    let mended: Mended?
    var partial: PartialFile?
    var partialID: String?
    /// Whether the state has a record of the partial.
    var isRecorded: Bool
    var digest: RunningDigest?
    /// Whether the file's bytes are gathered in memory, to be written together with those of others.
    var isGathering = false
    /// All bytes of a file that was gathered.
    var gathered: [UInt8]?
    /// The length up to which the file system has yet to give the partial its room; nil where it has.
    var lengthToRoom: Int64?
    var bytes: Int64 = 0
    var requests = 0
    var startedAt: MonotonicTime = .zero
    private var ticks = 0
    private var lastRecorded = ByteRangeSet()
    /// How many bytes were here when the disk was last asked to begin with them.
    private var bytesUnderWay: Int64 = 0

    /// - Parameter decision: What a plan decided, when this job carries one out.
    init(id: JobID, facts: EntryFacts, decision: Decision? = nil, mended: Mended? = nil, context: RunContext) {
        self.mended = mended
        self.id = id
        self.facts = facts
        self.context = context
        self.decision = decision
        isRecorded = facts.partial != nil
    }

    /// Begins: with the plan's decision, or by making one.
    func begin(in loop: isolated TransferLoop) {
        startedAt = loop.now
        if let decision { carryOut(decision, in: loop) } else { compare(with: .notAsked, in: loop) }
    }

    // MARK: What the loop asks

    var demand: Int {
        switch stage {
        case .inquiring: inquiry?.demand ?? 0
        case .downloading: running?.machine.demand ?? 0
        case .busy, .publishing, .held, .ended: 0
        }
    }

    var nextURL: WebURL {
        switch stage {
        case .inquiring: inquiry?.url ?? facts.entry.urls[0]
        case .downloading: running?.machine.url ?? facts.entry.urls[0]
        case .busy, .publishing, .held, .ended: facts.entry.urls[0]
        }
    }

    var priority: Limiter.Priority {
        switch stage {
        case .inquiring: .inquiry
        case .downloading: requests > 0 ? .continuation : facts.failure == nil ? .start : .overdue
        case .busy, .publishing, .held, .ended: .start
        }
    }

    func inviteHelp() {
        guard stage.isDownloading else { return }
        running?.machine.inviteHelp()
    }

    func canSplit(_ transfer: Transfer) -> Bool {
        guard stage.isDownloading, let running else { return false }
        return running.machine.canSplit(transfer.id, least: leastShare(of: transfer))
    }

    private func leastShare(of transfer: Transfer) -> Int64 {
        transfer.speed.leastShare(context.transfer)
    }

    func split(_ transfer: Transfer, in loop: isolated TransferLoop) {
        perform(running?.machine.split(transfer.id, least: leastShare(of: transfer)) ?? [], in: loop)
    }

    func request(for id: TransferID) -> TransferRequest? {
        requests += 1
        switch stage {
        case .inquiring: return inquiry?.request(for: id)
        case .downloading: return running?.machine.request(for: id)
        case .busy, .publishing, .held, .ended: return nil
        }
    }

    func received(_ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop) -> BodyVerdict {
        switch stage {
        case .inquiring:
            return inquiry?.received(head, from: transfer.route.url, for: transfer.id) ?? .cut
        case .downloading:
            return receivedDownload(head, for: transfer, in: loop)
        case .busy, .publishing, .held, .ended:
            return .cut
        }
    }

    func progressed(_ transfer: Transfer) {
        guard case .write = transfer.sink, stage.isDownloading else { return }
        running?.machine.progressed(transfer.id, to: transfer.reportWritten())
    }

    func ended(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop) {
        bytes += transfer.total
        switch stage {
        case .inquiring:
            perform(inquiry?.ended(transfer.id, end) ?? [], in: loop)
        case .downloading:
            endedDownload(transfer, end, in: loop)
        case .busy, .publishing, .held, .ended:
            break
        }
    }

    func timerFired(in loop: isolated TransferLoop) {
        switch stage {
        case .inquiring: inquiry?.timerFired()
        case .downloading: running?.machine.timerFired()
        case .busy, .publishing, .held, .ended: break
        }
    }

    func tick(in loop: isolated TransferLoop) {
        guard stage.isDownloading, running?.machine.activeTransfers ?? 0 > 0 else { return }
        for transfer in loop.transfers(of: id) {
            // What takes longer than others is worth keeping.
            if isGathering { settle(transfer, in: loop) }
            transfer.flush()
            progressed(transfer)
        }
        noteRoom()
        ticks += 1
        record(synced: ticks % 5 == 0)
    }

    func record(in loop: isolated TransferLoop) {
        for transfer in loop.transfers(of: id) { progressed(transfer) }
        record(synced: false)
        // As much as a disk takes in one go: the end of a large file does not wait for all of it.
        if let partial, lastRecorded.count - bytesUnderWay >= 16 << 20 {
            bytesUnderWay = lastRecorded.count
            context.desk.startWriting(partial)
        }
    }

    var name: String { "\(facts.path)" }

    var isLarge: Bool {
        guard stage.isDownloading else { return false }
        return running?.machine.progress.length ?? facts.promisedSize ?? decision?.announced?.length ?? 0 >= 1 << 20
    }

    var isAtDisk: Bool {
        switch stage {
        case .busy, .publishing: true
        case .inquiring, .downloading, .held, .ended: false
        }
    }

    func giveUp(_ failure: Failure, in loop: isolated TransferLoop) {
        switch stage {
        case .publishing, .ended:
            // What is whole is published before the run ends.
            return
        case .held:
            return leaveForAnotherRun(reason: failure.message, failure, in: loop)
        case .downloading:
            // What was gathered so far is worth going on from.
            if isGathering { for transfer in loop.transfers(of: id) { settle(transfer, in: loop) } }
            record(synced: true)
            if !isRecorded { abandonPartial() }
        case .busy, .inquiring:
            break
        }
        loop.cancelTransfers(of: id)
        finish(.failed, reason: failure.message, failure: failure, in: loop)
    }

    // MARK: Comparing

    /// Asks the planner, and does what it says.
    func compare(with server: ServerKnowledge, in loop: isolated TransferLoop) {
        switch context.planner.verdict(on: facts, server: server) {
        case .ask:
            stage = .inquiring
            inquiry = InquiryMachine(
                urls: facts.entry.urls, headers: facts.entry.headers, policy: context.transfer.retry,
                seed: loop.newSeed())
            loop.refresh(self)
        case .hashLocalFile(let algorithm):
            hashLocalFile(algorithm, server, in: loop)
        case .decided(let decision):
            self.decision = decision
            carryOut(decision, in: loop)
        }
    }

    private func perform(_ actions: [InquiryMachine.Action], in loop: isolated TransferLoop) {
        for action in actions {
            switch action {
            case .wait(let duration): loop.wait(duration, for: self)
            case .done(let knowledge): compare(with: knowledge, in: loop)
            }
        }
    }

    private func hashLocalFile(
        _ algorithm: DigestAlgorithm, _ server: ServerKnowledge, in loop: isolated TransferLoop
    ) {
        stage = .busy
        let (path, id, desk) = (facts.path, id, context.desk)
        desk.read { [loop] in
            let result = Result { () throws(Failure) in try desk.destination.digest(algorithm, of: path) }
            loop.post { loop in
                guard let job = loop.job(id) as? EntryJob else { return }
                switch result {
                case .success(let digest):
                    job.facts.localDigest = digest
                    job.compare(with: server, in: loop)
                case .failure(let failure):
                    job.finish(.failed, reason: failure.message, failure: failure, in: loop)
                }
            }
        }
    }

    /// Does what was decided.
    private func carryOut(_ decision: Decision, in loop: isolated TransferLoop) {
        guard context.purpose == .run else {
            loop.tell(.planned(PlannedEntry(facts: facts, decision: decision)), to: context.events)
            leave(failed: false, in: loop)
            return
        }
        switch decision.work {
        case .none:
            finish(.kept, reason: decision.reason, size: decision.size, in: loop)
        case .record(let file, let representation, let digest):
            var record = FileRecord(
                path: facts.path, identity: Identity(resource: facts.resource, representation: representation),
                file: file, digest: digest)
            record.listed = listed(of: representation)
            context.desk.note(.complete(record))
            finish(.kept, reason: decision.reason, size: decision.size, in: loop)
        case .failed(let failure):
            finish(.failed, reason: failure.message, failure: failure, in: loop)
        case .download(let start):
            download(from: start, decision.announced, in: loop)
        case .adopt(let file):
            adopt(file, decision.announced, in: loop)
        }
    }

    /// What the source says of the file, if it may be trusted from now on to show the next change.
    func listed(of representation: Representation) -> String? {
        guard let listed = ListedFacts(facts.entry), listed.areOf(representation),
            listed.areSettled(representation, now: currentDate())
        else { return nil }
        return listed.text
    }

    // MARK: The end

    /// Reports what became of the entry, and leaves the loop.
    func finish(
        _ status: Outcome.Status, reason: String, size: Int64? = nil, digest: Digest? = nil, failure: Failure? = nil,
        in loop: isolated TransferLoop
    ) {
        guard context.purpose == .run else {
            // A plan that cannot be made says so as well as one that can.
            let decision = Decision(
                action: .unknown, reason: reason, have: 0, fetch: nil, size: nil,
                work: .failed(failure ?? Failure(.interrupted, reason)))
            loop.tell(.planned(PlannedEntry(facts: facts, decision: decision)), to: context.events)
            leave(failed: true, in: loop)
            return
        }
        var outcome = Outcome(
            path: facts.path, url: facts.entry.urls[0].redacted, action: decision?.action ?? .unknown,
            status: status, reason: reason, bytes: bytes, requests: requests,
            duration: loop.now - startedAt, size: size, digest: digest, failure: failure)
        if status == .failed {
            if failure?.code == .missing, context.vanished?.take(outcome, of: facts) == true {
                return leave(failed: false, in: loop)
            }
            outcome = context.failed(outcome, facts)
        } else if status == .kept, facts.failure != nil {
            context.desk.note(.forgetFailure(facts.path))
        }
        loop.tell(.outcome(outcome), to: context.events)
        leave(failed: status == .failed, in: loop)
    }

    private func leave(failed: Bool, in loop: isolated TransferLoop) {
        stage = .ended
        releaseRoom()
        partial = nil
        context.progress.settled(facts.path, failed: failed)
        loop.remove(self)
        context.ended()
    }

    // MARK: Records and progress

    /// Notes for the state what is here of the file, if that changed.
    func record(synced: Bool) {
        guard stage.isDownloading, let partialID, let (representation, held) = running?.machine.resumable,
            held != lastRecorded || synced
        else { return }
        lastRecorded = held
        isRecorded = true
        // What an earlier run synced of this file stays so.
        let before = facts.partial?.id == partialID ? facts.partial?.syncedExtents : nil
        context.desk.note(
            .partial(
                PartialRecord(
                    id: partialID, path: facts.path,
                    identity: Identity(resource: facts.resource, representation: representation), extents: held,
                    syncedExtents: before ?? ByteRangeSet())),
            synced: synced)
    }

    func sample(in loop: isolated TransferLoop) {
        running?.machine.sampleSpeed(onTheWay: bytesOnTheWay(in: loop), now: loop.now)
        show(in: loop)
    }

    /// Tells the file's progress.
    func show(in loop: isolated TransferLoop) {
        // What is only to be published is shown as whole: nothing of it is missing any more.
        guard stage.isDownloading || stage.isPublishing, let (held, length) = running?.machine.progress else {
            return
        }
        context.show(
            ProgressSnapshot.ActiveFile(
                path: facts.path, have: held + bytesOnTheWay(in: loop), size: length,
                transfers: running?.machine.activeTransfers ?? 0))
    }

    /// What has arrived and is not written yet, or was not told of.
    private func bytesOnTheWay(in loop: isolated TransferLoop) -> Int64 {
        loop.transfers(of: id).reduce(0) { $0 + $1.unreported }
    }
}

/// What the record says of a file that is to be mended.
struct Mended: Hashable, Sendable {
    var representation: Representation
    var digest: Digest?
    /// Whether digests of its blocks are recorded, and so are to be of what comes in its place.
    var hasBlocks: Bool
}

/// Holds the machine of a download that runs, so that it can be asked where it is.
final class RunningDownload {
    var machine: DownloadMachine

    init(_ machine: consuming DownloadMachine) { self.machine = machine }
}
