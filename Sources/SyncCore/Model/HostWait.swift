/// How often and how long a host asked to be left alone in a run (429 and 503 with `Retry-After`).
public struct HostWait: Hashable, Sendable {
    /// The host, as in `https://example.org:443`.
    public let origin: String
    /// How many times it asked; answers that came while it was left alone already count once.
    public private(set) var times = 0
    /// How long nothing was sent to it.
    public private(set) var duration: Duration = .zero
    private var end: MonotonicTime?

    /// A host that never asked.
    package init(origin: String) { self.origin = origin }

    /// It asked to be left alone.
    package mutating func add(from start: MonotonicTime, to end: MonotonicTime) {
        if let last = self.end, start < last {
            guard end > last else { return }
            duration += end - last
        } else {
            times += 1
            duration += end - start
        }
        self.end = end
    }
}

extension HostWait: CustomStringConvertible {
    /// One sentence without its full stop.
    public var description: String {
        "\(origin) asked to be left alone \(times == 1 ? "once" : "\(times) times"), "
            + "for \(Int(duration.seconds.rounded(.up))) seconds in all"
    }
}
