internal import Dispatch
internal import SyncCore
internal import Synchronization

/// Reads files and compares them with their digests, several side by side, and has what is bad fetched again where that
/// is wanted.
final class Verifier: Sendable {
    private let context: RunContext
    private let loop: TransferLoop
    private let surveyor: Surveyor
    private let state: StateStore
    private let repairs: Bool
    private let queue = DispatchQueue(label: "dlsync.verify", attributes: .concurrent)
    private let isCancelled = Mutex(false)

    /// So many files are read at once: a disk gains nothing by more, and each takes a core for its digest.
    private let width: Int

    init(
        context: RunContext, loop: TransferLoop, surveyor: Surveyor, state: StateStore, repairs: Bool, width: Int
    ) {
        self.context = context
        self.loop = loop
        self.surveyor = surveyor
        self.state = state
        self.repairs = repairs
        self.width = width
    }

    /// Ends all reading soon.
    func cancel() { isCancelled.withLock { $0 = true } }

    /// Verifies every file that the state has a record of. A file that is to be fetched again is asked for where it came
    /// from.
    ///
    /// - Parameter digests: Digests that count in the place of those that were recorded.
    func takeRecords(_ digests: DigestTable) async {
        var last: RelativePath?
        while !Task.isCancelled {
            let page: [FileRecord]
            do {
                page = try state.records(after: last, limit: 256)
            } catch {
                context.tell(.sourceFailed(source: "the state", error.failure))
                return
            }
            guard let end = page.last else { return }
            last = end.path
            let facts = page.compactMap { record -> EntryFacts? in
                guard let url = WebURL(record.identity.resource) else { return nil }
                let entry = Entry(
                    urls: [url], suggestedPath: record.path.bytes, digests: record.digest.map { [$0] } ?? [],
                    origin: EntryOrigin(source: "the state"))
                return EntryFacts(entry: digests.digested(entry), path: record.path)
            }
            context.began(facts.count)
            await take(await surveyor.survey(facts))
        }
    }

