/// What is wrong with a command line.
package enum UsageError: Error, Hashable, Sendable {
    /// No option has this spelling; perhaps another one was meant.
    case unknownOption(String, suggestion: String?)
    /// An option stands without the value that it takes.
    case missingValue(option: String, placeholder: String)
    /// A value is attached to an option that takes none.
    case unexpectedValue(option: String, value: String)
    /// The value is not what the option takes.
    case invalidValue(option: String, value: String, expected: String)
    /// A positional argument is missing.
    case missingArgument(String)
    /// There is a positional argument too many.
    case unexpectedArgument(String)
    /// A positional argument is not what it should be.
    case invalidArgument(name: String, value: String, expected: String)
    /// Two options that exclude each other.
    case conflict(String, String)
    /// An option that makes no sense in a configuration file.
    case refusedInFile(String)
    /// A configuration file cannot be used.
    case configuration(file: String, line: Int?, message: String)
    /// An option that means something only together with another.
    case needsOther(option: String, other: String)

    /// What is wrong, in a sentence without its full stop.
    package var message: String {
        switch self {
        case .unknownOption(let spelling, nil): "Unknown option '\(spelling)'"
        case .unknownOption(let spelling, let suggestion?):
            "Unknown option '\(spelling)'. Did you mean '\(suggestion)'?"
        case .missingValue(let option, let placeholder): "Missing value for '\(option) <\(placeholder)>'"
        case .unexpectedValue(let option, let value): "The option '\(option)' takes no value, but '\(value)' was given"
        case .invalidValue(let option, let value, let expected):
            "The value '\(value)' is invalid for '\(option)': expected \(expected)"
        case .missingArgument(let name): "Missing expected argument '<\(name)>'"
        case .unexpectedArgument(let value): "Unexpected argument '\(value)'"
        case .invalidArgument(let name, let value, let expected):
            "The value '\(value)' is invalid for '<\(name)>': expected \(expected)"
        case .conflict(let one, let other): "The options '\(one)' and '\(other)' exclude each other"
        case .refusedInFile(let name): "The option '\(name)' can only stand on the command line"
        case .configuration(let file, let line, let message):
            line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
        case .needsOther(let option, let other): "The option '\(option)' goes only with '\(other)'"
        }
    }
}

extension UsageError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

extension CommandSpec {
    /// What goes to standard error for a wrong command line: what is wrong, how the command is called, where to read on.
    package func errorText(for error: UsageError) -> String {
        """
        Error: \(error.message)
        \(usageLines(heading: "Usage: ").joined(separator: "\n"))
          See '\(name) --help' for more information.

        """
    }

    /// The ways to call the command, below each other behind a heading.
    func usageLines(heading: String) -> [String] {
        usage.enumerated().map { index, form in
            (index == 0 ? heading : String(repeating: " ", count: heading.count)) + "\(name) \(form)"
        }
    }
}
