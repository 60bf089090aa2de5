package import DLSync

/// What a destination remembers, as text and as NDJSON (docs/exit-codes-and-reports.md).
package enum StatusRendering {
    /// For people.
    package static func text(_ status: DestinationStatus, now: HTTPDate) -> String {
        var text = status.isBusy ? "A run works on it now.\n" : ""
        text += "\(count(status.files, "file")), \(SizeText.size(status.bytes))"
        text += ", \(status.filesWithDigest) with a digest to verify it by\n"
        text += status.lastSuccess.map { "in sync last at \($0) (\(age($0, now)) ago)\n" } ?? "never in sync yet\n"
        if !status.partials.isEmpty { text += "\nUNFINISHED\n" }
        for partial in status.partials {
            let have = SizeText.size(partial.extents.count)
            let size = partial.identity.representation.length.map { SizeText.size($0) } ?? "?"
            text += "  \(name(partial.path))  \(have) of \(size)\n"
        }
        if !status.failures.isEmpty { text += "\nFAILED\n" }
        for failure in status.failures {
            text +=
                "  \(name(failure.path))  for \(age(failure.firstDate, now)), in \(count(failure.runs, "run")): "
                + "\(TerminalText.printable(Array(failure.message.utf8)))\n"
        }
        let unnamed = status.failureCount - Int64(status.failures.count)
        if unnamed > 0 { text += "  and \(unnamed) more\n" }
        if !status.runs.isEmpty { text += "\nRUNS\n" }
        for run in status.runs {
            text += "  \(run.started)  " + end(of: run, isBusy: status.isBusy && run == status.runs.first) + "\n"
        }
        if !status.sources.isEmpty { text += "\nSOURCES\n" }
        for source in status.sources {
            let last = source.lastRead.map { "given last \(age($0, now)) ago" } ?? "not given for a hundred runs"
            text += "  \(name(source))  \(count(source.files, "file")), \(last)\n"
        }
        if !status.hosts.isEmpty { text += "\nHOSTS\n" }
        for host in status.hosts { text += "  \(host.origin)  \(facts(host).joined(separator: ", "))\n" }
        return text
    }

    private static func end(of run: RunRecord, isBusy: Bool) -> String {
        guard let ended = run.ended else { return isBusy ? "works now" : "did not end: it was killed" }
        let seconds = max(0, ended.secondsSinceEpoch - run.started.secondsSinceEpoch)
        let status = run.exitStatus.map { "\($0)" } ?? "?"
        return "exit status \(status) after \(DurationText.text(.seconds(seconds)))"
    }

    private static func facts(_ host: HostFacts) -> [String] {
        var facts: [String] = []
        if host.traits.refusesRanges { facts.append("gives no ranges") }
        if host.traits.ifRange != .entityTag { facts.append("If-Range by \(host.traits.ifRange.rawValue)") }
        if host.traits.hasUnsteadyTags { facts.append("tags differ from answer to answer") }
        if let permits = host.permits { facts.append("takes \(permits) at once") }
        return facts.isEmpty ? ["nothing special"] : facts
    }

    private static func name(_ path: RelativePath) -> String { TerminalText.printable(path.bytes) }

    private static func name(_ source: SourceRecord) -> String { TerminalText.printable(Array(source.shownName.utf8)) }

    /// What was forgotten of a source.
    package static func text(_ forgotten: ForgottenSource) -> String {
        "forgot \(name(forgotten.source)): \(count(forgotten.files, "file")) of it "
            + "\(forgotten.files == 1 ? "is" : "are") no source's any more\n"
    }

    private static func count(_ number: Int64, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    /// How long ago something was.
    private static func age(_ date: HTTPDate, _ now: HTTPDate) -> String {
        DurationText.text(.seconds(max(0, now.secondsSinceEpoch - date.secondsSinceEpoch)))
    }

    /// For programs: a line for each partial, failure, run, source and host, then the summary.
    package static func json(_ status: DestinationStatus, now: HTTPDate) -> String {
        var text = ""
        for partial in status.partials {
            var object: JSONObject = ["type": "partial"]
            object.add("path", bytes: partial.path.bytes)
            object.add("url", .string(partial.identity.resource))
            object.add("have", integer: partial.extents.count)
            object.add("size", integer: partial.identity.representation.length)
            text += object.line
        }
        for failure in status.failures {
            var object: JSONObject = ["type": "failure"]
            object.add("path", bytes: failure.path.bytes)
            object.add("url", .string(failure.resource))
            object.add("reason", .string(failure.message))
            object.add("first", .string(failure.firstDate.iso8601))
            object.add("last", .string(failure.lastDate.iso8601))
            object.add("seconds", integer: max(0, now.secondsSinceEpoch - failure.firstDate.secondsSinceEpoch))
            object.add("runs", integer: failure.runs)
            text += object.line
        }
        for run in status.runs {
            var object: JSONObject = ["type": "run", "number": .integer(run.number)]
            object.add("started", .string(run.started.iso8601))
            object.add("ended", string: run.ended?.iso8601)
            object.add("exitStatus", integer: run.exitStatus.map(Int64.init))
            text += object.line
        }
        for source in status.sources {
            var object: JSONObject = ["type": "source", "name": .string(source.shownName)]
            object.add("files", integer: source.files)
            object.add("lastRead", string: source.lastRead?.iso8601)
            text += object.line
        }
        for host in status.hosts {
            var object: JSONObject = ["type": "host", "origin": .string(host.origin)]
            object.add("refusesRanges", .boolean(host.traits.refusesRanges))
            object.add("ifRange", .string(host.traits.ifRange.rawValue))
            object.add("unsteadyTags", .boolean(host.traits.hasUnsteadyTags))
            object.add("permits", integer: host.permits.map(Int64.init))
            text += object.line
        }
        var object: JSONObject = ["type": "summary", "version": .integer(1), "busy": .boolean(status.isBusy)]
        object.add("files", integer: status.files)
        object.add("bytes", integer: status.bytes)
        object.add("filesWithDigest", integer: status.filesWithDigest)
        object.add("partials", integer: Int64(status.partials.count))
        object.add("failures", integer: status.failureCount)
        object.add("lastSuccess", string: status.lastSuccess?.iso8601)
        return text + object.line
    }
}
