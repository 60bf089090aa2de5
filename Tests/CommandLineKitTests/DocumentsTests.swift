import Foundation
import Testing

@testable import CommandLineKit

/// One option of each shape, with every character that a target language gives a meaning to.
private let awkwardCommand = CommandSpec(
    name: "get-it", overview: "Get it.", discussion: ["'First' word, a \\ and [x]: `y` *z*."],
    usage: ["[<options>] <source>", "--list <source>"],
    arguments: [ArgumentSpec("source", "Where from.")],
    options: [
        .flag("dry-run", short: "n", section: "Modes", "Don't do it: only [tell]. More."),
        .flag("color", negatable: true, section: "Modes", default: "on", "Paint."),
        .value("how", short: "w", "a|b", section: "Ways", completion: .words(["auto", "never"]), "How."),
        .value("log", "file", section: "Ways", completion: .file, "Where to."),
        .value("into", "dir", section: "Ways", completion: .directory, "Where below."),
        .repeated("take", short: "t", "glob", section: "Ways", "What, as 'a\\b'."),
    ],
    manual: [
        ManualSection(
            "Files",
            [
                .paragraph("One."), .definitions([.init("~/.x", "Config.")]), .paragraph("Two."),
                .verbatim([".dot 'x'", "a\\b"]),
            ])
    ])

