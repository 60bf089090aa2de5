import Testing

@testable import CommandLineKit

@Suite("Configuration files")
struct ConfigurationFileTests {
    private static let command = CommandSpec(
        name: "sample", overview: "It is a sample.", usage: ["[OPTIONS]"],
        options: [
            .flag("loud", section: "S", "Be loud."),
            .flag("bright", negatable: true, section: "S", "Be bright."),
            .value("rate", "RATE", section: "S", "Be so fast."),
            .repeated("header", "LINE", section: "S", "Send this."),
            .flag("help", section: "S", "Help."),
        ])

    private static func read(_ text: String) throws(ConfigurationError) -> ConfigurationFile {
        try ConfigurationFile(Array(text.utf8), of: command, refusing: ["help"])
    }

    @Test(
        "A line is a name, or a name and a value; comments, empty lines, blanks and line ends of other systems say nothing"
    )
    func reads() throws {
        let file = try Self.read(
            "\u{FEFF}# a comment\r\n\r\n  loud  \r\n\t# rate = 1\nrate=500k\nheader = X-A: \"b\" # c = d \nheader = X-B: e\n"
                + "bright = no")
        #expect(
            file.arguments.occurrences == [
                Occurrence("loud"), Occurrence("rate", value: "500k"),
                Occurrence("header", value: "X-A: \"b\" # c = d"), Occurrence("header", value: "X-B: e"),
                Occurrence("bright", isNegated: true),
            ])
        #expect(file.lines == ["loud": 3, "rate": 5, "header": 7, "bright": 8])
        #expect(try Self.read("").arguments.occurrences.isEmpty)
        #expect(try Self.read("loud = off").arguments.occurrences.isEmpty)
    }

    @Test("A value need not be UTF-8")
    func readsBytes() throws {
        let file = try ConfigurationFile(Array("rate = a".utf8) + [0xFF], of: Self.command, refusing: [])
        #expect(file.arguments.value("rate") == ArgumentValue([0x61, 0xFF]))
    }

    @Test(
        "A line that is wrong is told with its number and what it should be",
        arguments: [
            ("\n\nrat = 5", 3, .unknownOption("rat", suggestion: "rate")),
            ("# x\n--loud", 2, .unknownOption("--loud", suggestion: nil)),
            ("rate", 1, .missingValue(option: "rate", placeholder: "RATE")),
            (
                "loud = maybe", 1,
                .invalidValue(option: "loud", value: "maybe", expected: "'true', 'yes', 'on', 'false', 'no' or 'off'")
            ),
            ("loud\nhelp", 2, .refusedInFile("help")), ("= 5", 1, .unknownOption("", suggestion: nil)),
            ("loud quiet", 1, .unknownOption("loud quiet", suggestion: nil)),
            ("rate = a\0b", 1, .invalidValue(option: "rate", value: "a\\x00b", expected: "a value without a NUL byte")),
        ] as [(String, Int, UsageError)])
    func refuses(text: String, line: Int, error: UsageError) {
        #expect(throws: ConfigurationError(line: line, error: error)) { try Self.read(text) }
    }
}
