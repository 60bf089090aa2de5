import SyncCore
import Testing

private func entry(_ url: String, _ suggested: String? = nil) throws -> Entry {
    Entry(
        urls: [try #require(WebURL(url))], suggestedPath: suggested.map { Array($0.utf8) },
        origin: EntryOrigin(source: "list.txt", line: 1))
}

struct PlacementTests {
    @Test(
        arguments: [
            ("http://h/a/b/file.iso", nil, "file.iso", "h/a/b/file.iso", "file.iso"),
            ("http://h:8080/file?x=1#y", nil, "file", "h:8080/file", "file"),
            ("http://u:p@h/a%20b/c%20d", nil, "c d", "h/a b/c d", "c d"),
            ("http://h/a%2Fb/c%2fd", nil, "c%2Fd", "h/a%2Fb/c%2Fd", "c%2Fd"),
            ("http://h/a//b", nil, "b", "h/a/b", "b"),
            ("http://h/%2541", nil, "%41", "h/%41", "%41"),
            ("http://h/..%2Fx", nil, "..%2Fx", "h/..%2Fx", "..%2Fx"),
            ("http://[::1]:81/x", nil, "x", "[::1]:81/x", "x"),
            // A listing's entries: the suggestion repeats the URL's end.
            ("http://h/pub/sub/file", "sub/file", "sub/file", "h/pub/sub/file", "file"),
            ("http://h/pub/s%20b/f%2Be", "s b/f+e", "s b/f+e", "h/pub/s b/f+e", "f+e"),
            // Names that somebody chose.
            ("http://h/pub/file", "isos/file.iso", "isos/file.iso", "isos/file.iso", "file.iso"),
            ("http://h/pub/file", "ile", "ile", "ile", "ile"),
            ("http://h/pub/", "index.html", "index.html", "index.html", "index.html"),
            // A directory that somebody chose.
            ("http://h/pub/file", "isos/", "isos/file", "isos/file", "file"),
            // An empty suggestion is none.
            ("http://h/pub/file", "", "file", "h/pub/file", "file"),
        ] as [(String, String?, String, String, String)])
    func placesByLayout(_ url: String, _ suggested: String?, _ tree: String, _ host: String, _ flat: String) throws {
        let entry = try entry(url, suggested)
        #expect(try Placement(layout: .tree).path(of: entry) == RelativePath(tree))
        #expect(try Placement(layout: .host).path(of: entry) == RelativePath(host))
        #expect(try Placement(layout: .flat).path(of: entry) == RelativePath(flat))
    }

    @Test(
        arguments: [
            (1, "http://h/a/b/file", nil, "file", "h/b/file"), (2, "http://h/a/b/file", nil, "file", "h/file"),
            (9, "http://h/a/b/file", nil, "file", "h/file"), (1, "http://h/a/b/file", "b/file", "file", "h/b/file"),
            (1, "http://h/x", "a/b/c", "b/c", "b/c"), (9, "http://h/x", "a/b/c", "c", "c"),
            (-1, "http://h/x", "a/b", "a/b", "a/b"),
        ] as [(Int, String, String?, String, String)])
    func cutsDirectories(_ count: Int, _ url: String, _ suggested: String?, _ tree: String, _ host: String) throws {
        let entry = try entry(url, suggested)
        #expect(try Placement(layout: .tree, directoriesToCut: count).path(of: entry) == RelativePath(tree))
        #expect(try Placement(layout: .host, directoriesToCut: count).path(of: entry) == RelativePath(host))
    }

    @Test(
        arguments: ["../x", "/etc/passwd", "a/../b", "a//b", "./x", "a\u{0}b", "..", "a/../", "/"],
        Placement.Layout.allCases)
    func refusesUnsafeSuggestionsInEveryLayout(_ suggested: String, _ layout: Placement.Layout) throws {
        let entry = try entry("https://u:secret@h/file?token=secret", suggested)
        for directoriesToCut in [0, 1] {
            let failure = #expect(throws: Failure.self) {
                try Placement(layout: layout, directoriesToCut: directoriesToCut).path(of: entry)
            }
            #expect(failure?.code == .unsafePath)
            #expect(failure?.message.contains("out=") == true)
            #expect(failure?.message.contains("secret") == false)
        }
    }

    @Test(arguments: [".dlsync/state.db", ".DLSync/x/y", ".dlsync", ".dlsynC"])
    func refusesTheStatesOwnDirectory(_ suggested: String) throws {
        let entry = try entry("https://h/file", suggested)
        for layout in [Placement.Layout.tree, .host] {
            let failure = #expect(throws: Failure.self) { try Placement(layout: layout).path(of: entry) }
            #expect(failure?.code == .unsafePath)
            #expect(failure?.message.contains("dlsync's own directory") == true)
        }
    }

    @Test(arguments: ["sub/.dlsync/x", ".dlsync2", ".dlsyn", "x/.dlsync"])
    func leavesOtherNamesAlone(_ suggested: String) throws {
        #expect(try Placement().path(of: entry("https://h/file", suggested)) == RelativePath(suggested))
    }

    @Test(arguments: ["http://h/a%00b", "http://h/.dlsync", "http://h/\(String(repeating: "x", count: 256))"])
    func refusesUnsafeNamesOfURLs(_ url: String) throws {
        let entry = try entry(url)
        let failure = #expect(throws: Failure.self) { try Placement().path(of: entry) }
        #expect(failure?.code == .unsafePath)
    }

    @Test(
        arguments: [
            ("http://h/", nil, "index.html", "h/index.html"), ("http://h/dir/", nil, "index.html", "h/dir/index.html"),
            ("http://h/dir/?name=x", nil, "index.html", "h/dir/index.html"),
            ("http://h/dir/", "sub/", "sub/index.html", "sub/index.html"),
        ])
    func namesWhatEndsInASlashAsTheIndex(
        _ url: String, _ suggested: String?, _ tree: String, _ host: String
    ) throws {
        let named = try entry(url, suggested)
        #expect(try Placement().path(of: named) == RelativePath(tree))
        #expect(try Placement(layout: .flat).path(of: named) == RelativePath("index.html"))
        #expect(try Placement(layout: .host).path(of: named) == RelativePath(host))
        let cut = Placement(layout: .host, directoriesToCut: 5)
        #expect(try cut.path(of: entry(url)) == RelativePath("h/index.html"))
    }

    @Test func neverSendsControlCharactersToATerminal() throws {
        let entry = try entry("http://h/x", "../\u{1B}[2J\n")
        let failure = #expect(throws: Failure.self) { try Placement().path(of: entry) }
        #expect(
            failure?.message
                == "the path '../\\u{1b}[2J\\u{a}' of http://h/x holds a '.' or '..' component; "
                + "give the entry another with out=")
    }

    @Test func namesAreBytes() throws {
        var entry = try entry("http://h/caf%E9")
        #expect(try Placement().path(of: entry).bytes == [0x63, 0x61, 0x66, 0xE9])
        entry.suggestedPath = [0xFF, 0x2F, 0xFE]
        #expect(try Placement().path(of: entry).bytes == [0xFF, 0x2F, 0xFE])
    }
}

