internal import SyncCore

extension EntryJob {
    /// Starts the download machine.
    func download(from start: DownloadTask.Start, _ announced: Representation?, in loop: isolated TransferLoop) {
        var start = start
        var isMakingRoom = false
        do {
            switch start {
            case .nothing:
                if let old = facts.partial {
                    forget(partial: old.id)
                    isMakingRoom = true
                }
            case .partial:
                guard let record = facts.partial else { break }
                partialID = record.id
                partial = try context.desk.destination.openPartial(record.id)
            case .adopted:
                break
            }
        } catch {
            // The record stayed and the data is gone: there is nothing to go on from.
            if let old = facts.partial { forget(partial: old.id) }
            partialID = nil
            start = .nothing
        }
        // What is known not to fit is not even asked for. An old partial goes a little later, so that is no time to look.
        if !isMakingRoom {
            let isCoded = announced?.contentCoding != nil
            do {
                try findRoom(length: isCoded ? nil : announced?.length ?? facts.promisedSize, partial: partial)
            } catch {
                return keepForAnotherRun(error, in: loop)
            }
        }
        let task = DownloadTask(
            urls: facts.entry.urls, headers: facts.entry.headers, promisedSize: facts.promisedSize,
            announced: announced, digest: facts.entry.strongestDigest,
            traits: loop.memory.traits(of: facts.entry.urls[0].origin), start: start)
        let machine = DownloadMachine(task, policy: context.transfer, seed: loop.newSeed())
        let actions = machine.firstActions
        running = RunningDownload(consume machine)
        stage = .downloading
        perform(actions, in: loop)
        loop.refresh(self)
    }

    /// Copies another tool's file into a partial, and goes on from there if the server agrees.
    func adopt(_ file: LocalFile, _ announced: Representation?, in loop: isolated TransferLoop) {
        stage = .busy
        if let old = facts.partial { forget(partial: old.id) }
        context.desk.takeReserve()
        let partialID = context.desk.newPartialID()
        let (path, id, desk) = (facts.path, id, context.desk)
        desk.read { [loop] in
            let result = Result { () throws(DiskError) in
                try desk.destination.copyToPartial(path, id: partialID, length: file.size)
            }
            loop.post { loop in
                guard let job = loop.job(id) as? EntryJob else { return }
                switch result {
                case .success(let (partial, copied)):
                    job.partial = partial
                    job.partialID = partialID
                    job.download(from: copied == 0 ? .nothing : .adopted(length: copied), announced, in: loop)
                case .failure(let error):
                    job.finish(.failed, reason: error.failure.message, failure: error.failure, in: loop)
                }
            }
        }
    }

    // MARK: What transfers bring

    func receivedDownload(
        _ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop
    ) -> BodyVerdict {
        guard let (actions, body) = running?.machine.received(head, from: transfer.route.url, for: transfer.id) else {
            return .cut
        }
        perform(actions, in: loop)
        for finding in running?.machine.takeFindings() ?? [] { loop.memory.note(finding, of: transfer.route.origin) }
        guard case .write = body else { return body }
        guard stage.isDownloading, running?.machine.isEnded == false, partial != nil || isGathering else {
            return .cut
        }
        if isGathering, !mayGather(body) { startPartial(in: loop) }
        transfer.sink = .write(partial, digest)
        show(in: loop)
        return body
    }

    func endedDownload(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop) {
        if isGathering { settle(transfer, in: loop) }
        let matches: Bool?
        if case .keep = transfer.sink, let range = transfer.request.range {
            matches = isHere(transfer.kept, at: range)
        } else {
            matches = nil
        }
        let actions: [DownloadMachine.Action]?
        if case .failed(let failure) = end, failure.isOfTheDisk {
            actions = running?.machine.diskFailed(failure)
        } else {
            actions = running?.machine.ended(transfer.id, end, matches: matches)
        }
        perform(actions ?? [], in: loop)
        show(in: loop)
    }

