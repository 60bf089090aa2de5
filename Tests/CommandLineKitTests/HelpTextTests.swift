import Testing

@testable import CommandLineKit

@Suite("The help screen")
struct HelpTextTests {
    @Test("The table itself is sound")
    func soundTable() {
        #expect(sampleCommand.inconsistencies() == [])
        #expect(smallCommand.inconsistencies() == [])
    }

    @Test("What is wrong with a table is told")
    func unsoundTable() {
        let command = CommandSpec(
            name: "x", overview: "X.", usage: [],
            options: [
                .flag("ab", short: "a", negatable: true, section: "S", "Fine."),
                .flag("no-ab", short: "a", section: "S", "Not a sentence"),
                .value("-x", short: "é", "", section: "", completion: .words(["a b", "fine"]), "Help."),
            ])
        #expect(
            command.inconsistencies() == [
                "--no-ab stands in the table twice.",
                "-a stands in the table twice.",
                "The help of --no-ab is not a sentence.",
                "---x is no long name of small letters, digits, dots and hyphens.",
                "-é of ---x is no ASCII letter or digit.",
                "---x has an empty placeholder.",
                "'a b' of ---x is more than letters, digits and '.', '_', '-', '+'.",
                "---x stands in no section.",
            ])
    }

    @Test("At 80 columns labels stand left and prose right")
    func wide() {
        #expect(
            sampleCommand.helpText(width: 80) == #"""
                OVERVIEW: Bring a local directory up to date with what manifests and listings
                name.

                A source is a manifest file, '-' for standard input, or the URL of a manifest or
                index page. What is complete and current is not fetched again.

                USAGE: dlsync [<options>] <source> ... <dest>
                       dlsync --list [<options>] <source> ...
                       dlsync --status <dest>

                ARGUMENTS:
                  <source>                A manifest file, '-', or the URL of a manifest or
                                          listing.
                  <dest>                  The directory to bring up to date.

                MODES:
                  -n, --dry-run           Say what would be done, and why. Nothing is written
                                          below the destination.
                  --list                  Print the entries that the sources yield.
                  --verify                Hash the tree again and compare it with the digests
                                          that are known.
                  --repair                With --verify, fetch again what is bad, and only that.
                  --status                Tell what is unfinished below a destination, what
                                          failed and since when.
                  -h, --help              Show this help.

                READING:
                  --format <name>         Read the sources as this format. (values: list,
                                          checksums, tsv, html, metalink; default: by content)
                  --base-url <url>        Resolve the relative names of a file against this URL.
                  --depth <n>             Follow listings this deep. (default: no limit)
                  --layout <layout>       Where files land below the destination. (values: tree,
                                          host, flat; default: tree)
                  --include <glob>        Take what matches; '**' crosses directories. The first
                                          match wins.
                  --exclude <glob>        Leave what matches; the first match of --include and
                                          --exclude wins.
                  --filter-from <file>    Read filters from a file, one a line.

                COMPARING:
                  --size-only             Compare sizes and nothing else.
                  -c, --checksum          Compare digests, and hash what is here where they are
                                          known.
                  --adopt <when>          Whether the unfinished file of another tool is taken
                                          over. (values: auto, never; default: auto)

                TRANSFER:
                  -j, --connections <n>   Run this many transfers at once. (default: 16)
                  --per-host <n>          Run this many transfers at once to one host. (default:
                                          8)
                  -s, --segments <auto|n> Fetch a file in this many ranges at once; 'auto'
                                          begins with one and adds while it pays. (default:
                                          auto)
                  --limit-rate <rate>     Fetch no more than this a second, such as 10M.
                                          (default: no limit)
                  --http1.1               Speak HTTP/1.1 and no later version.
                  -4, --ipv4              Use IPv4 addresses only.
                  -H, --header <line>     Send this header with every request, such as 'X-Key:
                                          abc'.
                  -u, --user <name:password>
                                          Log in with this name and password.
                  -k, --insecure          Do not check the certificates of servers. What comes
                                          then may come from anyone.

                MIRRORING:
                  --delete                Delete what was brought by an earlier run and is gone
                                          from the sources.
                  --max-delete <n|p%>     Refuse to delete more than this. (default: 50%)
                  --backup-dir <dir>      Move what would be deleted or replaced to here.

                OUTPUT:
                  --progress <how>        How to show progress. (values: auto, bar, plain, none;
                                          default: auto)
                  --[no-]color            Use colours. (default: on a terminal)
                  -q, --quiet             Print errors only.
                  --json                  Print one JSON object a line.

                EXIT STATUS:
                  0                       In sync; nothing to do counts.
                  3                       Some entries failed.

                """#)
    }

    @Test("On a narrow terminal the prose stands below the labels")
    func narrow() {
        let command = CommandSpec(
            name: "fetch", overview: "Fetch things from somewhere.", usage: ["[<options>] <source>"],
            options: [
                .value("connections", short: "j", "n", section: "Transfer", default: "16", "Run this many at once.")
            ])
        #expect(
            command.helpText(width: 36) == """
                OVERVIEW: Fetch things from
                somewhere.

                USAGE: fetch [<options>] <source>

                TRANSFER:
                  -j, --connections <n>
                        Run this many at once.
                        (default: 16)

                """)
    }

    @Test("Prose never leaves the width", arguments: [30, 40, 56, 72, 80, 100, 132, 500])
    func width(width: Int) {
        for line in sampleCommand.helpText(width: width).split(separator: "\n") {
            // A label or a form of usage is never cut.
            #expect(line.count <= width || line.contains("<") || line.contains("dlsync"), "\(line)")
        }
    }
}

@Suite("Filling lines")
struct TextWrappingTests {
    @Test(
        "Words are kept whole",
        arguments: [
            ("", 10, []), ("   ", 10, []), ("one", 3, ["one"]), ("one two", 7, ["one two"]),
            ("one two", 6, ["one", "two"]), ("a verylongword b", 5, ["a", "verylongword", "b"]),
            (" a\n b ", 9, ["a b"]),
        ] as [(String, Int, [String])])
    func fill(text: String, width: Int, lines: [String]) {
        #expect(wrapped(text, width: width) == lines)
    }
}

@Suite("Which name was meant")
struct NearestNameTests {
    @Test(
        "The distance counts insertions, losses, replacements and swaps",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("", "ab", 2), ("abc", "abd", 1), ("abc", "acb", 1),
            ("kitten", "sitting", 3), ("ab", "ba", 1),
        ])
    func distance(one: String, other: String, distance: Int) {
        #expect(editDistance(one, other) == distance)
        #expect(editDistance(other, one) == distance)
    }

    @Test(
        "A slip is recognised, a guess is not",
        arguments: [
            ("--conections", "--connections"), ("--connectionss", "--connections"), ("--segment", "--segments"),
            ("--min", "--min-size"), ("--max", nil), ("--zzz", nil), ("--jsno", "--json"), ("--", nil),
            (String(repeating: "x", count: 5000), nil),
        ])
    func slips(typed: String, meant: String?) {
        let words = ["--connections", "--segments", "--min-size", "--max-size", "--max-delete", "--json"]
        #expect(nearest(to: typed, among: words) == meant)
    }
}
