internal import Curl
internal import Glibc
package import SyncCore
internal import Synchronization

/// How the loop drives its transfers.
package struct LoopConfiguration: Hashable, Sendable {
    package var connections = 16
    package var perHost = 8
    package var transfer = TransferPolicy()
    /// Bytes per second over all transfers; nil for no limit.
    package var rateLimit: Int64?
    package var connectTimeout: Duration = .seconds(30)
    package var stallTimeout: Duration = .seconds(30)
    package var userAgent = "dlsync"
    /// HTTP/1.1 and nothing later.
    package var onlyHTTP11 = false
    package var addressFamily: AddressFamily = .any
    /// What earlier runs learnt of hosts.
    package var hostFacts: [HostFacts] = []
    /// What the person gave to be let in, and whom it is for.
    package var secrets = Secrets()
    /// A proxy for all requests; nil for what the environment says.
    package var proxy: String?
    /// A file of certificates of authorities, instead of the system's.
    package var certificateAuthorities: String?
    package var clientCertificate: String?
    package var clientKey: String?
    /// Whether servers' certificates are not checked.
    package var isInsecure = false
    /// Addresses for hosts, as in `host:port:address`.
    package var resolve: [String] = []
    /// Where chance starts, so that a test can repeat it.
    package var seed: UInt64 = 1

    package enum AddressFamily: Hashable, Sendable {
        case any
        case ipv4
        case ipv6
    }

    package init() {}
}