struct PathRegistryTests {
    @Test func tellsWhatBecomesOfEveryClaim() throws {
        var registry = PathRegistry()
        func claim(_ path: String, _ url: String) throws -> PathRegistry.Claim {
            registry.claim(try RelativePath(path), for: url)
        }
        #expect(try claim("a/b/c", "1") == .new)
        #expect(try claim("a/b/c", "1") == .duplicate)
        #expect(try claim("a/b/c", "2") == .taken)
        #expect(try claim("a/b", "3") == .isDirectory)
        #expect(try claim("a", "3") == .isDirectory)
        #expect(try claim("a/b/c/d/e", "4") == .leadsThroughFile(RelativePath("a/b/c")))
        #expect(try claim("a/bc", "5") == .new)
        #expect(try claim("a/b/d", "1") == .new)
        #expect(try claim("x", "6") == .new)
        #expect(try claim("x/y", "7") == .leadsThroughFile(RelativePath("x")))
        // A refused claim leaves no directories behind.
        #expect(try claim("a/b/c/d", "8") == .leadsThroughFile(RelativePath("a/b/c")))
        #expect(try claim("d", "9") == .new)
    }

    @Test func pathsThatOnlyLookAlikeStayTwo() throws {
        var registry = PathRegistry()
        #expect(registry.claim(try RelativePath("caf\u{E9}"), for: 1) == .new)
        #expect(registry.claim(try RelativePath("cafe\u{301}"), for: 2) == .new)
    }

    /// Words of eight bytes are hashed: paths must stay apart where their words' ends and slashes meet.
    @Test func pathsOfEveryLengthAreDifferentPaths() throws {
        var registry = PathRegistry()
        for count in 1...40 {
            let name = String(repeating: "a", count: count)
            #expect(registry.claim(try RelativePath("f" + name), for: 1) == .new)
            #expect(registry.claim(try RelativePath("d\(name)/x"), for: 1) == .new)
            #expect(registry.claim(try RelativePath("d\(name)/\(name)x"), for: 1) == .new)
            let file = try RelativePath("f" + name)
            #expect(registry.claim(try RelativePath("f\(name)/x"), for: 1) == .leadsThroughFile(file))
            #expect(registry.claim(try RelativePath("d\(name)"), for: 1) == .isDirectory)
        }
    }

    /// Against a model that keeps every path.
    @Test(arguments: [UInt64(1), 2, 3])
    func agreesWithAModelThatKeepsEverything(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var registry = PathRegistry()
        var files: [RelativePath: Int] = [:]
        for _ in 0..<3_000 {
            let depth = Int.random(in: 1...4, using: &random)
            let text = (0..<depth).map { _ in ["a", "b", "c", "dd", "e"].randomElement(using: &random) ?? "a" }
            let path = try RelativePath(text.joined(separator: "/"))
            let url = Int.random(in: 0..<3, using: &random)

            var expected = PathRegistry.Claim.new
            var ancestors: [RelativePath] = []
            while let parent = (ancestors.last ?? path).parent { ancestors.append(parent) }
            if let file = ancestors.last(where: { files[$0] != nil }) {
                expected = .leadsThroughFile(file)
            } else if let owner = files[path] {
                expected = owner == url ? .duplicate : .taken
            } else if files.keys.contains(where: { $0.bytes.starts(with: path.bytes + [UInt8(ascii: "/")]) }) {
                expected = .isDirectory
            } else {
                files[path] = url
            }
            #expect(registry.claim(path, for: url) == expected)
        }
        #expect(files.count > 10)
    }
}
