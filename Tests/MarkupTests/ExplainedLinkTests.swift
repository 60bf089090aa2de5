import Markup
import SyncCore
import TestSupport
import Testing

/// Reads a page in every way of cutting it, with reasons.
private func explained(_ page: String, base: String? = nil) throws -> (links: [ExplainedLink], reading: Reading) {
    var context = ManifestContext(sourceName: "page", baseURL: WebURL(base ?? "http://h.example/pub/"))
    context.explainsLinks = true
    let reading = try ReaderVerifier { ManifestFormat.html.makeReader(context) }.read(Array(page.utf8))
    return (reading.items.compactMap { if case .explained(let link) = $0 { link } else { nil } }, reading)
}

@Suite("What links are taken for, and why") struct ExplainedLinkTests {
    @Test(
        "The reader tells of each link what it took it for",
        arguments: [
            ("<a href='a.txt'>a.txt</a>", .entry, "a file below the listing", "http://h.example/pub/a.txt"),
            ("<a href='x/b'>b</a>", .entry, "a file below the listing", "http://h.example/pub/x/b"),
            ("<a href='sub/'>sub/</a>", .listing, "a directory below the listing", "http://h.example/pub/sub/"),
            (
                "<a href='sub' class='icon icon-directory'>sub</a>", .listing,
                "a directory, as the link is marked as one", "http://h.example/pub/sub/"
            ),
            (
                "<a href='../'>Parent Directory</a>", .parent, "the listing above, which is not followed",
                "http://h.example/"
            ),
            (
                "<a href='/'>Home</a>", .outside, "only what lies strictly below the listing is of it",
                "http://h.example/"
            ),
            (
                "<a href='?C=N;O=D'>Name</a>", .sorting, "the same listing in another order",
                "http://h.example/pub/?C=N;O=D"
            ),
            (
                "<a href='sub/?C=N'>x</a>", .sorting, "a query behind a directory only shows it in another way",
                "http://h.example/pub/sub/?C=N"
            ),
            ("<a href='#top'>top</a>", .fragment, "a place in the page itself", nil),
            ("<a href=''>here</a>", .page, "the page itself", nil),
            ("<a href='./'>here</a>", .page, "the page itself", "http://h.example/pub/"),
            ("<a href='/pub/?page=7'>7</a>", .page, "the page itself", "http://h.example/pub/?page=7"),
            (
                "<a href='/other/a'>a</a>", .outside, "only what lies strictly below the listing is of it",
                "http://h.example/other/a"
            ),
            (
                "<a href='http://b.example/pub/a'>a</a>", .otherHost,
                "only what lies on http://h.example:80 is of this listing",
                "http://b.example/pub/a"
            ),
            (
                "<a href='https://h.example/pub/a'>a</a>", .otherHost,
                "only what lies on http://h.example:80 is of this listing", "https://h.example/pub/a"
            ),
            ("<a href='mailto:a@b.example'>mail</a>", .notHTTP, "only http and https are fetched", nil),
            ("<a href='javascript:void(0)'>x</a>", .notHTTP, "only http and https are fetched", nil),
            ("<a href='http://[/'>x</a>", .invalid, "it is no valid address", nil),
            ("<a href='http:a'>x</a>", .invalid, "it is no valid address", nil),
            (
                "<a href='https://files.example/p-1.whl#sha256=\(String(repeating: "0", count: 64))'>p</a>", .entry,
                "a package, by its digest or its marks, wherever it lies", "https://files.example/p-1.whl"
            ),
        ] as [(String, ExplainedLink.Kind, String, String?)])
    func kinds(link: String, kind: ExplainedLink.Kind, reason: String, url: String?) throws {
        let page = "<html><head><title>Index of /pub/</title></head><body>\(link)</body></html>"
        let (links, _) = try explained(page)
        #expect(links.map(\.kind) == [kind])
        #expect(links.first?.reason == reason)
        #expect(links.first?.url?.string == url)
        let isWanted = kind == .entry || kind == .listing
        #expect((links.first?.path != nil) == isWanted)
    }

    @Test("Of links to the same, the first counts, and a query does not make another file") func duplicates() throws {
        let (links, reading) = try explained(
            """
            <html><title>Index of /pub/</title><a href="a?plain=1">raw</a> <a href="a">a</a> <a href="./a#x">again</a>
            <a href="d/">d</a> <a href="d/">d</a></html>
            """)
        #expect(links.map(\.kind) == [.duplicate, .entry, .duplicate, .listing, .duplicate])
        #expect(links[0].reason == "another link names the same without a query")
        #expect(links[2].reason == "a link before it names the same")
        #expect(reading.entries.map(\.urls[0].string) == ["http://h.example/pub/a"])
    }

    @Test("A page that is no listing is explained all the same") func noListing() throws {
        let (links, reading) = try explained("<html><body><a href='/login'>Log in</a></body></html>")
        #expect(links.map(\.kind) == [.outside])
        #expect(reading.error != nil)
    }

    @Test("What is told as an entry or a listing is one, and nothing else is") func agrees() throws {
        let rows = ["a", "b/", "../", "?C=M", "http://x.example/", "c%20d", "#e", "/pub/f", "mailto:g", "b/", "a"]
        let page = "<html><title>Index of</title>" + rows.map { "<a href='\($0)'>\($0)</a><br>" }.joined() + "</html>"
        let (links, reading) = try explained(page)
        #expect(links.count == rows.count)
        #expect(links.filter { $0.kind == .entry }.compactMap(\.url) == reading.entries.map { $0.urls[0] })
        #expect(links.filter { $0.kind == .listing }.compactMap(\.url) == reading.listings.map(\.url))
        let plain = ManifestContext(sourceName: "page", baseURL: WebURL("http://h.example/pub/"))
        let unexplained = try ReaderVerifier { ManifestFormat.html.makeReader(plain) }.read(Array(page.utf8))
        #expect(unexplained.items == reading.items.filter { if case .explained = $0 { false } else { true } })
    }
}
