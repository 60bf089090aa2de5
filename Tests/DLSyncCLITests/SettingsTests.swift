import CommandLineKit
import DLSync
import Glibc
import TestSupport
import Testing

@testable import DLSyncCLI

@Suite("Settings from the command line")
struct SettingsTests {
    private static func settings(_ words: String...) throws -> Settings {
        try Settings(try dlsyncCommand.parse(words.map { ArgumentValue(Array($0.utf8)) }))
    }

    /// For each option that changes what is done: words that give it another value than it has by default.
    private static let options: [(name: String, words: [String])] = [
        ("dry-run", ["--dry-run"]), ("json", ["--dry-run", "--json"]), ("format", ["--format", "list"]),
        ("base-url", ["--base-url", "http://example.org/"]), ("depth", ["--depth", "1"]),
        ("layout", ["--layout", "host"]), ("location", ["--location", "de,AT"]),
        ("cut-dirs", ["--cut-dirs", "1"]), ("adopt", ["--adopt", "never"]), ("trust-listing", ["--trust-listing"]),
        ("digests", ["--digests", "SHA256SUMS"]), ("connections", ["-j", "3"]),
        ("per-host", ["--per-host", "3"]), ("segments", ["-s", "3"]), ("min-segment", ["--min-segment", "3M"]),
        ("limit-rate", ["--limit-rate", "3k"]), ("retries", ["--retries", "3"]),
        ("retry-max-wait", ["--retry-max-wait", "3m"]), ("max-retry-after", ["--max-retry-after", "3m"]),
        ("lock-wait", ["--lock-wait", "3m"]), ("retry-status", ["--retry-status", "404"]),
        ("connect-timeout", ["--connect-timeout", "3"]),
        ("stall-timeout", ["--stall-timeout", "3"]), ("http1.1", ["--http1.1"]),
        ("require-ranges", ["--require-ranges"]), ("ipv4", ["-4"]), ("ipv6", ["-6"]),
        ("user-agent", ["-A", "someone"]), ("origin", ["--origin", "http://example.org/"]),
        ("user", ["-u", "me:secret", "--origin", "http://example.org/"]),
        ("header", ["-H", "X-Key: abc", "--origin", "http://example.org/"]),
        ("cookie", ["-b", "a=1", "--origin", "http://example.org/"]), ("netrc-file", ["--netrc-file", "/dev/null"]),
        ("proxy", ["-x", "http://127.0.0.1:3128"]), ("cacert", ["--cacert", "a"]), ("cert", ["--cert", "a"]),
        ("key", ["--key", "a"]), ("insecure", ["-k"]), ("resolve", ["--resolve", "a:80:127.0.0.1"]),
        ("include", ["--include", "a"]), ("exclude", ["--exclude", "a"]),
        ("filter-from", ["--filter-from", Self.ruleFile]), ("min-size", ["--min-size", "3k"]),
        ("max-size", ["--max-size", "3k"]), ("max-entries", ["--max-entries", "3"]), ("delete", ["--delete"]),
        ("delete-unowned", ["--delete-unowned"]), ("max-delete", ["--max-delete", "3"]),
        ("delete-after-runs", ["--delete-after-runs", "3"]), ("allow-empty", ["--allow-empty"]),
        ("backup-dir", ["--backup-dir", "a"]), ("publish-last", ["--publish-last", "a"]),
        ("min-free", ["--min-free", "3k"]),
        ("progress", ["--progress", "plain"]), ("quiet", ["-q"]), ("list", ["--list"]),
        ("verbose", ["-v"]), ("verify", ["--verify"]), ("repair", ["--verify", "--repair"]),
        ("record-digests", ["--record-digests"]), ("max-duration", ["--max-duration", "2h"]),
        ("window", ["--window", "22:00-06:00"]), ("on-change", ["--on-change", "true"]),
        ("on-failure", ["--on-failure", "true"]), ("log-file", ["--log-file", "a"]), ("events", ["--events", "a"]),
        ("report", ["--report", "a"]), ("failed-file", ["--failed-file", "a"]),
        ("metrics-file", ["--metrics-file", "a"]),
    ]

    /// A file with rules, which has to be a real one.
    private static let ruleFile: String = {
        let path = "/tmp/dlsync-rules-\(getpid())"
        try? writeFile(path, "+ a\n- b\n")
        return path
    }()

    @Test("Every option of the table is read: it changes what the command does, or is a mode that only tells something")
    func readsEveryOption() throws {
        defer { removeTree(Self.ruleFile) }
        // What --netrc reads lies in the user's home, and what --config reads is read before; --status and --forget-source
        // take DEST alone.
        let telling = [
            "help", "version", "manual", "completions", "netrc", "config", "status", "explain-listing", "forget-source",
        ]
        #expect(Self.options.map(\.name).sorted() + telling.sorted() == Self.sortedNames(telling))
        var seen: [Settings] = [try Self.settings("list", "here")]
        for (name, words) in Self.options {
            let arguments = try dlsyncCommand.parse((words + ["list", "here"]).map { ArgumentValue(Array($0.utf8)) })
            #expect(arguments.contains(name))
            let settings = try Settings(arguments)
            #expect(!seen.contains(settings), "--\(name) changes nothing, or what another option changes")
            seen.append(settings)
        }
    }