@Suite("What is made from the table of options")
struct DocumentsTests {
    @Test("The manual page is troff source in which prose stays prose")
    func manPage() {
        #expect(
            awkwardCommand.manPage(version: "1.2.3", date: "2026-01-31") == #"""
                .TH "GET\-IT" "1" "2026\-01\-31" "get\-it 1.2.3" "User Commands"
                .SH "NAME"
                get\-it \- Get it
                .SH "SYNOPSIS"
                \fBget\-it\fR [\fIoptions\fR] \fIsource\fR
                .br
                \fBget\-it\fR \-\-list \fIsource\fR
                .SH "DESCRIPTION"
                Get it.
                .PP
                \(aqFirst\(aq word, a \e and [x]: \(gay\(ga *z*.
                .SH "ARGUMENTS"
                .TP
                \fIsource\fR
                Where from.
                .SH "OPTIONS"
                .SS "Modes"
                .TP
                \fB\-n\fR, \fB\-\-dry\-run\fR
                Don\(aqt do it: only [tell]. More.
                .TP
                \fB\-\-color\fR, \fB\-\-no\-color\fR
                Paint. (default: on)
                .SS "Ways"
                .TP
                \fB\-w\fR, \fB\-\-how\fR \fIa|b\fR
                How. (values: auto, never)
                .TP
                \fB\-\-log\fR \fIfile\fR
                Where to.
                .TP
                \fB\-\-into\fR \fIdir\fR
                Where below.
                .TP
                \fB\-t\fR, \fB\-\-take\fR \fIglob\fR
                What, as \(aqa\eb\(aq.
                .SH "FILES"
                One.
                .TP
                \fB\(ti/.x\fR
                Config.
                .PP
                Two.
                .PP
                .nf
                .RS
                \&.dot \(aqx\(aq
                a\eb
                .RE
                .fi

                """#)
    }

    @Test("The reference is Markdown in which prose stays prose")
    func markdown() {
        #expect(
            awkwardCommand.markdownReference() == #"""
                # get-it

                Get it.

                'First' word, a \\ and \[x\]: \`y\` \*z\*.

                ```
                get-it [<options>] <source>
                get-it --list <source>
                ```

                ## Arguments

                - `<source>`: Where from.

                ## Options

                ### Modes

                - `-n, --dry-run`: Don't do it: only \[tell\]. More.
                - `--[no-]color`: Paint. (default: on)

                ### Ways

                - `-w, --how <a|b>`: How. (values: auto, never)
                - `--log <file>`: Where to.
                - `--into <dir>`: Where below.
                - `-t, --take <glob>`: What, as 'a\\b'.

                ## Files

                One.

                - `~/.x`: Config.

                Two.

                ```
                .dot 'x'
                a\b
                ```

                """#)
    }

    @Test("The completion for zsh names what excludes what")
    func zsh() {
        #expect(
            awkwardCommand.completions(for: .zsh) == #"""
                #compdef get-it

                _arguments -s -S \
                    '(-n --dry-run)-n[Don'\''t do it\: only \[tell\]]' \
                    '(-n --dry-run)--dry-run[Don'\''t do it\: only \[tell\]]' \
                    '(--color --no-color)--color[Paint]' \
                    '(--color --no-color)--no-color[Not: Paint]' \
                    '(-w --how)-w+[How]:a|b:(auto never)' \
                    '(-w --how)--how=[How]:a|b:(auto never)' \
                    '(--log)--log=[Where to]:file:_files' \
                    '(--into)--into=[Where below]:dir:_files -/' \
                    '*-t+[What, as '\''a\\b'\'']:glob: ' \
                    '*--take=[What, as '\''a\\b'\'']:glob: ' \
                    '*:argument:_files'

                """#)
    }

    @Test("The completion for fish says what an option takes")
    func fish() {
        #expect(
            awkwardCommand.completions(for: .fish) == #"""
                # fish completion for get-it
                complete -c get-it -s n -l dry-run -d 'Don\'t do it: only [tell]'
                complete -c get-it -l color -d 'Paint'
                complete -c get-it -l no-color -d 'Not: Paint'
                complete -c get-it -s w -l how -x -a 'auto never' -d 'How'
                complete -c get-it -l log -r -F -d 'Where to'
                complete -c get-it -l into -x -a '(__fish_complete_directories)' -d 'Where below'
                complete -c get-it -s t -l take -x -d 'What, as \'a\\b\''

                """#)
    }

    @Test("groff finds nothing to warn of", .enabled(if: isInstalled("groff")))
    func groff() throws {
        for command in [sampleCommand, awkwardCommand] {
            let page = command.manPage(version: "1.2.3", date: "2026-01-31")
            let answer = try output(of: "groff", ["-man", "-ww", "-Tutf8"], input: page)
            #expect(answer.errors == "")
            #expect(answer.status == 0)
            #expect(answer.text.contains("User Commands"))
        }
    }

    @Test(
        "Each shell reads its completion", arguments: Shell.allCases.filter { isInstalled($0.rawValue) })
    func syntax(shell: Shell) throws {
        for command in [sampleCommand, awkwardCommand] {
            let answer = try output(of: shell.rawValue, ["-n"], input: command.completions(for: shell))
            #expect(answer.errors == "")
            #expect(answer.status == 0)
        }
    }

    @Test(
        "bash offers what may stand there", .enabled(if: isInstalled("bash")),
        arguments: [
            (["--dr"], "--dry-run"), (["--no"], "--no-color"), (["--how", "a"], "auto"), (["-w", ""], "auto never"),
            (["--how", "="], "auto never"), (["--how", "=", "n"], "never"), (["--take", ""], ""),
        ])
    func bash(words: [String], offer: String) throws {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(awkwardCommand.completions(for: .bash))
            COMP_WORDS=(get-it \(line)) COMP_CWORD=\(words.count)
            _get_it
            echo "${COMPREPLY[*]}"
            """
        let answer = try output(of: "bash", ["--norc"], input: script)
        #expect(answer.text == offer + "\n")
        #expect(answer.errors == "")
    }
}

/// Whether a program is found on the search path.
private func isInstalled(_ program: String) -> Bool { path(of: program) != nil }

private func path(of program: String) -> String? {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Runs a program with a text on its standard input, and waits for its end.
private func output(
    of program: String, _ arguments: [String], input: String
) throws -> (text: String, errors: String, status: Int32) {
    let directory = FileManager.default.temporaryDirectory.appending(path: "dlsync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // Files on both sides cannot fill up as pipes do, so that nothing waits for each other.
    let names = ["in", "out", "err"].map { directory.appending(path: $0) }
    try Data(input.utf8).write(to: names[0])
    for name in names[1...] { try Data().write(to: name) }
    let process = Process()
    process.executableURL = URL(filePath: try #require(path(of: program)))
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    let text = try names[1...].map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return (text[0], text[1], process.terminationStatus)
}
