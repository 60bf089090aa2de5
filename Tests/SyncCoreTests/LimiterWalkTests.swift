import SyncCore
import Testing

/// A plain account of what a limiter should know, kept by looking at everything each time.
private struct Account {
    struct Waiter {
        let host: String
        let priority: Limiter.Priority
        let number: Int
    }

    var waiters: [Waiter] = []
    var running: [String: Int] = [:]
    var pauses: [String: MonotonicTime] = [:]
    var total: Int { running.values.reduce(0, +) }

    func mayRun(_ host: String, cap: Int, now: MonotonicTime) -> Bool {
        running[host, default: 0] < cap && pauses[host, default: .zero] <= now
    }
}

/// As `#expect`, at no cost where the condition holds: a walk asks it a million times.
private func expect(_ condition: Bool, _ claim: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    if !condition { Issue.record(claim, sourceLocation: sourceLocation) }
}

@Suite struct LimiterWalkTests {
    @Test(arguments: 0..<24)
    func `a random walk keeps every bound, every order and every account`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let total = Int.random(in: 1...12, using: &random)
        let perHost = Int.random(in: 1...8, using: &random)
        let hosts = (0..<Int.random(in: 1...6, using: &random)).map { "host\($0)" }
        var limiter = Limiter(total: total, perHost: perHost)
        var account = Account()
        var now = MonotonicTime.zero
        var lastNumber = 0

        func mayRun(_ host: String) -> Bool { account.mayRun(host, cap: limiter.cap(host: host), now: now) }

        for _ in 0..<3000 {
            let host = try #require(hosts.randomElement(using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0...6:
                guard account.waiters.count < 40 else { continue }
                let priority = try #require(Limiter.Priority.allCases.randomElement(using: &random))
                lastNumber += 1
                limiter.enqueue(.init(lastNumber), host: host, priority: priority)
                account.waiters.append(.init(host: host, priority: priority, number: lastNumber))
            case 7:
                if let index = account.waiters.indices.randomElement(using: &random) {
                    limiter.withdraw(.init(account.waiters.remove(at: index).number))
                }
            case 8...11:
                let eligible = account.total < total ? account.waiters.filter { mayRun($0.host) } : []
                let best = eligible.map(\.priority).min()
                if let ticket = limiter.next(now: now) {
                    let index = try #require(account.waiters.firstIndex { $0.number == ticket.number })
                    let granted = account.waiters.remove(at: index)
                    expect(mayRun(granted.host) && granted.priority == best, "granted against a bound or a priority")
                    let first = eligible.first { $0.host == granted.host && $0.priority == granted.priority }
                    expect(first?.number == granted.number, "not the first come of its host")
                    account.running[granted.host, default: 0] += 1
                } else {
                    expect(eligible.isEmpty, "a ticket could have been granted")
                }
            case 12...14:
                if account.running[host, default: 0] > 0 {
                    limiter.release(host: host)
                    account.running[host, default: 0] -= 1
                }
            case 15:
                let expected =
                    account.total < total && mayRun(host) && !account.waiters.contains { mayRun($0.host) }
                expect(limiter.hasSpare(host: host, now: now) == expected, "hasSpare errs")
                expect(limiter.takeSpare(host: host, now: now) == expected, "takeSpare errs")
                if expected { account.running[host, default: 0] += 1 }
            case 16:
                let end = now + .milliseconds(Int.random(in: 0...4000, using: &random))
                limiter.pause(host: host, until: end)
                account.pauses[host] = max(end, account.pauses[host, default: .zero])
            case 17: limiter.refused(host: host, now: now)
            case 18: for _ in 0..<8 { limiter.succeeded(host: host, now: now) }
            default: now = now + .milliseconds(Int.random(in: 0...3000, using: &random))
            }
            expect(limiter.running == account.total && limiter.running <= total, "permits are lost or made up")
            expect(limiter.waiting == account.waiters.count, "tickets are lost or made up")
            for host in hosts {
                expect(limiter.running(host: host) == account.running[host, default: 0], "a host's permits differ")
                expect((1...perHost).contains(limiter.cap(host: host)), "a cap is out of bounds")
                expect(limiter.running(host: host) <= perHost, "a host has too many permits")
            }
            let held = account.waiters.map(\.host).filter { host in
                account.running[host, default: 0] < limiter.cap(host: host)
            }
            let wakeup = held.compactMap { account.pauses[$0] }.filter { $0 > now }.min()
            let promised = limiter.nextWakeup(now: now)
            if promised.map({ $0 > now }) ?? true { expect(promised == wakeup, "wakes at the wrong time") }
        }

        // What is left is granted in the end, each ticket once, and nothing is remembered of a healthy host.
        for host in hosts { limiter.pause(host: host, until: now) }
        now = now + .seconds(10)
        for _ in 0..<(account.waiters.count + total) {
            while let ticket = limiter.next(now: now) {
                let index = try #require(account.waiters.firstIndex { $0.number == ticket.number })
                account.running[account.waiters.remove(at: index).host, default: 0] += 1
            }
            guard let host = account.running.first(where: { $0.value > 0 })?.key else { break }
            limiter.release(host: host)
            account.running[host, default: 0] -= 1
        }
        while let host = account.running.first(where: { $0.value > 0 })?.key {
            limiter.release(host: host)
            account.running[host, default: 0] -= 1
        }
        #expect(account.waiters.isEmpty && limiter.running == 0 && limiter.waiting == 0)
        #expect(limiter.knownHosts == limiter.loweredCaps.count)
    }

    @Test(arguments: 0..<12)
    func `no ticket of a host that is not paused waits for more than its turn`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(1000 + seed))
        let hosts = (0..<8).map { "host\($0)" }
        var limiter = Limiter(total: 5, perHost: 3 + seed % 3)
        limiter.pause(host: "paused", until: MonotonicTime(sinceStart: .seconds(1_000_000)))
        var positions: [Int: (host: String, ahead: Int, grantsBefore: Int)] = [:]
        var running: [String] = []
        var grants = 0
        var worst = 0
        for number in 0..<4000 {
            // One host floods, the others ask now and then.
            let host = Bool.random(using: &random) ? "host0" : hosts.randomElement(using: &random) ?? "host1"
            if number.isMultiple(of: 50) { limiter.enqueue(.init(-number - 1), host: "paused", priority: .start) }
            positions[number] = (host, limiter.waiting(host: host), grants)
            limiter.enqueue(.init(number), host: host, priority: .start)
            if let index = running.indices.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 {
                limiter.release(host: running.remove(at: index))
            }
            while let ticket = limiter.next(now: .zero) {
                let position = try #require(positions[ticket.number])
                positions[ticket.number] = nil
                let waited = grants - position.grantsBefore
                // A turn of every host for each ticket ahead and for its own. (The caps are wide enough here that no
                // host has to wait for its own permits while others pass.)
                let turns = (position.ahead + 1) * hosts.count
                worst = max(worst, waited - turns)
                grants += 1
                running.append(position.host)
            }
        }
        for position in positions.values {
            worst = max(worst, grants - position.grantsBefore - (position.ahead + 1) * hosts.count)
        }
        #expect(grants > 2000)
        #expect(worst == 0, "a ticket waited for \(worst) grants more than its turns")
    }
}
