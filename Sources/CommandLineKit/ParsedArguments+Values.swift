extension ParsedArguments {
    /// Whether an option was given at all, on or off.
    package func contains(_ name: String) -> Bool {
        checkName(name)
        return occurrences.contains { $0.name == name }
    }

    /// Whether a flag is on: as it was given last, or else as the default says.
    package func flag(_ name: String, default: Bool = false) -> Bool {
        checkName(name)
        return occurrences.last { $0.name == name }.map { !$0.isNegated } ?? `default`
    }

    /// The value of an option as it was given last; nil if it was not.
    package func value(_ name: String) -> ArgumentValue? {
        checkName(name)
        return occurrences.last { $0.name == name }?.value
    }

    /// All values of an option in order.
    package func values(_ name: String) -> [ArgumentValue] {
        checkName(name)
        return occurrences.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The occurrences of some options in the order in which they were given, for options whose order among each other
    /// counts.
    package func ordered(_ names: Set<String>) -> [Occurrence] {
        for name in names { checkName(name) }
        return occurrences.filter { names.contains($0.name) }
    }

    /// The value of an option as text.
    ///
    /// - Throws: ``UsageError/invalidValue(option:value:expected:)`` if it is not UTF-8.
    package func text(_ name: String) throws(UsageError) -> String? {
        try parsed(name, expecting: "UTF-8 text") { $0 }
    }

    /// All values of an option as text.
    ///
    /// - Throws: ``UsageError/invalidValue(option:value:expected:)`` for the first that is not UTF-8.
    package func texts(_ name: String) throws(UsageError) -> [String] {
        try allParsed(name, expecting: "UTF-8 text") { $0 }
    }

    /// The value of an option as a whole number in decimal digits.
    ///
    /// - Throws: ``UsageError/invalidValue(option:value:expected:)``, which names the range.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        let expected =
            range.upperBound == .max
            ? "a whole number, \(range.lowerBound) or more"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return try parsed(name, expecting: expected) { text in
            guard let number = Int(text), range.contains(number) else { return nil }
            return number
        }
    }

    /// The value of an option as one of the cases of an enumeration, by its raw value.
    ///
    /// - Throws: ``UsageError/invalidValue(option:value:expected:)``, which names all cases.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Choice.Type = Choice.self
    ) throws(UsageError) -> Choice? {
        let words = Choice.allCases.map { "'\($0.rawValue)'" }
        return try parsed(name, expecting: words.listed(by: "or")) { Choice(rawValue: $0) }
    }

    /// The value of an option, read by a function of the caller's.
    ///
    /// - Parameters:
    ///   - expectation: What the value must be, to complete "expected …".
    ///   - read: The value, or nil where the text is none.
    /// - Throws: ``UsageError/invalidValue(option:value:expected:)`` if there is no value in the text.
    package func parsed<Value>(
        _ name: String, expecting expectation: String, by read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let value = value(name) else { return nil }
        return try self.read(value, of: name, expecting: expectation, by: read)
    }

    /// All values of an option, read by a function of the caller's.
    package func allParsed<Value>(
        _ name: String, expecting expectation: String, by read: (String) -> Value?
    ) throws(UsageError) -> [Value] {
        var results: [Value] = []
        for value in values(name) {
            results.append(try self.read(value, of: name, expecting: expectation, by: read))
        }
        return results
    }

    /// The positional arguments, if there are as many as there must be.
    ///
    /// - Parameters:
    ///   - names: The names of what is expected, in order, to tell which one is missing. The first may stand for many.
    /// - Throws: ``UsageError/missingArgument(_:)``, ``UsageError/unexpectedArgument(_:)``.
    package func positionals(
        named names: [String], atLeast least: Int, atMost most: Int? = nil
    ) throws(UsageError) -> [ArgumentValue] {
        if positionals.count < least {
            throw .missingArgument(
                names.indices.contains(positionals.count) ? names[positionals.count] : names.last ?? "")
        }
        if let most, positionals.count > most { throw .unexpectedArgument(positionals[most].description) }
        return positionals
    }

    /// Refuses options that exclude each other.
    ///
    /// - Throws: ``UsageError/conflict(_:_:)`` with the first two of them that were given.
    package func requireAtMostOne(of names: [String]) throws(UsageError) {
        let given = names.filter(contains)
        if given.count > 1 { throw .conflict("--\(given[0])", "--\(given[1])") }
    }

    /// Refuses an option that was given without another that it belongs to.
    ///
    /// - Throws: ``UsageError/needsOther(option:other:)``.
    package func require(_ other: String, with name: String) throws(UsageError) {
        if contains(name), !contains(other) { throw .needsOther(option: "--\(name)", other: "--\(other)") }
    }

    private func read<Value>(
        _ value: ArgumentValue, of name: String, expecting expectation: String, by read: (String) -> Value?
    ) throws(UsageError) -> Value {
        guard let text = value.text, let result = read(text) else {
            throw .invalidValue(option: "--\(name)", value: value.description, expected: expectation)
        }
        return result
    }

    private func checkName(_ name: String) {
        precondition(command.option(named: name) != nil, "--\(name) is not in the table of \(command.name)")
    }
}

extension Array where Element == String {
    /// The words as prose lists them: `a, b or c`.
    func listed(by conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}
