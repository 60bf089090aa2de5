import Compression
import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

/// XML documents of real servers and tools, read and compared with what they name.
@Suite struct XMLFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/xml")
    static let names = ManifestFixture.names(in: directory).filter { !$0.hasSuffix(".gz") }

    /// The format of a document by the start of its name.
    static func format(of name: String) -> String {
        let formats = [
            "s3": "s3", "oss": "s3", "gcs": "gcs", "azure": "azure", "metalink": "metalink", "sitemap": "sitemap",
            "rss": "feed", "atom": "feed", "repomd": "repomd", "rpm": "repomd", "propfind": "webdav",
            "thredds": "thredds", "nginx": "autoindex-xml", "maven": "maven-metadata",
        ]
        return formats.first { name.hasPrefix($0.key) }?.value ?? ""
    }

    @Test("a document gives what it names, however it is cut", arguments: names)
    func document(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let format = try chooseFormat(start: fixture.bytes.prefix(4096), context: fixture.context)
        #expect(format.name == Self.format(of: name))
        let reading = try ReaderVerifier { format.makeReader(fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        #expect(differences.isEmpty, "\(differences.prefix(8).joined(separator: "\n"))")
        // Whatever a document names can be placed below the destination, or is refused there.
        for entry in reading.entries { #expect(throws: Never.self) { try Placement().path(of: entry) } }
    }

    @Test("a document cut short anywhere is an error, not a shorter list", arguments: names)
    func cutShort(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let format = try chooseFormat(start: fixture.bytes.prefix(4096), context: fixture.context)
        let verifier = ReaderVerifier { format.makeReader(fixture.context) }
        let end = fixture.bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        for cut in stride(from: 0, to: end, by: max(1, end / 97)) {
            let reading = verifier.read(pieces: [fixture.bytes[..<cut]])
            let message = try #require(reading.error?.message, "cut at \(cut)")
            let isTold = ["cut short", "is empty"].contains { message.contains($0) }
            #expect(isTold, "cut at \(cut): \(message)")
            #expect(reading.nextPages.isEmpty)
        }
    }

    @Test("a document that is compressed is read like another", arguments: ["sitemap-plain.xml.gz"])
    func compressed(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let unpacker = Unpacker(sourceName: name)
        var bytes: [UInt8] = []
        try unpacker.read(fixture.bytes[...]) { piece throws(ManifestError) in bytes += piece }
        try unpacker.finish { piece throws(ManifestError) in bytes += piece }
        let format = try chooseFormat(start: bytes.prefix(4096), context: fixture.context)
        #expect(fixture.differences(from: try ReaderVerifier { format.makeReader(fixture.context) }.read(bytes)) == [])
    }

    @Test("there are documents of every format")
    func formats() {
        #expect(Self.names.count >= 33)
        #expect(!Self.names.map(Self.format).contains(""))
    }
}
