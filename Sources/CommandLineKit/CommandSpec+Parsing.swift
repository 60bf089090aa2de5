extension CommandSpec {
    /// Reads a command line, without the command's own name.
    ///
    /// `--name value`, `--name=value`, `-x value`, `-xvalue`, bundled `-nv`, `--no-name`; options and positionals may be
    /// mixed, and everything behind `--` is positional, as is a lone `-`. A value may begin with a hyphen, but a word
    /// that is an option of this table is not taken as the value of another: `--log-file --dry-run` is a forgotten
    /// file name and not a file of that name. `--log-file=--dry-run` says that it is one.
    ///
    /// Values are not looked at: the typed accessors of ``ParsedArguments`` do that.
    package func parse(_ words: [ArgumentValue]) throws(UsageError) -> ParsedArguments {
        var reader = WordReader(command: self, words: words[...])
        return try reader.read()
    }

    /// Reads a command line of texts.
    package func parse(_ words: [String]) throws(UsageError) -> ParsedArguments {
        try parse(words.map { ArgumentValue($0) })
    }

    /// Reads one setting as a configuration file has it: the long name of an option, and its value, or for a flag
    /// nothing or `true`, `yes`, `on`, `false`, `no`, `off`.
    ///
    /// A flag that is not negatable but is set to false yields nothing, since it is off already.
    package func setting(_ name: String, _ value: ArgumentValue?) throws(UsageError) -> Occurrence? {
        guard let option = option(named: name) else {
            throw .unknownOption(name, suggestion: nearest(to: name, among: options.map(\.name)))
        }
        if let placeholder = option.placeholder {
            guard let value else { throw .missingValue(option: name, placeholder: placeholder) }
            return Occurrence(option.name, value: value)
        }
        switch value?.text {
        case nil where value == nil, "true", "yes", "on": return Occurrence(option.name)
        case "false", "no", "off": return option.isNegatable ? Occurrence(option.name, isNegated: true) : nil
        default:
            throw .invalidValue(
                option: name, value: value?.description ?? "",
                expected: "'true', 'yes', 'on', 'false', 'no' or 'off'")
        }
    }
}

/// The state of reading a command line from left to right.
private struct WordReader {
    let command: CommandSpec
    var words: ArraySlice<ArgumentValue>
    var result: ParsedArguments

    private static let hyphen = UInt8(ascii: "-")

    init(command: CommandSpec, words: ArraySlice<ArgumentValue>) {
        self.command = command
        self.words = words
        self.result = ParsedArguments(command: command)
    }

    mutating func read() throws(UsageError) -> ParsedArguments {
        while let word = words.popFirst() {
            let bytes = word.bytes[...]
            if bytes.elementsEqual("--".utf8) {
                result.positionals += words
                break
            } else if bytes.starts(with: "--".utf8) {
                try readLong(bytes.dropFirst(2))
            } else if bytes.count > 1, bytes.first == Self.hyphen {
                try readBundle(bytes.dropFirst())
            } else {
                result.positionals.append(word)
            }
        }
        return result
    }

    /// Reads what stands behind `--`: a name, and maybe `=` and a value.
    private mutating func readLong(_ body: ArraySlice<UInt8>) throws(UsageError) {
        let end = body.firstIndex(of: UInt8(ascii: "="))
        let name = body[..<(end ?? body.endIndex)]
        let attached = end.map { ArgumentValue(Array(body[($0 + 1)...])) }
        guard let (option, isNegated) = longOption(name) else {
            let spelling = "--" + ArgumentValue(Array(name)).description
            throw .unknownOption(spelling, suggestion: nearest(to: spelling, among: command.longSpellings))
        }
        let spelling = isNegated ? "--no-\(option.name)" : "--\(option.name)"
        if let placeholder = option.placeholder {
            let value = if let attached { attached } else { try nextValue(of: spelling, placeholder) }
            result.occurrences.append(Occurrence(option.name, value: value))
        } else if let attached {
            throw .unexpectedValue(option: spelling, value: attached.description)
        } else {
            result.occurrences.append(Occurrence(option.name, isNegated: isNegated))
        }
    }

    /// Reads what stands behind `-`: flags, and maybe an option with a value, which takes the rest of the word.
    private mutating func readBundle(_ body: ArraySlice<UInt8>) throws(UsageError) {
        var rest = body
        while let byte = rest.popFirst() {
            guard let option = command.option(short: Character(UnicodeScalar(byte))) else {
                throw .unknownOption(shortSpelling(of: byte, in: body), suggestion: suggestionForBundle(body))
            }
            guard let placeholder = option.placeholder else {
                result.occurrences.append(Occurrence(option.name))
                continue
            }
            let spelling = "-\(Character(UnicodeScalar(byte)))"
            let value = rest.isEmpty ? try nextValue(of: spelling, placeholder) : ArgumentValue(Array(rest))
            result.occurrences.append(Occurrence(option.name, value: value))
            return
        }
    }

    /// Takes the next word as a value, unless it is an option itself.
    private mutating func nextValue(of spelling: String, _ placeholder: String) throws(UsageError) -> ArgumentValue {
        guard let word = words.first, !isOption(word.bytes) else {
            throw .missingValue(option: spelling, placeholder: placeholder)
        }
        words.removeFirst()
        return word
    }

    /// Whether a word spells an option of the table, or ends the options.
    private func isOption(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: "--".utf8) {
            let body = bytes[2...]
            return body.isEmpty || longOption(body.prefix { $0 != UInt8(ascii: "=") }) != nil
        }
        guard bytes.count == 2, bytes[0] == Self.hyphen else { return false }
        return command.option(short: Character(UnicodeScalar(bytes[1]))) != nil
    }

    private func longOption(_ name: ArraySlice<UInt8>) -> (option: OptionSpec, isNegated: Bool)? {
        for option in command.options {
            if name.elementsEqual(option.name.utf8) { return (option, false) }
            if option.isNegatable, name.starts(with: "no-".utf8), name.dropFirst(3).elementsEqual(option.name.utf8) {
                return (option, true)
            }
        }
        return nil
    }

    /// The unknown letter of a bundle; a character of several bytes is shown whole.
    private func shortSpelling(of byte: UInt8, in body: ArraySlice<UInt8>) -> String {
        if byte < 0x80 { return "-" + ArgumentValue([byte]).description }
        return "-" + ArgumentValue(Array(body)).description
    }

    /// Somebody who types `-dry-run` with one hyphen means the long option.
    private func suggestionForBundle(_ body: ArraySlice<UInt8>) -> String? {
        guard body.count > 1 else { return nil }
        let name = body.prefix { $0 != UInt8(ascii: "=") }
        return nearest(to: "--" + ArgumentValue(Array(name)).description, among: command.longSpellings)
    }
}
