extension CommandSpec {
    /// What `--help` prints: overview, usage, arguments, then each section of options with labels on the left and help
    /// behind them, filled to a width in columns. On a narrow terminal the help stands below its label.
    package func helpText(width: Int) -> String {
        let layout = HelpLayout(width: width)
        var blocks: [[String]] = [layout.headed("OVERVIEW: ", overview)]
        blocks += discussion.map { wrapped($0, width: layout.width) }
        blocks.append(usageLines(heading: "USAGE: "))
        if !arguments.isEmpty {
            blocks.append(["ARGUMENTS:"] + arguments.flatMap { layout.row(label: "<\($0.name)>", text: $0.help) })
        }
        for section in sections {
            blocks.append(
                ["\(section.title.uppercased()):"]
                    + section.options.flatMap { layout.row(label: $0.label, text: $0.fullHelp) })
        }
        for section in manual where section.isInHelp {
            blocks.append(["\(section.title.uppercased()):"] + section.blocks.flatMap(layout.lines))
        }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }
}

/// Where things stand on a help screen.
private struct HelpLayout {
    /// The columns that may be filled. Narrower than this no sentence can be read.
    let width: Int
    /// The column at which the help of an option begins.
    let textColumn: Int

    private static let indent = 2
    private static let labelColumn = 26

    init(width: Int) {
        self.width = max(width, 30)
        // Less than 30 columns of prose beside a label read worse than prose below it.
        textColumn = self.width >= Self.labelColumn + 30 ? Self.labelColumn : 8
    }

    /// A heading with its text on the same line and on those that follow.
    func headed(_ heading: String, _ text: String) -> [String] { wrapped(heading + text, width: width) }

    /// A label and its text: side by side if the label leaves room, or else below each other.
    func row(label: String, text: String) -> [String] {
        let label = String.spaces(Self.indent) + label
        let lines = wrapped(text, width: width - textColumn).map { String.spaces(textColumn) + $0 }
        guard let first = lines.first, label.count < textColumn else { return [label] + lines }
        return [label + first.dropFirst(label.count)] + lines.dropFirst()
    }

    func lines(of block: ManualSection.Block) -> [String] {
        switch block {
        case .paragraph(let text): wrapped(text, width: width - Self.indent).map { String.spaces(Self.indent) + $0 }
        case .definitions(let definitions): definitions.flatMap { row(label: $0.term, text: $0.meaning) }
        case .verbatim(let lines): lines.map { String.spaces(Self.indent) + $0 }
        }
    }
}
