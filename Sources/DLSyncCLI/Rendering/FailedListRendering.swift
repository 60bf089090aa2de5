package import DLSync

/// What failed as a list, which `dlsync` can read as a source (docs/formats/list.md).
///
/// It holds no secrets: no logins, no signatures and tokens in URLs, no request fields. A comment says what was left out,
/// as such an entry may not be fetched by the list alone.
package enum FailedListRendering {
    /// The lines of one entry; nil for an outcome that is none of an entry that failed.
    package static func text(_ outcome: Outcome) -> [UInt8]? {
        guard outcome.status == .failed, outcome.failure?.code != .interrupted, let entry = outcome.entry else {
            return nil
        }
        var text = comment(outcome.reason)
        let urls = entry.urls.map(\.resourceIdentity)
        if zip(entry.urls, urls).contains(where: { $0.withoutCredentials.string != $1 }) {
            text += comment("the signature was left out of the address")
        }
        if !entry.headers.isEmpty { text += comment("its request fields were left out") }
        guard let out = option("out", outcome.path.bytes) else {
            return text
                + comment("\(urls[0]): no list can name the path '\(TerminalText.printable(outcome.path.bytes))'")
        }
        text += Array(urls.joined(separator: "\t").utf8) + [0x0A] + out
        if case .exact(let size) = entry.size { text += option("size", Array("\(size)".utf8)) ?? [] }
        for digest in entry.digests {
            text += option("checksum", Array("\(digest.algorithm.rawValue)=\(digest.hex)".utf8)) ?? []
        }
        return text
    }

    private static func comment(_ text: String) -> [UInt8] {
        Array("# \(TerminalText.printable(Array(text.utf8)))\n".utf8)
    }

    /// An indented line with an option; nil for a value that would not be read as it is: the ends of lines, blanks at its
    /// own ends, and `./` in front get lost.
    private static func option(_ name: String, _ value: [UInt8]) -> [UInt8]? {
        let isBlank: (UInt8?) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard !value.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }), !isBlank(value.first),
            !isBlank(value.last)
        else { return nil }
        return Array("  \(name)=".utf8) + value + [0x0A]
    }
}
