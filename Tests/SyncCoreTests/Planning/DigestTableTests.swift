import SyncCore
import Testing

private func sha256(_ byte: UInt8) -> Digest? { Digest(.sha256, bytes: [UInt8](repeating: byte, count: 32)) }
private func md5(_ byte: UInt8) -> Digest? { Digest(.md5, bytes: [UInt8](repeating: byte, count: 16)) }

private func entry(_ urls: [String], _ path: String? = nil, _ digests: [Digest?] = []) throws -> Entry {
    Entry(
        urls: try urls.map { try #require(WebURL($0)) }, suggestedPath: path.map { Array($0.utf8) },
        digests: digests.compactMap { $0 }, origin: EntryOrigin(source: "list"))
}

@Suite("Digests from another place than the entries") struct DigestTableTests {
    @Test(
        "An entry is matched by any of its URLs, and else by its path below its listing",
        arguments: [
            (["https://a.example/pub/x.iso"], "x.iso", true),
            (["https://a.example/pub/x.iso#part"], nil, true),
            (["https://a.example/pub/x.iso?X-Amz-Signature=1"], "other name", true),
            (["https://m.example/x", "https://a.example/pub/x.iso"], "elsewhere", true),
            (["https://a.example/pub/y.iso"], "y.iso", false),
            // By path.
            (["https://mirror.example/some/x.iso"], "x.iso", true),
            (["https://mirror.example/some/x.iso"], nil, true),
            (["https://mirror.example/some/sub/z"], "sub/z", true),
            (["https://mirror.example/some/sub/z"], nil, false),
            (["https://mirror.example/download?id=7"], "x.iso", true),
            (["https://a.example/other/x.iso"], "x.iso", true),
            // Another file of that name below the list's own directory, and one of the directory above it.
            (["https://a.example/pub/deep/x.iso"], "x.iso", false),
            (["https://a.example/x.iso"], "x.iso", false),
        ] as [([String], String?, Bool)])
    func matches(urls: [String], path: String?, isMatched: Bool) throws {
        var table = DigestTable()
        try table.take(entry(["https://a.example/pub/x.iso"], "x.iso", [sha256(1)]))
        try table.take(entry(["https://a.example/pub/sub/z"], "sub/z", [sha256(1)]))
        let digested = try table.digested(entry(urls, path, [md5(9)]))
        #expect(digested.digests == (isMatched ? [sha256(1)] : [md5(9)]).compactMap { $0 })
    }

    @Test("A list that gives addresses alone says nothing of paths") func addresses() throws {
        var table = DigestTable()
        try table.take(entry(["https://a.example/pub/x.iso"], nil, [sha256(1)]))
        #expect(try table.digested(entry(["https://b.example/x.iso"], "x.iso")).digests == [])
    }

    @Test("Digests of several algorithms and lists come together; two that differ are told, and the first stays")
    func several() throws {
        var table = DigestTable()
        let url = "https://a.example/x"
        #expect(table.isEmpty)
        try table.take(entry([url], "x"))
        #expect(table.isEmpty)
        try table.take(entry([url], "x", [sha256(1)]))
        try table.take(entry([url], "x", [sha256(1), md5(1)]))
        let failure = #expect(throws: Failure.self) { try table.take(entry([url], "x", [md5(2)])) }
        #expect(failure?.code == .badEntry)
        let wanted = [sha256(1), md5(1)].compactMap { $0 }
        #expect(try table.digested(entry([url])).digests == wanted)
        #expect(try table.digested(entry(["https://b.example/x"], "x")).digests == wanted)
    }
}
