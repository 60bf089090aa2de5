import Testing

@testable import CommandLineKit

@Suite("Asking for what was given")
struct ParsedArgumentsTests {
    enum Adoption: String, CaseIterable { case auto, never }

    @Test("Of a single value the last wins, of a repeated one all count in order")
    func twice() throws {
        let parsed = try smallCommand.parse(["-j1", "--include", "a", "-j2", "--exclude=b", "--include=c"])
        #expect(parsed.value("connections") == "2")
        #expect(try parsed.integer("connections", in: 1...9) == 2)
        #expect(parsed.values("include") == ["a", "c"])
        #expect(try parsed.texts("include") == ["a", "c"])
        #expect(parsed.ordered(["include", "exclude"]).map(\.name) == ["include", "exclude", "include"])
        #expect(parsed.value("log-file") == nil)
        #expect(try parsed.text("log-file") == nil)
    }

    @Test(
        "A flag is as it was left",
        arguments: [
            ([], false, true), (["--progress"], true, true), (["--no-progress"], false, false),
            (["--progress", "--no-progress"], false, false), (["--no-progress", "--progress"], true, true),
        ] as [([String], Bool, Bool)])
    func flags(words: [String], plain: Bool, withDefaultOn: Bool) throws {
        let parsed = try smallCommand.parse(words)
        #expect(parsed.flag("progress") == plain)
        #expect(parsed.flag("progress", default: true) == withDefaultOn)
        #expect(parsed.contains("progress") == !words.isEmpty)
    }

    @Test(
        "A number is refused with the range that it left",
        arguments: ["0", "65", "x", "", "1.0", " 1", "99999999999999999999"])
    func numbers(value: String) throws {
        let parsed = try smallCommand.parse(["-j", value])
        let error = #expect(throws: UsageError.self) { try parsed.integer("connections", in: 1...64) }
        #expect(
            error?.message
                == "The value '\(value)' is invalid for '--connections': expected a whole number from 1 to 64")
    }

    @Test("A range without an end is told as one")
    func openRange() throws {
        let parsed = try smallCommand.parse(["-j", "-3"])
        let error = #expect(throws: UsageError.self) { try parsed.integer("connections", in: 1...Int.max) }
        #expect(error?.message.hasSuffix("expected a whole number, 1 or more") == true)
        #expect(try parsed.integer("connections", in: -5...5) == -3)
    }

    @Test("A choice is refused with all that could be chosen")
    func choices() throws {
        let good = try smallCommand.parse(["--log-file", "never"])
        #expect(try good.choice("log-file", of: Adoption.self) == .never)
        #expect(try good.choice("connections", of: Adoption.self) == nil)
        let bad = try smallCommand.parse(["--log-file", "Never"])
        let error = #expect(throws: UsageError.self) { try bad.choice("log-file", of: Adoption.self) }
        #expect(error?.message == "The value 'Never' is invalid for '--log-file': expected 'auto' or 'never'")
    }

    @Test("A reader of the caller's own says what it expects")
    func ownReader() throws {
        let parsed = try smallCommand.parse(["--include=2", "--include=x"])
        #expect(throws: UsageError.invalidValue(option: "--include", value: "x", expected: "digits")) {
            try parsed.allParsed("include", expecting: "digits") { Int($0) }
        }
        let good = try smallCommand.parse(["--include=2", "--include=3"])
        #expect(try good.allParsed("include", expecting: "digits") { Int($0) } == [2, 3])
    }

    @Test(
        "Positional arguments are counted",
        arguments: [
            ([], .missingArgument("source")), (["a"], .missingArgument("dest")), (["a", "b"], nil),
            (["a", "b", "c"], nil),
            (["a", "b", "c", "d"], .unexpectedArgument("d")),
        ] as [([String], UsageError?)])
    func positionals(words: [String], expected: UsageError?) throws {
        let parsed = try smallCommand.parse(words)
        let outcome = Result { try parsed.positionals(named: ["source", "dest"], atLeast: 2, atMost: 3) }
        switch outcome {
        case .success(let arguments):
            #expect(expected == nil)
            #expect(arguments.map(\.description) == words)
        case .failure(let error): #expect(error as? UsageError == expected)
        }
    }

    @Test("Options that exclude each other are named")
    func conflicts() throws {
        let parsed = try smallCommand.parse(["-nv"])
        #expect(throws: UsageError.conflict("--dry-run", "--verbose")) {
            try parsed.requireAtMostOne(of: ["dry-run", "progress", "verbose"])
        }
        #expect(throws: Never.self) { try parsed.requireAtMostOne(of: ["dry-run", "progress"]) }
    }

    @Test("The command line wins over what lies below it")
    func layers() throws {
        let line = try smallCommand.parse(["-j2", "--exclude=a", "--no-progress", "x"])
        let file = try smallCommand.parse(["-j9", "--log-file=l", "--exclude=b", "--progress", "y"])
        let both = line.layered(over: file)
        #expect(both.value("connections") == "2")
        #expect(both.value("log-file") == "l")
        #expect(both.values("exclude") == ["a", "b"])
        #expect(!both.flag("progress", default: true))
        #expect(both.positionals == ["x"])
        #expect(ParsedArguments(command: smallCommand).layered(over: file) == file)
    }

    @Test(
        "A setting of a file is an option without its dashes",
        arguments: [
            ("connections", "4", Occurrence("connections", value: "4")), ("dry-run", nil, Occurrence("dry-run")),
            ("dry-run", "yes", Occurrence("dry-run")), ("dry-run", "off", nil),
            ("progress", "false", Occurrence("progress", isNegated: true)),
        ] as [(String, ArgumentValue?, Occurrence?)])
    func settings(name: String, value: ArgumentValue?, expected: Occurrence?) throws {
        #expect(try smallCommand.setting(name, value) == expected)
    }

    @Test(
        "A wrong setting is told by its name",
        arguments: [
            ("conections", "4", "Unknown option 'conections'. Did you mean 'connections'?"),
            ("connections", nil, "Missing value for 'connections <n>'"),
            (
                "dry-run", "maybe",
                "The value 'maybe' is invalid for 'dry-run': expected 'true', 'yes', 'on', 'false', 'no' or 'off'"
            ),
        ] as [(String, ArgumentValue?, String)])
    func wrongSettings(name: String, value: ArgumentValue?, message: String) {
        let error = #expect(throws: UsageError.self) { try smallCommand.setting(name, value) }
        #expect(error?.message == message)
    }
}
