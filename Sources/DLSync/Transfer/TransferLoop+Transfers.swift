internal import Curl
internal import SyncCore

/// Permits, and the transfers that run on them.
extension TransferLoop {
    func grant() {
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
            guard job.nextURL == use.route.url || job.nextURL.origin == use.host else {
                limiter.release(host: use.host)
                refresh(job)
                continue
            }
            start(for: job, on: use.route)
        }
        grantSeats()
        grantSpare()
    }

    /// Lets small transfers ride on connections that carry streams. A host that complains carries none.
    private func grantSeats() {
        for host in Array(streams.carrying) where limiter.cap(host: host) == limiter.perHost {
            while !isInterrupted, streams.hasSeat(host), let ticket = limiter.first(host: host, now: now) {
                guard let use = tickets[ticket], use.continuation == nil, let job = jobs[use.job], !job.isLarge,
                    job.demand > 0, job.nextURL == use.route.url || job.nextURL.origin == host
                else { break }
                limiter.withdraw(ticket)
                tickets[ticket] = nil
                queued[use.job, default: 1] -= 1
                start(for: job, on: use.route, rides: true)
            }
        }
    }

    /// Gives permits that nobody waits for to the transfers that will take longest.
    func grantSpare() {
        while !isInterrupted, limiter.running < configuration.connections {
            // Only what is being fetched can be split, so the few transfers tell all candidates.
            var best: (transfer: Transfer, job: any TransferJob, time: Double)?
            for transfer in transfers.values {
                guard let time = transfer.timeWorthHelping, let job = jobs[transfer.job] else { continue }
                if limiter.hasCarriedMore(host: job.nextURL.origin) { job.inviteHelp() }
                guard time > best?.time ?? 0, job.canSplit(transfer),
                    limiter.hasSpare(host: job.nextURL.origin, now: now)
                else { continue }
                best = (transfer, job, time)
            }
            guard let (slowest, job, _) = best else { return }
            for transfer in transfers(of: job.id) {
                transfer.flush()
                job.progressed(transfer)
            }
            let route = Route(job.nextURL)
            guard job.canSplit(slowest), limiter.takeSpare(host: route.origin, now: now) else { return }
            job.split(slowest, in: self)
            guard job.demand > 0 else {
                limiter.release(host: route.origin)
                return
            }
            start(for: job, on: route)
        }
    }

    /// - Parameters:
    ///   - route: What the permit was drawn for; another URL of its origin will do.
    ///   - rides: Whether it shares the connection of another transfer, and has no permit of its own.
    private func start(for job: any TransferJob, on route: Route, rides: Bool = false) {
        lastNumber += 1
        let id = TransferID(lastNumber)
        guard let request = job.request(for: id) else {
            if !rides { limiter.release(host: route.origin) }
            return
        }
        guard let easy = idleHandles.popLast() ?? (try? EasyHandle()) else {
            preconditionFailure("libcurl has no memory for another transfer")
        }
        let transfer = Transfer(
            id: id, job: job.id, request: request, route: request.url == route.url ? route : Route(request.url),
            easy: easy, loop: self, buffer: writes.takeBuffer(), now: now)
        transfer.seat = rides ? .rider : transfer.isLarge ? .ownConnection : .carrier
        begin(transfer)
    }

    func begin(_ transfer: Transfer) {
        if transfers[transfer.id] == nil { streams.count(transfer.seat, at: transfer.route.origin, by: 1) }
        transfers[transfer.id] = transfer
        transfer.watch = StallWatch(startedAt: now)
        do {
            try transfer.prepare(
                configuration, isRateLimited: configuration.rates.isLimited,
                avoidsHTTP2: losses[transfer.route.origin] ?? 0 >= Self.mostLosses)
            transfer.easy.tag = transfer.id.number
            if bucket != nil { transfer.allowance = 1 }
            try multi.add(transfer.easy)
        } catch {
            end(transfer, .failed(Failure(.protocolError, "\(transfer.route.url.redacted): \(error.detail)")))
        }
    }

    func takeEnded() {
        while let (easy, code) = multi.nextEnded() {
            guard let transfer = transfers[TransferID(easy.tag)] else {
                multi.remove(easy)
                continue
            }
            transfer.flush()
            if transfer.hadNoAddressLeft, code != .ok {
                addresses.noneLeft(of: transfer.route.origin)
                multi.remove(easy)
                transfer.beginAgain()
                begin(transfer)
            } else if let location = transfer.redirect {
                follow(location, transfer)
            } else {
                end(transfer, transfer.end(code))
            }
        }
    }

    func follow(_ location: [UInt8], _ transfer: Transfer) {
        let oldHost = transfer.route.origin
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
        if route.origin != oldHost { request.headers = [] }
        transfer.follow(route, request: request)
        streams.count(transfer.seat, at: oldHost, by: -1)
        if transfer.seat == .rider { transfer.seat = .carrier } else { limiter.release(host: oldHost) }
        enqueue(TicketUse(job: transfer.job, route: route, continuation: transfer), priority: .continuation)
    }

    /// Judges a head, from within libcurl's call.
    func received(_ head: ResponseHead, for id: TransferID) -> BodyVerdict {
        guard let transfer = transfers[id], let job = jobs[transfer.job] else { return .cut }
        let host = transfer.route.origin
        var head = head
        if memory.traits(of: host).hasUnsteadyTags { head.representation.entityTag = nil }
        switch head.status {
        case 429, 503:
            limiter.refused(host: host, now: now)
            if let delay = head.retryAfter?.delay(at: head.date), delay > .zero {
                pause(host, for: min(delay, configuration.transfer.retry.maxRetryAfter))
            }
        case 200..<400:
            limiter.succeeded(host: host, now: now)
            memory.used(host)
        default: break
        }
        let verdict = job.received(head, for: transfer, in: self)
        // What the first answer tells is what others can be asked for now.
        refresh(job)
        return verdict
    }

    func end(_ transfer: Transfer, _ end: TransferEnd) {
        let host = transfer.route.origin
        noteAddresses(of: transfer, end)
        if case .failed(let failure) = end, failure.code == .couldNotConnect,
            transfers.values.contains(where: { $0.route.origin == host && $0.head != nil })
        {
            // Others of this host are being served: it takes no more at once.
            limiter.refused(host: host, now: now)
        }
        if transfer.route.url.scheme == "https" {
            switch end {
            case .failed(let failure) where failure.code == .connectionLost:
                losses[host, default: 0] += 1
                if losses[host] ?? 0 >= Self.mostLosses { streams.forget(host) }
            case .finished where losses[host] ?? 0 < Self.mostLosses: losses[host] = nil
            default: break
            }
        }
        guard release(transfer), let job = jobs[transfer.job] else { return }
        job.progressed(transfer)
        job.ended(transfer, end, in: self)
        refresh(job)
    }

    /// A connection to a host carries streams. What runs already was not counted then, and is now.
    func foundStreams(_ host: String) {
        guard !streams.isCarrying(host), losses[host] ?? 0 < Self.mostLosses else { return }
        streams.found(host)
        for other in transfers.values where other.route.origin == host { streams.count(other.seat, at: host, by: 1) }
    }

    /// Learns from a transfer's end which addresses of its host are worth trying.
    private func noteAddresses(of transfer: Transfer, _ end: TransferEnd) {
        let (host, tried) = (transfer.route.origin, transfer.triedAddresses)
        switch end {
        case .failed(let failure) where failure.code == .couldNotConnect:
            for address in tried { addresses.failed(address, of: host) }
        case .failed(let failure) where failure.isAddressesFault:
            if let address = transfer.easy.address ?? tried.last { addresses.failed(address, of: host) }
        case .finished, .cut, .failed:
            guard tried.count > 1, let good = transfer.easy.address else { return }
            for address in tried where address != good { addresses.failed(address, of: host) }
        }
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

    func dropRedirected(_ isMeant: (Transfer) -> Bool) {
        for (ticket, use) in tickets {
            guard let transfer = use.continuation, isMeant(transfer) else { continue }
            limiter.withdraw(ticket)
            tickets[ticket] = nil
            recycle(transfer)
        }
    }

    func dropAbandoned() {
        for id in abandoned {
            if let transfer = transfers[id] { _ = release(transfer) }
        }
        abandoned.removeAll()
    }

    func release(_ transfer: Transfer) -> Bool {
        guard transfers.removeValue(forKey: transfer.id) != nil else { return false }
        progress.count(bytes: transfer.takeActivity(now: now))
        multi.remove(transfer.easy)
        bucket?.spent(transfer.takeUnbooked())
        streams.count(transfer.seat, at: transfer.route.origin, by: -1)
        if transfer.seat != .rider { limiter.release(host: transfer.route.origin) }
        recycle(transfer)
        return true
    }

    func recycle(_ transfer: Transfer?) {
        guard let transfer else { return }
        transfer.flush()
        idleHandles.append(transfer.easy)
        writes.giveBack(transfer.buffer)
    }
}

extension Failure {
    /// Whether another address of the same host may do better.
    fileprivate var isAddressesFault: Bool { code == .stalled || code == .timedOut || code == .connectionLost }
}
