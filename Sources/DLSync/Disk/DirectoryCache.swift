internal import SyncCore

/// The directories below the destination that were used last, open, so that a tree which is walked directory by
/// directory costs one call a file.
///
/// A directory that somebody moves away during a run stays the one that was opened: files land where it is now, and the
/// next run finds them missing. One that was removed answers `ENOENT`, upon which the caller forgets and walks anew.
struct DirectoryCache {
    private struct Slot {
        var directory: Descriptor
        var lastUse: UInt64
    }

    private let capacity: Int
    private var slots: [RelativePath: Slot] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The open directory of a path, if it is among the last used.
    mutating func directory(for path: RelativePath) -> Descriptor? {
        uses += 1
        guard let index = slots.index(forKey: path) else { return nil }
        slots.values[index].lastUse = uses
        return slots.values[index].directory
    }

    /// Keeps a directory, in the place of the one whose last use is longest ago.
    mutating func insert(_ directory: Descriptor, for path: RelativePath) {
        uses += 1
        if slots[path] == nil, slots.count >= capacity,
            let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            slots[oldest.key] = nil
        }
        slots[path] = Slot(directory: directory, lastUse: uses)
    }

    mutating func removeAll() { slots.removeAll() }
    var count: Int { slots.count }
}
