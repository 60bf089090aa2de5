import Markup
import SyncCore
import TestSupport
import Testing

/// Reads a page in every way of cutting it.
private func readPage(
    _ bytes: some Sequence<UInt8>, at url: String? = "http://h.example/pub/", directory: String = "",
    charset: String? = nil, limits: MarkupLimits = .standard
) throws -> Reading {
    let context = ManifestContext(
        sourceName: "page", baseURL: url.flatMap { WebURL($0) }, charset: charset, directory: Array(directory.utf8))
    return try ReaderVerifier { HTMLListingReader(context: context, limits: limits) }.read(Array(bytes))
}

private func readPage(_ text: String, at url: String? = "http://h.example/pub/") throws -> Reading {
    try readPage(text.utf8, at: url)
}

/// A page in nginx's frame.
private func page(_ rows: String) -> String {
    "<html><head><title>Index of /pub/</title></head><body><pre><a href=\"../\">../</a>\n\(rows)\n</pre></body></html>"
}

private func paths(_ reading: Reading) -> [String] {
    reading.items.map { item in
        switch item {
        case .entry(let entry): String(decoding: entry.suggestedPath ?? [], as: UTF8.self)
        case .listing(let listing): String(decoding: listing.path, as: UTF8.self) + "/"
        case .nextPage(let url): "next: \(url)"
        case .problem(let problem): "problem: \(problem.message)"
        case .explained(let link): "\(link.kind.rawValue): \(link.reason)"
        }
    }
}

@Suite struct HTMLListingReaderTests {
    @Test(
        "cases 48, 51, 53, 55, 58, 61, 137: only what lies strictly below the page counts, by the address and not by the text",
        arguments: [
            ("a.txt", ["a.txt"]), ("./a.txt", ["a.txt"]), ("/pub/a.txt", ["a.txt"]), ("sub/", ["sub/"]),
            ("http://h.example/pub/a.txt", ["a.txt"]), ("//h.example/pub/a.txt", ["a.txt"]),
            ("HTTP://H.EXAMPLE:80/pub/a.txt", ["a.txt"]), ("a/b/c.txt", ["a/b/c.txt"]), ("x/../a.txt", ["a.txt"]),
            ("a.txt#part", ["a.txt"]), ("a%20b.txt", ["a b.txt"]), ("a%2520b.txt", ["a%20b.txt"]),
            ("a%2Fb.txt", ["a%2Fb.txt"]), ("a%2fb/", ["a%2Fb/"]), ("%2e%2e/x", []), ("..foo", ["..foo"]),
            ("...", ["..."]),
            ("a b.txt", ["a b.txt"]), (":x", [":x"]), ("a:b.txt", ["a:b.txt"]),
            ("olextension:/dir/", ["olextension:/dir/"]),
            ("", []), (".", []), ("./", []), ("..", []), ("../", []), ("/", []), ("/pub/", []), ("/pub", []),
            ("/pubx/a", []),
            ("#top", []), ("?C=N;O=D", []), ("/pub/?C=N", []), ("sub/?C=N", []), ("mailto:a@b.example", []),
            ("javascript:void(0)", []), ("data:text/plain,x", []), ("ftp://h.example/pub/a", []), ("http:x.txt", []),
            ("https://h.example/pub/a", []), ("http://h.example:81/pub/a", []), ("http://other.example/pub/a", []),
            ("/other/a.txt", []), ("../pub/a.txt", ["a.txt"]), ("http://", []),
        ])
    func link(_ reference: String, _ expected: [String]) throws {
        let reading = try readPage(page("<a href=\"\(reference)\">wrong name.zip</a>"))
        #expect(paths(reading) == expected)
        #expect(reading.error == nil)
    }

    @Test("a page's own name is not below it, and an index file's directory is the listing")
    func indexFile() throws {
        let reading = try readPage(
            page("<a href=\"index.html\">i</a> <a href=\"a.txt\">a</a>"), at: "http://h.example/pub/index.html")
        #expect(paths(reading) == ["a.txt"])
    }

