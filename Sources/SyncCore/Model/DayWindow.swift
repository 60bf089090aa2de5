/// A part of every day, by the clock on the wall: `08:00-18:00`, or over midnight, `22:00-06:00`.
///
/// It is compared with what the clock shows, and nothing else. Where clocks are put forward, minutes that are left out
/// are in no window; where they are put back, minutes that come twice are in it twice.
public struct DayWindow: Hashable, Sendable {
    /// The first minute that belongs to it, counted from midnight.
    public let start: Int
    /// The first minute that does not any more; less than `start` for a window over midnight.
    public let end: Int

    /// The minutes of a day.
    package static let day = 24 * 60

    /// Reads `HH:MM-HH:MM`; nil for anything else, and for two equal times, which could mean a day or nothing. `24:00` is
    /// the end of the day.
    public init?(_ text: String) {
        let times = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard times.count == 2, let start = Self.minute(times[0]), let end = Self.minute(times[1]), start < Self.day,
            start != end % Self.day || end - start == Self.day
        else { return nil }
        self.start = start
        self.end = end
    }

    /// Whether a minute, counted from midnight, belongs to it.
    public func contains(minute: Int) -> Bool {
        start < end ? minute >= start && minute < end : minute >= start || minute < end
    }

    /// The minute of `HH:MM`, from 00:00 to 24:00.
    private static func minute(_ text: Substring.UTF8View) -> Int? {
        let text = Array(text)
        guard text.count == 5, text[2] == UInt8(ascii: ":"), let hour = decimalValue(text[..<2]),
            let minute = decimalValue(text[3...]), minute < 60, hour < 24 || (hour == 24 && minute == 0)
        else { return nil }
        return Int(hour * 60 + minute)
    }
}

extension DayWindow: CustomStringConvertible {
    /// The window as it is written.
    public var description: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minute: Int) -> String {
        let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return parts.joined(separator: ":")
    }
}

/// Why a run was ended before its work was.
public enum StopReason: Hashable, Sendable {
    /// It took as long as it may.
    case maxDuration(Duration)
    /// The part of the day that it may work in is over.
    case window(DayWindow)
}

extension StopReason: CustomStringConvertible {
    /// Words that complete "stopped …".
    public var description: String {
        switch self {
        case .maxDuration(let duration): "after \(DurationText.text(duration)), as --max-duration says"
        case .window(let window): "outside of \(window), as --window says"
        }
    }
}

/// When a run has to end.
public struct Curfew: Hashable, Sendable {
    /// How long it may take; nil for as long as there is work.
    public var maxDuration: Duration?
    /// When it may work; nil for always.
    public var window: DayWindow?

    /// No end.
    public init() {}

    /// Why a run has to end now; nil where it may go on.
    ///
    /// - Parameters:
    ///   - elapsed: How long it has worked.
    ///   - minute: What the clock on the wall shows, in minutes since midnight.
    public func reason(after elapsed: Duration, atMinute minute: Int) -> StopReason? {
        if let maxDuration, elapsed >= maxDuration { return .maxDuration(maxDuration) }
        if let window, !window.contains(minute: minute) { return .window(window) }
        return nil
    }
}