/// Drives all transfers, on one thread of its own, which is its executor: nothing else can touch a libcurl handle.
///
/// Jobs say what they have use for; the loop hands out permits by the one limiter, starts transfers, and tells each job
/// what became of them. Blocking work is handed to the disk queues, and comes back by ``post(_:)``.
actor TransferLoop {
    private nonisolated let thread = LoopThread()
    private nonisolated let inbox = Mutex<[@Sendable (isolated TransferLoop) -> Void]>([])
    nonisolated let configuration: LoopConfiguration
    nonisolated let progress: ProgressBoard
    private nonisolated let clock: any LoopClock
    private nonisolated let waker: MultiHandle.Waker

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    // Everything below belongs to the thread.
    private let multi: MultiHandle
    private var idleHandles: [EasyHandle] = []
    private var idleBuffers: [WriteBuffer] = []
    private var jobs: [JobID: any TransferJob] = [:]
    private var transfers: [TransferID: Transfer] = [:]
    private var limiter: Limiter
    private var memory: HostMemory
    private var tickets: [Limiter.Ticket: TicketUse] = [:]
    private var queued: [JobID: Int] = [:]
    private var deadlines = Deadlines<JobID>()
    /// How many transfers in a row were lost of each host that may speak HTTP/2.
    private var losses: [String: Int] = [:]
    private var bucket: RateBucket?
    private var nextDeal: MonotonicTime = .zero
    private var nextTick: MonotonicTime = .zero
    private var nextSample: MonotonicTime = .zero
    private var lastNumber = 0
    private(set) var now: MonotonicTime = .zero
    private var random: SplitMix64
    private var roomWaiters: [CheckedContinuation<Void, Never>] = []
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var hasEnded = false
    private var isStopping = false
    /// While libcurl calls back, none of its handles may be taken out.
    private var isInLibcurl = false
    private var abandoned: [TransferID] = []
    private(set) var isInterrupted = false
    /// What wants to be called once at the end of each turn, as the publisher does.
    private var turnEnds: [@Sendable (isolated TransferLoop) -> Void] = []

    /// After so many transfers in a row that were lost, a host is spoken to in HTTP/1.1: some servers end all streams of a
    /// connection when they mean one.
    static let mostLosses = 3

    /// How many jobs may be in the loop at once: enough that none of the permits ever waits for a reader.
    static let mostJobs = 2048

    private struct TicketUse {
        let job: JobID
        let host: String
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
    }

    // MARK: Life

    /// Starts the thread.
    func start() {
        multi.limitConnections(perHost: configuration.perHost, kept: configuration.connections + 8)
        now = clock.now
        bucket = configuration.rateLimit.map { RateBucket(bytesPerSecond: $0, now: now) }
        nextTick = now + .seconds(1)
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
        while jobs.count >= Self.mostJobs, !isInterrupted {
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
        if jobs.count < Self.mostJobs / 2, !roomWaiters.isEmpty {
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
        let host = job.nextURL.origin
        while waiting < demand {
            waiting += 1
            enqueue(TicketUse(job: job.id, host: host), priority: job.priority)
        }
        queued[job.id] = waiting
    }

    private func enqueue(_ use: TicketUse, priority: Limiter.Priority) {
        lastNumber += 1
        let ticket = Limiter.Ticket(lastNumber)
        tickets[ticket] = use
        limiter.enqueue(ticket, host: use.host, priority: priority)
    }

    /// Fires a job's timer after a while.
    func wait(_ duration: Duration, for job: any TransferJob) { deadlines.add(job.id, at: now + duration) }

    /// Whether a host was found to have no ranges.
    func refusesRanges(_ url: WebURL) -> Bool { memory.refusesRanges(url.origin) }

    /// Notes what an answer showed of a host's ranges.
    func noteRanges(_ url: WebURL, areRefused: Bool) { memory.noteRanges(url.origin, areRefused: areRefused) }

    /// What was learnt of hosts that the next run should know.
    func learntHostFacts() -> [HostFacts] { memory.learnt(loweredCaps: limiter.loweredCaps) }

    /// Keeps all transfers away from a host for a while, as it asked for.
    func pause(_ host: String, for duration: Duration) { limiter.pause(host: host, until: now + duration) }

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

    // MARK: Turns

    /// One turn: takes what was posted, lets libcurl work, hands permits out, and sleeps. False at the end.
    private func turn() -> Bool {
        now = clock.now
        takePosted()
        do {
            isInLibcurl = true
            try multi.perform()
            isInLibcurl = false
            dropAbandoned()
            takeEnded()
            fireDeadlines()
            grant()
            tickIfDue()
            for work in turnEnds { work(self) }
            if isStopping, jobs.isEmpty {
                endAll()
                return false
            }
            try multi.wait(milliseconds: sleepTime())
        } catch {
            // libcurl's multi interface fails only where it was misused or memory is gone.
            for job in jobs.values { job.interrupt(in: self) }
            endAll()
            return false
        }
        return true
    }

    private func endAll() {
        for transfer in Array(transfers.values) { cancel(transfer.id) }
        for waiter in roomWaiters + endWaiters { waiter.resume() }
        roomWaiters.removeAll()
        endWaiters.removeAll()
        hasEnded = true
    }

    private func takePosted() {
        let posted = inbox.withLock { inbox in
            defer { inbox.removeAll(keepingCapacity: true) }
            return inbox
        }
        for work in posted { work(self) }
    }

    private func sleepTime() -> Int32 {
        var next = nextTick
        if let earliest = deadlines.earliest { next = min(next, earliest) }
        if let wakeup = limiter.nextWakeup(now: now) { next = min(next, wakeup) }
        if bucket != nil, !transfers.isEmpty { next = min(next, nextDeal) }
        guard inbox.withLock({ $0.isEmpty }) else { return 0 }
        let milliseconds = ((next - clock.now).seconds * 1000).rounded(.up)
        return Int32(max(0, min(1000, milliseconds)))
    }

    private func fireDeadlines() {
        while let id = deadlines.next(now: now) {
            guard let job = jobs[id] else { continue }
            job.timerFired(in: self)
            refresh(job)
        }
    }

    private func tickIfDue() {
        if let bucket, now >= nextDeal { deal(bucket) }
        if now >= nextSample {
            nextSample = now + .milliseconds(100)
            countActivity()
        }
        guard now >= nextTick else { return }
        nextTick = now + .seconds(1)
        for transfer in Array(transfers.values)
        where transfer.watch.isStalled(now: now, timeout: stallTimeout(transfer)) {
            end(transfer, .failed(stalled(transfer)))
        }
        for job in Array(jobs.values) { job.tick(in: self) }
    }

    private func stallTimeout(_ transfer: Transfer) -> Duration {
        transfer.head == nil
            ? configuration.stallTimeout + configuration.connectTimeout : configuration.stallTimeout
    }

    private func stalled(_ transfer: Transfer) -> Failure {
        Failure(
            .stalled,
            "\(transfer.route.url.redacted) sent nothing for \(Int(configuration.stallTimeout.seconds)) seconds")
    }

    private func countActivity() {
        var bytes: Int64 = 0
        var shown = Set<JobID>()
        for transfer in transfers.values {
            bytes += transfer.takeActivity(now: now)
            if shown.insert(transfer.job).inserted { jobs[transfer.job]?.show(in: self) }
        }
        progress.sample(bytes: bytes, now: now, transfers: transfers.count)
    }

    private func deal(_ bucket: RateBucket) {
        var bucket = bucket
        nextDeal = now + RateBucket.interval
        let running = Array(transfers.values)
        for transfer in running { bucket.spent(transfer.takeUnbooked()) }
        let share = bucket.deal(to: running.count, now: now)
        self.bucket = bucket
        guard share > 0 else { return }
        for transfer in running {
            transfer.allowance = share
            transfer.resume(.rate)
        }
    }

    // MARK: Permits and transfers

    private func grant() {
        while !isInterrupted, let ticket = limiter.next(now: now) {
            guard let use = tickets.removeValue(forKey: ticket) else {
                preconditionFailure("the limiter granted ticket \(ticket.number), which nobody holds")
            }
            if let transfer = use.continuation {
                begin(transfer)
                continue
            }
            guard let job = jobs[use.job] else {
                limiter.release(host: use.host)
                continue
            }
            queued[use.job, default: 1] -= 1
            guard job.demand > 0 else {
                limiter.release(host: use.host)
                continue
            }
            let host = job.nextURL.origin
            guard host == use.host else {
                limiter.release(host: use.host)
                refresh(job)
                continue
            }
            start(for: job, host: host)
        }
        grantSpare()
    }

    /// Gives permits that nobody waits for to the files that have most to go.
    private func grantSpare() {
        while !isInterrupted, limiter.running < configuration.connections {
            // Only what is being fetched can be split, so the few transfers tell all candidates.
            var best: (job: any TransferJob, rest: Int64)?
            for transfer in transfers.values {
                guard transfer.isWorthHelping, let job = jobs[transfer.job] else { continue }
                let rest = job.splittable
                guard rest > best?.rest ?? 0, limiter.hasSpare(host: job.nextURL.origin, now: now) else { continue }
                best = (job, rest)
            }
            guard let job = best?.job else { return }
            for transfer in transfers(of: job.id) {
                transfer.flush()
                job.progressed(transfer)
            }
            let host = job.nextURL.origin
            guard job.splittable > 0, limiter.takeSpare(host: host, now: now) else { return }
            job.split(in: self)
            guard job.demand > 0 else {
                limiter.release(host: host)
                return
            }
            start(for: job, host: host)
        }
    }

    private func start(for job: any TransferJob, host: String) {
        lastNumber += 1
        let id = TransferID(lastNumber)
        guard let request = job.request(for: id) else {
            limiter.release(host: host)
            return
        }
        guard let easy = idleHandles.popLast() ?? (try? EasyHandle()) else {
            preconditionFailure("libcurl has no memory for another transfer")
        }
        let buffer = idleBuffers.popLast() ?? WriteBuffer()
        begin(
            Transfer(
                id: id, job: job.id, request: request, route: Route(request.url), easy: easy, loop: self,
                buffer: buffer, now: now))
    }

    private func begin(_ transfer: Transfer) {
        transfers[transfer.id] = transfer
        transfer.watch = StallWatch(startedAt: now)
        do {
            try transfer.prepare(
                configuration, isRateLimited: bucket != nil,
                avoidsHTTP2: losses[transfer.route.url.origin] ?? 0 >= Self.mostLosses)
            transfer.easy.tag = transfer.id.number
            if bucket != nil { transfer.allowance = 1 }
            try multi.add(transfer.easy)
        } catch {
            end(transfer, .failed(Failure(.protocolError, "\(transfer.route.url.redacted): \(error.detail)")))
        }
    }

    private func takeEnded() {
        while let (easy, code) = multi.nextEnded() {
            guard let transfer = transfers[TransferID(easy.tag)] else {
                multi.remove(easy)
                continue
            }
            transfer.flush()
            if let location = transfer.redirect {
                follow(location, transfer)
            } else {
                end(transfer, transfer.end(code))
            }
        }
    }

    private func follow(_ location: [UInt8], _ transfer: Transfer) {
        let oldHost = transfer.route.url.origin
        let route: Route
        do {
            route = try transfer.route.following(location)
        } catch {
            end(transfer, .failed(error))
            return
        }
        multi.remove(transfer.easy)
        transfers[transfer.id] = nil
        var request = transfer.request
        request.url = route.url
        if route.url.origin != oldHost { request.headers = [] }
        transfer.follow(route, request: request)
        limiter.release(host: oldHost)
        enqueue(TicketUse(job: transfer.job, host: route.url.origin, continuation: transfer), priority: .continuation)
    }

    /// Judges a head, from within libcurl's call.
    func received(_ head: ResponseHead, for id: TransferID) -> BodyVerdict {
        guard let transfer = transfers[id], let job = jobs[transfer.job] else { return .cut }
        let host = transfer.route.url.origin
        switch head.status {
        case 429, 503:
            limiter.refused(host: host, now: now)
            if let delay = head.retryAfter?.delay(at: head.date), delay > .zero {
                pause(host, for: min(delay, configuration.transfer.retry.maxRetryAfter))
            }
        case 200..<400:
            limiter.succeeded(host: host, now: now)
            memory.used(host)
            if head.status == 206, head.contentRange?.range != nil { memory.noteRanges(host, areRefused: false) }
        default: break
        }
        let verdict = job.received(head, for: transfer, in: self)
        // What the first answer tells is what others can be asked for now.
        refresh(job)
        return verdict
    }

    private func end(_ transfer: Transfer, _ end: TransferEnd) {
        let host = transfer.route.url.origin
        if case .failed(let failure) = end, failure.code == .couldNotConnect,
            transfers.values.contains(where: { $0.route.url.origin == host && $0.head != nil })
        {
            // Others of this host are being served: it takes no more at once.
            limiter.refused(host: host, now: now)
        }
        if transfer.route.url.scheme == "https" {
            switch end {
            case .failed(let failure) where failure.code == .connectionLost: losses[host, default: 0] += 1
            case .finished where losses[host] ?? 0 < Self.mostLosses: losses[host] = nil
            default: break
            }
        }
        guard release(transfer), let job = jobs[transfer.job] else { return }
        job.progressed(transfer)
        job.ended(transfer, end, in: self)
        refresh(job)
    }

    /// Ends a transfer of which nobody wants to hear again. Its bytes are written before.
    func cancel(_ id: TransferID) {
        if let transfer = transfers[id] {
            transfer.flush()
            transfer.abandon()
            if isInLibcurl { abandoned.append(id) } else { _ = release(transfer) }
            return
        }
        // It may wait for the permit of the host that it was redirected to.
        dropRedirected { $0.id == id }
    }

    /// Ends all transfers of a job, of which nobody wants to hear again.
    func cancelTransfers(of job: JobID) {
        for transfer in transfers(of: job) { cancel(transfer.id) }
        dropRedirected { $0.job == job }
    }

    private func dropRedirected(_ isMeant: (Transfer) -> Bool) {
        for (ticket, use) in tickets {
            guard let transfer = use.continuation, isMeant(transfer) else { continue }
            limiter.withdraw(ticket)
            tickets[ticket] = nil
            recycle(transfer)
        }
    }

    private func dropAbandoned() {
        for id in abandoned {
            if let transfer = transfers[id] { _ = release(transfer) }
        }
        abandoned.removeAll()
    }

    private func release(_ transfer: Transfer) -> Bool {
        guard transfers.removeValue(forKey: transfer.id) != nil else { return false }
        progress.count(bytes: transfer.takeActivity(now: now))
        multi.remove(transfer.easy)
        bucket?.spent(transfer.takeUnbooked())
        limiter.release(host: transfer.route.url.origin)
        recycle(transfer)
        return true
    }

    private func recycle(_ transfer: Transfer?) {
        guard let transfer else { return }
        transfer.flush()
        idleHandles.append(transfer.easy)
        idleBuffers.append(transfer.buffer)
    }
}
