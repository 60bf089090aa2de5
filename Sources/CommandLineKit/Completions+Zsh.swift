extension CommandSpec {
    /// Completion for zsh, by its own `_arguments`.
    func zshCompletions() -> String {
        let rows = options.flatMap(zshRows) + ["'*:argument:_files'"]
        return """
            #compdef \(name)

            _arguments -s -S \\
                \(rows.joined(separator: " \\\n    "))

            """
    }

    /// The specifications of an option: `'(-n --dry-run)'{-n,--dry-run}'[Only tell]'`.
    private func zshRows(_ option: OptionSpec) -> [String] {
        let summary = zshEscaped(option.summary)
        var action = ""
        if let placeholder = option.placeholder {
            let words =
                switch option.completion {
                case .none: " "
                case .words(let words): "(" + words.map(zshEscaped).joined(separator: " ") + ")"
                case .file: "_files"
                case .directory: "_files -/"
                }
            action = ":\(zshEscaped(placeholder)):\(words)"
        }
        // Behind a long name the value stands in the next word or after `=`, behind a letter also in the same word.
        let value = option.placeholder == nil ? (short: "", long: "") : (short: "+", long: "=")
        var rows: [String] = []
        let spellings = option.spellings.joined(separator: " ")
        for spelling in option.spellings {
            let isLong = spelling.hasPrefix("--")
            let prefix = option.isRepeated ? "*" : "(\(spellings))"
            let text = spelling.hasPrefix("--no-") && option.isNegatable ? "Not: \(summary)" : summary
            rows.append(singleQuoted("\(prefix)\(spelling)\(isLong ? value.long : value.short)[\(text)]\(action)"))
        }
        return rows
    }

    private func zshEscaped(_ text: String) -> String {
        text.map { "[]:\\()".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
