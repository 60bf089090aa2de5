package import DLSync

/// What a verification found, as lines for people.
package enum VerificationRendering {
    /// One file: how it stands, its path, and why.
    package static func text(_ finding: Verification) -> String {
        let verdict = finding.verdict.rawValue
        let padding = String(repeating: " ", count: max(1, 14 - verdict.utf8.count))
        return verdict + padding + TerminalText.printable(finding.path.bytes) + "  ("
            + TerminalText.printable(Array(finding.reason.utf8)) + ")\n"
    }

    /// The totals for programs; always the last line.
    package static func json(_ summary: SyncSummary, status: ExitStatus) -> String {
        var verdicts: JSONObject = [:]
        for verdict in Verification.Verdict.allCases {
            verdicts.add(verdict.rawValue, integer: Int64(summary.verdicts[verdict] ?? 0))
        }
        var object: JSONObject = ["type": "summary", "version": .integer(1)]
        object.add("verdicts", .object(verdicts))
        object.add("bytesVerified", integer: summary.bytesVerified)
        object.add("repaired", integer: Int64(summary.done))
        object.add("failed", integer: Int64(summary.failed))
        object.add("problems", integer: Int64(summary.problems))
        object.add("sourcesFailed", integer: Int64(summary.sourcesFailed))
        object.add("exitStatus", integer: Int64(status.rawValue))
        return object.line
    }

    /// The end of it.
    package static func text(_ summary: SyncSummary) -> String {
        let counts = Verification.Verdict.allCases.compactMap { verdict in
            summary.verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
        }
        let files = summary.verdicts.values.reduce(0, +)
        var line = "\(files) \(files == 1 ? "file" : "files")"
        if !counts.isEmpty { line += ": " + counts.joined(separator: ", ") }
        line += "; \(SizeText.size(summary.bytesVerified)) read"
        if summary.done > 0 { line += ", \(summary.done) repaired" }
        return line
    }
}