    @Test("the same path encoded in another way is the same directory")
    func otherEncoding() throws {
        let reading = try readPage(
            page("<a href=\"/%70ub/%7Eme/a.txt\">a</a> <a href=\"/pub/~me/b.txt\">b</a>"),
            at: "http://h.example/pub/%7eme/")
        #expect(paths(reading) == ["a.txt", "b.txt"])
    }

    @Test("links are resolved against <base>, and one below the page is where its listing is")
    func base() throws {
        let body = "<title>Index of</title></head><body><a href=\"a.txt\">a</a></body></html>"
        #expect(paths(try readPage("<html><head><base href=\"sub/\">" + body)) == ["a.txt"])
        #expect(paths(try readPage("<html><BASE HREF=http://h.example/pub/><head>" + body)) == ["a.txt"])
        #expect(try readPage("<html><head><base href=\"http://h.example/pub/\">" + body, at: nil).entries.count == 1)
        #expect(try readPage("<html><head>" + body, at: nil).error?.message.contains("--base-url") == true)
    }

    @Test("paths stand below the directory of the listing")
    func directory() throws {
        let reading = try readPage(page("<a href=\"d/\">d/</a>\n<a href=\"x\">x</a>").utf8, directory: "top/mid")
        #expect(paths(reading) == ["top/mid/d/", "top/mid/x"])
        #expect(reading.listings.map(\.url.string) == ["http://h.example/pub/d/"])
    }

