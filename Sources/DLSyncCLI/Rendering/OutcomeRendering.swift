package import DLSync

/// What became of entries, as lines for people.
package enum OutcomeRendering {
    /// One entry, for `--verbose`.
    package static func text(_ outcome: Outcome) -> String {
        let name = TerminalText.printable(outcome.path.bytes)
        let action = outcome.action == .delete && outcome.status == .kept ? "kept" : outcome.action.rawValue
        let bytes = outcome.bytes > 0 ? ", \(SizeText.size(outcome.bytes))" : ""
        return "\(action): \(name)\(bytes) (\(outcome.reason))"
    }

    /// One entry that failed.
    package static func failure(_ outcome: Outcome) -> String {
        "dlsync: \(TerminalText.printable(outcome.path.bytes)): \(printable(outcome.reason))."
    }

    /// A line or row that could not be used.
    package static func problem(_ origin: EntryOrigin, _ failure: Failure) -> String {
        "dlsync: \(printable(origin.description)): \(printable(failure.message))."
    }

    /// A source that could not be read to its end.
    package static func sourceFailed(_ source: String, _ failure: Failure) -> String {
        let message = printable(failure.message)
        return message.contains(source) ? "dlsync: \(message)." : "dlsync: \(printable(source)): \(message)."
    }

    /// Why files stay that no source named.
    package static func kept(_ kept: KeptDeletions) -> String { "dlsync: \(printable(kept.reason))." }

    /// The end of a run.
    package static func text(_ summary: SyncSummary, _ progress: ProgressSnapshot) -> String {
        var counts: [String] = []
        for action in Action.allCases {
            if let count = summary.actions[action] { counts.append("\(count) \(action.rawValue)") }
        }
        var line = "\(summary.entries) " + (summary.entries == 1 ? "file" : "files")
        if !counts.isEmpty { line += ": " + counts.joined(separator: ", ") }
        line += "; \(SizeText.size(progress.bytesReceived)) received"
        if summary.failed > summary.interrupted { line += ", \(summary.failed - summary.interrupted) failed" }
        if summary.vanished > 0 { line += ", \(summary.vanished) gone from the server" }
        if summary.interrupted > 0 { line += ", \(summary.interrupted) not finished" }
        return line
    }

    /// The end of a run in a few words, for its log.
    package static func counts(_ report: RunReport) -> String {
        let summary = report.summary
        var text = "\(summary.entries) entries, \(summary.done) changed, \(report.failed) failed"
        if summary.interrupted > 0 { text += ", \(summary.interrupted) not finished" }
        let verified = summary.verdicts.values.reduce(0, +)
        if verified > 0 { text += ", \(verified) verified" }
        return text + "; \(SizeText.size(summary.bytesReceived)) received"
    }

    private static func printable(_ text: String) -> String { TerminalText.printable(Array(text.utf8)) }
}
