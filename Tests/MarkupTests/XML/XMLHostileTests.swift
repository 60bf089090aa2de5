import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

/// What documents do that want to harm, or were harmed.
@Suite(.timeLimit(.minutes(10))) struct XMLHostileTests {
    private func error(_ text: some Sequence<UInt8>, named name: String = "sitemap", charset: String? = nil) -> String?
    {
        let context = ManifestContext(sourceName: "doc", baseURL: WebURL("http://h.example/"), charset: charset)
        guard let format = try? chooseFormat(start: [], context: context, named: name) else { return nil }
        return ReaderVerifier { format.makeReader(context) }.read(pieces: [Array(text)[...]]).error?.message
    }

    private func error(_ text: String, named name: String = "sitemap") -> String? { error(text.utf8, named: name) }

    private func sitemap(_ content: String) -> String {
        "<urlset><url><loc>http://h.example/x\(content)</loc></url></urlset>"
    }

    @Test(
        "entities of a document's own are refused, whatever they would do",
        arguments: [
            "<!ENTITY a 'x'>", "<!ENTITY a SYSTEM 'file:///etc/passwd'>",
            "<!ENTITY a PUBLIC 'p' 'http://127.0.0.1:1/x'>",
            "<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;", "<!ENTITY a SYSTEM 'x' NDATA n>",
            "<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>",
        ])
    func entities(_ declaration: String) {
        let message = error("<!DOCTYPE urlset [\n\(declaration)]>" + sitemap("&a;"))
        #expect(message?.contains("declares entities of its own on line 2") == true, "\(message ?? "read")")
    }

    @Test("a DTD that is only named is not loaded, and an entity that nobody declared is a fault or nothing")
    func namedDTD() throws {
        let reading = try readXML(
            "<!DOCTYPE rss PUBLIC 'p' 'file:///etc/passwd'><rss><channel><item><enclosure url='http://a.example/x'/></item></channel></rss>"
        )
        #expect(reading.lines == ["x http://a.example/x"])
        #expect(error(sitemap("&nbsp;"))?.contains("not well-formed XML on line 1") == true)
    }

    @Test(
        "what is not well-formed is an error that names the line",
        arguments: [
            ("<urlset>\n<url></urlset>", "on line 2"), ("<urlset/>\n<urlset/>", "on line 2"),
            ("<urlset/>trailing", "on line 1"),
            ("<urlset>\n\n<url a='1' a='2'/></urlset>", "on line 3"), ("<urlset>&#0;</urlset>", "on line 1"),
            ("<urlset>&#1;</urlset>", "on line 1"), ("<urlset>\u{1}</urlset>", "on line 1"),
            ("<urlset><url></urlset>", "on line 1"),
            ("<urlset a=b/>", "on line 1"), ("<urlset><![CDATA[</urlset>", "cut short"), ("<urlset>", "cut short"),
            ("", "is empty"), ("   ", "is empty"), ("<!-- only -->", "no whole element"),
            ("<?xml version='1.0'?>", "no whole element"),
            ("text", "not well-formed"), ("{}", "no whole element"),
        ])
    func malformed(_ text: String, _ words: String) {
        let message = error(text)
        #expect(message?.contains(words) == true && message?.hasPrefix("doc ") == true, "\(message ?? "read")")
    }

    @Test(
        "another document than the wanted one is called by its root",
        arguments: [
            ("<html><body>Log in</body></html>", "is a web page, such as a login"),
            ("<!DOCTYPE html>\n<HTML><head/></HTML>", "is a web page, such as a login"),
            (
                "<Error><Code>AccessDenied</Code></Error>",
                "is not a sitemap (<urlset> or <sitemapindex>): its root element is 'Error'"
            ),
        ])
    func otherRoot(_ text: String, _ words: String) {
        #expect(error(text)?.contains(words) == true)
    }

    @Test("endless tags, names, attributes, comments, texts and depths are stopped by a limit, in bounded time")
    func endless() {
        let long = String(repeating: "x", count: 3 << 20)
        let attributes = (0..<1_000_000).map { " a\($0)=''" }
        #expect(
            error("<urlset><\(long)/></urlset>")?.contains(
                "tag, section, comment or declaration of more than 131072 bytes")
                == true)
        #expect(error("<urlset><url \(attributes.joined())/></urlset>")?.contains("131072 bytes") == true)
        #expect(
            error("<urlset><url \(attributes.prefix(300).joined())/></urlset>")?.contains("more than 256 attributes")
                == true)
        #expect(error("<urlset><url a='\(long)'/></urlset>")?.contains("131072 bytes") == true)
        #expect(
            error("<urlset><url a='\(long.prefix(70_000))'/></urlset>")?.contains("attribute of more than 65536 bytes")
                == true)
        #expect(error("<urlset><!--\(long)--></urlset>")?.contains("131072 bytes") == true)
        #expect(
            error("<!DOCTYPE urlset [\(String(repeating: "<!ELEMENT a ANY>", count: 100_000))]><urlset/>")?.contains(
                "131072 bytes") == true)
        #expect(
            error(sitemap(long))?.contains("text of the element 'loc' on line 1 is longer than 1048576 bytes") == true)
        #expect(error(sitemap("<![CDATA[\(long)]]>"))?.contains("longer than 1048576 bytes") == true)
        #expect(
            error(String(repeating: "<urlset>", count: 100_000))?.contains("more than 256 elements within each other")
                == true)
    }

    @Test("blanks between elements may go on for ever, and a million names of elements cost nothing that stays")
    func noise() throws {
        let blanks = String(repeating: " \n", count: 1 << 20)
        #expect(
            try readXML("<urlset>\(blanks)<url><loc>/x</loc></url>\(blanks.prefix(1000))</urlset>").lines == [
                "x http://h.example/x"
            ])
        let names = (0..<200_000).map { "<n\($0)/>" }.joined()
        #expect(error("<urlset>\(names)</urlset>") == nil)
    }

    @Test("an article in a feed may be long, and one without end is stopped")
    func articles() throws {
        func feed(_ count: Int) -> String {
            let article = String(repeating: "<p>x</p>", count: count)
            return
                "<rss><channel><item><encoded><![CDATA[\(article)]]></encoded><enclosure url='http://a.example/1'/></item></channel></rss>"
        }
        #expect(error(feed(400_000), named: "feed") == nil)
        let message = error(feed(1_500_000), named: "feed")
        #expect(
            message?.contains("section, comment or declaration of more than 8388608") == true, "\(message ?? "read")")
    }

    @Test("more files than can be meant are an error")
    func entries() throws {
        var limits = XMLLimits.standard
        limits.entries = 3
        limits.documentBytes = 1000
        let context = ManifestContext(sourceName: "doc", baseURL: WebURL("http://h.example/"))
        let verifier = ReaderVerifier { XMLManifestReader(.sitemap, context: context, limits: limits) }
        func message(_ count: Int, _ more: String = "") throws -> String? {
            let rows = String(repeating: "<url><loc>/x</loc></url>", count: count)
            return try verifier.read(Array("<urlset>\(rows)\(more)</urlset>".utf8)).error?.message
        }
        #expect(try message(3) == nil)
        #expect(try message(4) == "doc names more than 3 files")
        #expect(try message(1, String(repeating: " ", count: 1000)) == "doc is larger than 1000 bytes")
    }

    @Test("attributes and texts come decoded once, and only once")
    func references() throws {
        let reading = try readXML(
            "<rss><channel><item><enclosure url='http://a.example/x?a=1&amp;b=&#38;amp;&#x26;lt;&lt;&apos;&#233;'/></item></channel></rss>"
        )
        #expect(reading.lines == ["x http://a.example/x?a=1&b=&amp;&lt;%3C%27%C3%A9"])
        let text = try readXML(
            "<urlset><url><loc>/a&amp;amp;<!-- no -->&#x62;<?pi no?><![CDATA[&lt;]]></loc></url></urlset>")
        #expect(text.lines == ["a&amp;b&lt; http://h.example/a&amp;b&lt;"])
    }

    @Test("encodings are those that the document names, or else the server, or else UTF-8")
    func encodings() throws {
        func text(_ declaration: String) -> String { "\(declaration)<urlset><url><loc>/é</loc></url></urlset>" }
        let line = "é http://h.example/%C3%A9"
        func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        #expect(try readXML(text("")).lines == [line])
        #expect(try readXML("\u{FEFF}" + text("<?xml version='1.0'?>")).lines == [line])
        #expect(try readXML(latin(text("<?xml version='1.0' encoding='ISO-8859-1'?>"))).lines == [line])
        #expect(try readXML(latin(text("")), charset: "iso-8859-1").lines == [line])
        // The document's word counts more than the server's.
        #expect(try readXML(text("<?xml version='1.0' encoding='UTF-8'?>").utf8, charset: "iso-8859-1").lines == [line])
        for declaration in ["", "<?xml version='1.0' encoding='UTF-16'?>"] {
            let units = Array(text(declaration).utf16)
            let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            #expect(try readXML([0xFF, 0xFE] + little).lines == [line])
            #expect(try readXML([0xFE, 0xFF] + big, charset: "utf-8").lines == [line])
            #expect(error(([0xFF, 0xFE] + little).dropLast(3))?.contains("cut short") == true)
        }
        #expect(error(latin(text("")))?.contains("not well-formed") == true)
        #expect(error(text("<?xml version='1.0' encoding='no-such-thing'?>"))?.contains("not well-formed") == true)
    }

    @Test(
        "documents that were damaged anywhere are read or refused, without a fault and the same however they are cut",
        arguments: XMLFixtureTests.names)
    func mutations(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: XMLFixtureTests.directory)
        let format = try chooseFormat(start: fixture.bytes.prefix(4096), context: fixture.context)
        let verifier = ReaderVerifier { format.makeReader(fixture.context) }
        let original = Array(fixture.bytes.prefix(6000))
        var generator = SeededGenerator(seed: UInt64(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF))
        let parts = [
            "<", ">", "</", "/>", "&", ";", "&#", "\"", "'", "]]>", "<!--", "<![CDATA[", "<?", "\u{0}", "é", "..", "/",
            "%", "%2e", "-1", "99999999999999999999",
        ]
        for _ in 0..<60 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1:
                    bytes.removeSubrange(
                        place..<min(bytes.count - 1, place + Int.random(in: 1...40, using: &generator)))
                case 2: bytes.insert(contentsOf: (parts.randomElement(using: &generator) ?? "").utf8, at: place)
                default:
                    let end = min(bytes.count, place + Int.random(in: 1...200, using: &generator))
                    bytes.insert(
                        contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0..<bytes.count, using: &generator))
                }
            }
            let whole = verifier.read(pieces: [bytes[...]])
            let cut = Int.random(in: 0..<bytes.count, using: &generator)
            #expect(whole == verifier.read(pieces: [bytes[..<cut], bytes[cut...]]))
            for entry in whole.entries { #expect(entry.urls.allSatisfy { ["http", "https"].contains($0.scheme) }) }
        }
    }
}
