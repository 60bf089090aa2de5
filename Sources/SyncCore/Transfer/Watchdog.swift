/// Looks after the whole process: where there is work and nothing moves, transfers start anew; where even that moves
/// nothing, the work ends with an account of what it waited for. Nobody waits in silence for ever.
///
/// Stalled transfers have their own, shorter limit. What this finds is what no limit of one transfer sees.
package struct Watchdog: Hashable, Sendable {
    /// What is to be done.
    package enum Alarm: Hashable, Sendable {
        /// Ends what runs, so that it is asked for again on new connections.
        case reconnect
        /// Ends the work: to start anew did not help.
        case giveUp
    }

    private let timeout: Duration
    private var lastMove: MonotonicTime
    private var alarms = 0

    /// - Parameter timeout: How long nothing at all may move.
    package init(timeout: Duration, now: MonotonicTime) {
        self.timeout = timeout
        lastMove = now
    }

    /// Judges what was seen since the last look.
    ///
    /// - Parameters:
    ///   - moved: Whether a byte came, a job began or ended, or there was nothing to do.
    ///   - isWaiting: Whether something is known to come by itself: a timer, the end of a pause, a task of the disk.
    package mutating func look(moved: Bool, isWaiting: Bool, now: MonotonicTime) -> Alarm? {
        if moved {
            alarms = 0
            lastMove = now
            return nil
        }
        if isWaiting { lastMove = now }
        guard now - lastMove >= timeout else { return nil }
        lastMove = now
        alarms += 1
        return alarms == 1 ? .reconnect : .giveUp
    }
}