    @Test(
        "names are bytes, whatever encoding the page claims", arguments: [nil, "utf-8", "iso-8859-1", "windows-1251"])
    func rawBytes(_ charset: String?) throws {
        var bytes: [UInt8] = []
        for part in [page(""), ""] where !part.isEmpty {
            let pieces = part.split(separator: "\n", maxSplits: 1).map { Array($0.utf8) }
            bytes =
                pieces[0] + Array("\n<a href=\"caf".utf8) + [0xE9] + Array(".txt\">x</a> 01-Jan-2024 00:00 1\n".utf8)
            bytes += Array("<a href=\"日本.txt\">x</a> 01-Jan-2024 00:00 2\n<a href=\"&eacute;\">x</a>".utf8)
            bytes += Array("\n<a href=\"".utf8) + [0xF4, 0x8F, 0xBE, 0xE9] + Array("\">x</a>".utf8) + pieces[1]
        }
        let reading = try readPage(bytes, charset: charset)
        #expect(
            reading.entries.map(\.suggestedPath) == [
                Array("caf".utf8) + [0xE9] + Array(".txt".utf8), Array("日本.txt".utf8), Array("é".utf8),
                [0xF4, 0x8F, 0xBE, 0xE9],
            ])
        #expect(reading.entries.map(\.size) == [.exact(1), .exact(2), .unknown, .unknown])
    }

    @Test("a page in UTF-16 is read by its mark")
    func utf16() throws {
        let units = Array(page("<a href=\"é.txt\">x</a>").utf16)
        let reading = try readPage([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(paths(reading) == ["é.txt"])
    }

    @Test("case 49: a file linked twice is one entry with all that its links tell")
    func duplicates() throws {
        let reading = try readPage(
            page(
                "<a href=\"a\">a</a>, see <a href=\"./a#x\"><img></a>\n<a href=\"a\">a</a> 01-Jan-2024 00:00   5\n"
                    + "<a href=\"d/\">d</a>\n<a href=\"d/\">d</a>\n<a href=\"b\">b</a>\n<a href=\"b?thumb=1\">t</a>"))
        #expect(paths(reading).sorted() == ["a", "b", "d/"])
        let entry = try #require(reading.entries.first { $0.suggestedPath == [0x61] })
        #expect(entry.size == .exact(5))
        #expect(entry.modified == ListedDate(secondsSinceEpoch: 1_704_067_200, hasZone: false, precision: .minute))
    }

    @Test(
        "packages count wherever they lie, if their links have what only packages' have",
        arguments: [
            ("https://files.example/a/b/p-1.whl#sha256=" + String(repeating: "ab", count: 32), "", ["p-1.whl"]),
            ("/files/p-1%2Blocal.whl", "data-yanked", ["p-1+local.whl"]),
            ("../../p-1.tar.gz", "data-requires-python=\"&gt;=3\"", ["p-1.tar.gz"]),
            ("https://files.example/p-1.whl#sha256=abcd", "", []), ("https://files.example/p-1.whl", "", []),
            ("https://files.example/dir/", "data-yanked", []), ("ftp://files.example/p-1.whl", "data-yanked", []),
            ("sub/p-1.whl", "data-yanked=\"broken\"", ["sub/p-1.whl"]),
        ])
    func packages(_ reference: String, _ attributes: String, _ expected: [String]) throws {
        #expect(paths(try readPage(page("<a href=\"\(reference)\" \(attributes)>p</a>"))) == expected)
    }

    @Test("a link that is marked as one to a directory is one, without a slash at its end")
    func markedDirectory() throws {
        let reading = try readPage(
            page("<a href=\"/pub/old\" class=\"icon icon-directory\">old</a> <a href=\"/pub/f\" class=\"icon\">f</a>"))
        #expect(paths(reading) == ["old/", "f"])
        #expect(reading.listings.map(\.url.string) == ["http://h.example/pub/old/"])
    }

    @Test("a column of digests is read by its heading, and what is none in it is passed over")
    func digestColumn() throws {
        let sums = [String(repeating: "0a", count: 16), String(repeating: "0B", count: 32)]
        let reading = try readPage(
            page(
                "<table><tr><th>Name<th>MD5<th>SHA-256 checksum<th>Date<tr><td><a href=x>x</a><td>\(sums[0])<td>\(sums[1])<td>-"
                    + "<tr><td><a href=y>y</a><td>-<td>n/a<td>2020-01-01 00:00</table>"))
        let digests = reading.entries.map { $0.digests.map(\.description) }
        #expect(digests.contains(["md5=" + sums[0], "sha-256=" + sums[1].lowercased()]) && digests.contains([]))
    }

    @Test("a digest in a link's fragment is taken")
    func fragmentDigest() throws {
        let reading = try readPage(page("<a href=\"a.whl#sha256=\(String(repeating: "ab", count: 32))\">a.whl</a>"))
        #expect(reading.entries.first?.digests.map(\.description) == ["sha-256=" + String(repeating: "ab", count: 32)])
        #expect(reading.entries.first?.urls.first?.string == "http://h.example/pub/a.whl")
    }

    @Test(
        "a name that a server forgot to encode is known by its text",
        arguments: [
            ("Pack #1.7z", "Pack #1.7z", "Pack #1.7z"), ("what?.txt", "what?.txt", "what?.txt"),
            ("back\\slash", "back\\slash", "back\\slash"), ("a.txt#part", "a.txt", "a.txt"),
            ("a.txt?x=1", "get", "a.txt"),
        ])
    func forgottenEncoding(_ reference: String, _ text: String, _ path: String) throws {
        #expect(paths(try readPage(page("<a href=\"\(reference)\">\(text)</a>"))) == [path])
    }

    /// Rows as servers write them; in each the file has 1234 bytes or about that many.
    @Test(
        "a row's size and date are found wherever they stand",
        arguments: [
            "<pre><a href=x>x</a>     03-Mar-2023 01:21     1234\n</pre>",
            "<pre><img> <a href=x>x</a>     2023-03-03 01:21  1.2K  a description of 12 files\n</pre>",
            "<pre>2023-03-03 01:21   1234 <a href=x>x</a><br>2020-01-01 00:00  99 <a href=y>y</a></pre>",
            "<pre><a href=x>x</a>\n     03-Mar-2023 01:21     1234\n<a href=y>y</a></pre>",
            "<table><tr><td><a href=x><img></a><td><a href=x>x</a><td>2023-03-03 01:21<td> 1.2K<td>&nbsp;</table>",
            "<table><tr><th>Name<th>Size<th>Date<tr><td><a href=x>x</a><td>1234<td>03-Mar-2023 01:21</table>",
            "<table><tr><td><a href=x>x</a><td>9<td data-order=1234>1.2 KiB<td><time datetime='2023-03-03 01:21'>old</time></table>",
            "<ul><li><a href=x><span>x</span><span>1234</span><span>2023-03-03 01:21</span></a></ul>",
            "<div><a href=x>x</a></div><div>2023-03-03 01:21 1234 bytes</div><hr>",
        ])
    func row(_ row: String) throws {
        let reading = try readPage("<html><title>Index of /</title>\(row)</html>")
        let entry = try #require(reading.entries.first { $0.suggestedPath == Array("x".utf8) })
        #expect(entry.size != .unknown && entry.size.allows(1234))
        #expect(entry.modified == ListedDate(secondsSinceEpoch: 1_677_806_460, hasZone: false, precision: .minute))
    }

    @Test(
        "numbers that are no sizes are not taken for ones",
        arguments: [
            "<ul><li><a href=x>x</a> 12</ul>", "<pre><a href=x>x</a>   3 files</pre>", "<p>Item 5 <a href=x>x</a></p>",
            "<table><tr><td><a href=x>x</a><td>17</table>",
            "<table><tr><th>Name<th>Downloads<th>Size<tr><td><a href=x>x</a><td>17<td>-</table>",
            "<table><tr><td><a href=y>y</a> <a href=x>x</a><td>2023-03-03 01:21<td>17</table>",
        ])
    func noSize(_ row: String) throws {
        let reading = try readPage("<html><title>Index of /</title>\(row)</html>")
        let entry = try #require(reading.entries.first { $0.suggestedPath == Array("x".utf8) })
        #expect(entry.size == .unknown)
    }

    @Test("case 47: text in scripts, styles and comments names nothing")
    func noText() throws {
        let reading = try readPage(
            page(
                "<script>document.write('<a href=\"evil\">e</a>')</script><style>a{table:\"<a href=e>\"}</style>"
                    + "<!-- <a href=\"evil2\">e</a> --><a href=\"good\">g</a>"))
        #expect(paths(reading) == ["good"])
    }

    @Test(
        "an empty directory is an empty listing",
        arguments: [
            "<html><head><title>Index of /pub/</title></head><body></body></html>",
            "<html><body><a href=\"../\">../</a></body></html>", "<html><a href=\"/\">Parent Directory</a></html>",
            "<html><a href=\"?C=N;O=D\">Name</a></html>",
            "<html><h1>Directory listing for /pub/</h1><hr><ul></ul></html>",
        ])
    func empty(_ text: String) throws {
        #expect(try readPage(text) == Reading())
    }

    @Test(
        "a page that is no listing is an error and no empty listing",
        arguments: [
            ("<html><body><form><input type=password></form></body></html>", "login page"),
            ("<html><a href=\"forgot\">f</a><form><INPUT TYPE=\"Password\"></form></html>", "login page"),
            ("<html><script src=\"app.js\"></script><div id=root></div></html>", "JavaScript"),
            (
                "<html><META HTTP-EQUIV=Refresh content='0; URL=http://portal.example/'><a href=terms.html>t</a></html>",
                "another page"
            ),
            ("<html><script>location.href='http://portal.example/'</script></html>", "JavaScript"),
            ("<html><meta http-equiv=refresh content='0;url=/login'></html>", "another page"),
            ("<html><h1>It works!</h1></html>", "no index page"), ("", "no index page"),
            ("<html><a href=\"http://other.example/\">x</a><a href=\"/\">Home</a></html>", "no index page"),
        ])
    func noListing(_ text: String, _ words: String) throws {
        let reading = try readPage(text)
        #expect(reading.items.isEmpty)
        #expect(reading.error?.message.contains(words) == true, "\(String(describing: reading.error))")
    }

    @Test("a listing that was cut short anywhere is an error")
    func cutShort() throws {
        let bytes = Array(page("<a href=\"a\">a</a> 01-Jan-2024 00:00   5").utf8)
        let context = ManifestContext(sourceName: "page", baseURL: WebURL("http://h.example/pub/"))
        let verifier = ReaderVerifier { HTMLListingReader(context: context) }
        // Up to the end of "</html", without its bracket.
        for end in 6..<bytes.count {
            #expect(verifier.read(pieces: [bytes[..<end]]).error?.message.contains("cut short") == true, "\(end)")
        }
        #expect(verifier.read(pieces: [bytes[...]]).error == nil)
    }

    @Test("limits end a page with a sentence")
    func limits() throws {
        var limits = MarkupLimits.standard
        limits.depth = 10
        limits.entries = 3
        limits.attributes = 4
        limits.attributeBytes = 20
        limits.documentBytes = 4000
        func message(_ rows: String) throws -> String? { try readPage(page(rows).utf8, limits: limits).error?.message }
        #expect(try message(String(repeating: "<div>", count: 20))?.contains("within each other") == true)
        #expect(try message((0..<4).map { "<a href=\"\($0)\">x</a>" }.joined())?.contains("more than 3 files") == true)
        #expect(try message("<a b=1 c=1 d=1 e=1 f=1>")?.contains("attributes") == true)
        #expect(try message(String(repeating: "<b>x</b>", count: 600))?.contains("larger than") == true)
        limits.documentBytes = 1 << 20
        limits.silentBytes = 100_000
        #expect(
            try message("<!--" + String(repeating: "x", count: 300_000) + "-->")?.contains("text or comment") == true)
        let long = try readPage(
            page(
                "<img src=\"data:\(String(repeating: "x", count: 50))\"><a href=\"\(String(repeating: "y", count: 50))\">l</a>"
            ).utf8,
            limits: limits)
        #expect(long.error == nil)
        #expect(long.problems.count == 1)
    }

    @Test("a deep page is read without recursion")
    func deep() throws {
        let context = ManifestContext(sourceName: "page", baseURL: WebURL("http://h.example/pub/"))
        let deep = Array(page(String(repeating: "<b><i><div>", count: 100_000)).utf8)
        let reading = ReaderVerifier { HTMLListingReader(context: context) }.read(pieces: [deep[...]])
        #expect(reading.error?.message.contains("within each other") == true)
    }

    @Test("fifty thousand rows come one after another, each once")
    func manyRows() throws {
        let context = ManifestContext(sourceName: "page", baseURL: WebURL("http://h.example/pub/"))
        let reader = HTMLListingReader(context: context)
        var items: [ManifestItem] = []
        var count = 0
        var largestBatch = 0
        func take() {
            largestBatch = max(largestBatch, items.count)
            for item in items {
                count += 1
                guard case .entry(let entry) = item else { continue }
                #expect(entry.size == .exact(Int64(count)))
            }
            items.removeAll(keepingCapacity: true)
        }
        try reader.read(Array("<html><body><pre><a href=\"../\">../</a>\n".utf8)[...], into: &items)
        for start in stride(from: 1, through: 50_000, by: 100) {
            let rows = (start..<(start + 100)).map {
                "<a href=\"f\($0).bin\">f\($0).bin</a>                  01-Jan-2024 00:00             \($0)\n"
            }
            try reader.read(Array(rows.joined().utf8)[...], into: &items)
            take()
        }
        try reader.read(Array("</pre></body></html>".utf8)[...], into: &items)
        try reader.finish(into: &items)
        take()
        #expect(count == 50_000)
        // Nothing piles up: what a piece completes is given with the piece.
        #expect(largestBatch <= 400)
    }

    @Test("any mixture of tags is read without a fault, the same however it is cut", arguments: 0..<12)
    func anyPage(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let parts =
            [
                "<a href=\"", "\">", "</a>", "<a href=x>", "<tr>", "<td>", "</td>", "</tr>", "<table>", "</table>",
                "<pre>", "</pre>",
                "<", ">", "</", "&amp;", "&", "&#x2f;", "\n", " ", "2023-01-01 00:00", "12K", "<script>", "</script>",
                "<!--", "-->",
                "<base href=\"b/\">", "é", "\u{0}", "<br>", "<li>", "<time datetime=\"2020-01-01T00:00Z\">", "<span>",
                "'", "x",
                "<title>", "</title>", "<![CDATA[", "]]>", "<?xml ?>", "<input type=password>", "</html>",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xF4, 0x8F, 0xBF]]
        var bytes = Array("<html>".utf8)
        for _ in 0..<80 { bytes += parts.randomElement(using: &generator) ?? [] }
        let reading = try readPage(bytes + Array("</html>".utf8))
        for entry in reading.entries { #expect(entry.urls.allSatisfy { $0.origin == "http://h.example:80" }) }
    }
}
