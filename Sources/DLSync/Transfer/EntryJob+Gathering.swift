internal import SyncCore

/// Small files are not written as they come: their bytes are gathered, and the publishing queue writes those of many at
/// once, so that the loop makes no call to the disk for them. What is slow, or does not come to its end, is written to a
/// partial after all.
extension EntryJob {
    /// Whether an answer brings the whole of the file.
    func mayGather(_ body: BodyVerdict) -> Bool { body == .write(at: 0, limit: running?.machine.progress.length) }

    /// Goes on with a partial instead of gathering.
    func startPartial(in loop: isolated TransferLoop) {
        isGathering = false
        do throws(DiskError) {
            let desk = context.desk
            desk.takeReserve()
            let partial = try desk.destination.createPartial(desk.newPartialID())
            self.partial = partial
            partialID = partial.id
        } catch {
            perform(running?.machine.diskFailed(error.failure) ?? [], in: loop)
        }
    }

    /// Takes the bytes of a transfer if they are the whole file; else has what came written to a partial.
    func settle(_ transfer: Transfer, in loop: isolated TransferLoop) {
        guard case .write(nil, let digest) = transfer.sink, let length = running?.machine.progress.length else {
            return
        }
        if let bytes = transfer.takeGathered(length: length) {
            gathered = bytes
            running?.machine.progressed(transfer.id, to: length)
            return
        }
        startPartial(in: loop)
        transfer.sink = .write(partial, digest)
        transfer.flush()
        progressed(transfer)
    }

    /// Hands a gathered file to the publishing queue.
    func publish(_ bytes: [UInt8], as representation: Representation, in loop: isolated TransferLoop) {
        let partialID = context.desk.newPartialID()
        self.partialID = partialID
        stage = .publishing
        context.desk.publish(
            PublishDesk.Item(
                job: id, path: facts.path, partialID: partialID,
                identity: Identity(resource: facts.resource, representation: representation),
                length: Int64(bytes.count),
                bytes: bytes, wanted: facts.entry.strongestDigest ?? running?.machine.servedDigest,
                recorded: recordedAlgorithm, listed: listed(of: representation), pieces: facts.entry.pieces,
                comesLast: context.comesLast(facts.path)), now: loop.now)
    }
}
