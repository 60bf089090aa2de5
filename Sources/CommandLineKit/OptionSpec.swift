/// One option: everything that is known of it, from which parser, help, manual, completions and reference are made.
package struct OptionSpec: Hashable, Sendable {
    /// What an option takes, and what it means to give it twice.
    package enum Kind: Hashable, Sendable {
        /// Takes no value. A negatable one can be switched off again by `--no-NAME`; the last of them wins.
        case flag(negatable: Bool)
        /// Takes one value, shown under this placeholder; of several the last wins.
        case value(placeholder: String)
        /// Takes one value each time, and every one counts, in order.
        case repeated(placeholder: String)
    }

    /// What a shell may offer for the value.
    package enum Completion: Hashable, Sendable {
        /// Nothing: the value is the user's own.
        case none
        /// One of these words. They also stand in the help, as `values:`.
        case words([String])
        /// The name of a file.
        case file
        /// The name of a directory.
        case directory
    }

    /// The long name, without its dashes; the name by which everything else speaks of the option.
    package let name: String
    /// The one-letter name, without its dash; an ASCII letter or digit.
    package let short: Character?
    /// What the option takes.
    package let kind: Kind
    /// What the option does, in full sentences.
    package let help: String
    /// The heading that the option stands below.
    package let section: String
    /// What holds where the option is not given; shown in the help, never applied by the parser.
    package let defaultText: String?
    /// What a shell may offer for the value.
    package let completion: Completion

    /// An option without a value.
    package static func flag(
        _ name: String, short: Character? = nil, negatable: Bool = false, section: String, default: String? = nil,
        _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, kind: .flag(negatable: negatable), help: help, section: section,
            defaultText: `default`, completion: .none)
    }

    /// An option with one value.
    package static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, section: String, default: String? = nil,
        completion: Completion = .none, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, kind: .value(placeholder: placeholder), help: help, section: section,
            defaultText: `default`, completion: completion)
    }

    /// An option that may be given many times, with a value each time.
    package static func repeated(
        _ name: String, short: Character? = nil, _ placeholder: String, section: String, default: String? = nil,
        completion: Completion = .none, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, kind: .repeated(placeholder: placeholder), help: help, section: section,
            defaultText: `default`, completion: completion)
    }

    /// The placeholder of the value, without its angle brackets; nil for a flag.
    package var placeholder: String? {
        switch kind {
        case .flag: nil
        case .value(let placeholder), .repeated(let placeholder): placeholder
        }
    }

    /// Whether `--no-NAME` is a spelling too.
    package var isNegatable: Bool { kind == .flag(negatable: true) }

    /// Whether every occurrence counts, and not only the last.
    package var isRepeated: Bool {
        if case .repeated = kind { return true }
        return false
    }
}

extension OptionSpec {
    /// The spellings as help shows them: `-j, --connections <n>`, `--[no-]progress`.
    var label: String {
        var label = short.map { "-\($0), " } ?? ""
        label += isNegatable ? "--[no-]\(name)" : "--\(name)"
        if let placeholder { label += " <\(placeholder)>" }
        return label
    }

    /// The help with the possible values and the default behind it in parentheses.
    var fullHelp: String {
        var facts: [String] = []
        if case .words(let words) = completion { facts.append("values: " + words.joined(separator: ", ")) }
        if let defaultText { facts.append("default: \(defaultText)") }
        return facts.isEmpty ? help : "\(help) (\(facts.joined(separator: "; ")))"
    }
}
