import SyncCore
import Testing

@Suite struct RetryPolicyTests {
    @Test(arguments: [
        (attempt: 0, ceiling: 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (Int.max, 60),
    ])
    func `waits double up to the longest, and half of one is chance`(attempt: Int, ceiling: Int) {
        let policy = RetryPolicy()
        #expect(policy.wait(afterAttempt: attempt, random: 0) == .milliseconds(ceiling * 500))
        #expect(policy.wait(afterAttempt: attempt, random: 1 << 63) == .milliseconds(ceiling * 750))
        let longest = policy.wait(afterAttempt: attempt, random: .max)
        #expect(longest < .seconds(ceiling) && longest > .seconds(ceiling) - .microseconds(1))
    }

    @Test func `full jitter leaves all of a wait to chance`() {
        let policy = RetryPolicy(jitter: .full)
        #expect(policy.wait(afterAttempt: 3, random: 0) == .zero)
        #expect(policy.wait(afterAttempt: 3, random: 1 << 63) == .seconds(2))
    }

    @Test(arguments: [
        (first: Duration.zero, longest: Duration.seconds(60)), (.seconds(-1), .seconds(60)),
        (.seconds(5), .seconds(-5)), (.seconds(Int64.max), .seconds(Int64.max)), (.nanoseconds(1), .seconds(Int64.max)),
    ])
    func `odd settings give a wait within their bounds`(first: Duration, longest: Duration) {
        let policy = RetryPolicy(firstWait: first, maxWait: longest)
        for attempt in [1, 2, 70, 1000] {
            let wait = policy.wait(afterAttempt: attempt, random: .max)
            #expect(wait >= .zero && wait <= max(.zero, longest))
        }
    }

    @Test func `the generator gives the published numbers`() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}

@Suite struct RetryStateTests {
    private let lost = Failure(.connectionLost, "the connection was lost")
    private let busy = Failure(.status(503), "the server is busy")

    @Test(arguments: [0, 1, 5])
    func `gives up when the retries are spent`(retries: Int) {
        var state = RetryState(policy: RetryPolicy(retries: retries))
        for attempt in 0..<retries {
            let wait = Duration.milliseconds(500 << attempt)
            #expect(state.failed(lost, retryAfter: nil, random: 0) == .retry(after: wait))
        }
        #expect(state.failed(lost, retryAfter: nil, random: 0) == .giveUp)
        #expect(state.failed(lost, retryAfter: nil, random: 0) == .giveUp)
    }

    @Test(arguments: [Failure.Code.missing, .status(404), .status(501), .denied, .tls, .diskFull, .digestMismatch])
    func `gives up at once what cannot pass by itself`(code: Failure.Code) {
        var state = RetryState(policy: RetryPolicy())
        #expect(state.failed(Failure(code, "no"), retryAfter: .seconds(1), random: 0) == .giveUp)
    }

    @Test func `progress gives all retries back and starts the waits anew`() {
        var state = RetryState(policy: RetryPolicy(retries: 2))
        for _ in 0..<100 {
            #expect(state.failed(lost, retryAfter: nil, random: 0) == .retry(after: .milliseconds(500)))
            #expect(state.failed(lost, retryAfter: nil, random: 0) == .retry(after: .seconds(1)))
            state.madeProgress()
        }
        #expect(state.spent == 0)
    }

    @Test(arguments: [429, 503])
    func `Retry-After of a busy server spends no retry and is kept to`(status: Int) {
        var state = RetryState(policy: RetryPolicy(retries: 1))
        let failure = Failure(.status(status), "busy")
        for _ in 0..<20 {
            let decision = state.failed(failure, retryAfter: .seconds(120), random: .max)
            #expect(decision == .retryWithoutCounting(after: .seconds(120)))
        }
        #expect(state.spent == 0)
        #expect(state.waitedForServer == .seconds(2400))
        #expect(state.failed(failure, retryAfter: nil, random: 0) == .retry(after: .milliseconds(500)))
        #expect(state.failed(failure, retryAfter: nil, random: 0) == .giveUp)
    }

    @Test(arguments: [Duration.zero, .seconds(-100), .milliseconds(1), .seconds(7), .seconds(1800), .seconds(3600)])
    func `a server that puts off for ever is given up within the bound`(retryAfter: Duration) {
        for policy in [RetryPolicy(), RetryPolicy(firstWait: .zero, maxWait: .zero)] {
            var state = RetryState(policy: policy)
            var waited = Duration.zero
            var rounds = 0
            while case .retryWithoutCounting(let wait) = state.failed(busy, retryAfter: retryAfter, random: 7) {
                #expect(wait >= max(retryAfter, .seconds(1)))
                waited += wait
                rounds += 1
                guard rounds <= 3600 else { break }
            }
            #expect(waited <= .seconds(3600))
            #expect(rounds >= 1 && rounds <= 3600)
        }
    }

    @Test func `a server that asks for more than the bound is left to the next run`() {
        var state = RetryState(policy: RetryPolicy(maxRetryAfter: .seconds(60)))
        #expect(state.failed(busy, retryAfter: .seconds(61), random: 0) == .giveUp)
        #expect(state.failed(busy, retryAfter: .seconds(Int64.max), random: 0) == .giveUp)
        #expect(state.failed(lost, retryAfter: .seconds(61), random: 0) == .giveUp)
    }

    @Test func `Retry-After with another transient failure only makes the wait longer`() {
        var state = RetryState(policy: RetryPolicy())
        let failure = Failure(.status(500), "broken")
        #expect(state.failed(failure, retryAfter: .seconds(9), random: 0) == .retry(after: .seconds(9)))
        #expect(state.failed(failure, retryAfter: .zero, random: 0) == .retry(after: .seconds(1)))
        #expect(state.spent == 2)
    }
}
