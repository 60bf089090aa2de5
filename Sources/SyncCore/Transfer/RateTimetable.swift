/// How many bytes a second are allowed at which time of the day: `08:00-18:00=1M,500k`.
public struct RateTimetable: Hashable, Sendable {
    /// What holds in a part of the day.
    public struct Row: Hashable, Sendable {
        /// The part of the day.
        public var window: DayWindow
        /// Bytes a second; nil for no limit.
        public var rate: Int64?
    }

    /// The parts of the day that have a limit of their own. Where two overlap, the first one holds.
    public var rows: [Row] = []
    /// Bytes a second at all other times; nil for no limit.
    public var otherwise: Int64?

    /// One limit for the whole day; nil for none.
    public init(_ rate: Int64? = nil) { otherwise = rate }

    /// Reads entries separated by commas: `WINDOW=RATE`, and one `RATE` for the other times. A rate may be `none`. Nil for
    /// anything else, a rate of zero, and two rates for the other times.
    public init?(parsing text: String) {
        var hasOtherwise = false
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let last = parts.last, let rate = Self.rate(last) else { return nil }
            if parts.count == 2 {
                guard let window = DayWindow(parts[0]) else { return nil }
                rows.append(Row(window: window, rate: rate))
            } else {
                guard !hasOtherwise else { return nil }
                hasOtherwise = true
                otherwise = rate
            }
        }
    }

    /// Whether there is a limit at any time.
    package var isLimited: Bool { otherwise != nil || rows.contains { $0.rate != nil } }

    /// What holds at a minute, counted from midnight; nil for no limit.
    public func rate(atMinute minute: Int) -> Int64? {
        rows.first { $0.window.contains(minute: minute) }.map(\.rate) ?? otherwise
    }

    /// A rate, which is nil for `none`; nil for what is no rate.
    private static func rate(_ text: String) -> Int64?? {
        guard text != "none" else { return .some(nil) }
        guard let rate = SizeText.parseRate(text), rate > 0 else { return nil }
        return rate
    }
}
