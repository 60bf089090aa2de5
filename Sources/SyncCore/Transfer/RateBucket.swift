/// A limit of bytes a second over all transfers (`--limit-rate`): a token bucket that may go negative.
///
/// The loop calls ``deal(to:now:)`` every ``interval`` and lets each transfer take its share until the next time; what
/// was really taken is booked by ``spent(_:)``, more than the share too, since a buffer that has arrived cannot be sent
/// back. A debt is paid before anything is dealt again, so that in the long run the rate is exact: what is not spent
/// stays in the bucket, and fractions of a byte are carried over.
package struct RateBucket: Hashable, Sendable {
    /// How often the loop deals.
    package static let interval = Duration.milliseconds(10)
    /// So much of the rate can be saved up, by transfers that are slow or a loop that is late, and then be taken at
    /// once.
    package static let burstTime = Duration.milliseconds(250)

    /// The limit in bytes a second over all transfers.
    package let bytesPerSecond: Int64

    /// What may be taken now; a debt if negative.
    package private(set) var balance: Int64 = 0
    private var lastDeal: MonotonicTime
    /// The part of a byte that is not in the balance yet, in billionths.
    private var fraction: Int64 = 0

    /// An empty bucket that begins to fill now. A rate below 1 counts as 1.
    package init(bytesPerSecond: Int64, now: MonotonicTime) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        lastDeal = now
    }

    /// How many bytes each of so many transfers may take until the next deal. This share replaces the last one. What
    /// does not divide evenly, and what is not spent, is there for the next deal.
    package mutating func deal(to activeTransfers: Int, now: MonotonicTime) -> Int64 {
        fill(now: now, activeTransfers: activeTransfers)
        guard activeTransfers > 0, balance > 0 else { return 0 }
        return balance / Int64(activeTransfers)
    }

    /// Books bytes that a transfer has taken.
    package mutating func spent(_ bytes: Int64) {
        let (rest, overflow) = balance.subtractingReportingOverflow(max(0, bytes))
        balance = overflow ? .min : rest
    }

    private mutating func fill(now: MonotonicTime, activeTransfers: Int) {
        guard now > lastDeal else { return }
        let earned = bytes(in: now - lastDeal)
        lastDeal = now
        // One byte for each transfer must fit, or a small rate would never reach any of many.
        let most = max(burst, Int64(max(1, activeTransfers)))
        let (sum, overflow) = balance.addingReportingOverflow(earned)
        balance = overflow ? most : min(sum, most)
    }

    /// What the rate brings in a time, with the fraction of the last one; as many as there are where that is too many.
    private mutating func bytes(in time: Duration) -> Int64 {
        let product = bytesPerSecond.multipliedFullWidth(by: time.clampedNanoseconds)
        let (low, carry) = product.low.addingReportingOverflow(UInt64(fraction))
        let high = product.high + (carry ? 1 : 0)
        guard high < Self.billion / 2 else { return .max }
        let (bytes, rest) = Self.billion.dividingFullWidth((high, low))
        fraction = rest
        return bytes
    }

    private var burst: Int64 {
        let product = bytesPerSecond.multipliedFullWidth(by: Self.burstTime.clampedNanoseconds)
        return Self.billion.dividingFullWidth(product).quotient
    }

    private static let billion: Int64 = 1_000_000_000
}
