import Foundation
import SyncCore
import TestSupport
import Testing

private func read(_ text: String, base: String? = "http://h.example/d%20d/", directory: String = "") throws -> Reading {
    let context = ManifestContext(
        sourceName: "listing", baseURL: base.flatMap { WebURL($0) }, directory: Array(directory.utf8))
    return try ReaderVerifier { JSONListingReader(context: context) }.read(Array(text.utf8))
}

@Suite struct JSONListingReaderTests {
    @Test("case 138: names, sizes, dates and kinds of the servers' own words")
    func members() throws {
        let reading = try read(
            """
            [{"name":"a 1%.txt","type":"file","mtime":"Fri, 03 Mar 2023 01:21:25 GMT","size":9007199254740993},
             {"name":"b/","is_dir":true,"size":4096,"mod_time":"2023-03-03T01:21:25Z"},
             {"name":"c","size":"7","mtime":"2023-03-03T02:21:25.123+01:00","x":[{"name":"no"}],"y":{"name":"no"}},
             {"name":"d","type":"directory","uri":"/d%20d/d"},
             {"name":"e","mtime":1677806485.25,"size":1.5},{"name":"f","mtime":1677806485123},{"name":"g"},
             {"name":"..","type":"directory"},{"name":".","type":"directory"},{"name":"broken","type":"other"}]
            """, directory: "x")
        #expect(reading.error == nil && reading.problems.isEmpty)
        #expect(
            reading.entries.map { $0.urls.map(\.string) } == [
                ["http://h.example/d%20d/a%201%25.txt"], ["http://h.example/d%20d/c"], ["http://h.example/d%20d/e"],
                ["http://h.example/d%20d/f"], ["http://h.example/d%20d/g"],
            ])
        #expect(
            reading.entries.map(\.suggestedPath) == ["x/a 1%.txt", "x/c", "x/e", "x/f", "x/g"].map { Array($0.utf8) })
        #expect(
            reading.entries.map(\.size) == [.exact(9_007_199_254_740_993), .exact(7), .unknown, .unknown, .unknown])
        let date = ListedDate(secondsSinceEpoch: 1_677_806_485, hasZone: true, precision: .second)
        #expect(reading.entries.first?.modified == date)
        #expect(
            reading.entries.dropFirst().map(\.modified?.text) == [
                "2023-03-03T01:21:25.123Z", "2023-03-03T01:21:25.25Z", "2023-03-03T01:21:25.123Z", nil,
            ])
        #expect(reading.listings.map(\.url.string) == ["http://h.example/d%20d/b/", "http://h.example/d%20d/d/"])
        #expect(reading.listings.map(\.path) == [Array("x/b".utf8), Array("x/d".utf8)])
    }

    @Test("only what lies strictly below the listing counts")
    func below() throws {
        let reading = try read(
            """
            {"path":"/","files":[{"name":"x","url":"http://other.example/d%20d/x"},{"url":"../x"},{"url":"/d%20d/"},
             {"url":"a:b%2Fc"},{"url":"?x"},{"url":"sub/y/"},{"url":"javascript:x"},{"url":"/d d/z?v=1"}],"next":null}
            """)
        #expect(reading.error == nil && reading.problems.isEmpty)
        #expect(reading.entries.map(\.suggestedPath) == ["a:b%2Fc", "z"].map { Array($0.utf8) })
        #expect(reading.listings.map(\.path) == [Array("sub/y".utf8)])
    }

    @Test("lists of files and directories apart, and the words of other servers")
    func otherServers() throws {
        let copyparty = try read(
            "{\"dirs\":[{\"href\":\"x%20y/\",\"sz\":4096,\"ts\":1677806485}],\"files\":[{\"href\":\"a\",\"sz\":7,\"ts\":1677806485}],\"acct\":\"*\"}"
        )
        #expect(copyparty.listings.map(\.path) == [Array("x y".utf8)])
        #expect(copyparty.entries.map(\.size) == [.exact(7)])
        let dufs = try read(
            "{\"href\":\"/\",\"paths\":[{\"path_type\":\"Dir\",\"name\":\"d\",\"mtime\":1677806485123,\"size\":3},{\"path_type\":\"File\",\"name\":\"f\",\"size\":9}]}"
        )
        #expect(dufs.listings.map(\.path) == [Array("d".utf8)] && dufs.entries.map(\.size) == [.exact(9)])
        let plainDirectories = try read(
            "{\"folders\":[{\"name\":\"d\"}],\"files\":[{\"name\":\"v.mp4\",\"type\":\"video\"}]}")
        #expect(plainDirectories.listings.count == 1 && plainDirectories.entries.count == 1)
    }

    @Test("an empty directory is an empty listing", arguments: ["[]", "[\n]\n", "{\"files\":[]}", "\u{FEFF}[ ]"])
    func empty(_ text: String) throws { #expect(try read(text) == Reading()) }

    @Test(
        "JSON of another shape is an error and no empty listing",
        arguments: [
            ("{}", "no array"), ("{\"error\":\"not found\"}", "no array"), ("[1]", "other things"),
            ("[[]]", "another array"),
            ("[{\"id\":1}]", "has a name"), ("[{\"url\":\"http://x.example/\"}]", "below it"), ("null", "cut short"),
            ("[{\"name\":\"a\"}", "cut short"), ("[{\"name\":\"a\"},", "cut short"), ("[", "cut short"),
            ("", "cut short"),
            ("[{\"name\":\"a\",\"size\":01}]", "no valid JSON"), ("[{\"name\":\"a\"}]]", "no valid JSON"),
            ("<html>", "no valid JSON"),
        ])
    func errors(_ text: String, _ words: String) throws {
        #expect(try read(text).error?.message.contains(words) == true)
    }

    @Test(
        "a name that cannot be taken is told, and the rest goes on",
        arguments: [
            ("{\"name\":\"../x\"}", "leads out"), ("{\"name\":\"/etc/x\"}", "absolute"), ("{\"name\":\"\"}", "no file"),
            ("{\"name\":\"a\\u0000\"}", "NUL"), ("{\"name\":\"\\ud800\"}", "half a character"),
            ("{\"size\":1}", "no name"),
            ("{\"url\":\"http://h.example:99999/\"}", "no valid address"),
        ])
    func badName(_ row: String, _ words: String) throws {
        let reading = try read("[{\"name\":\"first\"},\(row),{\"name\":\"last\"}]")
        #expect(reading.entries.map(\.suggestedPath) == [Array("first".utf8), Array("last".utf8)])
        #expect(reading.problems.count == 1 && reading.error == nil)
        #expect(reading.problems.first?.message.contains(words) == true, "\(reading.problems)")
    }

    @Test("without a base there is one error that tells the cure")
    func noBase() throws {
        #expect(try read("[{\"name\":\"a\"}]", base: nil).error?.message.contains("--base-url") == true)
    }
}

/// Listings as servers made them.
@Suite struct JSONFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/json")

    @Test("a listing gives its entries, however it is cut", arguments: ManifestFixture.names(in: directory))
    func listing(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let reading = try ReaderVerifier { JSONListingReader(context: fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        #expect(reading.problems.isEmpty)
    }

    @Test("there are listings")
    func listings() { #expect(ManifestFixture.names(in: Self.directory).count == 2) }
}
