/// What a source says of a file beside its name, where that is enough to tell one version of the file from another: its
/// exact size, and its date or a digest.
///
/// It is kept with the record of a file that was proven. Where the source says the same again, nothing has changed.
package struct ListedFacts: Hashable, Sendable {
    /// All facts in one text, which is only compared: as in `size=1234 date=2026-01-31T12:00Z`.
    package let text: String
    private let size: Int64
    private let date: ListedDate?

    /// The facts of an entry; nil where they are too weak. Rounded sizes are, and sizes of 0: files that a server makes
    /// when it is asked are listed with that.
    package init?(_ entry: Entry) {
        guard case .exact(let size) = entry.size, size > 0 else { return nil }
        let digests = (entry.digests + [entry.guessedDigest].compactMap { $0 }).map(\.description).sorted()
        guard entry.modified != nil || !digests.isEmpty else { return nil }
        self.size = size
        date = entry.modified
        text = (["size=\(size)"] + [entry.modified.map { "date=\($0.text)" }].compactMap { $0 } + digests)
            .joined(separator: " ")
    }

    /// Whether what the server said is of the version that the source speaks of: the same size, and the same date as far
    /// as the source shows it. Without a zone that date may be off by one.
    package func areOf(_ representation: Representation) -> Bool {
        guard representation.length.map({ $0 == size }) ?? true else { return false }
        guard let date, let proven = representation.lastModified else { return true }
        let (difference, overflow) = proven.secondsSinceEpoch.subtractingReportingOverflow(date.secondsSinceEpoch)
        guard !overflow else { return false }
        // A source that shows parts of a second may round them otherwise than the server does.
        let shown: ClosedRange<Int64> = date.hasSeconds ? -1...1 : 0...59
        if date.hasZone { return shown.contains(difference) }
        guard difference.magnitude <= Self.widestZone.magnitude else { return false }
        let rest = difference % Self.zoneStep
        return [rest - Self.zoneStep, rest, rest + Self.zoneStep].contains { shown.contains($0) }
    }

    /// Whether a later change must show in the source. One within the minute that the source shows might not.
    package func areSettled(_ representation: Representation, now: HTTPDate) -> Bool {
        guard let date else { return true }
        let latest = date.secondsSinceEpoch.addingReportingOverflow(date.hasZone ? 0 : Self.widestZone)
        let changed = representation.lastModified?.secondsSinceEpoch ?? (latest.overflow ? .max : latest.partialValue)
        return changed < now.secondsSinceEpoch - Self.settlingTime
    }

    /// All zones differ from UTC by a multiple of this, in seconds.
    private static let zoneStep: Int64 = 900
    /// No zone is farther from UTC, in seconds.
    private static let widestZone: Int64 = 14 * 3600
    /// The minute that a date may stand for, and one for clocks that differ, in seconds.
    private static let settlingTime: Int64 = 120
}

extension ListedDate {
    /// The date as far as it is shown, as in `2026-01-31T12:00`, with a `Z` where the zone is known.
    package var text: String {
        let whole = HTTPDate(secondsSinceEpoch: secondsSinceEpoch).iso8601
        // As in 2026-01-31T12:00:00Z.
        return (hasSeconds ? whole.dropLast() : whole.dropLast(4)) + (hasZone ? "Z" : "")
    }
}