    /// Verifies files that were looked at, `width` at a time.
    func take(_ facts: [EntryFacts]) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, facts) in facts.enumerated() {
                if index >= width { await group.next() }
                group.addTask { await self.take(facts) }
            }
        }
    }

    private func take(_ facts: EntryFacts) async {
        let (finding, planned, mended) = await withCheckedContinuation { continuation in
            queue.async {
                let blocks = self.ownBlocks(of: facts)
                let (finding, planned) = self.look(at: facts, blocks)
                let mended = facts.record.map { record in
                    Mended(
                        representation: record.identity.representation, digest: record.digest,
                        hasBlocks: blocks != nil)
                }
                continuation.resume(returning: (finding, planned, mended))
            }
        }
        if let finding {
            if finding.failure != nil { context.noteFailure() }
            context.tell(.verified(finding))
        }
        if let planned, !Task.isCancelled {
            await loop.run([planned], mended: mended, context: context)
        } else {
            context.progress.settled(facts.path, failed: finding?.failure != nil)
            context.ended()
        }
    }

    // MARK: One file, away from every thread that must not wait

    /// What is found of a file, and how it is to be repaired; no finding where it was cancelled.
    ///
    /// - Parameter blocks: The recorded digests of its blocks.
    private func look(at facts: EntryFacts, _ blocks: PieceDigests?) -> (Verification?, PlannedEntry?) {
        var finding = Verification(
            path: facts.path, url: facts.entry.urls[0].redacted, verdict: .right, reason: "")
        let file: LocalFile
        switch facts.local {
        case .file(let found): file = found
        case .absent:
            finding.verdict = .missing
            finding.reason = "it is not here"
            return judged(finding, facts, Failure(.missing, "\(facts.path) is not here"))
        case .blocked(let why):
            finding.verdict = .unreadable
            finding.reason = "it \(why)"
            finding.failure = Failure(.collision, "\(facts.path) \(why)")
            return (finding, nil)
        case .unreadable(let failure):
            return (unreadable(finding, failure), nil)
        }
        let record = facts.record.flatMap { $0.identity.resource == facts.resource ? $0 : nil }
        let wanted = facts.entry.strongestDigest ?? record?.digest
        // A source that gives another digest means another version, whose size the record does not know.
        let size = facts.promisedSize ?? (wanted == record?.digest ? record?.identity.representation.length : nil)
        finding.digest = wanted
        if let size, size != file.size {
            finding.verdict = .differs
            finding.reason = "it has \(file.size) bytes instead of \(size)"
            return judged(finding, facts, Failure(.digestMismatch, finding.reason))
        }
        let given = facts.entry.pieces.flatMap { $0.covers(file.size) ? $0 : nil }
        // Our own are of the version that was recorded.
        let pieces = given ?? (wanted != nil && wanted == record?.digest ? blocks : nil)
        guard wanted != nil || pieces != nil else {
            finding.verdict = .unverifiable
            finding.reason =
                record.map { $0.file == file } == false
                ? "no digest of it is known, and it was touched since it was fetched" : "no digest of it is known"
            return (finding, nil)
        }
        do {
            let published = try open(facts.path)
            let proof = try FileProof.read(
                published, size: file.size, algorithm: wanted?.algorithm, pieces: pieces,
                isCancelled: { isCancelled.withLock { $0 } })
            guard let proof else { return (nil, nil) }
            finding.bytes = proof.bytes
            if let damage = proof.damage {
                finding.verdict = .differs
                finding.reason = damage.message
                return judged(finding, facts, Failure(.digestMismatch, damage.message))
            }
            // The whole is right if its digest is, whatever became of our own digests of its blocks.
            let isWrong = proof.whole != wanted || given != nil && !proof.badParts.isEmpty
            guard isWrong else {
                finding.reason = wanted.map { "its \($0.algorithm.rawValue) digest is right" } ?? "its parts are right"
                return (finding, nil)
            }
            finding.verdict = .differs
            finding.badParts = pieces == nil ? nil : proof.badParts
            if let wanted, let whole = proof.whole, whole != wanted {
                finding.reason = "its \(wanted.algorithm.rawValue) digest is \(whole.hex), wanted is \(wanted.hex)"
                if pieces != nil, !proof.badParts.isEmpty {
                    finding.reason += "; " + Self.words(for: proof.badParts, of: file.size)
                }
            } else {
                finding.reason = "\(proof.badParts.count) bytes are in parts that differ from their digests"
            }
            return judged(
                finding, facts, Failure(.digestMismatch, finding.reason), file: file,
                bad: wanted == nil || pieces == nil ? nil : proof.badParts)
        } catch {
            return (unreadable(finding, error), nil)
        }
    }

    /// The digests of a file's blocks that were computed when it was fetched, if they are of a file as long as this one.
    private func ownBlocks(of facts: EntryFacts) -> PieceDigests? {
        guard let record = facts.record, record.identity.resource == facts.resource, case .file(let file) = facts.local,
            let blocks = try? state.blocks(of: facts.path), blocks.covers(file.size)
        else { return nil }
        return blocks
    }

    /// Which parts are bad, in words; of many only the first.
    private static func words(for bad: ByteRangeSet, of size: Int64) -> String {
        let named = bad.ranges.prefix(4).map(\.words).joined(separator: ", ")
        let more = bad.ranges.count > 4 ? " and \(bad.ranges.count - 4) more places" : ""
        return "\(bad.count) of \(size) bytes lie in blocks that differ: \(named)\(more)"
    }

    private func open(_ path: RelativePath) throws(Failure) -> PublishedFile {
        do { return try context.desk.destination.openForReading(path) } catch { throw error.failure }
    }

    private func unreadable(_ finding: Verification, _ failure: Failure) -> Verification {
        var finding = finding
        finding.verdict = .unreadable
        finding.reason = failure.message
        finding.failure = failure
        return finding
    }

    /// A bad file: a failure, or what is to be done about it.
    private func judged(
        _ finding: Verification, _ facts: EntryFacts, _ failure: Failure, file: LocalFile? = nil,
        bad: ByteRangeSet? = nil
    ) -> (Verification, PlannedEntry?) {
        var finding = finding
        guard repairs else {
            finding.failure = failure
            return (finding, nil)
        }
        if let file, let bad, let planned = repairOfParts(facts, file, bad, finding.reason) {
            return (finding, planned)
        }
        let action: Action = finding.verdict == .missing ? .fetch : .replace
        let decision = Decision(
            action: action, reason: finding.reason, have: 0, fetch: facts.promisedSize, size: facts.promisedSize,
            work: .download(.nothing))
        return (finding, PlannedEntry(facts: facts, decision: decision))
    }

    /// Takes the good parts of a file over into a partial, so that only the bad ones are fetched. The file stays in its
    /// place until the whole is proven. Nil where that cannot be done.
    private func repairOfParts(
        _ facts: EntryFacts, _ file: LocalFile, _ bad: ByteRangeSet, _ reason: String
    ) -> PlannedEntry? {
        guard let record = facts.record, record.identity.resource == facts.resource,
            record.identity.representation.length == file.size, !bad.isEmpty, bad.count < file.size
        else { return nil }
        let good = ByteRangeSet(bad.gaps(in: ByteRange(0, file.size)))
        let desk = context.desk
        let id = desk.newPartialID()
        guard let (partial, copied) = try? desk.destination.copyToPartial(facts.path, id: id, length: file.size) else {
            return nil
        }
        guard copied == file.size, (try? partial.close()) != nil else {
            desk.remove(partial: id)
            return nil
        }
        var facts = facts
        let unfinished = PartialRecord(id: id, path: facts.path, identity: record.identity, extents: good)
        if let old = facts.partial { desk.remove(partial: old.id) }
        facts.partial = unfinished
        desk.note(.partial(unfinished))
        let decision = Decision(
            action: .resume, reason: reason, have: good.count, fetch: bad.count, size: file.size,
            work: .download(.partial(record.identity.representation, held: good)))
        return PlannedEntry(facts: facts, decision: decision)
    }
}
