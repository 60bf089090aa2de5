internal import DLSync

/// A run summed up as one JSON object (docs/formats/report.md), and as the last line of its events.
package enum ReportRendering {
    /// The report of a run, one line with its line feed.
    package static func json(_ report: RunReport) -> String {
        var object: JSONObject = ["type": "report", "version": .integer(1)]
        object.add("program", .string("dlsync \(dlsyncVersion)"))
        object.add("mode", .string(report.mode))
        object.add("destination", bytes: report.destination)
        object.add("started", .string(report.started.iso8601))
        object.add("ended", .string(report.ended.iso8601))
        object.add("seconds", .double(report.seconds))
        object.add("exitStatus", integer: Int64(report.status.rawValue))
        object.add("stopped", string: report.stopped)
        object.add("error", string: report.error)
        let isCut = report.stopped != nil || [.interrupted, .terminated].contains(report.status)
        object.add("sources", .array(report.sources.map { source($0, isStopped: isCut) }))
        object.add("unreadListings", .array(report.unreadListings.map { source($0, isStopped: false) }))
        addCounts(of: report, to: &object)
        object.add("failures", .array(report.failures.map(failure)))
        object.add("hostWaits", .array(report.hostWaits.map(hostWait)))
        object.add("free", integer: report.freeSpace)
        object.add("lastSuccess", string: report.lastSuccess?.iso8601)
        return object.line
    }

    /// The last line of the events.
    package static func summary(_ report: RunReport) -> String {
        var object: JSONObject = ["type": "summary", "version": .integer(1)]
        addCounts(of: report, to: &object)
        object.add("stopped", string: report.stopped)
        object.add("exitStatus", integer: Int64(report.status.rawValue))
        return object.line
    }

    private static func addCounts(of report: RunReport, to object: inout JSONObject) {
        let summary = report.summary
        var actions: JSONObject = [:]
        for action in Action.allCases { actions.add(action.rawValue, integer: Int64(summary.actions[action] ?? 0)) }
        var verdicts: JSONObject = [:]
        for verdict in Verification.Verdict.allCases {
            verdicts.add(verdict.rawValue, integer: Int64(summary.verdicts[verdict] ?? 0))
        }
        object.add("entries", integer: Int64(summary.entries))
        object.add("actions", .object(actions))
        object.add("verdicts", .object(verdicts))
        object.add("changed", integer: Int64(summary.done))
        object.add("kept", integer: Int64(summary.kept))
        object.add("failed", integer: Int64(report.failed))
        object.add("unfinished", integer: Int64(summary.interrupted))
        object.add("problems", integer: Int64(summary.problems))
        object.add("sourcesFailed", integer: Int64(summary.sourcesFailed))
        object.add("bytes", integer: summary.bytesReceived)
        object.add("bytesVerified", integer: summary.bytesVerified)
    }

    private static func source(_ source: RunReport.SourceState, isStopped: Bool) -> JSONValue {
        let state = source.reason != nil ? "failed" : isStopped ? "stopped" : "read"
        var object: JSONObject = ["source": .string(source.name), "state": .string(state)]
        object.add("reason", string: source.reason)
        return .object(object)
    }

    private static func failure(_ failure: RunReport.FailedFile) -> JSONValue {
        var object: JSONObject = [:]
        object.add("path", bytes: failure.path.bytes)
        object.add("url", .string(failure.url))
        object.add("reason", .string(failure.reason))
        object.add("failingSince", string: failure.failingSince?.iso8601)
        object.add("failedRuns", integer: failure.runs > 0 ? failure.runs : nil)
        return .object(object)
    }

    private static func hostWait(_ wait: HostWait) -> JSONValue {
        var object: JSONObject = ["origin": .string(wait.origin)]
        object.add("times", integer: Int64(wait.times))
        object.add("seconds", .double(EventRendering.seconds(wait.duration)))
        return .object(object)
    }
}
