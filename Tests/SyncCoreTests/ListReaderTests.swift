import Foundation
import SyncCore
import TestSupport
import Testing

/// Reads a list in every way of cutting it.
private func readList(_ bytes: some Sequence<UInt8>, base: String? = nil, charset: String? = nil) throws -> Reading {
    let context = ManifestContext(sourceName: "list.txt", baseURL: base.flatMap { WebURL($0) }, charset: charset)
    return try ReaderVerifier { ListReader(context: context) }.read(Array(bytes))
}

private func readList(_ text: String, base: String? = nil) throws -> Reading { try readList(text.utf8, base: base) }

private let digest256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

@Suite struct ListReaderTests {
    @Test("a URL a line, whatever ends the line, between comments and blank lines")
    func lines() throws {
        let reading = try readList(
            "# isos\r\n\r\nhttp://a.example/one.iso\r\n\nhttps://b.example/two\n  \n#x\nhttp://c.example/three")
        #expect(
            reading.entries.map { $0.urls.map(\.string) } == [
                ["http://a.example/one.iso"], ["https://b.example/two"], ["http://c.example/three"],
            ])
        #expect(reading.entries.map(\.origin.line) == [3, 5, 8])
        #expect(reading.entries.allSatisfy { $0.suggestedPath == nil && $0.size == .unknown && $0.digests.isEmpty })
        #expect(reading.problems.isEmpty && reading.error == nil)
    }

    @Test(
        "an empty document and one of comments give nothing",
        arguments: ["", "\n\n", "# a\n#b", "\u{FEFF}", "\u{FEFF}# a"])
    func nothing(_ text: String) throws {
        #expect(try readList(text) == Reading())
    }

    @Test("UTF-16 with a mark is read like UTF-8", arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func utf16(_ encoding: String.Encoding) throws {
        let text = "\u{FEFF}http://example.com/你好\r\n# 😀\r\nhttp://example.com/😀 size=7\r\n"
        let reading = try readList(try #require(text.data(using: encoding)))
        #expect(
            reading.entries.map { $0.urls.map(\.string) } == [
                ["http://example.com/%E4%BD%A0%E5%A5%BD"], ["http://example.com/%F0%9F%98%80"],
            ])
        #expect(reading.entries.last?.size == .exact(7))
        #expect(reading.problems.isEmpty)
    }

    @Test("UTF-16 without a mark is read where the server names it")
    func declaredUTF16() throws {
        let data = try #require("http://example.com/x\n".data(using: .utf16LittleEndian))
        #expect(try readList(data, charset: "utf-16le").entries.first?.urls.first?.string == "http://example.com/x")
    }

    @Test("UTF-16 that ends within a character was cut short")
    func cutUTF16() throws {
        let data = try #require("\u{FEFF}http://example.com/x".data(using: .utf16LittleEndian))
        #expect(try readList(data.dropLast()).error?.message.contains("cut short") == true)
    }

    @Test("bytes that are not UTF-8 stay the bytes that they are")
    func rawBytes() throws {
        let reading = try readList(Array("http://example.com/caf".utf8) + [0xE9] + Array(" out=x".utf8) + [0xE9])
        #expect(reading.entries.first?.urls.first?.string == "http://example.com/caf%E9")
        #expect(reading.entries.first?.suggestedPath == [0x78, 0xE9])
    }

    @Test("an aria2 input file: mirrors by TAB, indented options, comments between")
    func aria2() throws {
        let reading = try readList(
            """
            http://a.example/f\thttp://b.example/f\t
              out=name with blanks.iso
            # the comment does not end the entry

             dir=isos/debian
            \tchecksum=sha-256=\(digest256)
             header=X-One: 1
             header=X-Two: a=b
             gid=dd3e8df7d4577f6f
             pause=true
             split=5
             referer=http://a.example/
            http://c.example/g
            """)
        let entry = try #require(reading.entries.first)
        #expect(entry.urls.map(\.string) == ["http://a.example/f", "http://b.example/f"])
        #expect(entry.suggestedPath == Array("isos/debian/name with blanks.iso".utf8))
        #expect(entry.digests.map(\.description) == ["sha-256=\(digest256)"])
        #expect(
            entry.headers.map { "\($0.name): \($0.value)" } == [
                "X-One: 1", "X-Two: a=b", "Referer: http://a.example/",
            ])
        #expect(reading.entries.count == 2)
        #expect(reading.entries.last?.headers.isEmpty == true)
        #expect(reading.problems.isEmpty)
    }

    @Test("options stand behind the URL too")
    func inlineOptions() throws {
        let md5 = "d41d8cd98f00b204e9800998ecf8427e"
        let reading = try readList(
            """
            http://a.example/f  size=10 sha256=\(digest256) md5=\(md5) out=dir/my file.bin # note
            http://a.example/g\tsize=0\tsha-256=\(digest256)
            http://a.example/h size=9223372036854775807  # the most
            http://a.example/i#sha256=\(digest256)
            """)
        #expect(reading.problems.isEmpty)
        #expect(reading.entries.map(\.size) == [.exact(10), .exact(0), .exact(.max), .unknown])
        #expect(reading.entries.map(\.digests.count) == [2, 1, 0, 1])
        #expect(reading.entries[0].suggestedPath == Array("dir/my file.bin".utf8))
        #expect(reading.entries[3].urls.map(\.string) == ["http://a.example/i"])
    }

    @Test(
        "dir= and out= make one path",
        arguments: [
            ("out=b", "b"), ("out=./b", "b"), ("dir=a", "a/f x"), ("dir=a/", "a/f x"), ("dir=.\n out=b", "b"),
            ("dir=./a\n out=b/c", "a/b/c"), ("dir=/srv/a\n out=b", "/srv/a/b"), ("dir=/", "/f x"),
            ("out=first\n out=second", "second"), ("dir=a\n out=../b", "a/../b"),
        ])
    func place(_ options: String, _ path: String) throws {
        let reading = try readList("http://a.example/d/f%20x\n \(options)\n")
        #expect(reading.entries.first?.suggestedPath.map { String(decoding: $0, as: UTF8.self) } == path)
    }

    @Test("an encoded slash in the name stays encoded")
    func encodedSlash() throws {
        let reading = try readList("http://a.example/d/a%2Fb%252F\n dir=x")
        #expect(reading.entries.first?.suggestedPath == Array("x/a%2Fb%2F".utf8))
    }

    @Test(
        "names without a scheme are resolved against the base",
        arguments: [
            ("crawl/x.gz", "https://data.example/root/crawl/x.gz"), ("/top.txt", "https://data.example/top.txt"),
            ("//cdn.example/x", "https://cdn.example/x"), ("a:b.txt", "https://data.example/root/a:b.txt"),
            ("a b.txt", "https://data.example/root/a%20b.txt"), ("x=1.txt", "https://data.example/root/x=1.txt"),
        ])
    func relative(_ name: String, _ url: String) throws {
        let reading = try readList(name + "\n", base: "https://data.example/root/")
        #expect(reading.entries.first?.urls.first?.string == url)
        #expect(reading.problems.isEmpty)
    }

    @Test(
        "a name with directories keeps them, unless options or dots say otherwise",
        arguments: [
            ("crawl/x%20y.gz", "crawl/x y.gz"), ("./crawl//x.gz", nil), ("./crawl/x.gz?a=/b", "crawl/x.gz"),
            ("../x/y", nil), ("/a/b", nil), ("x.gz", nil), ("a/b out=c", "c"), ("a/b dir=c", "c/b"),
            ("a%2Fb/c", "a%2Fb/c"),
        ])
    func namePath(_ name: String, _ path: String?) throws {
        let reading = try readList(name + "\n", base: "https://data.example/root/")
        #expect(reading.entries.map(\.suggestedPath) == [path.map { Array($0.utf8) }])
    }

    @Test("a list of names alone and no base is one error that tells the cure")
    func noBase() throws {
        let reading = try readList("# paths\ncrawl/a.gz\ncrawl/b.gz\n")
        #expect(reading.items.isEmpty && reading.error?.message.contains("--base-url") == true)
        #expect(try readList("a").error != nil)
    }

    @Test("quotes around a whole line are taken off")
    func quotes() throws {
        let reading = try readList("\"http://a.example/x?type=y\"\nhttp://a.example/z\n \"http://a.example/w\"\n")
        #expect(
            reading.entries.map { $0.urls.map(\.string) } == [
                ["http://a.example/x?type=y"], ["http://a.example/z"], ["http://a.example/w"],
            ])
        #expect(reading.problems.isEmpty)
    }

    @Test("a blank that was not encoded belongs to the URL")
    func blankInURL() throws {
        let reading = try readList("http://a.example/my file.iso size=3\n  http://b.example/other one \n")
        #expect(
            reading.entries.map { $0.urls.map(\.string) } == [
                ["http://a.example/my%20file.iso"], ["http://b.example/other%20one"],
            ])
        #expect(reading.entries.map(\.size) == [.exact(3), .unknown])
    }

    /// The line that is wrong stands in the middle; line 1 and the last must be read.
    @Test(
        "a bad line is told with its number and cure, and the rest goes on",
        arguments: [
            ("ftp://a.example/f", 2, "only http and https"), ("magnet:?xt=urn:btih:abc", 2, "'magnet:'"),
            ("names.iso", 2, "--base-url"), ("out=f", 2, "no URL before it"), ("http://", 2, "not a valid URL"),
            ("http://a.example:99999/f", 2, "host and port"), ("http://user:secret@/", 2, "not a valid URL"),
            ("http://a.example/f http://b.example/f", 2, "TAB"), ("http://a.example/f\t123", 2, "behind a TAB"),
            ("http://a.example/f checksum=sha-256=12", 2, "64 hexadecimal"),
            ("http://a.example/f\n checksum=sha-256:12", 3, "algorithm and a digest"),
            ("http://a.example/f\n checksum=adler32=12", 3, "md5, sha-1, sha-256, sha-384 or sha-512"),
            ("http://a.example/f\n checksum=sha-384=12", 3, "96 hexadecimal"),
            ("http://a.example/f\n crc32=12", 3, "'crc32' is no digest"),
            ("http://a.example/f size=1.5M", 2, "exact number"), ("http://a.example/f size=-1", 2, "exact number"),
            ("http://a.example/f size=9223372036854775808", 2, "exact number"),
            ("http://a.example/f\n header=nocolon", 3, "Name: value"),
            ("http://a.example/f\n chekcsum=md5=1", 3, "did you mean 'checksum='"),
            ("http://a.example/f sise=5", 2, "did you mean 'size='"),
            ("http://a.example/f qqqqqq=5", 2, "%20"), ("http://a.example/f\n what is this", 3, "indented line"),
            ("http://a.example/f out=x/", 2, "out="), ("http://a.example/f out=", 2, "out="),
            ("http://a.example/\u{0}f", 2, "NUL"), ("http://a.example/f\n out=\u{0}", 3, "NUL"),
            (
                "http://a.example/f md5=d41d8cd98f00b204e9800998ecf8427e md5=d41d8cd98f00b204e9800998ecf8427f", 2,
                "two different"
            ),
        ])
    func badLine(_ line: String, _ number: Int, _ words: String) throws {
        let reading = try readList("http://first.example/x\n\(line)\nhttp://last.example/y\n")
        #expect(reading.entries.map { $0.urls.first?.host } == ["first.example", "last.example"])
        #expect(reading.problems.count == 1)
        let problem = try #require(reading.problems.first)
        #expect(problem.origin.description == "list.txt:\(number)")
        #expect(problem.message.contains(words), "\(problem.message)")
        #expect(!problem.message.hasSuffix("."))
        #expect(!problem.message.contains("secret"))
    }

    @Test("an option without any URL above it is told")
    func optionFirst() throws {
        let reading = try readList(" out=x\nhttp://a.example/f\n")
        #expect(reading.problems.map(\.origin.line) == [1])
        #expect(reading.entries.first?.suggestedPath == nil)
    }

    @Test("a mirror that cannot be used is told and the others stay")
    func badMirror() throws {
        let reading = try readList("ftp://a.example/f\thttp://b.example/f\tsftp://c.example/f\n out=g\n")
        #expect(reading.entries.map { $0.urls.map(\.string) } == [["http://b.example/f"]])
        #expect(reading.entries.first?.suggestedPath == Array("g".utf8))
        #expect(reading.problems.count == 2)
    }

    @Test("options of a bad line do not reach the entry before it")
    func optionsOfBadLine() throws {
        let reading = try readList("http://a.example/f\nftp://b.example/g\n out=evil\n")
        #expect(reading.entries.map(\.suggestedPath) == [nil])
    }

    @Test("a line of 64 KiB is read, a longer one told", arguments: [0, 1, 70_000])
    func longLine(_ excess: Int) throws {
        let start = "http://a.example/"
        let line = start + String(repeating: "x", count: ListReader.maximumLineLength - start.utf8.count + excess)
        let context = ManifestContext(sourceName: "list.txt")
        let bytes = Array((line + "\r\n out=a\nhttp://b.example/g").utf8)
        let verifier = ReaderVerifier { ListReader(context: context) }
        let whole = verifier.read(pieces: [bytes[...]])
        #expect(
            whole
                == verifier.read(
                    pieces: stride(from: 0, to: bytes.count, by: 1000).map {
                        bytes[$0..<min($0 + 1000, bytes.count)]
                    }))
        #expect(whole.entries.map(\.urls.count) == (excess == 0 ? [1, 1] : [1]))
        #expect(whole.problems.map(\.origin.line) == (excess == 0 ? [] : [1]))
    }

    @Test("any bytes at all are read without a fault, the same however they are cut", arguments: 0..<12)
    func anyBytes(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let parts =
            [
                "http://a.example/", "f", "\t", " ", "\n", "\r\n", "out=", "dir=", "size=", "9", "#", "checksum=",
                "sha-256=",
                "=", "%2F", "\u{0}", "é", "\u{FEFF}", "://", "ftp:", "header=", ":",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xFE]]
        var bytes: [UInt8] = []
        for _ in 0..<60 { bytes += parts.randomElement(using: &generator) ?? [] }
        let reading = try readList(bytes, base: seed % 2 == 0 ? "http://base.example/" : nil)
        #expect(
            reading.items.allSatisfy { item in
                switch item {
                case .entry(let entry): entry.urls.allSatisfy { $0.scheme == "http" || $0.scheme == "https" }
                case .problem(let problem): problem.origin.line.map { $0 >= 1 } ?? false
                case .listing, .nextPage, .explained: false
                }
            })
    }
}

