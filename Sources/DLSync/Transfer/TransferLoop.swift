internal import Curl
internal import Glibc
internal import SyncCore
internal import Synchronization

/// Drives all transfers, on one thread of its own, which is its executor: nothing else can touch a libcurl handle.
///
/// Jobs say what they have use for; the loop hands out permits by the one limiter, starts transfers, and tells each job
/// what became of them. Blocking work is handed to the disk queues, and comes back by ``post(_:)``.
actor TransferLoop {
    nonisolated let thread = LoopThread()
    nonisolated let inbox = Mutex<[@Sendable (isolated TransferLoop) -> Void]>([])
    nonisolated let configuration: LoopConfiguration
    nonisolated let progress: ProgressBoard
    nonisolated let clock: any LoopClock
    nonisolated let waker: MultiHandle.Waker
    nonisolated let writes = WriteQueue()

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    // Everything below belongs to the thread.
    let multi: MultiHandle
    var idleHandles: [EasyHandle] = []
    var jobs: [JobID: any TransferJob] = [:]
    /// How many jobs only hold their files back, and so take no room from others.
    var jobsHeld = 0
    var transfers: [TransferID: Transfer] = [:]
    var limiter: Limiter
    var memory: HostMemory
    var tickets: [Limiter.Ticket: TicketUse] = [:]
    var queued: [JobID: Int] = [:]
    var deadlines = Deadlines<JobID>()
    /// Which hosts carry several transfers on a connection.
    var streams = StreamBook()
    /// How many transfers in a row were lost of each host that may speak HTTP/2.
    var losses: [String: Int] = [:]
    /// Which addresses of hosts are left out for now.
    var addresses = AddressHealth()
    /// How often and how long hosts asked to be left alone.
    var hostWaits: [String: HostWait] = [:]
    var watchdog: Watchdog
    /// What the watchdog saw last: any change of it is a sign of life.
    var lastSeen: (numbers: Int, jobs: Int) = (0, 0)
    var hasMoved = false
    var bucket: RateBucket?
    var startedAt: MonotonicTime = .zero
    /// Is told when the time is over that the work may take, before all of it is interrupted.
    var curfewRings: (@Sendable (StopReason) -> Void)?
    var nextDeal: MonotonicTime = .zero
    var nextTick: MonotonicTime = .zero
    var nextSample: MonotonicTime = .zero
    var lastNumber = 0
    var now: MonotonicTime = .zero
    var random: SplitMix64
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
    var isStopping = false
    /// While libcurl calls back, none of its handles may be taken out.
    var isInLibcurl = false
    var abandoned: [TransferID] = []
    var isInterrupted = false
    /// How many bytes were written for each job since it last recorded what is here.
    var unrecorded: [JobID: Int] = [:]
    /// After so many bytes what is here is recorded, so that a run that is killed loses no more.
    static let recordedBytes = 2 << 20
    /// Queues whose readers sleep and are woken at the end of a turn.
    var toldQueues: [EventQueue<SyncEvent>] = []
    /// How many events were told since the last waking, and how many at the end of the turn before.
    var (told, toldBefore) = (0, 0)
    /// So many events are told before a reader is woken, unless a turn has none.
    static let toldAtOnce = 64
    /// What wants to be called once at the end of each turn, as the publisher does.
    var turnEnds: [@Sendable (isolated TransferLoop) -> Void] = []

    /// After so many transfers in a row that were lost, a host is spoken to in HTTP/1.1: some servers end all streams of a
    /// connection when they mean one.
    static let mostLosses = 3

    /// How many jobs may be in the loop at once: enough that none of the permits ever waits for a reader.
    static let mostJobs = 2048

    struct TicketUse {
        let job: JobID
        /// Where the request is to go, as far as is known when the ticket is drawn.
        let route: Route
        var host: String { route.origin }
        /// A redirected request that waits for the permit of its new host.
        var continuation: Transfer?
    }

    init(_ configuration: LoopConfiguration, progress: ProgressBoard, clock: any LoopClock = SystemClock())
        throws(Failure)
    {
        self.configuration = configuration
        self.progress = progress
        self.clock = clock
        do {
            let multi = try MultiHandle()
            self.multi = multi
            waker = multi.waker
        } catch {
            throw Failure(.protocolError, error.detail)
        }
        limiter = Limiter(total: configuration.connections, perHost: configuration.perHost)
        memory = HostMemory(configuration.hostFacts, now: currentDate())
        for (origin, permits) in memory.permits(perHost: configuration.perHost) {
            limiter.restore(cap: permits, host: origin)
        }
        random = SplitMix64(seed: configuration.seed)
        watchdog = Watchdog(timeout: configuration.watchdogTimeout, now: .zero)
    }

    // MARK: Life

    /// Starts the thread.
    func start() {
        multi.limitConnections(
            perHost: min(configuration.perHost, configuration.connections), kept: configuration.connections + 8,
            streams: StreamBook.perConnection)
        now = clock.now
        startedAt = now
        followClock()
        nextTick = now + .seconds(1)
        watchdog = Watchdog(timeout: configuration.watchdogTimeout, now: now)
    }

    /// Makes a loop and starts its thread.
    static func running(
        _ configuration: LoopConfiguration, progress: ProgressBoard, clock: any LoopClock = SystemClock()
    ) async throws(Failure) -> TransferLoop {
        let loop = try TransferLoop(configuration, progress: progress, clock: clock)
        // Before the thread runs nothing but this call can reach the loop.
        loop.thread.start(waker: loop.waker) { loop.assumeIsolated { $0.turn() } }
        await loop.start()
        return loop
    }

    /// Ends all transfers and the thread. Jobs that are still there are interrupted first.
    func stop() {
        interruptAll()
        isStopping = true
    }

    /// Waits until the thread has done its last turn.
    func waitUntilStopped() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { endWaiters.append($0) }
    }

    /// Stops all work: every job records what it has and ends.
    func interruptAll() {
        guard !isInterrupted else { return }
        isInterrupted = true
        for transfer in transfers.values {
            transfer.flush()
            jobs[transfer.job]?.progressed(transfer)
        }
        for job in jobs.values { job.interrupt(in: self) }
        for transfer in Array(transfers.values) { cancel(transfer.id) }
        for waiter in roomWaiters { waiter.resume() }
        roomWaiters.removeAll()
    }

    /// Runs something on the loop's thread at its next turn. Any thread may call it.
    nonisolated func post(_ work: @escaping @Sendable (isolated TransferLoop) -> Void) {
        inbox.withLock { $0.append(work) }
        thread.wake()
    }

    /// Has something called when the work has to end for its time's sake; at once where it may not even begin.
    func atCurfew(_ work: @escaping @Sendable (StopReason) -> Void) {
        curfewRings = work
        followClock()
    }

    /// Has something called at the end of every turn.
    func atTurnEnd(_ work: @escaping @Sendable (isolated TransferLoop) -> Void) { turnEnds.append(work) }

    // MARK: Jobs

    /// A number that no job had before.
    func newJobID() -> JobID {
        lastNumber += 1
        return JobID(number: lastNumber)
    }

    /// A number that decides by chance.
    func newSeed() -> UInt64 { random.next() }

    /// Waits until there is room for more jobs, so that a reader of a long list holds no more than the loop can work on.
    func waitForRoom() async {
        while jobs.count - jobsHeld >= Self.mostJobs, !isInterrupted {
            await withCheckedContinuation { roomWaiters.append($0) }
        }
    }

    /// Takes a job on.
    func add(_ job: any TransferJob) {
        guard !isInterrupted else {
            job.interrupt(in: self)
            return
        }
        jobs[job.id] = job
        refresh(job)
    }

    /// Forgets a job that has ended.
    func remove(_ job: any TransferJob) {
        guard jobs.removeValue(forKey: job.id) != nil else { return }
        queued[job.id] = nil
        unrecorded[job.id] = nil
        wakeRoomWaiters()
    }

    /// Has jobs put their files in place that they held back.
    ///
    /// - Parameter objection: Why those files are left to another run instead.
    func release(_ held: [JobID], objection: String?) {
        for id in held {
            guard let job = jobs[id] as? EntryJob else { continue }
            if let objection {
                job.leaveForAnotherRun(reason: objection, in: self)
            } else {
                job.release(in: self)
            }
        }
    }

    /// Lets readers go on that wait for room, if there is some.
    func wakeRoomWaiters() {
        if jobs.count - jobsHeld < Self.mostJobs / 2, !roomWaiters.isEmpty {
            let waiters = roomWaiters
            roomWaiters.removeAll()
            for waiter in waiters { waiter.resume() }
        }
    }

    /// The job of a number, while it lasts.
    func job(_ id: JobID) -> (any TransferJob)? { jobs[id] }

    /// Whether no transfer runs and none waits: nothing more will complete by itself.
    var hasNothingToTransfer: Bool { transfers.isEmpty && tickets.isEmpty }

    /// Puts as many tickets in the queue as a job has use for. Called after everything that may change its demand.
    func refresh(_ job: any TransferJob) {
        guard !isInterrupted, jobs[job.id] != nil else { return }
        var waiting = queued[job.id] ?? 0
        let demand = job.demand
        guard waiting < demand else { return }
        let route = Route(job.nextURL)
        while waiting < demand {
            waiting += 1
            enqueue(TicketUse(job: job.id, route: route), priority: job.priority)
        }
        queued[job.id] = waiting
    }

    func enqueue(_ use: TicketUse, priority: Limiter.Priority) {
        lastNumber += 1
        let ticket = Limiter.Ticket(lastNumber)
        tickets[ticket] = use
        limiter.enqueue(ticket, host: use.host, priority: priority)
    }

    /// Fires a job's timer after a while.
    func wait(_ duration: Duration, for job: any TransferJob) { deadlines.add(job.id, at: now + duration) }

    /// What was learnt of hosts that the next run should know.
    func learntHostFacts() -> [HostFacts] { memory.learnt(loweredCaps: limiter.loweredCaps) }

    /// Keeps all transfers away from a host for a while, as it asked for.
    func pause(_ host: String, for duration: Duration) {
        limiter.pause(host: host, until: now + duration)
        hostWaits[host, default: HostWait(origin: host)].add(from: now, to: now + duration)
    }

    /// Tells an event; its reader is woken at the end of this turn or one soon after.
    func tell(_ event: SyncEvent, to queue: EventQueue<SyncEvent>) {
        guard queue.append(event) else { return }
        told += 1
        // After the last turn there is no end of a turn to wait for.
        if hasEnded { return queue.wake() }
        if !toldQueues.contains(where: { $0 === queue }) { toldQueues.append(queue) }
    }

    /// The transfers that run for a job.
    func transfers(of job: JobID) -> [Transfer] { transfers.values.filter { $0.job == job } }

    /// A transfer that runs.
    func transfer(_ id: TransferID) -> Transfer? { transfers[id] }

    /// What the loop holds and waits for, in one line, for whoever looks into a run that does not go on.
    var account: String {
        let stages = jobs.values.map { "\($0.id.number): \(($0 as? EntryJob).map { "\($0.stage)" } ?? "other")" }
        return "now \(now.sinceStart), jobs [\(stages.joined(separator: ", "))], transfers "
            + "\(transfers.keys.map(\.number)), tickets \(tickets.count), permits \(limiter.running), "
            + "interrupted \(isInterrupted), stopping \(isStopping)"
    }
}
