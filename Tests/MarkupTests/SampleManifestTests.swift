import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

/// The sample manifests that the documentation uses.
@Suite struct SampleManifestTests {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("manifests")

    @Test(
        "a sample is recognised and read to its last line",
        arguments: [
            ("common-crawl.txt", 5, 5, 0), ("debian-images.txt", 12, 12, 0), ("debian-indices.txt", 6, 18, 6),
            ("sequencing-reads.txt", 2, 2, 2),
        ])
    func sample(_ name: String, _ files: Int, _ addresses: Int, _ digests: Int) throws {
        let bytes = Array(try Data(contentsOf: Self.directory.appendingPathComponent(name)))
        let context = ManifestContext(sourceName: name)
        let format = try chooseFormat(start: bytes.prefix(4096), context: context)
        #expect(format.name == "list")
        let reading = try ReaderVerifier { format.makeReader(context) }.read(bytes)
        #expect(reading.error == nil && reading.problems.isEmpty)
        #expect(reading.entries.count == files)
        #expect(reading.entries.reduce(0) { $0 + $1.urls.count } == addresses)
        #expect(reading.entries.filter { !$0.digests.isEmpty && $0.size != .unknown }.count == digests)
        // No two files of a sample want the same place.
        let places = reading.entries.map { $0.suggestedPath ?? $0.urls.first?.lastPathSegment ?? [] }
        #expect(Set(places).count == files)
        for place in places { #expect(throws: Never.self) { try RelativePath(bytes: place) } }
    }

    @Test("every sample is tested")
    func all() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
        #expect(names.filter { $0.hasSuffix(".txt") }.count == 4)
    }
}
