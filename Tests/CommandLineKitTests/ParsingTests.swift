import Testing

@testable import CommandLineKit

/// A small table with one option of each shape.
let smallCommand = CommandSpec(
    name: "fetch", overview: "Fetch things.", usage: ["[<options>] <source> ... <dest>"],
    options: [
        .flag("dry-run", short: "n", section: "Modes", "Only tell."),
        .flag("verbose", short: "v", section: "Modes", "Tell more."),
        .flag("progress", negatable: true, section: "Modes", "Draw."),
        .flag("ipv4", short: "4", section: "Transfer", "Use IPv4."),
        .value("connections", short: "j", "n", section: "Transfer", "How many."),
        .value("log-file", "file", section: "Output", completion: .file, "Write there."),
        .repeated("include", "glob", section: "Filters", "Take these."),
        .repeated("exclude", "glob", section: "Filters", "Leave these."),
    ])

@Suite("Reading a command line")
struct ParsingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        let occurrences: [Occurrence]
        var positionals: [ArgumentValue] = []
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(
        "Every spelling is read as what it means",
        arguments: [
            Row(words: [], occurrences: []),
            Row(words: ["a", "b"], occurrences: [], positionals: ["a", "b"]),
            Row(words: ["--dry-run"], occurrences: [Occurrence("dry-run")]),
            Row(words: ["-n"], occurrences: [Occurrence("dry-run")]),
            Row(words: ["-nv4"], occurrences: [Occurrence("dry-run"), Occurrence("verbose"), Occurrence("ipv4")]),
            Row(words: ["--connections", "4"], occurrences: [Occurrence("connections", value: "4")]),
            Row(words: ["--connections=4"], occurrences: [Occurrence("connections", value: "4")]),
            Row(words: ["--connections="], occurrences: [Occurrence("connections", value: "")]),
            Row(words: ["--connections", ""], occurrences: [Occurrence("connections", value: "")]),
            Row(words: ["--include=a=b"], occurrences: [Occurrence("include", value: "a=b")]),
            Row(words: ["-j", "4"], occurrences: [Occurrence("connections", value: "4")]),
            Row(words: ["-j4"], occurrences: [Occurrence("connections", value: "4")]),
            Row(words: ["-nj4"], occurrences: [Occurrence("dry-run"), Occurrence("connections", value: "4")]),
            Row(words: ["-nj", "4"], occurrences: [Occurrence("dry-run"), Occurrence("connections", value: "4")]),
            Row(words: ["-jn"], occurrences: [Occurrence("connections", value: "n")]),
            Row(words: ["-j", "-1"], occurrences: [Occurrence("connections", value: "-1")]),
            Row(words: ["--log-file", "-"], occurrences: [Occurrence("log-file", value: "-")]),
            Row(words: ["--log-file=--dry-run"], occurrences: [Occurrence("log-file", value: "--dry-run")]),
            Row(words: ["--log-file", "--unheard-of"], occurrences: [Occurrence("log-file", value: "--unheard-of")]),
            Row(words: ["--progress"], occurrences: [Occurrence("progress")]),
            Row(words: ["--no-progress"], occurrences: [Occurrence("progress", isNegated: true)]),
            Row(words: ["-"], occurrences: [], positionals: ["-"]),
            Row(words: ["--", "-n", "--"], occurrences: [], positionals: ["-n", "--"]),
            Row(words: ["a", "-n", "b"], occurrences: [Occurrence("dry-run")], positionals: ["a", "b"]),
            Row(
                words: ["--exclude", "x", "--include", "y", "--exclude", "z"],
                occurrences: [
                    Occurrence("exclude", value: "x"), Occurrence("include", value: "y"),
                    Occurrence("exclude", value: "z"),
                ]),
        ])
    func spellings(row: Row) throws {
        let parsed = try smallCommand.parse(row.words)
        #expect(parsed.occurrences == row.occurrences)
        #expect(parsed.positionals == row.positionals)
    }

    @Test(
        "What is wrong is said with the option's name",
        arguments: [
            (["--unheard-of"], "Unknown option '--unheard-of'"),
            (["--dry-rnu"], "Unknown option '--dry-rnu'. Did you mean '--dry-run'?"),
            (["--dry"], "Unknown option '--dry'. Did you mean '--dry-run'?"),
            (["--no-progres"], "Unknown option '--no-progres'. Did you mean '--no-progress'?"),
            (["--no-dry-run"], "Unknown option '--no-dry-run'"),
            (["--Include=x"], "Unknown option '--Include'. Did you mean '--include'?"),
            (["-q"], "Unknown option '-q'"),
            (["-nq"], "Unknown option '-q'"),
            (["-dry-run"], "Unknown option '-d'. Did you mean '--dry-run'?"),
            (["-é"], "Unknown option '-é'"),
            (["--\u{1B}[2J"], "Unknown option '--\\x1b[2J'"),
            (["--connections"], "Missing value for '--connections <n>'"),
            (["-j"], "Missing value for '-j <n>'"),
            (["-nj"], "Missing value for '-j <n>'"),
            (["--log-file", "--dry-run"], "Missing value for '--log-file <file>'"),
            (["--log-file", "--include=x"], "Missing value for '--log-file <file>'"),
            (["--log-file", "-n"], "Missing value for '--log-file <file>'"),
            (["--log-file", "--"], "Missing value for '--log-file <file>'"),
            (["--dry-run=yes"], "The option '--dry-run' takes no value, but 'yes' was given"),
            (["--no-progress="], "The option '--no-progress' takes no value, but '' was given"),
        ])
    func errors(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try smallCommand.parse(words) }
        #expect(error?.message == message)
    }

    @Test("A word need not be UTF-8, and stays as it is")
    func bytes() throws {
        let name = ArgumentValue([0x61, 0xFF])
        let parsed = try smallCommand.parse([name, ArgumentValue(Array("--log-file=".utf8) + [0xFE]), "-j", name])
        #expect(parsed.positionals == [name])
        #expect(parsed.value("log-file")?.bytes == [0xFE])
        #expect(parsed.value("connections") == name)
        #expect(throws: UsageError.invalidValue(option: "--log-file", value: "\u{FFFD}", expected: "UTF-8 text")) {
            try parsed.text("log-file")
        }
    }

    @Test("What stands in an error goes to standard error with the usage behind it")
    func errorText() {
        let text = smallCommand.errorText(for: .unknownOption("--x", suggestion: nil))
        #expect(
            text == """
                Error: Unknown option '--x'
                Usage: fetch [<options>] <source> ... <dest>
                  See 'fetch --help' for more information.

                """)
    }

    @Test("What was read is read again from its own words", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let pieces: [[String]] = [
            ["-n"], ["-nv"], ["-j3"], ["-nj", "5"], ["--progress"], ["--no-progress"], ["--log-file="],
            ["--log-file", "-x"], ["--include", "a b"], ["--exclude=**/=*"], ["file"], ["-"], [""], ["-4"],
            ["--connections=--"],
        ]
        var words: [String] = []
        for _ in 0..<random.below(12) { words += pieces[random.below(pieces.count)] }
        if random.below(3) == 0 { words += ["--", "-n", "--progress"] }
        let first = try smallCommand.parse(words)
        let second = try smallCommand.parse(first.words)
        #expect(second == first, "\(words)")
    }

    @Test("No words whatever can trap the reader", arguments: 0..<100 as Range<UInt64>)
    func noise(seed: UInt64) {
        var random = SplitMix(state: seed)
        let alphabet = Array("-=njv4oxp ".utf8) + [0, 0xC3, 0xA9, 0xFF]
        for _ in 0..<50 {
            let words = (0..<random.below(6)).map { _ in
                ArgumentValue((0..<random.below(6)).map { _ in alphabet[random.below(alphabet.count)] })
            }
            // Either it is read, and then again from its own words, or the error names something.
            do throws(UsageError) {
                let parsed = try smallCommand.parse(words)
                let again = try smallCommand.parse(parsed.words)
                #expect(again == parsed)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }
}

/// A small random generator that yields the same numbers for the same seed everywhere.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
