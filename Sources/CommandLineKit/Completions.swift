/// A shell that completes the words of a command line.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension CommandSpec {
    /// A script that teaches a shell to complete this command.
    package func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletions()
        case .zsh: zshCompletions()
        case .fish: fishCompletions()
        }
    }

    /// The name as part of a function's name.
    var functionName: String { "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }
}

extension OptionSpec {
    /// Every spelling of the option on its own.
    var spellings: [String] {
        (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] + (isNegatable ? ["--no-\(name)"] : [])
    }

    /// The first sentence of the help, without its full stop: what fits beside a completion.
    var summary: String {
        var sentence = ""
        for character in help {
            if sentence.hasSuffix("."), character.isWhitespace { break }
            sentence.append(character)
        }
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

/// A text as one word of a POSIX shell.
func singleQuoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
}
