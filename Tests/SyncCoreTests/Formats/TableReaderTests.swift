import Foundation
import SyncCore
import TestSupport
import Testing

private let md5 = "d41d8cd98f00b204e9800998ecf8427e"
private let other = "9e107d9d372bb6826bd81d3542a419d6"
private let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

private func read(
    _ text: some Sequence<UInt8>, _ style: TableReader.Style = .commas, base: String? = "http://b.example/d/"
) throws -> Reading {
    let context = ManifestContext(sourceName: "table", baseURL: base.flatMap { WebURL($0) })
    return try ReaderVerifier { TableReader(style, context: context) }.read(Array(text))
}

private func urls(_ reading: Reading) -> [String] { reading.entries.map { $0.urls[0].string } }

private func paths(_ reading: Reading) -> [String?] {
    reading.entries.map { $0.suggestedPath.map { String(decoding: $0, as: UTF8.self) } }
}

@Suite struct TableReaderTests {
    @Test("RFC 4180's quotes, with separators, quotes and line ends in fields")
    func quotes() throws {
        let reading = try read(
            "note,url,filename\r\n\"a, \"\"b\"\"\r\nc\",http://a.example/x,\"d, \"\"e\"\".txt\"\r\n,\"http://a.example/y\","
                .utf8)
        #expect(urls(reading) == ["http://a.example/x", "http://a.example/y"])
        #expect(paths(reading) == ["d, \"e\".txt", nil])
        #expect(reading.entries.map(\.origin.line) == [2, 4])
        #expect(reading.problems.isEmpty && reading.error == nil)
    }

    @Test(
        "the header tells what separates fields",
        arguments: [
            "url,size", "url;size", "url\tsize", "sep=;\nurl;size", "\u{FEFF}url,size", "# by hand\n\n\"URL\",\"Size\"",
        ])
    func separators(_ header: String) throws {
        let separator = header.contains(";") ? ";" : header.contains("\t") ? "\t" : ","
        let reading = try read("\(header)\nhttp://a.example/x\(separator)7\n".utf8)
        #expect(urls(reading) == ["http://a.example/x"] && reading.entries.first?.size == .exact(7))
    }

    @Test("a header may stand in a comment, unless a plain one follows it")
    func commentedHeader() throws {
        let one = try read(
            "## made today\n#url\tmd5\nhttp://a.example/x\t\(md5)\n# c\nhttp://a.example/y\t\n".utf8, .tabs)
        #expect(urls(one) == ["http://a.example/x", "http://a.example/y"] && one.problems.isEmpty)
        let two = try read("# see the url, size\nsize,url\n7,http://a.example/x\n".utf8)
        #expect(urls(two) == ["http://a.example/x"] && two.entries.first?.size == .exact(7))
        #expect(try read("# url,size\n# only\n".utf8) == Reading())
    }

    @Test(
        "columns are known by their names",
        arguments: [
            ("url", "md5", md5), ("URL", "MD5 sum", md5), ("File download URL", "md5sum", md5),
            ("file_url", "file_md5", md5),
            ("download_url", "computed_md5", md5), ("link", "sha256", sha256), ("uri", "SHA-256", sha256),
            ("href", "lfs.oid", sha256), ("url", "checksum", "md5:\(md5)"), ("url", "hash", sha256),
            ("url", "digest", "sha256=\(sha256)"), ("url", "md5", md5.uppercased()),
            ("url", "md5", "1B2M2Y8AsgTpgAmY7PhCfg=="),
            ("https_url", "Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="),
        ])
    func columns(_ url: String, _ digest: String, _ value: String) throws {
        let reading = try read("x\t\(url)\t\(digest)\tSize (bytes)\n1\thttp://a.example/x\t\(value)\t7\n".utf8, .tabs)
        #expect(urls(reading) == ["http://a.example/x"] && reading.problems.isEmpty)
        #expect(reading.entries.first?.size == .exact(7))
        #expect(reading.entries.first?.digests.map(\.hex) == [value.contains(sha256) ? sha256 : md5])
    }

    @Test("all digests of a row are kept, and the strongest counts; sums that prove nothing are not")
    func digests() throws {
        let reading = try read("url,md5,sha256,crc32,etag\nhttp://a.example/x,\(md5),\(sha256),00000000,\"x\"\n".utf8)
        #expect(reading.entries.first?.digests.map(\.algorithm) == [.md5, .sha256])
        #expect(reading.entries.first?.strongestDigest?.hex == sha256)
    }

    @Test("an algorithm may stand in a column of its own")
    func algorithmColumn() throws {
        let reading = try read(
            "url,checksum_type,checksum\nhttp://a.example/x,MD5,\(md5)\nhttp://a.example/y,SHA3-256,00\nhttp://a.example/z,,\(sha256)\n"
                .utf8)
        #expect(reading.entries.map { $0.digests.map(\.algorithm) } == [[.md5], [], [.sha256]])
    }

