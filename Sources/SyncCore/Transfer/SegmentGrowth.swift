/// How many segments a file may have at once.
public enum SegmentLimit: Hashable, Sendable {
    /// Starts with one and adds while that makes the file faster.
    case auto
    /// Up to this many at once from the first answer on.
    case fixed(Int)
}

/// Decides for one file how many transfers it may have at once.
///
/// Where one connection fills the line, a second only costs; where the server gives each connection its share, each
/// adds one. Which of the two holds is told by trying: the number is doubled while the file has seconds to go, and
/// stays where a doubling brought less than a quarter more, however often it was looked at.
package struct SegmentGrowth: Hashable, Sendable {
    /// The number that is allowed now.
    package private(set) var allowed: Int
    private let most: Int
    private var isSettled: Bool
    private var rateBefore: Double?
    private var mark: Mark?
    private var doubts = 0

    private struct Mark: Hashable {
        let time: MonotonicTime
        let missing: Int64
    }

    /// How long the first transfer is watched before it is judged: long enough for TCP to open its window.
    package static let firstWatch: Duration = .seconds(1)
    /// How long a greater number is watched.
    package static let watch: Duration = .milliseconds(500)
    /// A number that brought too little is watched again so often before it is believed: new windows open slowly on a long
    /// line, and where packets are lost one look says little.
    package static let patience = 3
    /// A file that will be done sooner than this is not worth another connection.
    package static let worthwhile: Duration = .seconds(3)

    /// A file's start; `most` is the per-host limit.
    package init(_ limit: SegmentLimit, most: Int) {
        switch limit {
        case .auto:
            allowed = 1
            self.most = max(1, most)
            isSettled = most <= 1
        case .fixed(let count):
            allowed = max(1, min(count, most))
            self.most = allowed
            isSettled = true
        }
    }

    /// Looks at what is missing of the file now. Call it every so often while `active` transfers run.
    package mutating func sample(missing: Int64, active: Int, now: MonotonicTime) {
        guard !isSettled else { return }
        guard active >= allowed, let mark else {
            // The transfers that were allowed have not all begun: a rate would say nothing of them.
            self.mark = Mark(time: now, missing: missing)
            return
        }
        let time = now - mark.time
        guard time >= (rateBefore == nil ? Self.firstWatch : Self.watch) else { return }
        let rate = Double(mark.missing - missing) / time.seconds
        self.mark = Mark(time: now, missing: missing)
        guard rate > 0 else { return }
        if let rateBefore, rate < 1.25 * rateBefore {
            doubts += 1
            isSettled = doubts >= Self.patience
            return
        }
        doubts = 0
        guard Double(missing) / rate > Self.worthwhile.seconds else { return }
        rateBefore = rate
        allowed = min(most, allowed * 2)
        isSettled = allowed == most
    }

    /// Allows one more than are active, as far as the host's limit goes.
    package mutating func invite(active: Int) { allowed = max(allowed, min(most, active + 1)) }

    /// Takes one permit back after the server refused a connection, and asks for no more.
    package mutating func refused(active: Int) {
        allowed = max(1, min(allowed, active))
        isSettled = true
    }
}
