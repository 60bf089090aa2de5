/// An option as it was given once.
package struct Occurrence: Hashable, Sendable {
    /// The option's long name, without dashes.
    package let name: String
    /// The value; nil for a flag.
    package let value: ArgumentValue?
    /// Whether a flag was given as `--no-NAME`.
    package let isNegated: Bool

    /// An option as it was given once.
    package init(_ name: String, value: ArgumentValue? = nil, isNegated: Bool = false) {
        self.name = name
        self.value = value
        self.isNegated = isNegated
    }
}

/// A command line that was read: which options were given with which values, in order, and what stood besides.
///
/// The accessors take the long name of an option of the table. One that is not in the table is a slip of the program
/// and not of its user: it traps.
package struct ParsedArguments: Hashable, Sendable {
    /// The table by which it was read.
    package let command: CommandSpec
    /// The options in the order in which they were given.
    package var occurrences: [Occurrence]
    /// The positional arguments, in order.
    package var positionals: [ArgumentValue]

    /// A command line of these parts, as if it had been read.
    package init(command: CommandSpec, occurrences: [Occurrence] = [], positionals: [ArgumentValue] = []) {
        self.command = command
        self.occurrences = occurrences
        self.positionals = positionals
    }

    /// The same with the options of a configuration file below: what is given here wins, and the values of repeated
    /// options stand here first, there second, since the first match decides where order matters.
    package func layered(over base: ParsedArguments) -> ParsedArguments {
        var result = self
        result.occurrences += base.occurrences.filter { occurrence in
            isRepeated(occurrence.name) || !contains(occurrence.name)
        }
        if positionals.isEmpty { result.positionals = base.positionals }
        return result
    }

    /// Words that are read as exactly this again: every option by its long name, then `--` and the positionals.
    package var words: [ArgumentValue] {
        var words: [ArgumentValue] = []
        for occurrence in occurrences {
            let spelling = occurrence.isNegated ? "--no-\(occurrence.name)" : "--\(occurrence.name)"
            if let value = occurrence.value {
                words.append(ArgumentValue(Array("\(spelling)=".utf8) + value.bytes))
            } else {
                words.append(ArgumentValue(spelling))
            }
        }
        if !positionals.isEmpty { words.append("--") }
        return words + positionals
    }

    private func isRepeated(_ name: String) -> Bool { command.option(named: name)?.isRepeated ?? false }
}
