/// The one place that says how many transfers may run, in all and per host, over listings, inquiries and segments
/// alike.
///
/// A transfer waits under a ticket until ``next(now:)`` grants it a permit, and gives the permit back with
/// ``release(host:)``. What goes on before what starts: priorities are strict. Within a priority the hosts take turns, and
/// within a host the first come is the first served. A host that is paused or at its cap gives its turn up, comes last
/// again when it may have more, and holds nobody else up.
///
/// The limiter reads no clock. Every call costs constant time, or the logarithm of the number of paused hosts; a host
/// with no ticket, permit, pause or lowered cap is forgotten.
package struct Limiter: Sendable {
    /// What a waiting transfer is known by. The number is the caller's; two that wait at once differ.
    package struct Ticket: Hashable, Sendable {
        /// The caller's number.
        package let number: Int

        /// A ticket of a number.
        package init(_ number: Int) { self.number = number }
    }

    /// What a permit is wanted for. The lesser one is served first.
    package enum Priority: Int, CaseIterable, Comparable, Hashable, Sendable {
        /// A listing or a manifest: short, and it tells what else there is to do.
        case listing
        /// A range of a download that has started, a redirect, or a retry.
        case continuation
        /// A question without a body, as HEAD.
        case inquiry
        /// The first transfer of a download that failed in an earlier run.
        case overdue
        /// The first transfer of any other download.
        case start

        /// Whether the left priority is served before the right.
        package static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is known of one host.
    private struct Host: Sendable {
        let name: String
        var running = 0
        /// The most that ever ran at once.
        var peak = 0
        var waiting = 0
        var cap: HostCap
        /// The waiting tickets, a queue for each priority.
        var queues = [Chain](repeating: Chain(), count: Priority.allCases.count)
        /// The host's nodes in the rings of those whose turn may come.
        var turns = [Int?](repeating: nil, count: Priority.allCases.count)
        var pausedUntil: MonotonicTime?

        /// Whether nothing but a pause could keep the next ticket from a permit of this host.
        var hasRoom: Bool { running < cap.value }
        var isForgettable: Bool { running == 0 && waiting == 0 && pausedUntil == nil && !cap.isLowered }
    }

    private struct Place: Sendable {
        let slot: Int
        let priority: Priority
        let node: Int
    }

    /// How many transfers may run at once.
    package let total: Int
    /// How many transfers may run at once with one host that never refused.
    package let perHost: Int
    /// How many permits are out.
    package private(set) var running = 0

    private var slots: [String: Int] = [:]
    /// The hosts by slot; nil for a slot that is free.
    private var hosts: [Host?] = []
    private var freeSlots: [Int] = []
    private var places: [Ticket: Place] = [:]
    private var tickets = ChainPool<Ticket>()
    private var turns = ChainPool<Int>()
    /// For each priority the slots of the hosts that have such a ticket and could use a permit now, in the order of
    /// their turns.
    private var rings = [Chain](repeating: Chain(), count: Priority.allCases.count)
    private var pauses = PauseHeap()

    /// A limiter for so many transfers in all and with one host; less than one of either counts as one.
    package init(total: Int, perHost: Int) {
        self.total = max(1, total)
        self.perHost = max(1, perHost)
    }

    /// How many tickets wait.
    package var waiting: Int { places.count }
    /// How many hosts are remembered.
    package var knownHosts: Int { slots.count }
    /// How many permits one host has.
    package func running(host: String) -> Int { known(host)?.running ?? 0 }
    /// How many tickets of one host wait.
    package func waiting(host: String) -> Int { known(host)?.waiting ?? 0 }
    /// How many permits one host may have now.
    package func cap(host: String) -> Int { known(host)?.cap.value ?? perHost }
    /// The caps that refusals have lowered, to be remembered for the next run.
    package var loweredCaps: [String: Int] {
        var caps: [String: Int] = [:]
        for case .some(let host) in hosts where host.cap.isLowered { caps[host.name] = host.cap.value }
        return caps
    }

    /// Lets a ticket wait. One that waits already is a fault of the caller.
    package mutating func enqueue(_ ticket: Ticket, host: String, priority: Priority) {
        precondition(places[ticket] == nil, "ticket \(ticket.number) waits already")
        let slot = slot(of: host)
        update(slot) { host, limiter in
            let node = limiter.tickets.append(ticket, to: &host.queues[priority.rawValue])
            host.waiting += 1
            limiter.places[ticket] = Place(slot: slot, priority: priority, node: node)
        }
    }

    /// Takes a ticket back. One that does not wait, because it was granted or never came, changes nothing.
    package mutating func withdraw(_ ticket: Ticket) {
        guard let place = places.removeValue(forKey: ticket) else { return }
        update(place.slot) { host, limiter in
            limiter.tickets.remove(place.node, from: &host.queues[place.priority.rawValue])
            host.waiting -= 1
        }
    }

    /// Grants one permit; nil where no waiting ticket can have one now. The caller starts the transfer and asks again.
    package mutating func next(now: MonotonicTime) -> Ticket? {
        endPauses(now: now)
        guard running < total, let ring = rings.firstIndex(where: { !$0.isEmpty }), let turn = rings[ring].first
        else { return nil }
        let slot = turns[turn]
        guard let node = hosts[slot]?.queues[ring].first else {
            preconditionFailure("a host without a ticket of priority \(ring) has a turn")
        }
        let ticket = tickets[node]
        places[ticket] = nil
        running += 1
        update(slot) { host, limiter in
            // The host goes to the ring's end, if it has more to ask for.
            limiter.turns.remove(turn, from: &limiter.rings[ring])
            host.turns[ring] = nil
            limiter.tickets.remove(node, from: &host.queues[ring])
            host.waiting -= 1
            host.running += 1
            host.peak = max(host.peak, host.running)
        }
        return ticket
    }

    /// The ticket of one host that would be served first, if it is not paused. It may be withdrawn to be served without a
    /// permit, as a further stream on a connection that has one.
    package func first(host: String, now: MonotonicTime) -> Ticket? {
        guard let host = known(host), host.pausedUntil.map({ $0 <= now }) ?? true else { return nil }
        return host.queues.lazy.compactMap(\.first).first.map { tickets[$0] }
    }

    /// Gives a permit back. One that was never granted is a fault of the caller.
    package mutating func release(host: String) {
        guard let slot = slots[host], running(host: host) > 0 else {
            preconditionFailure("\(host) has no permit to give back")
        }
        running -= 1
        update(slot) { host, _ in host.running -= 1 }
    }

    /// Whether ``takeSpare(host:now:)`` would grant a permit.
    package func hasSpare(host: String, now: MonotonicTime) -> Bool {
        guard running < total, rings.allSatisfy(\.isEmpty) else { return false }
        if let wakeup = nextWakeup(now: now), wakeup <= now { return false }
        guard let known = known(host) else { return true }
        return known.hasRoom && known.pausedUntil.map { $0 <= now } ?? true
    }

    /// Whether a host carries fewer transfers than it did, as nobody waits for more. A host that has been left alone since is
    /// not remembered.
    package func hasCarriedMore(host: String) -> Bool { known(host).map { $0.running < $0.peak } ?? false }

    /// Grants a permit for work that nobody waits for, as a second segment: only where no waiting ticket could use it
    /// now. The permit is given back like any other.
    package mutating func takeSpare(host: String, now: MonotonicTime) -> Bool {
        endPauses(now: now)
        guard hasSpare(host: host, now: now) else { return false }
        running += 1
        update(slot(of: host)) { host, _ in host.running += 1 }
        return true
    }

    /// Grants a host nothing until a moment, as Retry-After asks for (RFC 9110 §10.2.3). What runs goes on. Of two
    /// pauses the later end holds.
    package mutating func pause(host: String, until end: MonotonicTime) {
        let slot = slot(of: host)
        update(slot) { host, limiter in
            if let earlier = host.pausedUntil, earlier >= end { return }
            host.pausedUntil = end
            limiter.pauses.set(slot, until: end)
        }
    }

    /// The earliest end of a pause that keeps a waiting ticket from a permit of its host: when to call
    /// ``next(now:)`` again though nothing else happened. Not later than `now` if a pause has ended unseen.
    package func nextWakeup(now: MonotonicTime) -> MonotonicTime? {
        pauses.earliest { slot in
            guard let host = hosts[slot] else { return false }
            return host.waiting > 0 && host.hasRoom
        }
    }

    /// The host refused a transfer because it has too many (429, 503): its cap becomes half of what is running, 1 at
    /// least. To be called before the permit is given back; refusals within ``HostCap/Pace/settleTime`` are one.
    package mutating func refused(host: String, now: MonotonicTime) {
        update(slot(of: host)) { host, _ in host.cap.refused(running: host.running, now: now) }
    }

    /// The host answered as it should: after a run of such answers and a quiet time a lowered cap climbs by one.
    package mutating func succeeded(host: String, now: MonotonicTime) {
        guard let slot = slots[host], hosts[slot]?.cap.isLowered == true else { return }
        update(slot) { host, _ in _ = host.cap.succeeded(now: now) }
    }

    /// Takes a lowered cap over from an earlier run.
    package mutating func restore(cap: Int, host: String) {
        update(slot(of: host)) { host, _ in host.cap.restore(cap) }
    }
}

extension Limiter {
    private func known(_ host: String) -> Host? { slots[host].flatMap { hosts[$0] } }

    /// The slot of a host, which is remembered from now on.
    private mutating func slot(of name: String) -> Int {
        if let slot = slots[name] { return slot }
        let host = Host(name: name, cap: HostCap(full: perHost))
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            hosts[slot] = host
        } else {
            slot = hosts.count
            hosts.append(host)
        }
        slots[name] = slot
        return slot
    }

    /// Changes a host, then sees to it that it is in exactly the rings that it belongs in, or forgotten.
    private mutating func update(_ slot: Int, _ change: (inout Host, inout Limiter) -> Void) {
        guard var host = hosts[slot] else { preconditionFailure("slot \(slot) is free") }
        // The host is moved out and back, so that its queues are not copied.
        hosts[slot] = nil
        change(&host, &self)
        if host.isForgettable {
            // No ticket waits, so that every turn is given up.
            arrangeTurns(of: &host, slot: slot)
            slots[host.name] = nil
            freeSlots.append(slot)
        } else {
            arrangeTurns(of: &host, slot: slot)
            hosts[slot] = host
        }
    }

    private mutating func arrangeTurns(of host: inout Host, slot: Int) {
        let mayRun = host.hasRoom && host.pausedUntil == nil
        for ring in rings.indices {
            let wantsTurn = mayRun && !host.queues[ring].isEmpty
            if let turn = host.turns[ring] {
                guard !wantsTurn else { continue }
                turns.remove(turn, from: &rings[ring])
                host.turns[ring] = nil
            } else if wantsTurn {
                host.turns[ring] = turns.append(slot, to: &rings[ring])
            }
        }
    }

    private mutating func endPauses(now: MonotonicTime) {
        while let slot = pauses.removeFirst(endedBy: now) {
            update(slot) { host, _ in host.pausedUntil = nil }
        }
    }
}