    /// Whether bytes that the server sent are those in the partial.
    private func isHere(_ bytes: [UInt8], at range: ByteRange) -> Bool {
        guard let partial, bytes.count == Int(range.count) else { return false }
        var here = [UInt8](repeating: 0, count: bytes.count)
        let count = here.withUnsafeMutableBytes { buffer in
            (try? partial.read(at: range.start, into: buffer)) ?? 0
        }
        return count == bytes.count && here == bytes
    }

    // MARK: What the machine wants done

    func perform(_ actions: [DownloadMachine.Action], in loop: isolated TransferLoop) {
        for action in actions {
            switch action {
            case .openPartial(let length):
                do {
                    try openPartial(length: length)
                } catch {
                    perform(running?.machine.diskFailed(error) ?? [], in: loop)
                    return
                }
            case .discardPartial:
                discardPartial()
            case .cancel(let id):
                loop.cancel(id)
            case .limit(let id, let limit):
                loop.transfer(id)?.limit = limit
            case .wait(let duration):
                loop.wait(duration, for: self)
            case .complete(let representation):
                complete(representation, in: loop)
            case .fail(let failure):
                keepForAnotherRun(failure, in: loop)
            }
        }
    }

    private func openPartial(length: Int64?) throws(Failure) {
        isGathering = partial == nil && context.desk.gathers(length, minimumSegment: context.transfer.minimumSegment)
        guard !isGathering else { return }
        do {
            let desk = context.desk
            desk.takeReserve()
            try findRoom(length: length, partial: partial)
            let partial: PartialFile
            if let known = self.partial {
                partial = known
            } else {
                partial = try desk.destination.createPartial(desk.newPartialID())
                self.partial = partial
                partialID = partial.id
            }
            try takeRoom(length: length, partial: partial)
            let wanted = facts.entry.strongestDigest ?? running?.machine.servedDigest
            if let algorithm = wanted?.algorithm ?? recordedAlgorithm, digest == nil {
                digest = try RunningDigest(algorithm, blockLength: blockLength(of: length))
            }
        } catch let error as Failure {
            throw error
        } catch let error as DiskError {
            throw error.failure
        } catch let error as DigestError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(facts.path): \(error)")
        }
    }

    /// What is computed of a file that no digest is given for.
    var recordedAlgorithm: DigestAlgorithm? { context.recordsDigests ? .sha256 : nil }

    /// How long the blocks are of which digests are recorded.
    private func blockLength(of length: Int64?) -> Int64? {
        context.recordsDigests || mended?.hasBlocks == true ? length.flatMap(OwnBlocks.length) : nil
    }

    /// The digest that the finished file must have. What was mended is proven by the recorded digest, as long as the server
    /// still has the version that was recorded.
    private func wantedDigest(of representation: Representation) -> Digest? {
        if let known = facts.entry.strongestDigest ?? running?.machine.servedDigest { return known }
        guard let mended, mended.representation.difference(from: representation) == nil else { return nil }
        return mended.digest
    }

    /// Forgets all bytes, and the record of them before that.
    private func discardPartial() {
        digest = nil
        isGathering = false
        gathered = nil
        if isRecorded {
            context.desk.note(.forgetPartial(facts.path))
            isRecorded = false
        }
        // A new file rather than an empty one: a record that is still on its way can only name the old.
        abandonPartial()
    }

    func abandonPartial() {
        releaseRoom()
        if let partialID { context.desk.remove(partial: partialID) }
        partial = nil
        partialID = nil
    }

    private func forget(partial id: String) {
        context.desk.note(.forgetPartial(facts.path))
        context.desk.remove(partial: id)
        isRecorded = false
        facts.partial = nil
    }

    // MARK: The end

    private func complete(_ representation: Representation, in loop: isolated TransferLoop) {
        guard stage.isDownloading, let (held, whole) = running?.machine.progress else { return }
        if let gathered {
            self.gathered = nil
            return publish(gathered, as: representation, in: loop)
        }
        guard let partial, let partialID else { return }
        do {
            let length = whole ?? held
            if try partial.status().size != length { try partial.truncate(to: length) }
            if let date = representation.lastModified {
                try partial.setModified(seconds: date.secondsSinceEpoch)
            }
            try partial.close()
            self.partial = nil
            stage = .publishing
            context.desk.publish(
                PublishDesk.Item(
                    job: id, path: facts.path, partialID: partialID,
                    identity: Identity(resource: facts.resource, representation: representation), length: length,
                    wanted: wantedDigest(of: representation), recorded: recordedAlgorithm,
                    blockLength: blockLength(of: length), running: digest, listed: listed(of: representation),
                    pieces: facts.entry.pieces,
                    comesLast: context.comesLast(facts.path)),
                now: loop.now)
        } catch {
            keepForAnotherRun(error.failure, in: loop)
        }
    }

    /// The publishing queue has done its part.
    func published(_ result: PublishDesk.Result, in loop: isolated TransferLoop) {
        guard stage.isPublishing else { return }
        switch result {
        case .published(let record):
            var reasons = [decision?.reason].compactMap { $0 } + (running?.machine.remarks ?? [])
            if facts.entry.isSigned { reasons.append("its source gives a signature, which is not checked") }
            finish(
                .done, reason: reasons.joined(separator: "; "), size: record.file.size, digest: record.digest, in: loop)
        case .held(let item):
            stage = .held(item)
            loop.jobsHeld += 1
            loop.wakeRoomWaiters()
            context.hold(id)
            if loop.isInterrupted { interrupt(in: loop) }
        case .failed(let failure):
            stage = .downloading
            keepForAnotherRun(failure, in: loop)
        case .lost(let failure):
            // Nothing of it may be gone on with, and no later sync makes it right.
            context.desk.note(.forgetPartial(facts.path))
            abandonPartial()
            finish(.failed, reason: failure.message, failure: failure, in: loop)
        case .mismatch(let failure, let wrong):
            stage = .downloading
            let mayKeep = !wrong.isEmpty && reopenPartial()
            perform(running?.machine.verificationFailed(failure, wrong: mayKeep ? wrong : []) ?? [], in: loop)
            // A run that was interrupted meanwhile fetches nothing more.
            if loop.isInterrupted { interrupt(in: loop) } else { loop.refresh(self) }
        }
    }

    /// Opens the partial of a file once more that was whole, and is to be mended.
    private func reopenPartial() -> Bool {
        guard let partialID, let partial = try? context.desk.destination.openPartial(partialID) else { return false }
        self.partial = partial
        digest = nil
        isGathering = false
        return true
    }

    /// Puts a file in place that was held back.
    func release(in loop: isolated TransferLoop) {
        guard case .held(let item) = stage else { return }
        loop.jobsHeld -= 1
        stage = .publishing
        context.desk.publish(item, now: loop.now)
    }

    /// Leaves a file that was held back to another run.
    ///
    /// - Parameter failure: Where it is a failure of this file; that others failed is none.
    func leaveForAnotherRun(reason: String, _ failure: Failure? = nil, in loop: isolated TransferLoop) {
        guard case .held = stage else { return }
        loop.jobsHeld -= 1
        context.letGo(id)
        stage = .downloading
        record(synced: true)
        finish(failure == nil ? .kept : .failed, reason: reason, failure: failure, in: loop)
    }

    /// Fails, and leaves what is here to another run, as far as one can go on from it.
    private func keepForAnotherRun(_ failure: Failure, in loop: isolated TransferLoop) {
        record(synced: true)
        if !isRecorded { abandonPartial() }
        finish(.failed, reason: failure.message, failure: failure, in: loop)
    }
}

extension Failure {
    /// Whether it is the disk that refused.
    fileprivate var isOfTheDisk: Bool {
        switch code {
        case .diskFull, .readOnly, .disk: true
        default: false
        }
    }
}

extension Destination {
    /// The digest of a file in its place, or why there is none.
    func digest(_ algorithm: DigestAlgorithm, of path: RelativePath) throws(Failure) -> Digest {
        do {
            let file = try openForReading(path)
            return try file.digest(algorithm, of: ByteRange(0, try file.status().size))
        } catch let error as DiskError {
            throw error.failure
        } catch let error as FileDigestError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(path): \(error)")
        }
    }
}
