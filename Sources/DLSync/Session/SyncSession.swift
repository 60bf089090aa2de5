public import SyncCore
internal import Synchronization

/// Works on one destination: plans what would be done, does it, and fetches single files, all by one limiter.
///
/// A session exists only within ``withSyncSession(into:_:_:)``, which holds the destination's lock as long, and leaves
/// nothing running and nothing unwritten behind.
public final class SyncSession: Sendable {
    private let configuration: SyncConfiguration
    private let state: StateStore
    private let lock: RunLock
    let loop: TransferLoop
    let desk: PublishDesk
    private let board: ProgressBoard
    private let surveyor: Surveyor
    private let backup: Backup?
    private let run: Int64?
    private let tasks = Mutex<(all: [Task<Void, Never>], areCancelled: Bool)>(([], false))
    private let exitStatus = Mutex<Int32?>(nil)
    private let stop = Mutex<StopReason?>(nil)
    /// Things that were found on opening and are to be said once, as sentences without a full stop.
    public let notes: [String]

    /// What a session finds around it: a test puts its own in the place of each.
    struct Machine: Sendable {
        var calls = SystemCalls.live
        var clock: any LoopClock = SystemClock()
        var bootID = currentBootID()
    }

    /// Opens a destination. See ``withSyncSession(into:_:_:)``.
    init(into path: [UInt8], _ configuration: SyncConfiguration, _ machine: Machine) async throws(Failure) {
        self.configuration = configuration
        let destination: Destination
        do {
            destination = try Destination(
                path: path, access: configuration.isReadOnly ? .readOnly : .creating, calls: machine.calls)
            lock = try await Self.acquireLock(of: destination, wait: configuration.lockWait, machine.clock)
        } catch let failure as Failure {
            throw failure
        } catch let error as DiskError {
            throw error.failure
        } catch {
            throw Failure(.disk, "\(error)")
        }
        backup = try configuration.deletion.backupDirectory.map { path throws(Failure) in
            try Backup(path: path, of: destination, mayWrite: !configuration.isReadOnly)
        }
        do {
            let bootID = machine.bootID
            let (state, note) =
                configuration.isReadOnly
                ? try StateStore.openCopy(of: destination, bootID: bootID)
                : try StateStore.open(in: destination, bootID: bootID)
            self.state = state
            notes = note.map { [$0.message] } ?? []
            run = configuration.isReadOnly ? nil : try state.beginRun(startedAt: currentDate())
            if !configuration.isReadOnly { try Self.removeOrphans(destination, state) }
        } catch {
            throw error.failure
        }
        desk = PublishDesk(
            destination: destination, state: configuration.isReadOnly ? nil : state, run: run ?? 0,
            minimumFree: configuration.minimumFree, backup: backup)
        board = ProgressBoard()
        surveyor = Surveyor(destination: destination, state: state)
        var loopConfiguration = configuration.loop
        loopConfiguration.hostFacts = (try? state.allHostFacts()) ?? []
        loop = try await TransferLoop.running(loopConfiguration, progress: board, clock: machine.clock)
        let desk = desk
        await loop.atTurnEnd { loop in desk.turnEnded(in: loop) }
        await loop.atCurfew { [weak self] reason in
            self?.stop.withLock { $0 = $0 ?? reason }
            self?.cancelTasks()
        }
    }

    /// Locks the destination, and waits for that as long as it may. Asked for again and again rather than by a call that
    /// blocks, which nothing could end.
    private static func acquireLock(
        of destination: Destination, wait: Duration, _ clock: any LoopClock
    ) async throws -> RunLock {
        let end = clock.now + wait
        while true {
            if case .held(let lock) = try RunLock.acquire(in: destination) { return lock }
            guard clock.now < end else {
                throw Failure(.busy, "another run works on '\(String(decoding: destination.path, as: UTF8.self))'")
            }
            do { try await Task.sleep(for: .milliseconds(100)) } catch {
                throw Failure(.interrupted, "the wait for another run was interrupted")
            }
        }
    }

    /// Takes away the data of partials that nobody can go on from: no record tells of it, as a run was killed before it
    /// wrote one, or nothing that the record tells of is there after a crash of the machine.
    private static func removeOrphans(_ destination: Destination, _ state: StateStore) throws(StateError) {
        let records = Dictionary(try state.allPartials().map { ($0.id, $0) }) { first, _ in first }
        for id in (try? destination.partialIDs()) ?? [] {
            if let record = records[id], destination.hasData(of: record) { continue }
            try? destination.removePartial(id)
        }
    }

