package import DLSync

/// What the exit status tells: a function of the set of outcomes, never of their order.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case inSync = 0
    case failed = 1
    case usage = 2
    case partial = 3
    case unreadSource = 4
    case denied = 5
    case disk = 6
    case busy = 7
    case stopped = 8
    case digestMismatch = 9
    case guarded = 10
    case interrupted = 130
    case terminated = 143

    /// What it means, for the manual.
    package var meaning: String {
        switch self {
        case .inSync: "In sync; there may have been nothing to do."
        case .failed: "Failed for a reason that has no status of its own."
        case .usage: "The command line or a configuration file is wrong."
        case .partial: "Some entries failed, the rest is in sync."
        case .unreadSource: "A manifest or a listing could not be read; nothing of it was deleted."
        case .denied: "A server refused the credentials, or wants some."
        case .disk: "The disk is full, over quota, or not to be written to."
        case .busy: "Another run holds the destination."
        case .stopped: "Stopped by --max-duration or --window; what is here of unfinished files was saved."
        case .digestMismatch: "Data differs from its digest."
        case .guarded: "A guard refused to delete files; nothing was deleted."
        case .interrupted: "Interrupted (SIGINT); what is here of unfinished files was saved."
        case .terminated: "Terminated (SIGTERM); what is here of unfinished files was saved."
        }
    }

    /// The status of a plan or a run: where several hold, the gravest wins.
    ///
    /// - Parameter isStopped: Whether its time was over before its work was. What it could not get to is no failure then.
    package init(_ summary: SyncSummary, isStopped: Bool = false) {
        let codes = summary.failures
        if !codes.isDisjoint(with: [.diskFull, .readOnly]) {
            self = .disk
        } else if codes.contains(.denied) {
            self = .denied
        } else if summary.sourcesFailed > 0 {
            self = .unreadSource
        } else if codes.contains(.digestMismatch) {
            self = .digestMismatch
        } else if summary.isGuarded {
            self = .guarded
        } else if summary.failed > (isStopped ? summary.interrupted : 0) || summary.problems > 0 {
            self = .partial
        } else if isStopped {
            self = .stopped
        } else {
            self = codes.isEmpty ? .inSync : .failed
        }
    }

    /// The status of a run that could not even begin.
    package init(_ failure: Failure) {
        switch failure.code {
        case .diskFull, .readOnly: self = .disk
        case .busy: self = .busy
        default: self = .failed
        }
    }
}
