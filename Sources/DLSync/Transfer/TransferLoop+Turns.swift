internal import Curl
internal import SyncCore
internal import Synchronization

/// The turns of the loop's thread: what each of them looks at, and how long it sleeps.
extension TransferLoop {
    /// One turn: takes what was posted, lets libcurl work, hands permits out, and sleeps. False at the end.
    func turn() -> Bool {
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
            recordIfDue()
            for work in turnEnds { work(self) }
            wakeToldIfDue()
            if isStopping, jobs.isEmpty {
                endAll()
                return false
            }
            try multi.wait(milliseconds: sleepTime())
        } catch {
            // libcurl's multi interface fails only where it was misused or memory is gone.
            for job in jobs.values { job.interrupt(in: self) }
            wakeTold()
            endAll()
            return false
        }
        return true
    }

    /// Wakes readers once there is something to read for a while, or nothing more comes for the moment: each waking costs as
    /// much as an answer.
    private func wakeToldIfDue() {
        guard !toldQueues.isEmpty else { return }
        if told == toldBefore || told >= Self.toldAtOnce || hasNothingToTransfer {
            wakeTold()
        } else {
            toldBefore = told
        }
    }

    private func wakeTold() {
        for queue in toldQueues { queue.wake() }
        toldQueues.removeAll()
        told = 0
        toldBefore = 0
    }

    func endAll() {
        for transfer in Array(transfers.values) { cancel(transfer.id) }
        for waiter in roomWaiters + endWaiters { waiter.resume() }
        roomWaiters.removeAll()
        endWaiters.removeAll()
        hasEnded = true
    }

    func takePosted() {
        let posted = inbox.withLock { inbox in
            defer { inbox.removeAll(keepingCapacity: true) }
            return inbox
        }
        for work in posted { work(self) }
    }

    func sleepTime() -> Int32 {
        var next = nextTick
        if let earliest = deadlines.earliest { next = min(next, earliest) }
        if let wakeup = limiter.nextWakeup(now: now) { next = min(next, wakeup) }
        if bucket != nil, !transfers.isEmpty { next = min(next, nextDeal) }
        guard inbox.withLock({ $0.isEmpty }) else { return 0 }
        let milliseconds = ((next - clock.now).seconds * 1000).rounded(.up)
        return Int32(max(0, min(toldQueues.isEmpty ? 1000 : 5, milliseconds)))
    }

    func fireDeadlines() {
        while let id = deadlines.next(now: now) {
            guard let job = jobs[id] else { continue }
            job.timerFired(in: self)
            refresh(job)
        }
    }

    func tickIfDue() {
        if let bucket, now >= nextDeal { deal(bucket) }
        if now >= nextSample {
            nextSample = now + .milliseconds(100)
            countActivity()
        }
        guard now >= nextTick else { return }
        nextTick = now + .seconds(1)
        followClock()
        for transfer in Array(transfers.values)
        where transfer.watch.isStalled(now: now, timeout: stallTimeout(transfer)) {
            end(transfer, .failed(stalled(transfer)))
        }
        for job in Array(jobs.values) { job.tick(in: self) }
        watch()
    }

    /// Does what the time of the day asks for: another rate, or the end.
    func followClock() {
        let minute = clock.minuteOfDay
        let rate = configuration.rates.rate(atMinute: minute)
        if rate.map({ max(1, $0) }) != bucket?.bytesPerSecond {
            bucket = rate.map { RateBucket(bytesPerSecond: $0, now: now) }
            nextDeal = now
            for transfer in transfers.values {
                transfer.allowance = rate.map { _ in 1 }
                if rate == nil { transfer.resume(.rate) }
            }
        }
        guard !isInterrupted, let curfewRings,
            let reason = configuration.curfew.reason(after: now - startedAt, atMinute: minute)
        else { return }
        curfewRings(reason)
        interruptAll()
    }

    /// Sees to it that nobody waits in silence for ever.
    private func watch() {
        let seen = (numbers: lastNumber, jobs: jobs.count)
        // Jobs that only hold their files back need nothing to move.
        let moved = hasMoved || seen != lastSeen || jobs.count == jobsHeld
        (lastSeen, hasMoved) = (seen, false)
        let isWaiting =
            deadlines.earliest != nil || limiter.nextWakeup(now: now) != nil || jobs.values.contains(where: \.isAtDisk)
            || transfers.values.contains(where: \.isHeld)
        guard let alarm = watchdog.look(moved: moved, isWaiting: isWaiting, now: now) else { return }
        let failure = Failure(
            .stalled, "nothing moved for \(Int(configuration.watchdogTimeout.seconds)) seconds (\(account))")
        switch alarm {
        case .reconnect:
            for transfer in Array(transfers.values) { end(transfer, .failed(failure)) }
            for job in Array(jobs.values) { refresh(job) }
        case .giveUp:
            for job in Array(jobs.values) { job.giveUp(failure, in: self) }
        }
    }

    /// Has jobs record what is here of large files.
    private func recordIfDue() {
        for (id, bytes) in unrecorded where bytes >= Self.recordedBytes {
            unrecorded[id] = 0
            jobs[id]?.record(in: self)
        }
    }

    func stallTimeout(_ transfer: Transfer) -> Duration {
        transfer.head == nil
            ? configuration.stallTimeout + configuration.connectTimeout : configuration.stallTimeout
    }

    func stalled(_ transfer: Transfer) -> Failure {
        Failure(
            .stalled,
            "\(transfer.route.url.redacted) sent nothing for \(Int(configuration.stallTimeout.seconds)) seconds")
    }

    func countActivity() {
        var bytes: Int64 = 0
        var shown = Set<JobID>()
        for transfer in transfers.values {
            bytes += transfer.takeActivity(now: now)
            if shown.insert(transfer.job).inserted { jobs[transfer.job]?.sample(in: self) }
        }
        if bytes > 0 { hasMoved = true }
        progress.sample(bytes: bytes, now: now, transfers: transfers.count)
    }

    func deal(_ bucket: RateBucket) {
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
}