    @Test(
        "sizes as programs write them",
        arguments: [
            ("7", .exact(7)), ("7.0", .exact(7)), ("", .unknown), ("NA", .unknown), ("-1", .unknown), ("-", .unknown),
            ("9223372036854775807", .exact(.max)), ("1,234", .exact(1234)),
        ] as [(String, SizeKnowledge)])
    func sizes(_ cell: String, _ size: SizeKnowledge) throws {
        let reading = try read("url\tsize\nhttp://a.example/x\t\(cell)\n".utf8, .tabs)
        #expect(reading.entries.map(\.size) == [size] && reading.problems.isEmpty)
    }

    @Test("a rounded size is an interval, and a date is one")
    func rounded() throws {
        let reading = try read("url,size,last_modified\nhttp://a.example/x,1.5 MB,2023-03-03T01:21:25Z\n".utf8)
        #expect(
            reading.entries.first?.size.allows(1_500_000) == true
                && reading.entries.first?.size.allows(3_000_000) == false)
        #expect(reading.entries.first?.modified?.secondsSinceEpoch == 1_677_806_485)
    }

    @Test("reports of the European Nucleotide Archive: parallel lists, groups of columns, no schemes")
    func reports() throws {
        let reading = try read(
            """
            run_accession\tfastq_ftp\tfastq_md5\tfastq_bytes\tfastq_aspera\tsubmitted_ftp\tsubmitted_md5\tsubmitted_bytes
            R1\tf.example/a_1.gz;f.example/a_2.gz\t\(md5);\(other)\t1;2\tx:/y\tf.example/s.bam;\t\(md5);\t9;
            R2\t\t\t\t\t\t\t
            R3\tftp://f.example/c.gz\t\t\t\t\t\t

            """.utf8, .tabs, base: nil)
        #expect(
            urls(reading) == [
                "https://f.example/a_1.gz", "https://f.example/a_2.gz", "https://f.example/s.bam",
                "https://f.example/c.gz",
            ])
        #expect(reading.entries.map(\.size) == [.exact(1), .exact(2), .exact(9), .unknown])
        #expect(reading.entries.map { $0.digests.map(\.hex) } == [[md5], [other], [md5], []])
        #expect(paths(reading) == [nil, nil, nil, nil] && reading.problems.isEmpty)
    }

    @Test("a semicolon is part of an address unless whole addresses stand between them")
    func semicolons() throws {
        let reading = try read(
            "url\tmd5\nhttp://a.example/x;v=1;w\t\(md5)\nhttp://a.example/y;http://a.example/z\t\(md5);\(other)\n".utf8,
            .tabs)
        #expect(urls(reading) == ["http://a.example/x;v=1;w", "http://a.example/y", "http://a.example/z"])
        #expect(reading.entries.map { $0.digests.map(\.hex) } == [[md5], [md5], [other]])
    }

    @Test("addresses of pages about the files are not files")
    func pages() throws {
        let reading = try read(
            "homepage_url,url,thumbnail_url\nhttp://p.example/,http://a.example/x,http://t.example/t\n".utf8)
        #expect(urls(reading) == ["http://a.example/x"])
        let download = try read("html_url,download_url\nhttp://p.example/,http://a.example/x\n".utf8)
        #expect(urls(download) == ["http://a.example/x"])
    }

    @Test(
        "a name counts if it is a file's, and a path always",
        arguments: [
            ("filename", "A title", "A title"), ("path", "a/b.txt", "a/b.txt"), ("path", "./a//b", "a/b"),
            ("name", "y.ISO", "y.ISO"), ("name", "Dr. No", nil), ("name", "", nil), ("title", "y.iso", nil),
        ])
    func names(_ column: String, _ name: String, _ path: String?) throws {
        #expect(paths(try read("url,\(column)\nhttp://a.example/x.iso,\(name)\n".utf8)) == [path])
    }

    @Test("names without addresses are relative to the base, and not encoded")
    func namesAlone() throws {
        let reading = try read("path,size,sha256\nd e/100%41.txt,7,\(sha256)\n,,\n".utf8)
        #expect(urls(reading) == ["http://b.example/d/d%20e/100%2541.txt"])
        #expect(paths(reading) == ["d e/100%41.txt"])
        let addresses = try read("url\nd%20e/x\na:b\n".utf8)
        #expect(urls(addresses) == ["http://b.example/d/d%20e/x", "http://b.example/d/a:b"])
    }

    @Test("quotes around every field of a table of TABs are taken off")
    func quotedTabs() throws {
        let reading = try read("\"url\"\t\"filename\"\n\"http://a.example/x\"\t\"a \"\"b\"\"\"\n".utf8, .tabs)
        #expect(urls(reading) == ["http://a.example/x"] && paths(reading) == ["a \"b\""])
    }

    @Test(
        "a row that cannot be used is told with its line, and the rest goes on",
        arguments: [
            ("ftp://a.example/x,,,", "only http and https"), ("http://a.example:99999/,,,", "host and port"),
            ("http://a.example/x,x,,", "no size"), ("http://a.example/x,,12,", "no md5 digest"),
            ("http://a.example/x,,sha256:\(sha256),", nil), ("http://a.example/x,,,../y", "leads out"),
            ("http://a.example/x,,,/y", "absolute"), ("http://a.example/x,1,,,,9", "6 fields"),
            ("http://a.example/\u{0},,,", "NUL"), ("http://a.example/1;http://a.example/2,7,,", "2 files and 1 sizes"),
        ])
    func bad(_ row: String, _ words: String?) throws {
        let reading = try read("url,size,md5,path\nhttp://a.example/first\n\(row)\nhttp://a.example/last,,,\n".utf8)
        #expect(urls(reading).first == "http://a.example/first" && urls(reading).last == "http://a.example/last")
        #expect(reading.entries.count == (words == nil ? 3 : 2))
        #expect(reading.problems.map(\.origin.line) == (words == nil ? [] : [3]))
        if let words { #expect(reading.problems.first?.message.contains(words) == true, "\(reading.problems)") }
    }

    @Test(
        "what is no table of files, or was cut, is an error",
        arguments: [
            ("a,b\n1,2\n", "call one 'url'"), ("http://a.example/x,1\n", "call one 'url'"),
            ("url,path\nhttp://a.example/x,\"y", "cut short"),
            (String(repeating: ",", count: 10_001) + "url\n", "10000 columns"),
        ])
    func errors(_ text: String, _ words: String) throws {
        let context = ManifestContext(sourceName: "table")
        let reading = ReaderVerifier { TableReader(.commas, context: context) }.read(pieces: [Array(text.utf8)[...]])
        #expect(reading.error?.message.contains(words) == true, "\(String(describing: reading.error))")
    }

    @Test("without a base, names have one error that tells the cure, and addresses a problem each")
    func noBase() throws {
        #expect(try read("path,md5\nx,\n".utf8, base: nil).error?.message.contains("--base-url") == true)
        let gdc = try read("id\tfilename\tmd5\tsize\tstate\n1\tx\t\t7\tlive\n".utf8, .tabs, base: nil)
        #expect(gdc.error?.message.contains("--base-url https://api.gdc.cancer.gov/data/") == true)
        #expect(try read("url\nx/y\n".utf8, base: nil).problems.first?.message.contains("--base-url") == true)
    }

    @Test("a row names so many files and no more", arguments: [1000, 1001])
    func manyParts(_ count: Int) throws {
        let addresses = Array(repeating: "f.example/x", count: count).joined(separator: ";")
        let sizes = (1...count).map(String.init).joined(separator: ";")
        let context = ManifestContext(sourceName: "table")
        let text = Array("x_ftp\tx_bytes\n\(addresses)\t\(sizes)\n".utf8)
        let reading = ReaderVerifier { TableReader(.tabs, context: context) }.read(pieces: [text[...]])
        #expect(reading.entries.count == (count > 1000 ? 0 : count))
        #expect(reading.problems.count == (count > 1000 ? 1 : 0))
        if count == 1000 { #expect(reading.entries.last?.size == .exact(1000)) }
    }

    @Test("a row that is too long, or has too many fields, is told, and the rest goes on")
    func limits() throws {
        let long = "http://a.example/" + String(repeating: "x", count: 1 << 20)
        let wide = String(repeating: ",", count: 20_000)
        let context = ManifestContext(sourceName: "table")
        let bytes = Array("url,md5\n\(long)\nhttp://a.example/y,\n\(wide)\nhttp://a.example/z\n".utf8)
        let reading = ReaderVerifier { TableReader(.commas, context: context) }.read(pieces: [bytes[...]])
        #expect(reading.entries.map { $0.urls[0].string } == ["http://a.example/y", "http://a.example/z"])
        #expect(reading.problems.map(\.origin.line) == [2, 4])
    }
}

/// Tables as found in the world.
@Suite struct TableFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/tables")

    @Test("a table gives its entries, however it is cut", arguments: ManifestFixture.names(in: directory))
    func table(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let reading = try ReaderVerifier { TableReader(.tabs, context: fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        #expect(reading.problems.isEmpty)
    }

    @Test("there are tables")
    func tables() { #expect(ManifestFixture.names(in: Self.directory).count == 4) }
}
