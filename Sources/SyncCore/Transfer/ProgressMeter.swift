/// The rate of a growing byte count over the last few seconds, and how long the rest will take.
///
/// The count is sampled, at each turn of the loop or at each drawing of the progress; as many samples as cover the
/// window are kept, however often one is taken.
package struct ProgressMeter: Hashable, Sendable {
    /// The time that the rate is measured over: long enough to be calm, short enough to show a change.
    package static let window = Duration.seconds(8)
    /// The time between two samples that are kept.
    static let spacing = Duration.milliseconds(250)
    /// A shorter time than this gives no rate.
    static let shortestTime = Duration.milliseconds(500)

    private struct Sample: Hashable, Sendable {
        var bytes: Int64
        var time: MonotonicTime
    }

    /// From the oldest to the newest; the newest is always the last one taken.
    private var samples: [Sample] = []

    /// A meter that has seen nothing yet.
    package init() {}

    /// Takes the count of bytes that are here by now. A count that fell, as after a restart, begins the measurement
    /// anew; a moment before the last one changes nothing.
    package mutating func sample(bytes: Int64, now: MonotonicTime) {
        let sample = Sample(bytes: bytes, time: now)
        guard let last = samples.last else {
            samples.append(sample)
            return
        }
        guard now >= last.time else { return }
        guard bytes >= last.bytes else {
            samples = [sample]
            return
        }
        if samples.count > 1, last.time - samples[samples.count - 2].time < Self.spacing {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        // The oldest sample is at the window's edge or before it, so that the window is covered as a whole.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// The rate in bytes a second; nil where too little was seen yet. It falls when no sample comes any more.
    package func rate(now: MonotonicTime) -> Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = max(now, last.time) - first.time
        guard time >= Self.shortestTime else { return nil }
        let bytes = last.bytes.subtractingReportingOverflow(first.bytes)
        return Double(bytes.overflow ? .max : bytes.partialValue) / time.seconds
    }

    /// How long the remaining bytes will take at this rate; nil where there is none, or it would be longer than a
    /// hundred years.
    package func timeLeft(remaining: Int64, now: MonotonicTime) -> Duration? {
        guard remaining > 0 else { return .zero }
        guard let rate = rate(now: now), rate > 0 else { return nil }
        let seconds = Double(remaining) / rate
        return seconds < 100 * 366 * 86_400 ? .nanoseconds(Int64(seconds * 1e9)) : nil
    }
}
