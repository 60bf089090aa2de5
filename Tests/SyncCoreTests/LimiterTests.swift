import SyncCore
import Testing

private func seconds(_ value: Int) -> MonotonicTime { MonotonicTime(sinceStart: .seconds(value)) }

private func drain(_ limiter: inout Limiter, now: MonotonicTime = .zero) -> [Int] {
    var granted: [Int] = []
    while let ticket = limiter.next(now: now) { granted.append(ticket.number) }
    return granted
}

@Suite struct LimiterTests {
    @Test(arguments: [
        (total: 16, perHost: 8, hosts: 1, granted: 8), (16, 8, 2, 16), (16, 8, 3, 16), (4, 8, 3, 4), (1, 1, 5, 1),
        (0, 0, 2, 1), (100, 2, 7, 14),
    ])
    func `grants up to the total and up to each host's cap`(total: Int, perHost: Int, hosts: Int, granted: Int) {
        var limiter = Limiter(total: total, perHost: perHost)
        for number in 0..<(hosts * 20) {
            limiter.enqueue(.init(number), host: "h\(number % hosts)", priority: .start)
        }
        #expect(drain(&limiter).count == granted)
        #expect(limiter.running == granted)
        #expect(limiter.waiting == hosts * 20 - granted)
    }

    @Test func `serves priorities first, then hosts in turn, then the first come`() {
        var limiter = Limiter(total: 100, perHost: 100)
        let arrivals: [(Int, String, Limiter.Priority)] = [
            (1, "a", .start), (2, "a", .start), (3, "a", .start), (4, "b", .start), (5, "b", .inquiry),
            (6, "c", .listing), (7, "a", .inquiry), (8, "c", .continuation), (9, "c", .start), (10, "b", .inquiry),
        ]
        for (number, host, priority) in arrivals { limiter.enqueue(.init(number), host: host, priority: priority) }
        #expect(drain(&limiter) == [6, 8, 5, 7, 10, 1, 4, 9, 2, 3])
    }

    @Test func `takes back a ticket from anywhere in a queue, and shrugs at one that does not wait`() {
        var limiter = Limiter(total: 9, perHost: 9)
        for number in 1...5 { limiter.enqueue(.init(number), host: "a", priority: .start) }
        for number in [3, 1, 5, 3, 77] { limiter.withdraw(.init(number)) }
        limiter.enqueue(.init(3), host: "a", priority: .start)
        #expect(drain(&limiter) == [2, 4, 3])
        limiter.withdraw(.init(2))
        #expect(limiter.running(host: "a") == 3)
    }

    @Test func `a host at its cap holds nobody up and comes on with the permit that is given back`() {
        var limiter = Limiter(total: 3, perHost: 1)
        for number in 1...3 { limiter.enqueue(.init(number), host: "slow", priority: .listing) }
        limiter.enqueue(.init(9), host: "other", priority: .start)
        #expect(drain(&limiter) == [1, 9])
        limiter.release(host: "slow")
        #expect(drain(&limiter) == [2])
        #expect(limiter.running(host: "slow") == 1)
    }

    @Test func `a pause holds for the whole host until its later end`() {
        var limiter = Limiter(total: 8, perHost: 8)
        limiter.enqueue(.init(1), host: "a", priority: .continuation)
        limiter.enqueue(.init(2), host: "b", priority: .start)
        limiter.pause(host: "a", until: seconds(30))
        limiter.pause(host: "a", until: seconds(10))
        #expect(drain(&limiter, now: seconds(11)) == [2])
        #expect(limiter.nextWakeup(now: seconds(11)) == seconds(30))
        #expect(!limiter.hasSpare(host: "a", now: seconds(29)))
        #expect(limiter.hasSpare(host: "b", now: seconds(29)))
        #expect(!limiter.hasSpare(host: "b", now: seconds(30)), "the paused ticket can use the permit now")
        #expect(drain(&limiter, now: seconds(30)) == [1])
        #expect(limiter.nextWakeup(now: seconds(30)) == nil)
    }

    @Test func `wakes for the earliest pause that holds a ticket up, not for one that nobody waits for`() {
        var limiter = Limiter(total: 8, perHost: 1)
        for (index, end) in [50, 20, 70, 5, 40].enumerated() { limiter.pause(host: "h\(index)", until: seconds(end)) }
        #expect(limiter.nextWakeup(now: .zero) == nil)
        limiter.enqueue(.init(2), host: "h2", priority: .start)
        #expect(limiter.nextWakeup(now: .zero) == seconds(70))
        limiter.enqueue(.init(0), host: "h0", priority: .start)
        limiter.enqueue(.init(4), host: "h4", priority: .start)
        #expect(limiter.nextWakeup(now: .zero) == seconds(40))
        limiter.pause(host: "h4", until: seconds(60))
        #expect(limiter.nextWakeup(now: .zero) == seconds(50))
        limiter.withdraw(.init(0))
        #expect(limiter.nextWakeup(now: .zero) == seconds(60))
    }

    @Test func `a spare permit is granted only where no waiting ticket can use it`() {
        var limiter = Limiter(total: 3, perHost: 2)
        #expect(limiter.takeSpare(host: "a", now: .zero) == true)
        limiter.enqueue(.init(1), host: "b", priority: .start)
        #expect(limiter.takeSpare(host: "a", now: .zero) == false)
        #expect(drain(&limiter) == [1])
        #expect(limiter.takeSpare(host: "a", now: .zero) == true)
        #expect(limiter.takeSpare(host: "c", now: .zero) == false, "the total is reached")
        limiter.release(host: "b")
        #expect(limiter.takeSpare(host: "a", now: .zero) == false, "the host is at its cap")
        limiter.enqueue(.init(2), host: "a", priority: .start)
        #expect(limiter.takeSpare(host: "c", now: .zero) == true, "the ticket that waits is of a host at its cap")
    }

