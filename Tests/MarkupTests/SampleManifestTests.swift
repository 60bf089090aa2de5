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

    /// A sample of a kind that is no list of URLs, and what is in it.
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let format: String
        /// The address that it would have, if it is not its name in a directory.
        var address = ""
        var files: Int
        var listings = 0
        var digests = 0
        /// How many files have a size, exact or rounded or claimed.
        var sizes: Int
        var dates = 0

        var testDescription: String { name }
    }

    private static let samples = [
        Sample(name: "SHA256SUMS", format: "checksums", files: 3, digests: 3, sizes: 0),
        Sample(name: "Packages", format: "debian", files: 2, digests: 2, sizes: 2),
        Sample(name: "file-report.tsv", format: "tsv", files: 4, digests: 4, sizes: 4),
        Sample(name: "models.csv", format: "csv", files: 2, digests: 2, sizes: 2),
        Sample(name: "disk-images.meta4", format: "metalink", files: 2, digests: 1, sizes: 2),
        Sample(name: "bucket.xml", format: "s3", files: 3, sizes: 3, dates: 3),
        Sample(name: "sitemap.xml", format: "sitemap", files: 2, sizes: 0, dates: 2),
        Sample(name: "repomd.xml", format: "repomd", files: 2, listings: 1, digests: 2, sizes: 2, dates: 2),
        Sample(
            name: "collection.xml", format: "webdav", address: "https://mirror.example.org/pub/", files: 1, listings: 1,
            sizes: 1, dates: 1),
        Sample(name: "feed.xml", format: "feed", files: 2, sizes: 2),
        Sample(name: "catalog.xml", format: "thredds", files: 2, listings: 1, sizes: 2, dates: 2),
        Sample(name: "index.html", format: "html", files: 2, listings: 1, sizes: 2, dates: 2),
        Sample(name: "index.json", format: "autoindex-json", files: 2, listings: 1, sizes: 2, dates: 2),
    ]

    @Test("a sample of another kind is recognised and read whole, from wherever it lies", arguments: samples)
    func otherSample(_ sample: Sample) throws {
        let bytes = Array(try Data(contentsOf: Self.directory.appendingPathComponent(sample.name)))
        let address = sample.address.isEmpty ? "https://mirror.example.org/pub/\(sample.name)" : sample.address
        let context = ManifestContext(sourceName: sample.name, baseURL: WebURL(address))
        let format = try chooseFormat(start: bytes.prefix(4096), context: context)
        #expect(format.name == sample.format)
        let reading = try ReaderVerifier { format.makeReader(context) }.read(bytes)
        #expect(reading.error == nil && reading.problems.isEmpty && reading.nextPages.isEmpty)
        #expect(reading.entries.count == sample.files)
        #expect(reading.listings.count == sample.listings)
        #expect(reading.entries.count { !$0.digests.isEmpty } == sample.digests)
        #expect(reading.entries.count { $0.size != .unknown } == sample.sizes)
        #expect(reading.entries.count { $0.modified != nil } == sample.dates)
        let places = try reading.entries.map { try Placement().path(of: $0) }
        #expect(Set(places).count == sample.files)
        // Nobody who tries a sample is to ask a stranger's server.
        let hosts = reading.entries.flatMap(\.urls).map(\.host) + reading.listings.map(\.url.host)
        #expect(hosts.allSatisfy { $0.hasSuffix(".example.org") }, "\(hosts)")
    }

    @Test("every sample is tested")
    func all() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
        #expect(names.filter { $0.hasSuffix(".txt") }.count == 4)
        #expect(names.filter { !$0.hasSuffix(".txt") }.sorted() == Self.samples.map(\.name).sorted())
    }
}
