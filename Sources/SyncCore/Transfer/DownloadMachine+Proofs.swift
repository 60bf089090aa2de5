// How a download proves that what is here is one version of the file, and that of the server: by samples where bytes come
// from elsewhere, by the server's own digest, and by asking once more at the end.

extension DownloadMachine {
    /// From this size on, in bytes, a file takes so long to come that it may be overwritten meanwhile.
    static let confirmedSize: Int64 = 16 << 20

    // MARK: Samples

    /// A part of the file comes that is here already, for comparison.
    mutating func takeSample(
        _ id: TransferID, _ part: ByteRange, _ asked: ByteRange, _ now: Representation
    ) -> ([Action], BodyVerdict) {
        guard part == asked, let representation, representation.agrees(with: now) else {
            return original == nil ? restart(id) : mirrorDiffers(id)
        }
        // A mirror's later answers are held against its own validators.
        if original != nil { self.representation = now }
        return ([], .keep(most: Int(asked.count)))
    }

    /// A mirror serves something else than what is here: it is left out, and what is here stays.
    mutating func mirrorDiffers(_ id: TransferID) -> ([Action], BodyVerdict) {
        (refuse(id, otherFile).0, .cut)
    }

    /// What is wrong with a mirror that serves something else.
    var otherFile: Failure {
        Failure(.softError, "\(url.redacted) does not serve the same file as \(task.urls[0].redacted)")
    }

    // MARK: The server's digest

    /// Keeps the strongest digest that the server gives of the whole file, where the source gives none.
    mutating func noteServedDigest(_ head: ResponseHead, _ answer: Answer) {
        guard task.digest == nil, servedDigest == nil, head.representation.contentCoding == nil else { return }
        switch answer {
        case .whole where assignments.count == 1, .part where phase == .leading:
            servedDigest = head.digests.max { $0.algorithm < $1.algorithm }
        default: break
        }
    }

    // MARK: The last question

    /// All bytes are here: complete, or first to be confirmed.
    mutating func allHere(length: Int64) -> [Action] {
        guard needsConfirmation(length) else { return [finish(length: length)] }
        phase = .confirming
        confirmedLength = length
        return []
    }

    /// Whether bytes of two versions may be mixed without any answer having shown it: in a file that came over a longer
    /// time, or by several answers that only a date binds. A digest would tell better, and what came without a length is
    /// looked at again in the next run.
    private func needsConfirmation(_ length: Int64) -> Bool {
        guard task.digest == nil, servedDigest == nil, original == nil, let representation,
            representation.contentCoding == nil, representation.entityTag != nil || representation.lastModified != nil
        else { return false }
        let isStrong = representation.entityTag.map { !$0.isWeak } ?? false
        return length >= Self.confirmedSize || (contributors > 1 && !isStrong)
    }

    /// The server says what it has now.
    mutating func confirm(_ answer: Answer, _ id: TransferID) -> ([Action], BodyVerdict) {
        // A server that does not answer this question changes nothing about what it sent.
        guard case .whole(let now) = answer, let representation, !representation.agrees(with: now),
            !representation.differsInTagAlone(from: now)
        else {
            return ([], .drop)
        }
        return refuse(id, Failure(.changedWhileFetched, "\(url.redacted) changed while it was fetched"))
    }

    /// The last question was answered, or not.
    mutating func confirmed(_ refusal: Refusal?) -> [Action] {
        guard let refusal else { return [finish(length: confirmedLength)] }
        restarts += 1
        guard restarts <= Self.mostRestarts else { return [.discardPartial, end(with: refusal.failure)] }
        startOver()
        return [.discardPartial]
    }
}
