package import DLSync

/// What links were taken for, as lines: for people as text, for programs as NDJSON (docs/formats/explanation.md).
package enum ExplanationRendering {
    /// A link for people: what it was taken for, the link as the page has it, and why.
    package static func text(_ link: ExplainedLink) -> String {
        let kind = link.kind.rawValue
        let padding = String(repeating: " ", count: max(0, 12 - kind.utf8.count))
        return
            "\(kind)\(padding)\(TerminalText.printable(link.reference))  (\(TerminalText.printable(link.reason.utf8)))\n"
    }

    /// A link for programs.
    package static func json(_ link: ExplainedLink) -> String {
        var object: JSONObject = ["type": "link", "kind": .string(link.kind.rawValue)]
        object.add("reference", bytes: link.reference)
        object.add("url", string: link.url?.withoutCredentials.string)
        if let path = link.path { object.add("path", bytes: path) } else { object.add("path", .null) }
        object.add("reason", .string(link.reason))
        return object.line
    }

    /// The totals for programs; always the last line.
    package static func json(_ explanation: ListingExplanation, status: ExitStatus) -> String {
        var object: JSONObject = ["type": "summary", "version": .integer(1)]
        object.add("links", integer: Int64(explanation.links.count))
        object.add("problems", integer: Int64(explanation.problems.count))
        object.add("sourcesFailed", integer: explanation.failure == nil ? 0 : 1)
        object.add("exitStatus", integer: Int64(status.rawValue))
        return object.line
    }
}
