internal import DLSync

/// A run as numbers in Prometheus' text format, for the textfile collector of its node exporter.
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package enum MetricsRendering {
    /// All numbers of a run.
    package static func text(_ report: RunReport) -> String {
        var page = Page(destination: String(decoding: report.destination, as: UTF8.self))
        let summary = report.summary
        page.add("run_start_timestamp_seconds", "When the last run started.", report.started.secondsSinceEpoch)
        page.add("run_end_timestamp_seconds", "When the last run ended.", report.ended.secondsSinceEpoch)
        page.add("run_duration_seconds", "How long the last run took.", report.seconds)
        page.add("run_exit_status", "The exit status of the last run.", Int64(report.status.rawValue))
        page.add("run_stopped", "Whether the last run was stopped for its time's sake.", report.stopped == nil ? 0 : 1)
        if let date = report.lastSuccess {
            page.add(
                "last_success_timestamp_seconds", "When the last run ended that left everything in sync.",
                date.secondsSinceEpoch)
        }
        page.add(
            "entries", "Entries of the last run, by what was to be done about them.",
            Action.allCases.map { ([("action", $0.rawValue)], Int64(summary.actions[$0] ?? 0)) })
        page.add("entries_changed", "Files that the last run brought, changed or took away.", Int64(summary.done))
        page.add("entries_failed", "Entries that failed in the last run.", Int64(report.failed))
        page.add("entries_unfinished", "Entries that the last run was stopped in.", Int64(summary.interrupted))
        page.add("problems", "Lines and rows of sources that could not be used.", Int64(summary.problems))
        page.add("sources_failed", "Sources and listings that could not be read.", Int64(summary.sourcesFailed))
        page.add("received_bytes", "Bytes of files that the last run received.", summary.bytesReceived)
        if report.mode != "sync" {
            page.add(
                "verified_files", "Files that were compared with their digests, by what was found.",
                Verification.Verdict.allCases.map { ([("verdict", $0.rawValue)], Int64(summary.verdicts[$0] ?? 0)) })
            page.add("verified_bytes", "Bytes that were read to compare digests.", summary.bytesVerified)
        }
        if let oldest = report.failures.compactMap(\.failingSince).min() {
            page.add(
                "oldest_failure_timestamp_seconds", "Since when the entry has failed that failed for the longest time.",
                oldest.secondsSinceEpoch)
        }
        if !report.hostWaits.isEmpty {
            page.add(
                "host_wait_seconds", "How long hosts asked to be left alone.",
                report.hostWaits.map { ([("origin", $0.origin)], EventRendering.seconds($0.duration)) })
        }
        if let free = report.freeSpace { page.add("free_bytes", "Bytes that are free at the destination.", free) }
        page.add("build_info", "The version of dlsync.", [([("version", dlsyncVersion)], Int64(1))])
        return page.text
    }

    private struct Page {
        let destination: String
        private(set) var text = ""

        init(destination: String) { self.destination = destination }

        mutating func add(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
            add(name, help, [([], value)])
        }

        mutating func add(
            _ name: String, _ help: String, _ rows: [([(name: String, value: String)], some CustomStringConvertible)]
        ) {
            text += "# HELP dlsync_\(name) \(help)\n# TYPE dlsync_\(name) gauge\n"
            for (labels, value) in rows {
                let all = [(name: "destination", value: destination)] + labels
                let shown = all.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
                text += "dlsync_\(name){\(shown)} \(value)\n"
            }
        }

        private static func escaped(_ value: String) -> String {
            var result = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": result += "\\\\"
                case "\"": result += "\\\""
                case "\n": result += "\\n"
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result
        }
    }
}
