import SyncCore
import Testing

private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceStart: .seconds(seconds)) }

@Suite struct AddressHealthTests {
    @Test("case 149: an address that failed is left out for its host, until none is left")
    func avoided() {
        var health = AddressHealth()
        #expect(health.mayTry("192.0.2.1", of: "a"))
        health.failed("192.0.2.1", of: "a")
        #expect(!health.mayTry("192.0.2.1", of: "a"))
        #expect(health.mayTry("192.0.2.2", of: "a"))
        #expect(health.mayTry("192.0.2.1", of: "b"))
        health.noneLeft(of: "a")
        #expect(health.mayTry("192.0.2.1", of: "a"))
    }
}

@Suite struct WatchdogTests {
    @Test("case 165: where nothing moves, transfers begin anew, and then the work ends")
    func alarms() {
        var watchdog = Watchdog(timeout: .seconds(100), now: at(0))
        let answer1 = watchdog.look(moved: false, isWaiting: false, now: at(99))
        #expect(answer1 == nil)
        let answer2 = watchdog.look(moved: false, isWaiting: false, now: at(100))
        #expect(answer2 == .reconnect)
        let answer3 = watchdog.look(moved: false, isWaiting: false, now: at(199))
        #expect(answer3 == nil)
        let answer4 = watchdog.look(moved: false, isWaiting: false, now: at(200))
        #expect(answer4 == .giveUp)
    }

    @Test("what moves or is known to come puts the alarm off, and only what moves takes it back")
    func putOff() {
        var watchdog = Watchdog(timeout: .seconds(100), now: at(0))
        let answer5 = watchdog.look(moved: true, isWaiting: false, now: at(90))
        #expect(answer5 == nil)
        let answer6 = watchdog.look(moved: false, isWaiting: true, now: at(189))
        #expect(answer6 == nil)
        let answer7 = watchdog.look(moved: false, isWaiting: false, now: at(288))
        #expect(answer7 == nil)
        let answer8 = watchdog.look(moved: false, isWaiting: false, now: at(289))
        #expect(answer8 == .reconnect)
        let answer9 = watchdog.look(moved: false, isWaiting: true, now: at(300))
        #expect(answer9 == nil)
        let answer10 = watchdog.look(moved: false, isWaiting: false, now: at(400))
        #expect(answer10 == .giveUp)
        let answer11 = watchdog.look(moved: true, isWaiting: false, now: at(401))
        #expect(answer11 == nil)
        let answer12 = watchdog.look(moved: false, isWaiting: false, now: at(501))
        #expect(answer12 == .reconnect)
    }
}

@Suite struct HostWaitTests {
    @Test("case 21: answers that come while a host is left alone count once, and its time once")
    func overlap() {
        var wait = HostWait(origin: "https://a:443")
        wait.add(from: at(0), to: at(10))
        wait.add(from: at(1), to: at(5))
        wait.add(from: at(2), to: at(12))
        wait.add(from: at(20), to: at(21))
        #expect(wait.times == 2)
        #expect(wait.duration == .seconds(13))
        #expect(wait.description == "https://a:443 asked to be left alone 2 times, for 13 seconds in all")
    }
}

@Suite struct StatusClassesTests {
    @Test(
        "case 22: the user's classes go before the default's",
        arguments: [
            (.status(500), "!500", false), (.status(500), "404", true), (.status(418), "418,!503", true),
            (.status(503), "418,!503", false), (.missing, "404", true), (.missing, "!404", false),
            (.denied, "401", true), (.stalled, "!408", true), (.diskFull, "404", false),
        ] as [(Failure.Code, String, Bool)])
    func classes(code: Failure.Code, list: String, mayPass: Bool) throws {
        let policy = RetryPolicy(statuses: try #require(StatusClasses(list)))
        #expect(policy.mayPass(Failure(code, "failed")) == mayPass)
        var state = RetryState(policy: policy)
        #expect((state.failed(Failure(code, "failed"), retryAfter: nil, random: 0) != .giveUp) == mayPass)
    }

    @Test("what is no list of statuses is none", arguments: ["", "404,", "200", "600", "x", "!", "404,!404", "4 04"])
    func refused(list: String) { #expect(StatusClasses(list) == nil) }
}
