package import DLSync

/// A plan as lines: for people as text, for programs as NDJSON (docs/formats/plan.md).
package enum PlanRendering {
    /// One entry for people: action, bytes to fetch, path, reason.
    package static func text(_ planned: PlannedEntry) -> String {
        let decision = planned.decision
        let action = decision.action.rawValue
        let size = decision.fetch.map { SizeText.size($0, paddedTo: SizeText.sizeWidth) } ?? "       ?"
        let name = TerminalText.printable(planned.facts.path.bytes)
        return action.padded(to: 12) + size + "  " + name + "  (" + decision.reason + ")\n"
    }

    /// A file for people that no source names any more.
    package static func text(_ deletion: PlannedDeletion) -> String {
        let action = (deletion.isDeleted ? Action.delete : .skip).rawValue
        let size = SizeText.size(0, paddedTo: SizeText.sizeWidth)
        let name = TerminalText.printable(deletion.path.bytes)
        return action.padded(to: 12) + size + "  " + name + "  (" + deletion.reason + ")\n"
    }

    /// The totals for people.
    package static func text(_ summary: SyncSummary, freeSpace: Int64?) -> String {
        var counts: [String] = []
        for action in Action.allCases {
            if let count = summary.actions[action] { counts.append("\(count) \(action.rawValue)") }
        }
        var line = "\(summary.entries) " + (summary.entries == 1 ? "entry" : "entries")
        if !counts.isEmpty { line += ": " + counts.joined(separator: ", ") }
        line += "; \(SizeText.size(summary.fetch)) to fetch"
        if summary.unknownSizes > 0 { line += " and \(summary.unknownSizes) of unknown size" }
        line += ", \(SizeText.size(summary.have)) here"
        if summary.deleted > 0 { line += ", \(SizeText.size(summary.bytesDeleted)) to delete" }
        if let freeSpace {
            line += ", \(SizeText.size(freeSpace)) free"
            if summary.fetch > freeSpace { line += " (not enough)" }
        }
        return line + "\n"
    }

    /// One entry for programs.
    package static func json(_ planned: PlannedEntry) -> String {
        let decision = planned.decision
        var object: JSONObject = ["type": "entry"]
        object.add("path", bytes: planned.facts.path.bytes)
        object.add("url", .string(planned.facts.entry.urls[0].redacted))
        object.add("action", .string(decision.action.rawValue))
        object.add("reason", .string(decision.reason))
        object.add("size", integer: decision.size)
        object.add("have", integer: decision.have)
        object.add("fetch", integer: decision.fetch)
        return object.line
    }

    /// A file for programs that no source names any more.
    package static func json(_ deletion: PlannedDeletion) -> String {
        var object: JSONObject = ["type": "entry"]
        object.add("path", bytes: deletion.path.bytes)
        object.add("url", string: deletion.url)
        object.add("action", .string((deletion.isDeleted ? Action.delete : .skip).rawValue))
        object.add("reason", .string(deletion.reason))
        object.add("size", integer: deletion.size)
        object.add("have", integer: deletion.size)
        object.add("fetch", integer: 0)
        return object.line
    }

    /// Why files stay that no source named, for programs.
    package static func json(_ kept: KeptDeletions) -> String {
        var object: JSONObject = ["type": "deletionsKept"]
        object.add("count", integer: Int64(kept.count))
        object.add("refused", .boolean(kept.isRefused))
        object.add("reason", .string(kept.reason))
        return object.line
    }

    /// A line or row that could not be used, for programs.
    package static func json(_ origin: EntryOrigin, _ failure: Failure) -> String {
        var object: JSONObject = ["type": "problem", "source": .string(origin.source)]
        object.add("line", integer: origin.line.map(Int64.init))
        object.add("reason", .string(failure.message))
        return object.line
    }

    /// A source that could not be read to its end, for programs.
    package static func json(source: String, _ failure: Failure) -> String {
        let object: JSONObject = [
            "type": "sourceFailed", "source": .string(source), "reason": .string(failure.message),
        ]
        return object.line
    }

    /// The totals for programs; always the last line.
    package static func json(_ summary: SyncSummary, freeSpace: Int64?, status: ExitStatus) -> String {
        var actions: JSONObject = [:]
        for action in Action.allCases {
            actions.add(action.rawValue, integer: Int64(summary.actions[action] ?? 0))
        }
        var object: JSONObject = ["type": "summary", "version": .integer(1)]
        object.add("entries", integer: Int64(summary.entries))
        object.add("actions", .object(actions))
        object.add("failed", integer: Int64(summary.failed))
        object.add("problems", integer: Int64(summary.problems))
        object.add("sourcesFailed", integer: Int64(summary.sourcesFailed))
        object.add("vanished", integer: Int64(summary.vanished))
        object.add("deleted", integer: Int64(summary.deleted))
        object.add("bytesDeleted", integer: summary.bytesDeleted)
        object.add("deletionsRefused", integer: Int64(summary.deletionsRefused))
        object.add("deletionsUnknown", integer: Int64(summary.deletionsUnknown))
        object.add("have", integer: summary.have)
        object.add("fetch", integer: summary.fetch)
        object.add("unknownSizes", integer: Int64(summary.unknownSizes))
        object.add("free", integer: freeSpace)
        object.add("exitStatus", integer: Int64(status.rawValue))
        return object.line
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - utf8.count))
    }
}
