import Foundation
import Glibc
import Markup
import SyncCore
import Testing

/// Memory that stays the same however long a document is. Each is read in a process of its own, where nothing else is
/// kept.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
    /// The resident memory of this process, in bytes.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func read(
        _ reader: any ManifestReader, start: String, count: Int, end: String, row: (Int) -> String
    ) throws -> (entries: Int, growth: Int) {
        var reader = reader
        var items: [ManifestItem] = []
        var entries = 0
        func take() {
            entries += items.count { if case .entry = $0 { true } else { false } }
            items.removeAll(keepingCapacity: true)
        }
        try reader.read(Array(start.utf8)[...], into: &items)
        var before = 0
        for first in stride(from: 0, to: count, by: 500) {
            let rows = (first..<min(count, first + 500)).map(row).joined()
            try reader.read(Array(rows.utf8)[...], into: &items)
            take()
            // What the first rows bring up stays: buffers, the allocator's reserve.
            if first <= count / 10 { before = try residentBytes() }
        }
        try reader.read(Array(end.utf8)[...], into: &items)
        try reader.finish(into: &items)
        take()
        return (entries, try residentBytes() - before)
    }

    @Test("three hundred thousand keys of a bucket are read in memory that does not grow")
    func bucket() async {
        await #expect(processExitsWith: .success) { try Self.readBucket() }
    }

    private static func readBucket() throws {
        let context = ManifestContext(sourceName: "doc", baseURL: WebURL("http://h.example/b"))
        let result = try read(
            XMLManifestReader(.s3, context: context), start: "<ListBucketResult><Name>b</Name>", count: 300_000,
            end: "</ListBucketResult>"
        ) {
            "<Contents><Key>some/directory/key-\($0)</Key><Size>\($0)</Size><ETag>\"0cc175b9c0f1b6a831c399e269772661\"</ETag></Contents>\n"
        }
        #expect(result.entries == 300_000)
        #expect(result.growth < 16 << 20, "grew by \(result.growth >> 10) KiB")
    }

    @Test("fifty thousand rows of an index page keep only what tells repeated links")
    func page() async {
        await #expect(processExitsWith: .success) { try Self.readPage() }
    }

    private static func readPage() throws {
        let context = ManifestContext(sourceName: "doc", baseURL: WebURL("http://h.example/"))
        let result = try read(
            HTMLListingReader(context: context), start: "<html><body><pre><a href=\"../\">../</a>\n", count: 50_000,
            end: "</pre></body></html>"
        ) { "<a href=\"f\($0).bin\">f\($0).bin</a>                  01-Jan-2024 00:00             \($0)\n" }
        #expect(result.entries == 50_000)
        #expect(result.growth < 32 << 20, "grew by \(result.growth >> 10) KiB")
    }
}
