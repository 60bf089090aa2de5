/// How often a failed transfer is tried again, and how long it waits before.
package struct RetryPolicy: Hashable, Sendable {
    /// How much of a wait is left to chance, so that transfers which failed together do not come back together.
    package enum Jitter: Hashable, Sendable {
        /// Half of the wait is certain, the other half is chance.
        case equal
        /// All of it is chance.
        case full
    }

    /// How many retries follow a first try. With 0 nothing is ever tried again, whatever the server asks for.
    package var retries: Int
    /// The longest wait before the first retry; each further one may be twice as long.
    package var firstWait: Duration
    /// What no back-off exceeds. A server's Retry-After may.
    package var maxWait: Duration
    /// How a wait is spread.
    package var jitter: Jitter
    /// How long a transfer waits for Retry-After in all, between one progress and the next. A server that asks for more
    /// is left to the next run.
    package var maxRetryAfter: Duration
    /// What the user knows better of some statuses.
    package var statuses: StatusClasses

    /// A policy; what is not named is the default.
    package init(
        retries: Int = 5, firstWait: Duration = .seconds(1), maxWait: Duration = .seconds(60),
        jitter: Jitter = .equal, maxRetryAfter: Duration = .seconds(3600), statuses: StatusClasses = StatusClasses()
    ) {
        self.statuses = statuses
        self.retries = retries
        self.firstWait = firstWait
        self.maxWait = maxWait
        self.jitter = jitter
        self.maxRetryAfter = maxRetryAfter
    }

    /// Whether the same request may succeed a little later: what the user says of the status, or else its kind.
    package func mayPass(_ failure: Failure) -> Bool { statuses.mayPass(failure) ?? failure.isTransient }

    /// The wait after a failed attempt, of which the first is 1. Every value of `random` is as likely.
    package func wait(afterAttempt attempt: Int, random: UInt64) -> Duration {
        let longest = max(.zero, maxWait)
        var ceiling = min(max(.zero, firstWait), longest)
        var doublings = attempt - 1
        while doublings > 0, ceiling > .zero, ceiling < longest {
            // Compared before it is doubled, as the longest duration has no double.
            ceiling = ceiling < longest / 2 ? ceiling * 2 : longest
            doublings -= 1
        }
        let nanoseconds = ceiling.clampedNanoseconds
        let certain = jitter == .equal ? nanoseconds / 2 : 0
        let chance = UInt64(nanoseconds - certain).multipliedFullWidth(by: random).high
        return .nanoseconds(certain + Int64(chance))
    }
}

/// How one transfer's tries stand, and what is done about the next failure.
package struct RetryState: Hashable, Sendable {
    /// What is done about a failure.
    package enum Decision: Hashable, Sendable {
        /// The transfer is tried again; a retry is spent.
        case retry(after: Duration)
        /// The transfer is tried again when the server wants it; no retry is spent.
        case retryWithoutCounting(after: Duration)
        /// The failure is final.
        case giveUp
    }

    /// A server that says "at once" again and again is not asked more often than this.
    static let shortestRetryAfter = Duration.seconds(1)

    /// The policy that decides.
    package let policy: RetryPolicy
    /// How many retries were spent since the last progress.
    package private(set) var spent = 0
    /// How long the transfer waited for Retry-After since the last progress.
    package private(set) var waitedForServer = Duration.zero
    private var refusals = 0

    /// The state of a transfer that was not tried yet.
    package init(policy: RetryPolicy) { self.policy = policy }

    /// The transfer brought bytes that were not here before: it is not hopeless, and has all its retries again.
    package mutating func madeProgress() { self = RetryState(policy: policy) }

    /// Decides about a failure.
    ///
    /// 429 and 503 with a Retry-After spend no retry (RFC 6585 §4, RFC 9110 §15.6.4): the server is well and said when
    /// to come. Such a wait is what was asked for, or the back-off of so many refusals in a row where that is longer,
    /// and ``shortestRetryAfter`` at least, so that no server keeps a transfer in a ring for nothing; the sum of them is
    /// bounded by ``RetryPolicy/maxRetryAfter``. With another transient failure Retry-After only makes the back-off
    /// longer. `retryAfter` is the time from now; one that has passed already counts as zero.
    package mutating func failed(_ failure: Failure, retryAfter: Duration?, random: UInt64) -> Decision {
        guard policy.mayPass(failure), policy.retries > 0 else { return .giveUp }
        if let retryAfter, retryAfter > policy.maxRetryAfter { return .giveUp }
        if let retryAfter, failure.code == .status(429) || failure.code == .status(503) {
            refusals += 1
            let backOff = policy.wait(afterAttempt: refusals, random: random)
            let wait = max(retryAfter, backOff, Self.shortestRetryAfter)
            guard wait <= policy.maxRetryAfter - waitedForServer else { return .giveUp }
            waitedForServer += wait
            return .retryWithoutCounting(after: wait)
        }
        guard spent < policy.retries else { return .giveUp }
        spent += 1
        return .retry(after: max(retryAfter ?? .zero, policy.wait(afterAttempt: spent, random: random)))
    }
}