    @Test("To explain a listing takes the listing alone")
    func explains() throws {
        let settings = try Self.settings("--explain-listing", "http://example.org/", "--json")
        #expect(settings.mode == .explain && settings.printsJSON && settings.configuration.isReadOnly)
        #expect(settings.sources == [Source(argument: "http://example.org/")])
        #expect(try Self.settings("--explain-listing=page.html").sources == [.file("page.html")])
        for more in [["here"], ["list", "here"], ["--list"], ["-n"]] {
            #expect(throws: UsageError.self) {
                let words = ["--explain-listing", "page.html"] + more
                _ = try Settings(try dlsyncCommand.parse(words.map { ArgumentValue(Array($0.utf8)) }))
            }
        }
        #expect(throws: UsageError.self) { try Self.settings("--explain-listing", "ftp://example.org/") }
    }

    private static func sortedNames(_ telling: [String]) -> [String] {
        dlsyncCommand.options.map(\.name).filter { !telling.contains($0) }.sorted() + telling.sorted()
    }

    @Test("The table is in order, and its defaults are those of a session")
    func tableIsConsistent() throws {
        #expect(dlsyncCommand.inconsistencies() == [])
        let none = SyncConfiguration()
        for option in dlsyncCommand.options where option.placeholder != nil {
            guard let text = option.defaultText, text != "no limit",
                !["user-agent", "proxy"].contains(option.name)
            else { continue }
            let settings = try Self.settings("--\(option.name)", text, "list", "here")
            #expect(settings.configuration == none, "the default of --\(option.name) is not \(text)")
            #expect(settings.progress == .auto)
        }
        #expect(none.rateLimit == nil)
        #expect(none.depth == nil)
        #expect(none.access.proxy == nil)
        #expect(none.userAgent == "dlsync/\(dlsyncVersion)")
    }

    @Test("What values say reaches the session")
    func readsValues() throws {
        let configuration = try Self.settings(
            "--limit-rate=1.5M", "--min-segment", "512k", "-s", "auto", "--retry-max-wait", "1h30m", "-j5", "list",
            "here"
        ).configuration
        #expect(configuration.rateLimit == 3 << 19)
        #expect(configuration.minimumSegment == 512 << 10 && configuration.minimumShare == 512 << 10)
        #expect(configuration.segments == .auto)
        #expect(configuration.longestRetryWait == .seconds(5400))
        #expect(configuration.connections == 5)
        #expect(try Self.settings("-s8", "list", "here").configuration.segments == .fixed(8))
        #expect(try Self.settings("-n", "list", "here").configuration.isReadOnly)
        #expect(try !Self.settings("list", "here").configuration.isReadOnly)
    }

    @Test("A mode says which words it takes")
    func readsModes() throws {
        #expect(try Self.settings("--verify", "here").sources.isEmpty)
        #expect(try Self.settings("--verify", "here").configuration.isReadOnly)
        #expect(try !Self.settings("--verify", "--repair", "here").configuration.isReadOnly)
        #expect(try Self.settings("--status", "here").destination == Array("here".utf8))
        let forgetting = try Self.settings("--forget-source", "http://h/", "here")
        #expect(forgetting.mode == .forgetSource && forgetting.forgottenSource == "http://h/")
        for words in [
            ["--status", "list", "here"], ["--status"], ["--forget-source", "a"],
            ["--forget-source", "a", "b", "here"],
            ["--forget-source", "a", "--status", "here"], ["--forget-source", "a", "--json", "here"],
            ["--forget-source", "", "here"], ["--verify"], ["--repair", "list", "here"],
            ["--verify", "--dry-run", "list", "here"], ["--json", "list", "here"], ["--status", "--verify", "here"],
            ["--events", "", "list", "here"], ["--verify", "--json", "--events", "-", "here"],
        ] {
            #expect(throws: UsageError.self, "\(words)") { try Settings(try dlsyncCommand.parse(words)) }
        }
    }

    @Test(
        "What tells of runs is refused by hand where there is no run, and does no harm there in a file",
        arguments: ["--dry-run", "--list"])
    func refusesReports(mode: String) throws {
        for (name, value) in [("report", "a"), ("on-failure", "true"), ("events", "-")] {
            let words = try dlsyncCommand.parse([mode, "--\(name)", value, "list", "here"])
            #expect(throws: UsageError.conflict("--\(name)", mode)) { try Settings(words) }
            let byHand = try dlsyncCommand.parse([mode, "list", "here"])
            let settings = try Settings(words, commandLine: byHand)
            #expect(settings.files == OutputFiles() && settings.hooks == Hooks())
        }
    }

    @Test("A rate may have a timetable")
    func readsTimetable() throws {
        let rates = try Self.settings("--limit-rate", "08:00-18:00=1M,500k", "list", "here").configuration.rates
        #expect(rates.rate(atMinute: 8 * 60) == 1 << 20)
        #expect(rates.rate(atMinute: 18 * 60) == 500 << 10)
    }

    @Test("Rules keep the order in which they are given, from the command line and from files")
    func readsRules() throws {
        let path = "/tmp/dlsync-order-\(getpid())"
        try writeFile(path, "+ b\n- c\n")
        defer { removeTree(path) }
        let rules = try Self.settings(
            "--exclude", "a", "--filter-from", path, "--include=d", "list", "here"
        ).configuration.filter.rules
        #expect(rules.map { String(decoding: $0.pattern.text, as: UTF8.self) } == ["a", "b", "c", "d"])
        #expect(rules.map(\.includes) == [false, true, false, true])
    }

    @Test(
        "Patterns and rules that are none are told",
        arguments: [
            (["--include", "["], "a '[' without its ']'"), (["--exclude", ""], "names nothing"),
            (["--publish-last", "a\\"], "ends in a backslash"), (["--filter-from", "/nonexistent"], "can be read"),
            (["--min-size", "2k", "--max-size", "1k"], "not below --min-size"), (["--backup-dir", ""], "a directory"),
        ] as [([String], String)])
    func tellsBadRules(words: [String], message: String) throws {
        let arguments = try dlsyncCommand.parse((words + ["list", "here"]).map { ArgumentValue(Array($0.utf8)) })
        #expect { try Settings(arguments) } throws: { ($0 as? UsageError)?.message.contains(message) ?? false }
    }

    @Test("The last word is the destination, and all before it are sources, in order")
    func readsSources() throws {
        let url = try #require(WebURL("https://example.org/list"))
        let settings = try Self.settings("list", "-", "https://example.org/list", "c:list", "./a://b", "here")
        #expect(
            settings.sources == [.file("list"), .standardInput, .url(url), .file("c:list"), .file("./a://b")])
        #expect(settings.destination == Array("here".utf8))
    }

    @Test("A destination need not be UTF-8")
    func readsAnyPath() throws {
        let path: [UInt8] = [0x66, 0xFF, 0x2F]
        let settings = try Settings(try dlsyncCommand.parse([ArgumentValue(Array("list".utf8)), ArgumentValue(path)]))
        #expect(settings.destination == path)
    }

    @Test(
        "Values that are read are bounded on both sides",
        arguments: [
            ("-j", "0", "1", "256", "257"), ("--per-host", "0", "1", "256", "257"), ("-s", "0", "1", "256", "257"),
            ("--depth", "-1", "0", "64", "65"), ("--cut-dirs", "-1", "0", "64", "65"),
            ("--retries", "-1", "0", "1000", "1001"),
            ("--stall-timeout", "999ms", "1s", "1d", "86401"), ("--connect-timeout", "0", "1s", "24h", "25h"),
            ("--retry-max-wait", "0s", "1", "86400", "2d"), ("--min-segment", "0", "1", "1T", "1X"),
            ("--limit-rate", "0", "1", "1T", "1X"), ("--max-duration", "0", "1", "100w", "200000w"),
            ("--min-size", "0", "1", "1T", "1X"), ("--max-size", "0", "1", "1T", "1X"),
            ("--max-entries", "0", "1", "9223372036854775807", "9223372036854775808"),
            ("--max-delete", "-1", "0", "100%", "101%"), ("--max-delete", "-1%", "0%", "1000000", "1.5"),
            ("--delete-after-runs", "0", "1", "1000", "1001"), ("--min-free", "-1", "0", "1T", "1X"),
        ] as [(String, String, String, String, String)])
    func boundsValues(option: String, below: String, least: String, most: String, above: String) throws {
        for value in [least, most] { _ = try Self.settings(option, value, "list", "here") }
        for value in [below, above, "", "x", "1 2"] {
            #expect(throws: UsageError.self, "\(option) \(value)") { try Self.settings(option, value, "list", "here") }
        }
    }

    @Test("A wrong format is told with those that there are")
    func tellsFormats() {
        #expect(
            throws: UsageError.invalidValue(
                option: "--format", value: "docx", expected: knownFormats.joined(separator: " or "))
        ) { try Self.settings("--format", "docx", "list", "here") }
        let help = dlsyncCommand.option(named: "format")?.help ?? ""
        for format in knownFormats { #expect(help.contains(format), "the help of --format lacks \(format)") }
    }
}
