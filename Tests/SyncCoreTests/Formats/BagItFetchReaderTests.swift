import Foundation
import SyncCore
import TestSupport
import Testing

private func read(_ text: String) throws -> Reading {
    try ReaderVerifier { BagItFetchReader(context: ManifestContext(sourceName: "fetch.txt")) }.read(Array(text.utf8))
}

@Suite struct BagItFetchReaderTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/bagit")

    @Test("address, length and name, with blanks and encoded line ends in names")
    func lines() throws {
        let reading = try read(
            "http://a.example/x?y - data/a b.txt \r\n\nhttp://a.example/y\t 7  ./data//c%0Ad%25%41\nhttp://a.example/ 0 z"
        )
        #expect(reading.problems.isEmpty)
        #expect(
            reading.entries.map { String(decoding: $0.suggestedPath ?? [], as: UTF8.self) } == [
                "data/a b.txt ", "data/c\nd%%41", "z",
            ])
        #expect(reading.entries.map(\.size) == [.unknown, .exact(7), .exact(0)])
        #expect(reading.entries.map(\.origin.line) == [1, 3, 4])
    }

    @Test(
        "a bad line is told with its number, and the rest goes on",
        arguments: [
            ("http://b.example/ x data/y", "length"), ("http://b.example/x -", "length"),
            ("ftp://b.example/x - y", "http"),
            ("data/x - y", "http"), ("http://b.example:99999/ - y", "not a valid URL"),
            ("http://b.example/ - ../y", "leads out"),
            ("http://b.example/ - /y", "absolute"), ("http://b.example/ - y\u{0}", "NUL"),
            ("http://b.example/ - d/", "directory"),
        ])
    func bad(_ line: String, _ words: String) throws {
        let reading = try read("http://a.example/1 - first\n\(line)\nhttp://a.example/2 - last\n")
        #expect(reading.entries.count == 2)
        #expect(reading.problems.map(\.origin.line) == [2])
        #expect(reading.problems.first?.message.contains(words) == true, "\(reading.problems)")
    }

    @Test("a bag of the world gives its entries")
    func bag() throws {
        let fixture = try ManifestFixture("bagit-fetch.txt", in: Self.directory)
        let reading = try ReaderVerifier { BagItFetchReader(context: fixture.context) }.read(fixture.bytes)
        #expect(fixture.differences(from: reading).isEmpty)
    }

    @Test("a bag whose names lead elsewhere gives the harmless ones, as they stand")
    func traversal() throws {
        let fixture = try ManifestFixture("bagit-fetch-traversal.txt", in: Self.directory)
        let reading = try ReaderVerifier { BagItFetchReader(context: fixture.context) }.read(fixture.bytes)
        #expect(reading.problems.map(\.origin.line) == [1, 2, 5, 7])
        #expect(
            reading.entries.map { String(decoding: $0.suggestedPath ?? [], as: UTF8.self) } == [
                "~/test.txt", "~root/foo", "%HomeDrive%\\Windows\\System32\\setx.exe",
            ])
    }
}
