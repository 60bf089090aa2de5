internal import Glibc
public import SyncCore

/// What a destination remembers: unfinished files, failures, runs and hosts.
public struct DestinationStatus: Hashable, Sendable {
    /// Whether a run works on it right now.
    public var isBusy = false
    /// How many complete files are recorded.
    public var files: Int64 = 0
    /// How many bytes they have together.
    public var bytes: Int64 = 0
    /// How many of them have a digest by which they can be verified.
    public var filesWithDigest: Int64 = 0
    /// Unfinished files, by path.
    public var partials: [PartialRecord] = []
    /// What could not be brought up to date, by path: the first of it, where it is more than ``mostFailures``.
    public var failures: [FailureRecord] = []
    /// How many entries could not be brought up to date.
    public var failureCount: Int64 = 0
    /// So many failures are named at most: a list of which all fails has millions.
    public static let mostFailures = 10_000
    /// The last runs, the latest first.
    public var runs: [RunRecord] = []
    /// When the last run ended that left everything in sync, as far back as is known.
    public var lastSuccess: HTTPDate?
    /// What was learnt of hosts, by origin.
    public var hosts: [HostFacts] = []
    /// The sources that ever named something, by name.
    public var sources: [SourceRecord] = []
    /// Things that were found on reading, as sentences without a full stop.
    public var notes: [String] = []

    /// Nothing.
    public init() {}

    /// Reads what a destination remembers, without writing anything there; a run may work on it meanwhile.
    ///
    /// - Parameter path: The destination, which need not be UTF-8.
    /// - Throws: ``Failure`` where there is no such directory, or its state cannot be read.
    public init(of path: [UInt8]) throws(Failure) {
        let destination: Destination
        do {
            destination = try Destination(path: path, access: .readOnly)
            guard destination.exists else {
                throw Failure(.missing, "'\(String(decoding: path, as: UTF8.self))' is not there")
            }
            if case .busy = try RunLock.acquire(in: destination) { isBusy = true }
        } catch let failure as Failure {
            throw failure
        } catch let error as DiskError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(error)")
        }
        do {
            let (state, note) = try StateStore.openCopy(of: destination, bootID: currentBootID())
            defer { state.close() }
            notes = note.map { [$0.message] } ?? []
            (files, bytes, filesWithDigest) = try state.fileTotals()
            partials = try state.allPartials()
            failures = try state.failures(limit: Self.mostFailures)
            failureCount = try state.failureCount()
            runs = try state.runs(limit: 10)
            lastSuccess = try state.lastSuccess()
            hosts = try state.allHostFacts()
            sources = try state.sources()
        } catch {
            throw error.failure
        }
    }
}
