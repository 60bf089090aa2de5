public import SyncCore
internal import Synchronization

/// A look at a run's progress at one moment.
public struct ProgressSnapshot: Hashable, Sendable {
    /// A file that is being fetched.
    public struct ActiveFile: Hashable, Sendable {
        /// Its path below the destination.
        public var path: RelativePath
        /// How many bytes of it are here.
        public var have: Int64
        /// How many it has; nil where nobody knows.
        public var size: Int64?
        /// How many transfers bring it.
        public var transfers: Int
    }

    /// Files that were found in the sources so far.
    public var filesFound = 0
    /// Whether the sources were read to their end, so that no more files will be found.
    public var isFoundComplete = false
    /// Files that are settled: current, fetched, or given up.
    public var filesSettled = 0
    /// Of those, the ones that failed.
    public var filesFailed = 0
    /// Body bytes that arrived in this run.
    public var bytesReceived: Int64 = 0
    /// Bytes that are known to be needed: those that arrived, for whatever they were, and those that the files which are
    /// being fetched still lack. It is never less than `bytesReceived`, also where bytes are fetched twice.
    public var bytesWanted: Int64 = 0
    /// Bytes per second over the last seconds; nil before the first second is over.
    public var rate: Double?
    /// Time to go at that rate, as far as sizes are known.
    public var timeLeft: Duration?
    /// Transfers that run.
    public var transfers = 0
    /// Files that are being fetched, by path.
    public var active: [ActiveFile] = []
}

/// Where the loop writes a run's counts, and whoever wants to show them reads them.
final class ProgressBoard: Sendable {
    private struct State {
        var snapshot = ProgressSnapshot()
        var meter = ProgressMeter()
        var active: [RelativePath: ProgressSnapshot.ActiveFile] = [:]
        var now: MonotonicTime = .zero
    }

    private let state = Mutex(State())

    func sample(bytes: Int64, now: MonotonicTime, transfers: Int) {
        state.withLock { state in
            state.snapshot.bytesReceived += bytes
            state.snapshot.transfers = transfers
            state.now = now
            state.meter.sample(bytes: state.snapshot.bytesReceived, now: now)
        }
    }

    func count(bytes: Int64) {
        guard bytes > 0 else { return }
        state.withLock { $0.snapshot.bytesReceived += bytes }
    }

    func found(_ files: Int) { state.withLock { $0.snapshot.filesFound += files } }

    func foundAll() { state.withLock { $0.snapshot.isFoundComplete = true } }

    func settled(_ path: RelativePath, failed: Bool) {
        state.withLock { state in
            state.snapshot.filesSettled += 1
            if failed { state.snapshot.filesFailed += 1 }
            state.active[path] = nil
        }
    }

    func fetches(_ file: ProgressSnapshot.ActiveFile) { state.withLock { $0.active[file.path] = file } }

    /// The counts now.
    var snapshot: ProgressSnapshot {
        state.withLock { state in
            var snapshot = state.snapshot
            snapshot.rate = state.meter.rate(now: state.now)
            let missing = state.active.values.reduce(Int64(0)) { missing, file in
                // A size is what a server says.
                let sum = missing.addingReportingOverflow(max(0, (file.size ?? file.have) - file.have))
                return sum.overflow ? .max : sum.partialValue
            }
            let wanted = snapshot.bytesReceived.addingReportingOverflow(missing)
            snapshot.bytesWanted = wanted.overflow ? .max : wanted.partialValue
            snapshot.timeLeft = state.meter.timeLeft(remaining: missing, now: state.now)
            snapshot.active = state.active.values.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
            return snapshot
        }
    }
}