    // MARK: Work

    /// Says what a run would do with the sources, entry by entry as it finds out. Writes nothing.
    ///
    /// The server is asked about every entry (HEAD, or the first byte where a server refuses that), so that sizes and
    /// reasons are known.
    public func planEvents(_ sources: [Source]) -> SyncEvents { begin(.plan, sources) }

    /// Says what a run would do with the sources, when all is known.
    public func plan(_ sources: [Source]) async -> SyncPlan {
        var plan = SyncPlan(freeSpace: freeSpace)
        for await event in planEvents(sources) { plan.add(event) }
        return plan
    }

    /// Brings the destination up to date with the sources. Entries are fetched while the sources are still being read,
    /// and a new file costs one request where its size allows.
    public func run(_ sources: [Source]) -> SyncEvents { begin(.run, sources) }

    /// Does what a plan says of entries. Nothing is deleted: whether a file is gone only the sources tell.
    public func run(_ plan: SyncPlan) -> SyncEvents {
        let context = makeContext(.run)
        context.began(plan.entries.count)
        let loop = loop
        spawn {
            await loop.run(plan.entries, context: context)
            await Self.putLastInPlace(context, loop)
            context.readAll()
        }
        return SyncEvents(queue: context.events)
    }

    /// When the last run before this one ended that left everything in sync; nil where none is known.
    public var lastSuccess: HTTPDate? { (try? state.lastSuccess()) ?? nil }

    /// Reads the files of the destination and compares them with their digests: those of the configuration's lists, the
    /// ones that the sources give, or else those that the state remembers. Without sources every file that the state knows
    /// is verified, and no server is asked but for a list.
    ///
    /// - Parameters:
    ///   - sources: What names the files; none for all that are remembered.
    ///   - repairs: Whether what is missing or differs is fetched again; each such file has an outcome then as well.
    public func verify(_ sources: [Source], repairs: Bool = false) -> SyncEvents {
        precondition(!repairs || !configuration.isReadOnly, "a session that writes nothing cannot repair files")
        let context = makeContext(.run)
        let loop = loop
        let verifier = Verifier(
            context: context, loop: loop, surveyor: surveyor, state: state, repairs: repairs,
            width: max(1, min(8, processorCount())))
        let intake = Intake(sieve: EntrySieve(configuration), surveyor: surveyor, context: context) { facts in
            await verifier.take(facts)
        }
        let reading = DigestReading(configuration: configuration, loop: loop)
        spawn {
            await withTaskCancellationHandler {
                if sources.isEmpty {
                    if let digests = await reading.readLists(intake) { await verifier.takeRecords(digests) }
                } else {
                    await reading.readSources(sources, taker: intake)
                }
            } onCancel: {
                verifier.cancel()
            }
            await Self.putLastInPlace(context, loop)
            context.readAll()
        }
        return SyncEvents(queue: context.events)
    }

    /// A look at the progress.
    public var progress: ProgressSnapshot { board.snapshot }

    /// The hosts that asked to be left alone for a while in this session, and for how long they were.
    public var hostWaits: [HostWait] {
        get async { await loop.hostWaits.values.sorted { $0.origin < $1.origin } }
    }

    /// Bytes that are free where the destination lies; nil where that cannot be told.
    public var freeSpace: Int64? { try? desk.destination.freeSpace() }

    /// Stops all work: what is here of unfinished files is written down, files that are whole are still published, and
    /// every entry that was begun tells that it was interrupted.
    public func interrupt() async {
        cancelTasks()
        await loop.interruptAll()
    }

    /// Why the work was ended before it was done; nil where it was not.
    public var stopReason: StopReason? { stop.withLock { $0 } }

    /// As ``interrupt()``, from where nothing can be waited for.
    fileprivate func interruptSoon() {
        cancelTasks()
        loop.post { loop in loop.interruptAll() }
    }

    /// Cancels all reading of sources, that of the future too.
    @discardableResult
    private func cancelTasks() -> [Task<Void, Never>] {
        let all = tasks.withLock { tasks in
            tasks.areCancelled = true
            return tasks.all
        }
        for task in all { task.cancel() }
        return all
    }

    /// Says how the run ended, for the state's own history.
    public func noteExitStatus(_ status: Int32) { exitStatus.withLock { $0 = status } }

