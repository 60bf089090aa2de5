extension CommandSpec {
    /// Completion for fish.
    func fishCompletions() -> String {
        var lines = ["# fish completion for \(name)"]
        for option in options {
            var line = "complete -c \(name)"
            if let short = option.short { line += " -s \(short)" }
            line += " -l \(option.name)"
            switch option.completion {
            case _ where option.placeholder == nil: break
            case .none: line += " -x"
            case .words(let words): line += " -x -a \(fishQuoted(words.joined(separator: " ")))"
            case .file: line += " -r -F"
            case .directory: line += " -x -a '(__fish_complete_directories)'"
            }
            lines.append(line + " -d \(fishQuoted(option.summary))")
            if option.isNegatable {
                lines.append("complete -c \(name) -l no-\(option.name) -d \(fishQuoted("Not: \(option.summary)"))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as one word of fish, where a backslash counts within single quotes.
    private func fishQuoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
