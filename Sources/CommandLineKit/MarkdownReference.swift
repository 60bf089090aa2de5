extension CommandSpec {
    /// The reference of the command line as a page of Markdown: the same facts as the manual page, in the same order.
    package func markdownReference() -> String {
        var blocks = ["# \(name)", escaped(overview)]
        blocks += discussion.map(escaped)
        blocks.append((["```"] + usage.map { "\(name) \($0)" } + ["```"]).joined(separator: "\n"))
        if !arguments.isEmpty {
            blocks.append("## Arguments")
            blocks.append(list(arguments.map { ("<\($0.name)>", $0.help) }))
        }
        blocks.append("## Options")
        for section in sections {
            blocks.append("### \(section.title)")
            blocks.append(list(section.options.map { ($0.label, $0.fullHelp) }))
        }
        for section in manual {
            blocks.append("## \(section.title)")
            blocks += section.blocks.map { block in
                switch block {
                case .paragraph(let text): escaped(text)
                case .definitions(let definitions): list(definitions.map { ($0.term, $0.meaning) })
                case .verbatim(let lines): (["```"] + lines + ["```"]).joined(separator: "\n")
                }
            }
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func list(_ rows: [(term: String, meaning: String)]) -> String {
        rows.map { "- `\($0.term)`: \(escaped($0.meaning))" }.joined(separator: "\n")
    }

    /// Prose in which nothing is markup: an asterisk of a glob stays one.
    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "\\`*_<>[]#|".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