    @Test func `a host that carried more is known until it is left alone`() {
        var limiter = Limiter(total: 3, perHost: 3)
        #expect(!limiter.hasCarriedMore(host: "a"))
        for ticket in 1...2 { limiter.enqueue(.init(ticket), host: "a", priority: .start) }
        #expect(drain(&limiter) == [1, 2])
        #expect(!limiter.hasCarriedMore(host: "a"))
        limiter.release(host: "a")
        #expect(limiter.hasCarriedMore(host: "a"))
        #expect(!limiter.hasCarriedMore(host: "b"))
        #expect(limiter.takeSpare(host: "a", now: .zero) == true)
        #expect(!limiter.hasCarriedMore(host: "a"), "as many as before")
        for _ in 1...2 { limiter.release(host: "a") }
        #expect(!limiter.hasCarriedMore(host: "a"), "forgotten")
    }

    @Test func `refusals halve a host's cap down to one, a burst of them once`() {
        var limiter = Limiter(total: 16, perHost: 8)
        for number in 0..<20 { limiter.enqueue(.init(number), host: "a", priority: .start) }
        #expect(drain(&limiter).count == 8)
        var caps: [Int] = []
        for moment in [0, 2, 4, 6] {
            for _ in 0..<3 { limiter.refused(host: "a", now: seconds(moment)) }
            caps.append(limiter.cap(host: "a"))
        }
        #expect(caps == [4, 2, 1, 1])
        for _ in 0..<7 { limiter.release(host: "a") }
        #expect(limiter.next(now: seconds(7)) == nil, "one still runs")
        limiter.release(host: "a")
        #expect(drain(&limiter, now: seconds(7)) == [8])
        #expect(limiter.loweredCaps == ["a": 1])
    }

    @Test func `a refusal halves what was running, not what might have been`() {
        var limiter = Limiter(total: 16, perHost: 8)
        for number in 0..<5 { limiter.enqueue(.init(number), host: "a", priority: .start) }
        _ = drain(&limiter)
        limiter.refused(host: "a", now: .zero)
        #expect(limiter.cap(host: "a") == 2)
    }

    @Test func `a lowered cap climbs by one after a run of answers and a quiet time, then is forgotten`() {
        var limiter = Limiter(total: 16, perHost: 3)
        limiter.restore(cap: 1, host: "a")
        for number in 0..<4 { limiter.enqueue(.init(number), host: "a", priority: .start) }
        #expect(drain(&limiter) == [0])
        for _ in 0..<50 { limiter.succeeded(host: "a", now: .zero) }
        #expect(limiter.cap(host: "a") == 1, "no time has passed")
        limiter.succeeded(host: "a", now: seconds(10))
        #expect(limiter.cap(host: "a") == 2)
        #expect(drain(&limiter, now: seconds(10)) == [1])
        for _ in 0..<7 { limiter.succeeded(host: "a", now: seconds(20)) }
        #expect(limiter.cap(host: "a") == 2, "the run is too short")
        limiter.refused(host: "a", now: seconds(20))
        #expect(limiter.cap(host: "a") == 1)
        for _ in 0..<9 { limiter.succeeded(host: "a", now: seconds(30)) }
        for _ in 0..<9 { limiter.succeeded(host: "a", now: seconds(40)) }
        #expect(limiter.cap(host: "a") == 3)
        for number in 0..<4 { limiter.withdraw(.init(number)) }
        for _ in 0..<2 { limiter.release(host: "a") }
        #expect(limiter.knownHosts == 0)
    }

    @Test(arguments: [(0, 1), (-5, 1), (3, 3), (8, 8), (99, 8)])
    func `a cap of an earlier run stays within bounds`(earlier: Int, cap: Int) {
        var limiter = Limiter(total: 16, perHost: 8)
        limiter.restore(cap: earlier, host: "a")
        #expect(limiter.cap(host: "a") == cap)
        #expect(limiter.knownHosts == (cap < 8 ? 1 : 0))
    }

    @Test func `hosts are forgotten with their last ticket, permit and pause`() {
        var limiter = Limiter(total: 4, perHost: 2)
        for number in 0..<1000 {
            limiter.enqueue(.init(number), host: "h\(number)", priority: .start)
            if number.isMultiple(of: 2) {
                limiter.withdraw(.init(number))
            } else {
                #expect(limiter.next(now: .zero) == .init(number))
                limiter.release(host: "h\(number)")
            }
        }
        #expect(limiter.knownHosts == 0)
        limiter.pause(host: "a", until: seconds(5))
        #expect(limiter.knownHosts == 1)
        #expect(limiter.next(now: seconds(5)) == nil)
        #expect(limiter.knownHosts == 0)
    }

    @Test func `many tickets of many hosts pass without a look at those that wait`() {
        var limiter = Limiter(total: 64, perHost: 4)
        let count = 50_000
        for number in 0..<count { limiter.enqueue(.init(number), host: "host-\(number % 500)", priority: .start) }
        var order: [Int] = []
        var inFlight: [Int] = []
        while order.count < count {
            while let ticket = limiter.next(now: .zero) {
                order.append(ticket.number)
                inFlight.append(ticket.number)
            }
            guard !inFlight.isEmpty else { break }
            for number in inFlight { limiter.release(host: "host-\(number % 500)") }
            inFlight.removeAll()
        }
        #expect(order.elementsEqual(0..<count), "equal hosts in turn are served in the order of arrival")
        #expect(limiter.knownHosts == 0)
    }
}
