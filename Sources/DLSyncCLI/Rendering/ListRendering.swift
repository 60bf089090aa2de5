package import DLSync

/// What sources yield, as lines: for people as text, for programs as NDJSON (docs/formats/list-output.md).
package enum ListRendering {
    /// An entry for people: size, date, path and URL.
    package static func text(_ entry: Entry, _ path: RelativePath) -> String {
        line(size(entry.size), entry.modified, path.bytes, entry.urls[0])
    }

    /// A listing below another one, for people.
    package static func text(_ listing: SubListing) -> String {
        line("listing", listing.modified, listing.path + [UInt8(ascii: "/")], listing.url)
    }

    private static func line(_ size: String, _ date: ListedDate?, _ path: [UInt8], _ url: WebURL) -> String {
        let date = date?.text ?? ""
        let padding = String(repeating: " ", count: max(0, 20 - date.utf8.count))
        return "\(size.leftPadded(to: 10))  \(date)\(padding)  \(TerminalText.printable(path))  "
            + TerminalText.printable(Array(url.withoutCredentials.string.utf8)) + "\n"
    }

    private static func size(_ size: SizeKnowledge) -> String {
        switch size {
        case .unknown: "?"
        case .exact(let bytes): SizeText.size(bytes)
        case .claimed(let bytes): "~" + SizeText.size(bytes)
        case .within(let bounds): "~" + SizeText.size(bounds.lowerBound + (bounds.upperBound - bounds.lowerBound) / 2)
        }
    }

    /// An entry for programs.
    package static func json(_ entry: Entry, _ path: RelativePath) -> String {
        var object: JSONObject = ["type": "entry", "kind": "file"]
        object.add("url", .string(entry.urls[0].withoutCredentials.string))
        object.add("path", bytes: path.bytes)
        var exact: Int64?
        var range = JSONValue.null
        switch entry.size {
        case .unknown: break
        case .exact(let bytes), .claimed(let bytes): exact = bytes
        case .within(let bounds): range = .array([.integer(bounds.lowerBound), .integer(bounds.upperBound)])
        }
        object.add("size", integer: exact)
        object.add("sizeRange", range)
        object.add("modified", string: entry.modified?.text)
        var digests: JSONObject = [:]
        for digest in entry.digests where !digests.members.contains(where: { $0.name == digest.algorithm.rawValue }) {
            digests.add(digest.algorithm.rawValue, .string(digest.hex))
        }
        object.add("digests", .object(digests))
        object.add("mirrors", .array(entry.urls.dropFirst().map { .string($0.withoutCredentials.string) }))
        return object.line
    }

    /// A listing below another one, for programs. It has the members of an entry.
    package static func json(_ listing: SubListing) -> String {
        var object: JSONObject = ["type": "entry", "kind": "listing"]
        object.add("url", .string(listing.url.withoutCredentials.string))
        object.add("path", bytes: listing.path + (listing.path.isEmpty ? [] : [UInt8(ascii: "/")]))
        object.add("size", .null)
        object.add("sizeRange", .null)
        object.add("modified", string: listing.modified?.text)
        object.add("digests", .object([:]))
        object.add("mirrors", .array([]))
        return object.line
    }

    /// The totals for people.
    package static func text(_ summary: SyncSummary) -> String {
        "\(summary.entries) \(summary.entries == 1 ? "entry" : "entries")\n"
    }

    /// The totals for programs; always the last line.
    package static func json(_ summary: SyncSummary, status: ExitStatus) -> String {
        var object: JSONObject = ["type": "summary", "version": .integer(1)]
        object.add("entries", integer: Int64(summary.entries))
        object.add("problems", integer: Int64(summary.problems))
        object.add("sourcesFailed", integer: Int64(summary.sourcesFailed))
        object.add("exitStatus", integer: Int64(status.rawValue))
        return object.line
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - utf8.count)) + self
    }
}