    private func begin(_ purpose: RunContext.Purpose, _ sources: [Source]) -> SyncEvents {
        precondition(
            purpose == .plan || !configuration.isReadOnly, "a session that writes nothing cannot bring files up to date"
        )
        let register = purpose == .run ? ListingRegister() : nil
        let vanished = register.map(VanishedEntries.init)
        let context = makeContext(purpose, vanished: vanished)
        let loop = loop
        // A plan on a session that may write leaves no mark in the state, and so cannot tell what is gone.
        let isMarking = purpose == .run || configuration.isReadOnly && configuration.deletion.scope != .none
        let ownership =
            isMarking ? Ownership(sources: sources, state: state, run: run ?? lastRunNumber() + 1) : nil
        let intake = Intake(
            sieve: EntrySieve(configuration), surveyor: surveyor, context: context, ownership: ownership,
            waitsForDeletions: purpose == .run && configuration.deletion.scope != .none
        ) { facts in
            await loop.run(facts, context: context)
        }
        let reading = DigestReading(configuration: configuration, loop: loop, register: register)
        let secondLook = register.flatMap { register in
            vanished.map { vanished in
                SecondLook(
                    configuration: configuration, loop: loop, context: context, register: register, vanished: vanished)
            }
        }
        let deletion = ownership.map { ownership in
            DeletionRun(
                configuration: configuration, ownership: ownership, intake: intake, state: state, context: context,
                loop: loop, backup: backup)
        }
        spawn {
            await reading.readSources(sources, taker: intake)
            context.progress.foundAll()
            await context.settled()
            await secondLook?.perform()
            await Self.putLastInPlace(context, loop, isComplete: !intake.hasBlocked)
            await deletion?.perform()
            if intake.hasBlocked {
                await intake.takeBlocked()
                await context.settled()
                await secondLook?.perform()
                await Self.putLastInPlace(context, loop)
            }
            context.readAll()
        }
        return SyncEvents(queue: context.events)
    }

    private func lastRunNumber() -> Int64 { (try? state.lastRun())?.number ?? 0 }

    /// Waits until all else is done, and puts what is to come last in place if that is in sync.
    ///
    /// - Parameter isComplete: Whether nothing is left to be fetched after this.
    private static func putLastInPlace(_ context: RunContext, _ loop: TransferLoop, isComplete: Bool = true) async {
        context.progress.foundAll()
        await context.settled()
        let held = context.takeHeld()
        guard !held.isEmpty else { return }
        let isInSync = !context.hasFailed && !Task.isCancelled
        let objection: String? =
            isInSync && isComplete
            ? nil
            : "it is put in place only when everything else is in sync, and "
                + (isInSync ? "something of an earlier run is in the way of another file" : "something failed")
        await loop.release(held, objection: objection)
        await context.settled()
    }

    private func makeContext(_ purpose: RunContext.Purpose, vanished: VanishedEntries? = nil) -> RunContext {
        RunContext(
            purpose: purpose,
            planner: Planner(
                policy: ComparePolicy(
                    adopts: configuration.adoptsForeignPartials, alwaysAsks: purpose == .plan,
                    trustsListings: configuration.trustsListings, filter: configuration.filter)),
            transfer: configuration.loop.transfer, desk: desk, progress: board,
            recordsDigests: configuration.recordsDigests, publishLast: configuration.publishLast, vanished: vanished)
    }

    /// The one bridge between a caller that wants a sequence of events now and the reading that fills it: its tasks end
    /// when the sources are read, and are cancelled and awaited when the session closes.
    @discardableResult
    func spawn(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        tasks.withLock { tasks in
            let isCancelled = tasks.areCancelled
            let task = Task {
                // Whoever cancels from outside may come too late for what begins at once.
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                await work()
            }
            tasks.all.append(task)
            return task
        }
    }

    // MARK: What single downloads need

    /// What the jobs of one download share.
    func makeContext(
        _ options: Download.Options, onProgress: @escaping @Sendable (ProgressSnapshot.ActiveFile) -> Void
    ) -> RunContext {
        var transfer = configuration.loop.transfer
        transfer.segments = options.segments
        transfer.minimumSegment = options.minimumSegment
        // A file that is to be cut into equal ranges is asked for its size first.
        let asksFirst = options.segments != .auto && options.segments != .fixed(1)
        return RunContext(
            purpose: .run,
            planner: Planner(policy: ComparePolicy(adopts: options.adoptsPartialFile, alwaysAsks: asksFirst)),
            transfer: transfer, desk: desk, progress: board, onProgress: onProgress)
    }

