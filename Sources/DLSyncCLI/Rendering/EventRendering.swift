package import DLSync

/// What becomes of entries as NDJSON (docs/exit-codes-and-reports.md).
package enum EventRendering {
    /// One event; nil for one that has no line.
    package static func json(_ event: SyncEvent) -> String? {
        switch event {
        case .outcome(let outcome): json(outcome)
        case .verified(let finding): json(finding)
        case .problem(let origin, let failure): PlanRendering.json(origin, failure)
        case .sourceFailed(let source, let failure): PlanRendering.json(source: source, failure)
        case .deletionsKept(let kept): PlanRendering.json(kept)
        case .listed, .listing, .planned, .plannedDeletion: nil
        }
    }

    /// What became of one entry.
    package static func json(_ outcome: Outcome) -> String {
        var object: JSONObject = ["type": "outcome"]
        object.add("path", bytes: outcome.path.bytes)
        object.add("url", .string(outcome.url))
        object.add("action", .string(outcome.action.rawValue))
        object.add("status", .string(outcome.status.rawValue))
        object.add("reason", .string(outcome.reason))
        object.add("bytes", integer: outcome.bytes)
        object.add("attempts", integer: Int64(outcome.requests))
        object.add("seconds", .double(seconds(outcome.duration)))
        object.add("size", integer: outcome.size)
        object.add("digest", string: outcome.digest?.description)
        object.add("failingSince", string: outcome.failingSince?.iso8601)
        object.add("failedRuns", integer: outcome.failedRuns > 0 ? outcome.failedRuns : nil)
        return object.line
    }

    /// What a verification found of one file.
    package static func json(_ finding: Verification) -> String {
        var object: JSONObject = ["type": "verified"]
        object.add("path", bytes: finding.path.bytes)
        object.add("url", .string(finding.url))
        object.add("verdict", .string(finding.verdict.rawValue))
        object.add("reason", .string(finding.reason))
        object.add("bytes", integer: finding.bytes)
        object.add("digest", string: finding.digest?.description)
        object.add("badRanges", string: finding.badParts.map { $0.ranges.map(\.words).joined(separator: ",") })
        return object.line
    }

    /// A duration in seconds, to the millisecond.
    package static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return (Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000_000)) / 1000
    }
}
