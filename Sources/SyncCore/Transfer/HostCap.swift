/// How many transfers one host may have, lowered by its refusals and raised again by its answers.
struct HostCap: Hashable, Sendable {
    /// When a cap moves.
    enum Pace {
        /// Refusals that come this soon after a step down answer requests that were on their way already, and tell
        /// nothing about the lower cap: a burst of them is one step.
        static let settleTime = Duration.seconds(1)
        /// So many answers in a row, without a refusal between them, are asked for before a step up.
        static let successesPerStep = 8
        /// So long must the last refusal and the last step be past before a step up.
        static let quietTime = Duration.seconds(10)
    }

    /// The cap of a host that never refused.
    let full: Int
    /// The cap now: 1 at least, ``full`` at most.
    private(set) var value: Int

    private var successes = 0
    private var lastStepDown: MonotonicTime?
    private var quietSince: MonotonicTime?

    /// A cap that is not lowered.
    init(full: Int) {
        self.full = full
        value = full
    }

    /// Whether the cap is below that of a host that never refused.
    var isLowered: Bool { value < full }

    /// Takes a cap over from an earlier run.
    mutating func restore(_ earlier: Int) { value = min(max(1, earlier), full) }

    /// The host refused one of `running` transfers: half of what was running is what it may bear.
    mutating func refused(running: Int, now: MonotonicTime) {
        successes = 0
        quietSince = now
        if let lastStepDown, now - lastStepDown < Pace.settleTime { return }
        lastStepDown = now
        value = max(1, min(value, running) / 2)
    }

    /// The host answered as it should. True when the cap has climbed.
    mutating func succeeded(now: MonotonicTime) -> Bool {
        guard isLowered else { return false }
        successes = min(successes + 1, Pace.successesPerStep)
        // A cap from an earlier run starts to be quiet with the first answer of this one.
        let since = quietSince ?? now
        quietSince = since
        guard successes == Pace.successesPerStep, now - since >= Pace.quietTime else { return false }
        value += 1
        successes = 0
        quietSince = now
        return true
    }
}
