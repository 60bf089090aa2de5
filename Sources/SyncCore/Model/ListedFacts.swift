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
        let shown = date.shownSeconds
        if date.hasZone { return shown.contains(difference) }
        guard date.hasTime else {
            return (-Self.widestZone...Self.widestZone + shown.upperBound).contains(difference)
        }
        guard difference.magnitude <= Self.widestZone.magnitude else { return false }
        let rest = difference % Self.zoneStep
        return [rest - Self.zoneStep, rest, rest + Self.zoneStep].contains { shown.contains($0) }
    }

    /// Whether a later change must show in the source. One within the minute or the day that the source shows might not.
    package func areSettled(_ representation: Representation, now: HTTPDate) -> Bool {
        guard let date else { return true }
        let latest = date.secondsSinceEpoch.addingReportingOverflow(date.hasZone ? 0 : Self.widestZone)
        let changed = representation.lastModified?.secondsSinceEpoch ?? (latest.overflow ? .max : latest.partialValue)
        return changed < now.secondsSinceEpoch - Self.settlingTime - (date.hasTime ? 0 : date.shownSeconds.upperBound)
    }

    /// All zones differ from UTC by a multiple of this, in seconds.
    private static let zoneStep: Int64 = 900
    /// No zone is farther from UTC, in seconds.
    private static let widestZone: Int64 = 14 * 3600
    /// The minute that a date may stand for, and one for clocks that differ, in seconds.
    private static let settlingTime: Int64 = 120
}

extension ListedDate {
    /// How many seconds after its start a file may have changed that shows this date.
    fileprivate var shownSeconds: ClosedRange<Int64> {
        switch precision {
        case .day: 0...86_399
        case .minute: 0...59
        // A source that shows parts of a second may round them otherwise than the server does.
        case .second, .fraction: -1...1
        }
    }
}
