/// What is wrong with a configuration file.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// What is wrong with it.
    package let error: UsageError
}

/// The options of a configuration file, with the line of each.
package struct ConfigurationFile: Hashable, Sendable {
    /// The options, in the order of the lines.
    package private(set) var arguments: ParsedArguments
    /// The line that each option was given on last.
    package private(set) var lines: [String: Int] = [:]

    /// Reads a configuration file.
    ///
    /// A line is the long name of an option, for one that takes a value followed by `=` and the value, as in
    /// `limit-rate = 500k`. Blanks around names and values count for nothing; within a value everything counts as it
    /// stands, quotes and `#` too. Empty lines and those that begin with `#` say nothing.
    ///
    /// - Parameter refused: Options that make no sense in a file.
    /// - Throws: The first line that is wrong, with why.
    package init(_ bytes: [UInt8], of command: CommandSpec, refusing refused: Set<String>) throws(ConfigurationError) {
        arguments = ParsedArguments(command: command)
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(UsageError) {
                guard let occurrence = try Self.occurrence(Self.trimmed(line), command, refused) else { continue }
                arguments.occurrences.append(occurrence)
                self.lines[occurrence.name] = index + 1
            } catch {
                throw ConfigurationError(line: index + 1, error: error)
            }
        }
    }

    private static func occurrence(
        _ line: ArraySlice<UInt8>, _ command: CommandSpec, _ refused: Set<String>
    ) throws(UsageError) -> Occurrence? {
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        let equals = line.firstIndex(of: UInt8(ascii: "="))
        let name = ArgumentValue(Array(trimmed(line[..<(equals ?? line.endIndex)]))).description
        guard !refused.contains(name) else { throw .refusedInFile(name) }
        let value = equals.map { ArgumentValue(Array(trimmed(line[($0 + 1)...]))) }
        if let value, value.bytes.contains(0) {
            throw .invalidValue(option: name, value: value.description, expected: "a value without a NUL byte")
        }
        return try command.setting(name, value)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
