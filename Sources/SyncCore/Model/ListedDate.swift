/// A date as a listing shows it, with the precision that it shows.
public struct ListedDate: Hashable, Sendable {
    /// How far a date goes.
    public enum Precision: Hashable, Sendable {
        /// It names a day and no time.
        case day
        /// It stands for a whole minute.
        case minute
        /// It stands for a whole second.
        case second
        /// It has so many billionths of a second beyond its second, shown with so many digits: 1 to 9.
        case fraction(nanoseconds: UInt32, digits: UInt8)
    }

    /// Seconds since 1970, of the start of the day, minute or second that is shown, read as if the clock were UTC's.
    public var secondsSinceEpoch: Int64
    /// Whether the listing names the zone. Without one the date is a hint only: it may be off by up to 14 hours.
    public var hasZone: Bool
    /// How far it goes.
    public var precision: Precision

    /// A date with its precision.
    public init(secondsSinceEpoch: Int64, hasZone: Bool, precision: Precision) {
        self.secondsSinceEpoch = secondsSinceEpoch
        self.hasZone = hasZone
        self.precision = precision
    }

    /// Whether it shows a time of day.
    package var hasTime: Bool { precision != .day }

    /// The date as far as it is shown, as in `2026-01-31T12:00`, with a `Z` where the zone is known.
    package var text: String {
        // As in 2026-01-31T12:00:00Z.
        let whole = HTTPDate(secondsSinceEpoch: secondsSinceEpoch).iso8601
        let zone = hasZone ? "Z" : ""
        switch precision {
        case .day: return String(whole.prefix { $0 != "T" })
        case .minute: return whole.dropLast(4) + zone
        case .second: return whole.dropLast() + zone
        case .fraction(let nanoseconds, let digits):
            let fraction = String(nanoseconds)
            let padded = String(repeating: "0", count: max(0, 9 - fraction.utf8.count)) + fraction
            return whole.dropLast() + "." + padded.prefix(Int(digits)) + zone
        }
    }
}

extension ListedDate.Precision {
    /// The precision of a second with these digits behind its point, of which nine are kept; `.second` without any, and
    /// where all are zeros, as the buckets write that keep whole seconds.
    package init(fractionDigits digits: ArraySlice<UInt8>) {
        let kept = digits.prefix(9)
        guard let value = decimalValue(kept), value > 0 else {
            self = .second
            return
        }
        let scale = (kept.count..<9).reduce(1) { scale, _ in scale * 10 }
        self = .fraction(nanoseconds: UInt32(value) * UInt32(scale), digits: UInt8(kept.count))
    }
}
