/// Divides the free space of a disk among downloads whose length is known, so that one which cannot fit is not begun.
///
/// Most file systems give a download all its room before its first byte comes, and then tell less free space. Others
/// give it byte by byte: what those have promised and not yet given is kept here. It is the free space at one moment,
/// not a right to it: other programs write too, and a write may still find the disk full.
package struct SpaceBudget: Hashable, Sendable {
    /// Whether there is room.
    package enum Verdict: Hashable, Sendable {
        case fits
        /// There is too little; so many bytes are neither taken nor promised to another.
        case lacks(left: Int64)
    }

    /// What the file system has yet to give, by the partial that waits for it.
    private var owed: [String: Int64] = [:]
    /// Bytes that are to stay free.
    private let kept: Int64

    /// - Parameter kept: Bytes that are to stay free, which no download gets.
    package init(kept: Int64 = 0) { self.kept = max(0, kept) }

    /// Judges whether a partial finds its room.
    ///
    /// - Parameters:
    ///   - need: The bytes that it has yet to be given.
    ///   - partial: Its id; what was promised to itself counts as its own.
    ///   - free: What the file system has free; nil where it does not tell, and then everything fits.
    package func verdict(need: Int64, partial: String?, free: Int64?) -> Verdict {
        guard let free, need > 0 || kept > 0 else { return .fits }
        var left = max(0, free) - kept
        for (id, bytes) in owed where id != partial && left >= 0 { left -= bytes }
        return max(0, need) <= left ? .fits : .lacks(left: max(0, left))
    }

    /// Notes how many bytes a partial was promised and has not been given yet; 0 or less takes the promise back.
    package mutating func owes(_ bytes: Int64, to partial: String) { owed[partial] = bytes > 0 ? bytes : nil }
}
