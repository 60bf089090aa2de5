internal import Dispatch
internal import SyncCore
internal import Synchronization

/// Where finished data waits to be published, and records wait to be written: gathered by the loop, done in batches by a
/// queue of its own, so that the loop never waits for a disk.
///
/// The order of a batch is: verified, data synced, renamed into place, directories synced, records committed. Many small
/// files share one sync. What could not be synced is not recorded, and is told: the next run finds the file in its place
/// and syncs it before it records it.
final class PublishDesk: Sendable {
    /// A finished download.
    struct Item: Sendable {
        var job: JobID
        var path: RelativePath
        var partialID: String
        var identity: Identity
        var length: Int64
        var wanted: Digest?
        var running: RunningDigest?
    }

    /// What became of an item.
    enum Result: Sendable {
        case published(FileRecord)
        /// Its bytes do not match the digest.
        case mismatch(Failure)
        /// Its bytes may be gone, whatever reading them shows now: the disk refused to keep them.
        case lost(Failure)
        case failed(Failure)
    }

    private struct Waiting {
        var items: [Item] = []
        var changes: [StateChange] = []
        /// Partials whose extents are to be synced before they are recorded.
        var syncs: Set<String> = []
        var removals: [String] = []
        var since: MonotonicTime?
        var isBusy = false
        var failure: Failure?
    }

    /// Room on the disk that is kept for the state.
    private enum Reserve { case notTaken, taken, givenBack }

    let destination: Destination
    let state: StateStore?
    /// What the destination's file system has promised to downloads and not yet given.
    let space = Mutex(SpaceBudget())
    private let waiting = Mutex(Waiting())
    private let publishing = DispatchQueue(label: "dlsync.publish")
    private let reading = DispatchQueue(label: "dlsync.read")
    private let reserve = Mutex(Reserve.notTaken)
    /// What was synced of the partials of this run; for the publishing queue.
    private let syncedExtents = Mutex<[String: ByteRangeSet]>([:])
    /// The partials of which a sync has failed, and how. The kernel tells a lost write once; a second sync that succeeds
    /// says nothing of the bytes that the first was about.
    private let lost = Mutex<[String: Failure]>([:])
    private let names: Mutex<Int>
    private let namePrefix: String

    /// Some hundred pages of the state's log, in bytes.
    private static let reserveSize: Int64 = 512 << 10
    /// So many files share a sync.
    private static let mostItems = 512
    /// So long a finished file waits for others.
    private static let longestWait: Duration = .milliseconds(500)
    /// Up to so many files are synced each for itself, rather than the whole file system.
    private static let fewItems = 4

    /// - Parameter run: The run's number, which makes the names of its partials unlike those of all other runs.
    init(destination: Destination, state: StateStore?, run: Int64) {
        self.destination = destination
        self.state = state
        namePrefix = "r\(run)-"
        names = Mutex(0)
    }

    /// A name for a new partial.
    func newPartialID() -> String {
        names.withLock { number in
            number += 1
            return "\(namePrefix)\(number)"
        }
    }

    /// Takes some room before the first download does: on a disk that fills up, the records of what is here still find a
    /// place. A disk without so much room has to do without.
    func takeReserve() {
        reserve.withLock { reserve in
            guard reserve == .notTaken else { return }
            let isTaken = (try? destination.createPartial(reserveName).preallocate(Self.reserveSize)) != nil
            reserve = isTaken ? .taken : .givenBack
            if !isTaken { try? destination.removePartial(reserveName) }
        }
    }

    /// Gives the room back; false where there is none any more.
    @discardableResult
    func giveBackReserve() -> Bool {
        reserve.withLock { reserve in
            guard reserve == .taken else { return false }
            reserve = .givenBack
            return (try? destination.removePartial(reserveName)) != nil
        }
    }

    /// It looks like a partial without a record, so a run that comes after a killed one takes it away.
    private var reserveName: String { namePrefix + "reserve" }

    /// Notes a change of the state, to be written with the next batch.
    ///
    /// - Parameter synced: Of a partial's record, whether its data is to be synced first, so that it counts after a crash
    ///   of the machine as well.
    func note(_ change: StateChange, synced: Bool = false) {
        waiting.withLock { waiting in
            waiting.changes.append(change)
            if synced, case .partial(let record) = change { waiting.syncs.insert(record.id) }
        }
    }