/// Lists as found in the world, with what must be read from them.
@Suite struct ListFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/list")

    /// What is expected of others and is not done here, and why.
    static let knownGaps: [String: String] = [
        "aria2-input-comments.txt": "one of its URLs is an ftp one, which is refused",
        "mirrorlist-indented.txt": "its URLs are ones of directories, one of them by ftp; a list names files",
        "wpt-urls-valid-1.txt": "one of its URLs is an ftp one, which is refused",
    ]

    @Test("a list gives its entries, however it is cut", arguments: ManifestFixture.names(in: directory))
    func list(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let reading = try ReaderVerifier { ListReader(context: fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        if let reason = Self.knownGaps[name] {
            #expect(!differences.isEmpty, "\(name) is read now; take it off the list of gaps (\(reason))")
        } else {
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
    }

    @Test("there are lists, and every gap names one of them")
    func lists() {
        let names = ManifestFixture.names(in: Self.directory)
        #expect(names.count >= 9)
        #expect(Set(Self.knownGaps.keys).isSubset(of: names))
    }

    @Test("every line of the invalid URLs is told by its number")
    func invalidURLs() throws {
        let fixture = try ManifestFixture("wpt-urls-invalid-1.txt", in: Self.directory)
        let reading = try ReaderVerifier { ListReader(context: fixture.context) }.read(fixture.bytes)
        #expect(reading.problems.compactMap(\.origin.line) == Array(1...22))
    }
}
