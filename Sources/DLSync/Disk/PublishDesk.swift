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
        /// The bytes of a small file, which are to be written first; nil where the partial has them already.
        var bytes: [UInt8]?
        /// What stands in the partial's place once all is written.
        var file: LocalFile?
        var wanted: Digest?
        /// The digest that is to be recorded where none is wanted.
        var recorded: DigestAlgorithm?
        /// How long the blocks are of which digests are to be recorded; nil for none.
        var blockLength: Int64?
        /// The digests of the blocks that were computed.
        var blocks: PieceDigests?
        var running: RunningDigest?
        /// What was computed.
        var digest: Digest?
        /// What the source says of the file, to be recorded with it.
        var listed: String?
        /// Digests of the file's parts, which tell the wrong ones from the right ones.
        var pieces: PieceDigests?
        /// Whether it waits in front of its place until the rest of the run is done.
        var comesLast = false
        /// Whether it was written, verified and synced before it had to wait.
        var isChecked = false
    }

    /// What became of an item.
    enum Result: Sendable {
        case published(FileRecord)
        /// It is whole and waits to be put in place.
        case held(Item)
        /// Its bytes do not match the digest. The ranges are those that are wrong, where that can be told: all others are
        /// right.
        case mismatch(Failure, wrong: [ByteRange])
        /// Its bytes may be gone, whatever reading them shows now: the disk refused to keep them.
        case lost(Failure)
        case failed(Failure)
    }

    struct Waiting {
        var items: [Item] = []
        /// How many bytes the items hold in memory.
        var gathered = 0
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
    /// Where files are kept that are replaced; nil where they are not.
    let backup: Backup?
    /// What the destination's file system has promised to downloads and not yet given.
    let space: Mutex<SpaceBudget>
    /// Bytes that are to stay free.
    let minimumFree: Int64
    let waiting = Mutex(Waiting())
    private let publishing = DispatchQueue(label: "dlsync.publish")
    private let reading = DispatchQueue(label: "dlsync.read")
    private let writing = DispatchQueue(label: "dlsync.write")
    private let reserve = Mutex(Reserve.notTaken)
    /// What was synced of the partials of this run; for the publishing queue.
    let syncedExtents = Mutex<[String: ByteRangeSet]>([:])
    /// The partials of which a sync has failed, and how. The kernel tells a lost write once; a second sync that succeeds
    /// says nothing of the bytes that the first was about.
    let lost = Mutex<[String: Failure]>([:])
    private let names: Mutex<Int>
    private let namePrefix: String

    /// Some hundred pages of the state's log, in bytes.
    private static let reserveSize: Int64 = 512 << 10
    /// So many files share a sync.
    private static let mostItems = 1024
    /// So long a finished file waits for others.
    private static let longestWait: Duration = .milliseconds(500)
    /// Up to this length, in bytes, a file is written with others rather than as it comes.
    private static let smallFile: Int64 = 64 << 10
    /// So many bytes wait in memory at most.
    private static let mostGathered = 32 << 20
    /// Up to so many files are synced each for itself, rather than the whole file system.
    static let fewItems = 4

    /// - Parameter run: The run's number, which makes the names of its partials unlike those of all other runs.
    init(
        destination: Destination, state: StateStore?, run: Int64, minimumFree: Int64 = 0, backup: Backup? = nil
    ) {
        self.backup = backup
        self.minimumFree = minimumFree
        space = Mutex(SpaceBudget(kept: minimumFree))
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
            let isTaken =
                (try? destination.createPartial(reserveName).preallocate(Self.reserveSize, evenInMemory: true)) != nil
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
            waiting.gathered += item.bytes?.count ?? 0
            waiting.since = waiting.since ?? now
        }
    }

    /// Whether a new file of a length may be gathered in memory and given to ``publish(_:now:)`` as bytes: a small one that
    /// is not cut, as long as the disk follows.
    func gathers(_ length: Int64?, minimumSegment: Int64) -> Bool {
        guard minimumFree == 0, let length, (1...Self.smallFile).contains(length), length < 2 * minimumSegment else {
            return false
        }
        return waiting.withLock { $0.gathered < Self.mostGathered }
    }

    /// The first failure of the state's own file, which a run must tell.
    var stateFailure: Failure? { waiting.withLock { $0.failure } }

    /// Notes a failure of the state's own file that somebody else met.
    func noteStateFailure(_ failure: Failure) { waiting.withLock { $0.failure = $0.failure ?? failure } }

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
                waiting.items.count >= Self.mostItems || waiting.gathered >= Self.mostGathered / 4 || isIdle
                || loop.isInterrupted
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

    /// Has what was written of a large file begin to go to the disk, beside everything else: the kernel may let the caller
    /// wait for room in the disk's own queue.
    func startWriting(_ partial: PartialFile) { writing.async { partial.startWriting() } }

    /// Writes the records that wait, and waits for it; finished files go on waiting.
    func writeRecords() async {
        await withCheckedContinuation { continuation in
            publishing.async { [self] in
                let batch = waiting.withLock { waiting in
                    var batch = Waiting()
                    swap(&batch.changes, &waiting.changes)
                    swap(&batch.syncs, &waiting.syncs)
                    swap(&batch.removals, &waiting.removals)
                    return batch
                }
                _ = carryOut(batch)
                continuation.resume()
            }
        }
    }

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
}