    /// What is here of an entry.
    func survey(_ facts: EntryFacts) async -> EntryFacts { await surveyor.survey([facts]).first ?? facts }

    /// The recorded digests of the blocks of a file.
    func blocks(of path: RelativePath) throws(StateError) -> PieceDigests? { try state.blocks(of: path) }

    /// The record of the unfinished data of a path.
    func partial(at path: RelativePath) -> PartialRecord? { (try? state.partials(for: [path]))?.first ?? nil }

    /// Ends all that runs, and writes all that waits.
    func close() async -> Failure? {
        let running = cancelTasks()
        await loop.stop()
        for task in running { await task.value }
        await loop.waitUntilStopped()
        for facts in await loop.learntHostFacts() { desk.note(.host(facts)) }
        await desk.drain()
        // To close, the state moves its log into the database.
        desk.giveBackReserve()
        if let run, let status = exitStatus.withLock({ $0 }) {
            try? state.endRun(run, exitStatus: status, at: currentDate())
        }
        state.close()
        lock.release()
        return desk.stateFailure
    }
}

/// A plan as a whole: every entry with its decision.
public struct SyncPlan: Sendable {
    /// The entries, in the order in which they were decided.
    public private(set) var entries: [PlannedEntry] = []
    /// Lines and rows that could not be used.
    public private(set) var problems: [(origin: EntryOrigin, failure: Failure)] = []
    /// Sources and listings that could not be read to their end.
    public private(set) var unreadSources: [(source: String, failure: Failure)] = []
    /// Counts and totals.
    public private(set) var summary = SyncSummary()
    /// Files that no source names any more, and what becomes of them.
    public private(set) var deletions: [PlannedDeletion] = []
    /// Why files stay that no source named.
    public private(set) var keptDeletions: [KeptDeletions] = []
    /// Bytes that are free at the destination; nil where that cannot be told.
    public let freeSpace: Int64?

    init(freeSpace: Int64?) { self.freeSpace = freeSpace }

    mutating func add(_ event: SyncEvent) {
        summary.count(event)
        switch event {
        case .planned(let planned): entries.append(planned)
        case .problem(let origin, let failure): problems.append((origin, failure))
        case .sourceFailed(let source, let failure): unreadSources.append((source, failure))
        case .plannedDeletion(let deletion): deletions.append(deletion)
        case .deletionsKept(let kept): keptDeletions.append(kept)
        case .outcome, .listed, .listing, .verified: break
        }
    }
}

/// Opens a destination for as long as `body` runs.
///
/// The destination is created where it is missing, and locked: a second session on it fails with
/// ``Failure/Code/busy``. However `body` ends, transfers are stopped, what is here of unfinished files is recorded, and
/// the state is closed before this returns. Cancelling the task interrupts the session.
///
/// - Parameters:
///   - destination: The directory to bring up to date.
///   - configuration: How; the command line's defaults if left out.
///   - body: What to do with it.
/// - Throws: ``Failure`` where the destination or its state cannot be opened or written; whatever `body` throws.
public func withSyncSession<Result: Sendable>(
    into destination: String, _ configuration: SyncConfiguration = SyncConfiguration(),
    _ body: @Sendable (SyncSession) async throws -> Result
) async throws -> Result {
    try await withSyncSession(into: Array(destination.utf8), configuration, body)
}

/// As ``withSyncSession(into:_:_:)``, for a path that need not be UTF-8.
public func withSyncSession<Result: Sendable>(
    into destination: [UInt8], _ configuration: SyncConfiguration = SyncConfiguration(),
    _ body: @Sendable (SyncSession) async throws -> Result
) async throws -> Result {
    try await withSyncSession(into: destination, configuration, on: SyncSession.Machine(), body)
}

func withSyncSession<Result: Sendable>(
    into destination: [UInt8], _ configuration: SyncConfiguration, on machine: SyncSession.Machine,
    _ body: @Sendable (SyncSession) async throws -> Result
) async throws -> Result {
    let session = try await SyncSession(into: destination, configuration, machine)
    do {
        let result = try await withTaskCancellationHandler {
            try await body(session)
        } onCancel: {
            session.interruptSoon()
        }
        if let failure = await session.close() { throw failure }
        return result
    } catch {
        _ = await session.close()
        throw error
    }
}
