extension CommandSpec {
    /// Completion for bash 4.1 and later, without the bash-completion package.
    ///
    /// bash breaks words at `=`, so that `--opt=val` arrives as three words; the script looks back over the sign.
    func bashCompletions() -> String {
        var cases: [String] = []
        for option in options where option.placeholder != nil {
            let action =
                switch option.completion {
                case .none: "return"
                case .words(let words):
                    "mapfile -t COMPREPLY < <(compgen -W \(singleQuoted(words.joined(separator: " "))) -- \"$current\")"
                case .file: "\(functionName)_paths -f; return"
                case .directory: "\(functionName)_paths -d; return"
                }
            let body = action.hasSuffix("return") ? action : "\(action); return"
            cases.append("        \(option.spellings.joined(separator: "|"))) \(body) ;;")
        }
        let spellings = options.flatMap(\.spellings).joined(separator: " ")
        return """
            # bash completion for \(name)

            \(functionName)_paths() {
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
            }

            \(functionName)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} index
                COMPREPLY=()
                if [[ $current == '=' ]]; then
                    current=
                elif [[ $previous == '=' ]]; then
                    previous=${COMP_WORDS[COMP_CWORD-2]}
                fi
                for ((index = 1; index < COMP_CWORD; index++)); do
                    if [[ ${COMP_WORDS[index]} == -- ]]; then
                        \(functionName)_paths -f
                        return
                    fi
                done
                case $previous in
            \(cases.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W \(singleQuoted(spellings)) -- "$current")
                else
                    \(functionName)_paths -f
                fi
            }

            complete -F \(functionName) \(name)

            """
    }
}