    /// Takes the file of a partial away with the next batch, after the records that named it.
    func remove(partial id: String) { waiting.withLock { $0.removals.append(id) } }

    /// Takes a finished download.
    func publish(_ item: Item, now: MonotonicTime) {
        waiting.withLock { waiting in
            waiting.items.append(item)
            waiting.since = waiting.since ?? now
        }
    }

    /// The first failure of the state's own file, which a run must tell.
    var stateFailure: Failure? { waiting.withLock { $0.failure } }

    /// What waits, in one line, for whoever looks into a run that does not go on.
    var account: String {
        waiting.withLock { waiting in
            "items \(waiting.items.count), changes \(waiting.changes.count), busy \(waiting.isBusy), since "
                + "\(waiting.since.map { "\($0.sinceStart)" } ?? "never")"
        }
    }

    /// Sends what waits on its way, if it is time: called at the end of each of the loop's turns.
    func turnEnded(in loop: isolated TransferLoop) {
        let now = loop.now
        let isIdle = loop.hasNothingToTransfer
        let batch = waiting.withLock { waiting -> Waiting? in
            guard !waiting.isBusy else { return nil }
            let isDue =
                waiting.items.count >= Self.mostItems || isIdle || loop.isInterrupted
                || waiting.since.map { now - $0 >= Self.longestWait } ?? !waiting.changes.isEmpty
            guard isDue, !(waiting.items.isEmpty && waiting.changes.isEmpty && waiting.removals.isEmpty) else {
                return nil
            }
            let batch = waiting
            waiting = Waiting(isBusy: true, failure: waiting.failure)
            return batch
        }
        guard let batch else { return }
        publishing.async { [self, loop] in
            let results = carryOut(batch)
            waiting.withLock { $0.isBusy = false }
            loop.post { loop in
                for (job, result) in results { (loop.job(job) as? EntryJob)?.published(result, in: loop) }
            }
        }
    }

    /// Runs something that reads much of the disk, away from the loop and from the publishing.
    func read(_ work: @escaping @Sendable () -> Void) { reading.async(execute: work) }

    /// Writes all that still waits, and waits for it.
    func drain() async {
        await withCheckedContinuation { continuation in
            publishing.async { [self] in
                let batch = waiting.withLock { waiting in
                    let batch = waiting
                    waiting = Waiting(failure: waiting.failure)
                    return batch
                }
                _ = carryOut(batch)
                continuation.resume()
            }
        }
    }

    // MARK: On the publishing queue

    private func carryOut(_ batch: Waiting) -> [(JobID, Result)] {
        var results: [(JobID, Result)] = []
        var changes = lasting(synced(batch.changes, batch.syncs))
        var ready: [Item] = []
        for item in batch.items {
            if let problem = verify(item) { results.append((item.job, problem)) } else { ready.append(item) }
        }
        var placed: [(item: Item, record: FileRecord)] = []
        for (item, failure) in syncData(of: ready) {
            if let failure {
                results.append((item.job, .lost(failure)))
                continue
            }
            do {
                placed.append((item, try place(item)))
            } catch {
                results.append((item.job, .failed(error.failure)))
            }
        }
        let failures = syncDirectories(of: placed.map(\.item.path))
        for (item, record) in placed {
            if let failure = failures[item.path.parent] {
                results.append((item.job, .failed(failure)))
            } else {
                changes.append(.complete(record))
                results.append((item.job, .published(record)))
            }
        }
        write(changes)
        for id in batch.removals { try? destination.removePartial(id) }
        syncedExtents.withLock { synced in
            for id in batch.removals + placed.map(\.item.partialID) { synced[id] = nil }
        }
        return results
    }

    /// Nil where the data is what was wanted.
    private func verify(_ item: Item) -> Result? {
        guard let wanted = item.wanted else { return nil }
        do {
            let running: RunningDigest
            if let known = item.running {
                running = known
            } else {
                do { running = try RunningDigest(wanted.algorithm) } catch { return .failed(error.failure) }
            }
            let digest: Digest
            if running.position < item.length || item.length == 0 {
                let file: PartialFile
                do { file = try destination.openPartial(item.partialID) } catch { return .failed(error.failure) }
                digest = try running.finish(file, length: item.length)
            } else {
                digest = try running.finish()
            }
            guard digest != wanted else { return nil }
            return .mismatch(
                Failure(
                    .digestMismatch,
                    "its \(wanted.algorithm.rawValue) digest is \(digest.hex), wanted is \(wanted.hex)"))
        } catch {
            return .failed(error.failure)
        }
    }

