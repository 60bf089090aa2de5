import SyncCore
import Testing

@Suite("Patterns for paths") struct PathPatternTests {
    private static let rows: [(pattern: String, matches: [String], others: [String])] = [
        // A name, in any directory.
        ("a", ["a", "d/a", "d/e/a"], ["b", "aa", "a/b", "da", "d/ba"]),
        ("*.iso", ["x.iso", "d/x.iso", ".iso", "d/.iso"], ["x.iso2", "x.iso/y", "iso"]),
        ("*", ["a", "d/a", "d/e/a"], []),
        ("a*b*c", ["abc", "aXbXc", "d/abbc"], ["ab", "a/bc", "abcd"]),
        ("a?c", ["abc", "aüc", "d/a€c", "a😀c"], ["ac", "a/c", "abbc"]),
        ("[ab]x", ["ax", "bx", "d/ax"], ["cx", "x", "abx"]),
        ("[!a-c]x", ["dx", "üx"], ["ax", "bx", "/x", "x"]),
        ("[^a]x", ["bx"], ["ax"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[ä-ü]x", ["öx"], ["ax", "x"]),
        ("\\*x", ["*x", "d/*x"], ["ax", "\\*x"]),
        ("\\[a]", ["[a]"], ["a"]),
        ("ü", ["ü", "d/ü"], ["u", "ýü"]),
        // From the top.
        ("/a", ["a"], ["d/a", "ab"]),
        ("/*.iso", ["x.iso"], ["d/x.iso"]),
        ("/d/*", ["d/a"], ["d/e/a", "x/d/a", "d"]),
        ("/d/**", ["d/a", "d/e/a"], ["d", "x/d/a", "da"]),
        // A part of the path, that begins with a directory.
        ("d/a", ["d/a", "x/d/a"], ["xd/a", "d/a/b", "a"]),
        ("d/*/a", ["d/e/a", "x/d/e/a"], ["d/a", "d/e/f/a"]),
        // Across directories.
        ("d/**/a", ["d/a", "d/e/a", "d/e/f/a", "x/d/a"], ["da", "d/ea"]),
        ("**/a", ["a", "d/a", "d/e/a"], ["ba"]),
        ("/**/a", ["a", "d/a", "d/e/a"], ["ba"]),
        ("a**z", ["az", "a/z", "ab/cd/z", "x/a/z"], ["a", "ba/y"]),
        ("**", ["a", "d/a"], []),
        // A directory, and all below.
        ("d/", ["d/a", "d/e/a", "x/d/a"], ["d", "xd/a", "dx/a"]),
        ("/d/", ["d/a", "d/e/a"], ["d", "x/d/a"]),
        ("/d/e/", ["d/e/a"], ["d/a", "e/a"]),
        ("*-debug/", ["x-debug/a", "d/x-debug/e/a"], ["x-debug", "x/a"]),
    ]

    @Test("A pattern is for these paths and not for those", arguments: rows)
    func matches(pattern: String, matching: [String], others: [String]) throws {
        let pattern = try PathPattern(Array(pattern.utf8))
        for path in matching { #expect(pattern.matches(Array(path.utf8)), "\(path)") }
        for path in others { #expect(!pattern.matches(Array(path.utf8)), "\(path)") }
    }

    @Test("A text that is no pattern is refused", arguments: ["", "/", "[a", "a[", "[]", "a\\"])
    func faults(text: String) { #expect(throws: PathPattern.Fault.self) { try PathPattern(Array(text.utf8)) } }

    @Test("What a pattern says of a directory holds for the paths below it", arguments: rows)
    func directories(pattern: String, matching: [String], others: [String]) throws {
        let pattern = try PathPattern(Array(pattern.utf8))
        for path in matching where path.contains("/") {
            let directory = path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(pattern.mayMatchBelow(Array(directory.utf8)), "\(path)")
        }
        for path in others where path.contains("/") && !path.hasPrefix("/") {
            let directory = path.split(separator: "/").dropLast().joined(separator: "/")
            #expect(!pattern.matchesAllBelow(Array(directory.utf8)), "\(path)")
        }
    }

    @Test("Names of a server that fit many stars in many ways take no time to speak of", .timeLimit(.minutes(10)))
    func manyStars() throws {
        let pattern = try PathPattern(Array((String(repeating: "*a", count: 60) + "b").utf8))
        #expect(!pattern.matches(Array(repeating: UInt8(ascii: "a"), count: 4000)))
    }
}

@Suite("Filters of entries") struct EntryFilterTests {
    /// Rules as in a file of rules.
    private static func filter(_ lines: [String]) throws -> EntryFilter {
        var filter = EntryFilter()
        filter.rules = try EntryFilter.rules(in: Array(lines.joined(separator: "\n").utf8))
        return filter
    }

    @Test(
        "The first rule that matches decides",
        arguments: [
            ([], ["a", "d/a"], []),
            (["- *.iso"], ["a", "d/a"], ["x.iso", "d/x.iso"]),
            (["+ *.iso"], ["x.iso", "d/x.iso"], ["a", "d/a"]),
            (["+ *.iso", "- *"], ["x.iso"], ["a"]),
            (["- old/", "+ *.iso"], ["x.iso", "a"], ["old/x.iso"]),
            (["+ old/keep.iso", "- old/"], ["old/keep.iso", "a"], ["old/x.iso"]),
            (["# a comment", "", "  ", "- a\r"], ["b"], ["a"]),
        ] as [([String], [String], [String])])
    func firstMatch(rules: [String], wanted: [String], unwanted: [String]) throws {
        let filter = try Self.filter(rules)
        for path in wanted { #expect(filter.wants(try RelativePath(path)), "\(path)") }
        for path in unwanted { #expect(!filter.wants(try RelativePath(path)), "\(path)") }
    }

    @Test(
        "A directory is left out only if nothing below it can be wanted",
        arguments: [
            ([], "d", false), (["- d/"], "d", true), (["- d/"], "x/d", true), (["- /d/"], "x/d", false),
            (["- d/"], "d/e", true), (["- /d/**"], "d", true), (["- *"], "d", true), (["- *.iso"], "d", false),
            (["+ *.iso", "- *"], "d", false), (["+ *.iso"], "d", false), (["+ /d/*.iso"], "d", false),
            (["+ /d/*.iso"], "e", true), (["+ /d/e/*.iso"], "d", false), (["+ d/keep", "- d/"], "d", false),
            (["+ /x/keep", "- d/"], "d", true), (["- /d/*"], "d", false), (["- d/"], "", false),
        ] as [([String], String, Bool)])
    func directories(rules: [String], directory: String, isExcluded: Bool) throws {
        #expect(try Self.filter(rules).excludesAll(below: Array(directory.utf8)) == isExcluded)
    }

    @Test(
        "A size is unwanted only where it is outside of the bounds for sure",
        arguments: [
            (nil, nil, .unknown, .wanted), (10, nil, .exact(9), .unwanted), (10, nil, .exact(10), .wanted),
            (nil, 10, .exact(10), .wanted), (nil, 10, .exact(11), .unwanted), (10, 20, .within(0...9), .unwanted),
            (10, 20, .within(9...10), .undecided), (10, 20, .within(10...20), .wanted),
            (10, 20, .within(20...21), .undecided), (10, 20, .within(21...30), .unwanted),
            (10, 20, .within(0...100), .undecided), (10, 20, .unknown, .undecided), (10, 20, .claimed(5), .undecided),
            (20, 10, .exact(15), .unwanted), (20, 10, .exact(20), .unwanted),
        ] as [(Int64?, Int64?, SizeKnowledge, EntryFilter.SizeVerdict)])
    func sizes(least: Int64?, most: Int64?, size: SizeKnowledge, verdict: EntryFilter.SizeVerdict) {
        var filter = EntryFilter()
        filter.minimumSize = least
        filter.maximumSize = most
        #expect(filter.verdict(on: size) == verdict)
    }

    @Test(
        "A line that is no rule is told with its number",
        arguments: [("- a\n* b", 2), ("a", 1), ("- a\n\n+ [", 3), ("-a", 1), ("- ", 1)])
    func badLines(text: String, line: Int) {
        #expect { try EntryFilter.rules(in: Array(text.utf8)) } throws: { ($0 as? EntryFilter.BadLine)?.line == line }
    }
}
