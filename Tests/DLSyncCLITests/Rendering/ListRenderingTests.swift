import DLSync
import SyncCore
import Testing

@testable import DLSyncCLI

@Suite struct ListRenderingTests {
    @Test(
        "A date has the precision and the zone that the listing shows",
        arguments: [
            (true, .second, "2026-01-31T12:00:00Z"), (false, .second, "2026-01-31T12:00:00"),
            (false, .minute, "2026-01-31T12:00"), (true, .minute, "2026-01-31T12:00Z"), (false, .day, "2026-01-31"),
            (true, .fraction(nanoseconds: 7_000_000, digits: 3), "2026-01-31T12:00:00.007Z"),
            (false, .fraction(nanoseconds: 784_042_939, digits: 9), "2026-01-31T12:00:00.784042939"),
        ] as [(Bool, ListedDate.Precision, String)])
    func dates(hasZone: Bool, precision: ListedDate.Precision, expected: String) {
        let date = ListedDate(secondsSinceEpoch: 1_769_860_800, hasZone: hasZone, precision: precision)
        #expect(date.text == expected)
    }

    @Test("An entry as JSON tells sizes exactly or by their bounds, digests once, and no password")
    func json() throws {
        let url = try #require(WebURL("https://me:secret@example.org/a?token=x"))
        let mirror = try #require(WebURL("https://mirror.test/a"))
        let digest = try #require(Digest(.md5, hex: "d41d8cd98f00b204e9800998ecf8427e"))
        var entry = Entry(
            urls: [url, mirror], size: .exact(5), digests: [digest, digest], origin: EntryOrigin(source: "list"))
        let path = try RelativePath("a")
        #expect(
            ListRendering.json(entry, path) == """
                {"type":"entry","kind":"file","url":"https://example.org/a?token=x","path":"a","size":5,"sizeRange":null,\
                "modified":null,"digests":{"md5":"d41d8cd98f00b204e9800998ecf8427e"},"mirrors":["https://mirror.test/a"]}

                """)
        entry.size = .within(10...20)
        #expect(ListRendering.json(entry, path).contains("\"size\":null,\"sizeRange\":[10,20]"))
        #expect(!ListRendering.text(entry, path).contains("secret"))
    }
}
