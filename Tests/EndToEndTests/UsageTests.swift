import TestSupport
import Testing

/// The command line itself.
@Suite(.timeLimit(.minutes(10))) struct UsageTests {
    @Test(
        "A wrong command line ends with 2 and says what is wrong, how the command is called and where to read on",
        arguments: [
            (["--dry-rnu", "list", "here"], "Unknown option '--dry-rnu'. Did you mean '--dry-run'?"),
            (["--conections=3", "list", "here"], "Unknown option '--conections'. Did you mean '--connections'?"),
            (["-Z", "list", "here"], "Unknown option '-Z'"),
            ([], "Missing expected argument '<SOURCE>'"),
            (["list"], "Missing expected argument '<DEST>'"),
            (
                ["-j", "0", "list", "here"],
                "The value '0' is invalid for '--connections': expected a whole number from 1 to 256"
            ),
            (
                ["-j257", "list", "here"],
                "The value '257' is invalid for '--connections': expected a whole number from 1 to 256"
            ),
            (
                ["--per-host", "many", "list", "here"],
                "The value 'many' is invalid for '--per-host': expected a whole number from 1 to 256"
            ),
            (
                ["-s", "0", "list", "here"],
                "The value '0' is invalid for '--segments': expected auto, or a number from 1 to 256"
            ),
            (
                ["--retries", "-1", "list", "here"],
                "The value '-1' is invalid for '--retries': expected a whole number from 0 to 1000"
            ),
            (
                ["--location=de,", "list", "here"],
                "The value 'de,' is invalid for '--location': expected countries by their two letters, as in de or de,at"
            ),
            (
                ["--depth=65", "list", "here"],
                "The value '65' is invalid for '--depth': expected a whole number from 0 to 64"
            ),
            (
                ["--limit-rate", "0", "list", "here"],
                "The value '0' is invalid for '--limit-rate': expected a rate of at least 1, as in 500k or 2M, or rates by the "
                    + "time of the day, as in 08:00-18:00=1M,none"
            ),
            (
                ["--stall-timeout", "5x", "list", "here"],
                "The value '5x' is invalid for '--stall-timeout': expected a time between 1 second and a day, as in 30s or 5m"
            ),
            (
                ["--connect-timeout", "500ms", "list", "here"],
                "The value '500ms' is invalid for '--connect-timeout': expected a time between 1 second and a day, as in 30s or 5m"
            ),
            (
                ["--layout", "round", "list", "here"],
                "The value 'round' is invalid for '--layout': expected 'tree', 'host' or 'flat'"
            ),
            (
                ["--base-url", "here", "list", "here"],
                "The value 'here' is invalid for '--base-url': expected an absolute URL"
            ),
            (["-4", "-6", "list", "here"], "The options '--ipv4' and '--ipv6' exclude each other"),
            (["-q", "-v", "list", "here"], "The options '--quiet' and '--verbose' exclude each other"),
            (["--dry-run=yes", "list", "here"], "The option '--dry-run' takes no value, but 'yes' was given"),
            (["list", "here", "--retries"], "Missing value for '--retries <N>'"),
            (["--json", "list", "here"], "The option '--json' goes only with '--dry-run'"),
            (
                ["ftp://example.org/list", "here"],
                "The value 'ftp://example.org/list' is invalid for '<SOURCE>': expected a file, '-', or an http or https URL"
            ),
            (
                ["http://[bad", "here"],
                "The value 'http://[bad' is invalid for '<SOURCE>': expected a file, '-', or an http or https URL"
            ),
            (["", "here"], "The value '' is invalid for '<SOURCE>': expected a file, '-', or an http or https URL"),
            (["list", ""], "The value '' is invalid for '<DEST>': expected the path of a directory"),
            (
                ["list", "http://example.org/"],
                "The value 'http://example.org/' is invalid for '<DEST>': expected the path of a directory"
            ),
            (["-", "-", "here"], "The value '-' is invalid for '<SOURCE>': expected standard input once at most"),
        ] as [([String], String)])
    func refuses(arguments: [String], message: String) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Command.run(arguments, directory: directory.path)
            #expect(result.exited(2), "\(result)")
            #expect(result.standardOutput.isEmpty)
            #expect(
                result.errorText == """
                    Error: \(message)
                    Usage: dlsync [OPTIONS] SOURCE... DEST
                           dlsync --list [OPTIONS] SOURCE...
                           dlsync --verify [--repair] [OPTIONS] [SOURCE...] DEST
                           dlsync --status [--json] DEST
                           dlsync --forget-source URL|FILE DEST
                           dlsync --explain-listing URL|FILE [OPTIONS]
                      See 'dlsync --help' for more information.

                    """)
            #expect(try treeListing(directory.path).isEmpty)
        }
    }

    @Test(
        "What only tells something needs nothing else, and goes to standard output",
        arguments: [
            (["--help"], "OVERVIEW:"), (["-h"], "--connections"), (["-h"], "EXIT STATUS"),
            (["--version"], "dlsync 0.1.0\n"),
            (["--manual"], ".TH \"DLSYNC\" \"1\""), (["--manual"], "\\fB\\-\\-dry\\-run\\fR"),
            (["--completions", "bash"], "complete"), (["--completions=zsh"], "#compdef dlsync"),
            (["--completions", "fish"], "complete -c dlsync"),
        ] as [([String], String)])
    func informs(arguments: [String], text: String) async throws {
        let result = try await Command.run(arguments)
        #expect(result.exited(0), "\(result)")
        #expect(result.standardError.isEmpty)
        #expect(result.outputText.contains(text), "\(result)")
    }

    @Test("The completions are right in the eyes of the shell")
    func completes() async throws {
        let script = try await Command.run("--completions", "bash").standardOutput
        let checked = try await ChildProcess.run("/bin/bash", ["-n"], input: script)
        #expect(checked.exited(0), "\(checked)")
        let asked = try await ChildProcess.run(
            "/bin/bash",
            ["-c", "eval \"$(cat)\"; COMP_WORDS=(dlsync --conn); COMP_CWORD=1; _dlsync; echo \"${COMPREPLY[@]}\""],
            input: script)
        #expect(asked.outputText.contains("--connections"), "\(asked)")
    }

    @Test("Words behind -- are no options, and options may stand anywhere")
    func separatesWords() async throws {
        try await withTemporaryDirectory { directory in
            try writeFile(directory.appending("-list"), "# nothing is wanted\n")
            for arguments in [
                ["-n", "--", "-list", "-here"], ["./-list", "-n", "here"], ["./-list", "here", "--dry-run"],
            ] {
                let result = try await Command.run(arguments, directory: directory.path)
                #expect(result.exited(0), "\(result)")
                #expect(result.outputText.hasPrefix("0 entries"), "\(result)")
            }
        }
    }
}