    /// Syncs the data of items; gives each with what the disk said of it.
    private func syncData(of items: [Item]) -> [(item: Item, failure: Failure?)] {
        if items.count > Self.fewItems, (try? destination.syncFileSystem()) != nil {
            return lost.withLock { lost in items.map { ($0, lost[$0.partialID]) } }
        }
        // Where the sync of all fails, each tells whether it is the one.
        return items.map { item in
            if let failure = lost.withLock({ $0[item.partialID] }) { return (item, failure) }
            do throws(DiskError) {
                // The time is part of the record, so it has to last as the data does.
                try destination.openPartial(item.partialID).synchronize()
                return (item, nil)
            } catch {
                return (item, error.failure)
            }
        }
    }

    private func place(_ item: Item) throws(DiskError) -> FileRecord {
        guard case .file(let file) = try destination.status(ofPartial: item.partialID) else {
            throw DiskError(code: 2, operation: .open, path: item.partialID)
        }
        try destination.makeParents(of: item.path)
        try destination.publish(partial: item.partialID, as: item.path)
        return FileRecord(path: item.path, identity: item.identity, file: file, digest: item.wanted)
    }

    /// Syncs the directories of paths, each once; gives those that could not be, by their own paths.
    private func syncDirectories(of paths: [RelativePath]) -> [RelativePath?: Failure] {
        var failures: [RelativePath?: Failure] = [:]
        var done: Set<RelativePath?> = []
        for path in paths where done.insert(path.parent).inserted {
            do throws(DiskError) {
                try destination.syncDirectory(of: path)
            } catch {
                failures[path.parent] = error.failure
            }
        }
        return failures
    }

    /// The changes without the records of files that were found in their place and could not be synced. Somebody else put
    /// them there, or a run that was killed before it came to that: a record ahead of such data would vouch for zeros
    /// after a crash of the machine, as size and time may last without the bytes.
    private func lasting(_ changes: [StateChange]) -> [StateChange] {
        let found = changes.count { change in if case .complete = change { true } else { false } }
        guard found > 0 else { return changes }
        if found > Self.fewItems, (try? destination.syncFileSystem()) != nil { return changes }
        return changes.filter { change in
            guard case .complete(let record) = change else { return true }
            do throws(DiskError) {
                try destination.openForReading(record.path).synchronize()
                try destination.syncDirectory(of: record.path)
                return true
            } catch {
                return false
            }
        }
    }

    /// Syncs the data and the names of partials whose records say so. In the other records what was synced before still
    /// counts: a partial only grows.
    private func synced(_ changes: [StateChange], _ syncs: Set<String>) -> [StateChange] {
        let namesLast = !syncs.isEmpty && (try? destination.syncPartialNames()) != nil
        return changes.map { change in
            guard case .partial(var record) = change else { return change }
            if namesLast, syncs.contains(record.id) {
                do throws(DiskError) {
                    try destination.openPartial(record.id).synchronizeData()
                    record.syncedExtents = record.extents
                    syncedExtents.withLock { $0[record.id] = record.extents }
                } catch {
                    // One that is missing was published or discarded meanwhile.
                    if error.operation == .sync { lost.withLock { $0[record.id] = error.failure } }
                }
            }
            if lost.withLock({ $0[record.id] }) != nil { return .forgetPartial(record.path) }
            if record.syncedExtents.isEmpty, let before = syncedExtents.withLock({ $0[record.id] }) {
                record.syncedExtents = before
            }
            return .partial(record)
        }
    }

    private func write(_ changes: [StateChange]) {
        guard let state, !changes.isEmpty else { return }
        do throws(StateError) {
            do throws(StateError) {
                try state.apply(changes)
            } catch {
                guard error.kind == .diskFull, giveBackReserve() else { throw error }
                try state.apply(changes)
            }
        } catch {
            waiting.withLock { $0.failure = $0.failure ?? error.failure }
        }
    }
}
