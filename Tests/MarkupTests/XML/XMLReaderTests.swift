import Markup
import SyncCore
import TestSupport
import Testing

@Suite struct MetalinkReaderTests {
    private func metalink(_ content: String, version: Int = 4) -> String {
        version == 4
            ? "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(content)</metalink>"
            : "<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"><files>\(content)</files></metalink>"
    }

    private func file(_ content: String, name: String = "f") -> String { "<file name=\"\(name)\">\(content)</file>" }

    @Test("mirrors come in the order of their priority, those without one last, each once")
    func priorities() throws {
        let urls = [
            ("c", " priority=\"20\""), ("d", ""), ("a", " priority=\"1\""), ("b", " priority=\"1\""),
            ("a", " priority=\"9\""), ("e", " priority=\"0\""),
        ]
        let reading = try readXML(
            metalink(file(urls.map { "<url\($0.1)> http://\($0.0).example/f\n</url>" }.joined())))
        #expect(
            reading.lines == ["f " + ["a", "b", "c", "d", "e"].map { "http://\($0).example/f" }.joined(separator: " ")])
        let third = try readXML(
            metalink(
                file(
                    "<resources><url type='http' preference='10'>http://b.example/f</url><url>http://c.example/f</url>"
                        + "<url preference='100'>http://a.example/f</url></resources>"), version: 3))
        #expect(third.lines == ["f http://a.example/f http://b.example/f http://c.example/f"])
    }

    @Test(
        "mirrors in countries that are preferred come before all others, by their priority among themselves",
        arguments: [
            ("", ["a", "b", "c", "d"]), ("de", ["c", "a", "b", "d"]), ("at,de", ["c", "d", "a", "b"]),
            ("fr", ["a", "b", "c", "d"]),
        ])
    func locations(_ countries: String, _ order: [String]) throws {
        let urls = [
            ("d", "location=' AT ' priority='4'"), ("a", "priority='1'"), ("c", "location='DE' priority='3'"),
            ("b", "location='germany' priority='2'"),
        ]
        let content = urls.map { "<url \($0.1)>http://\($0.0).example/f</url>" }.joined()
        let preferred = CountryCode.list(countries) ?? []
        let reading = try readXML(metalink(file(content)).utf8, preferring: preferred)
        #expect(reading.lines == ["f " + order.map { "http://\($0).example/f" }.joined(separator: " ")])
        let resources = urls.map { "<url type='http' \($0.1)>http://\($0.0).example/f</url>" }.joined()
            .replacing("priority='", with: "preference='9")
        let third = try readXML(
            metalink(file("<resources>\(resources)</resources>"), version: 3).utf8, preferring: preferred)
        let isNear = { (name: String) in
            name == "c" && countries.contains("de") || name == "d" && countries.contains("at")
        }
        let wanted = ["d", "c", "b", "a"].filter(isNear) + ["d", "c", "b", "a"].filter { !isNear($0) }
        #expect(third.lines == ["f " + wanted.map { "http://\($0).example/f" }.joined(separator: " ")])
    }

    @Test("countries are two letters each", arguments: ["d", "deu", "de,", ",de", "d1", "de at", "dé", ""])
    func countries(_ text: String) { #expect(CountryCode.list(text) == nil) }

    @Test(
        "a name that leads out of the destination refuses its file",
        arguments: ["../x", "/etc/x", "a/../x", "a//x", "..\\x", "a\\..\\x", ".", "..", "x/", "\\\\host\\x", ""])
    func traversal(_ name: String) throws {
        let reading = try readXML(metalink("\n" + file("<url>http://a.example/f</url>", name: name)))
        #expect(reading.entries.isEmpty && reading.problems.map(\.origin.line) == [2])
    }

    @Test("a name may have directories of its own, below the listing's")
    func directories() throws {
        let reading = try readXML(metalink(file("<url>http://a.example/f</url>", name: "a/b c.iso")), directory: "top")
        #expect(reading.lines == ["top/a/b c.iso http://a.example/f"])
    }

    @Test(
        "a file that nothing can fetch says so",
        arguments: [
            ("<url>ftp://a.example/f</url>", "(ftp)"),
            ("<metaurl mediatype='torrent'>http://a.example/t</metaurl>", "torrent"),
            ("", "has no address"), ("<url>http://[x</url>", "'http://[x', which is not valid"),
            ("<url/>", "has no address"),
        ])
    func unfetchable(_ content: String, _ words: String) throws {
        let reading = try readXML(metalink(file(content)))
        #expect(reading.entries.isEmpty && reading.problems.first?.message.contains(words) == true)
        let beside = try readXML(metalink(file(content + "<url>http://a.example/f</url>")))
        #expect(beside.lines == ["f http://a.example/f"])
    }

    @Test("digests that cannot be right are left out, and so are two that contradict each other")
    func digests() throws {
        let (one, two) = (String(repeating: "1a", count: 20), String(repeating: "2B", count: 20))
        let long = String(repeating: "3c", count: 32)
        let hashes =
            "<hash type='sha-1'>\(one)</hash><hash type='sha-1'>\(two)</hash><hash type='md5'>12</hash>"
            + "<hash type='sha-256'>\n \(long) </hash><hash>\(long)</hash><hash type='tiger'>\(one)</hash>"
        let reading = try readXML(metalink(file(hashes + "<url>http://a.example/f</url>")))
        #expect(reading.entries.first?.digests.map(\.description) == ["sha-256=" + long])
    }

    @Test("pieces are taken whole or not at all, the strongest list first")
    func pieces() throws {
        func list(_ type: String, _ digests: [String], length: Int = 10) -> String {
            "<pieces length='\(length)' type='\(type)'>\(digests.map { "<hash>\($0)</hash>" }.joined())</pieces>"
        }
        func pieces(_ lists: String, size: Int = 25) throws -> PieceDigests? {
            try readXML(metalink(file("<size>\(size)</size>\(lists)<url>http://a.example/f</url>"))).entries.first?
                .pieces
        }
        let (md5, sha1) = (String(repeating: "0", count: 32), String(repeating: "1", count: 40))
        let both = try pieces(list("md5", [md5, md5, md5]) + list("sha-1", [sha1, sha1, sha1]))
        #expect(
            both?.algorithm == .sha1 && both?.count == 3 && both?[2]?.hex == sha1 && both?[3] == nil && both?[-1] == nil
        )
        #expect(try pieces(list("md5", [md5, md5, md5]) + list("sha-1", [sha1, "xx", sha1]))?.algorithm == .md5)
        #expect(try pieces(list("md5", [md5, md5])) == nil)
        #expect(try pieces(list("md5", [md5, md5, md5]), size: 30)?.count == 3)
        #expect(try pieces(list("md5", [md5, md5, md5]), size: 31) == nil)
        #expect(try pieces(list("md5", [md5], length: 0)) == nil)
    }

    @Test("what extensions say of other files is not the file's")
    func extensions() throws {
        let (own, other) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        func facts(_ size: Int, _ md5: String) -> String {
            "<size>\(size)</size><verification><hash type='md5'>\(md5)</hash></verification>"
        }
        let older =
            "<m:alternates xmlns:m='other'><m:alternate>\(facts(2, other))<resources><url>http://b.example/f</url></resources></m:alternate></m:alternates>"
        let reading = try readXML(
            metalink(file(facts(1, own) + older + "<resources><url>http://a.example/f</url></resources>"), version: 3))
        #expect(reading.lines == ["f http://a.example/f"])
        #expect(reading.entries.first?.size == .exact(1))
        #expect(reading.entries.first?.digests.map(\.hex) == [own])
    }

    @Test("a document without a file is an error, and a signature is noted")
    func otherFacts() throws {
        #expect(try readXML(metalink("<generator>x</generator>")).error?.message.contains("without a file") == true)
        #expect(
            try readXML(metalink(file("<url>u</url><signature mediatype='x'>s</signature>"))).entries.first?.isSigned
                == true)
    }
}

@Suite struct SitemapAndFeedTests {
    @Test("a page's place is its whole path and query; a loc that is no address, or none, is a problem")
    func sitemap() throws {
        let rows = [
            "<url><loc> http://h.example/a/b.html </loc></url>", "<url><loc>http://h.example/</loc></url>",
            "<url><loc>http://o.example/d/?x=1&amp;y=a/b</loc></url>", "<url><priority>1</priority></url>",
            "<url><loc>mailto:x@h.example</loc></url>", "<url><loc><![CDATA[/rel]]></loc></url>",
        ]
        let reading = try readXML("<urlset>\n" + rows.joined(separator: "\n") + "</urlset>")
        #expect(
            reading.lines == [
                "a/b.html http://h.example/a/b.html", "index.html http://h.example/",
                "d/index.html?x=1&y=a%2Fb http://o.example/d/?x=1&y=a/b",
                "problem 5 the <url> has no address (<loc>) and is passed over",
                "problem 6 'mailto:x@h.example' is no valid http or https address", "rel http://h.example/rel",
            ])
    }

    @Test("an index's sitemaps are listings in the same place; pictures of a page are not its address")
    func index() throws {
        let reading = try readXML(
            "<sitemapindex xmlns='s' xmlns:i='other'><sitemap><loc>http://h.example/1.xml.gz</loc></sitemap>"
                + "<sitemap><i:loc>http://h.example/2.xml</i:loc></sitemap></sitemapindex>", directory: "d")
        #expect(reading.lines.first == "d/ http://h.example/1.xml.gz" && reading.problems.count == 1)
    }

    @Test(
        "a feed's enclosures are files, its length a hint that condemns nothing",
        arguments: [
            ("<enclosure url='http://a.example/1.mp3' length='123'/>", SizeKnowledge.claimed(123)),
            ("<enclosure url='http://a.example/1.mp3' length='0'/>", .unknown),
            ("<enclosure url=' http://a.example/1.mp3 '/>", .unknown),
            ("<enclosure url='http://a.example/1.mp3' length='12 MB'/>", .unknown),
            (
                "<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='enclosure' href='http://a.example/1.mp3' length='7'/>",
                .claimed(7)
            ),
        ])
    func enclosures(_ element: String, _ size: SizeKnowledge) throws {
        let reading = try readXML(
            "<rss><channel><item><link>http://a.example/page</link>\(element)\(element)</item></channel></rss>")
        #expect(reading.lines == ["1.mp3 http://a.example/1.mp3"])
        #expect(reading.entries.first?.size == size && reading.entries.first?.size.allows(99) == true)
    }

    @Test("references in a feed are relative to the nearest base")
    func bases() throws {
        let reading = try readXML(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://b.example/x/'><entry xml:base='y/'>"
                + "<link rel='enclosure' href='1'/></entry><entry><link rel='enclosure' href='2'/></entry></feed>")
        #expect(reading.lines == ["1 http://b.example/x/y/1", "2 http://b.example/x/2"])
    }

    @Test("an enclosure without a usable address is a problem, and a feed's next page is read")
    func feedPages() throws {
        let atom = "xmlns='http://www.w3.org/2005/Atom'"
        let reading = try readXML(
            "<feed \(atom)><link rel='next' href='?page=2&amp;x=%20'/><link rel='self' href='x'/><entry>"
                + "<link rel='enclosure'/><link rel='enclosure' href='ftp://a.example/x'/><link href='p.html'/></entry></feed>"
        )
        #expect(reading.problems.count == 2 && reading.entries.isEmpty)
        #expect(reading.nextPages.map(\.string) == ["http://h.example/dir/doc.xml?page=2&x=%20"])
        let loop = try readXML("<feed \(atom)><link rel='next' href='doc.xml'/></feed>")
        #expect(loop.error?.message.contains("no end") == true)
    }
}

@Suite struct RepositoryReaderTests {
    @Test("places are relative to the root of the repository, and the list of packages is a listing too")
    func repomd() throws {
        let reading = try readXML(
            "<repomd xmlns='http://linux.duke.edu/metadata/repo'><data type='primary'><location href='repodata/p.xml.zst'/>"
                + "<size>5</size><open-size>9</open-size></data></repomd>",
            at: "http://h.example/os/repodata/repomd.xml",
            directory: "os")
        #expect(
            reading.lines == [
                "os/repodata/p.xml.zst http://h.example/os/repodata/p.xml.zst",
                "os/ http://h.example/os/repodata/p.xml.zst",
            ])
        #expect(reading.listings.first?.format == "repomd" && reading.entries.first?.size == .exact(5))
        let none = try readXML("<repomd><data type='other'><location href='x'/></data></repomd>")
        #expect(none.error?.message.contains("names no list of packages") == true)
    }

    @Test("a package may lie at a base of its own, and one without a place is a problem")
    func packages() throws {
        let reading = try readXML(
            "<metadata xmlns='http://linux.duke.edu/metadata/common'>\n<package type='rpm'><location xml:base='http://m.example/r' "
                + "href='P/a%2Bb~1^2.rpm'/><size package='7'/></package>\n<package/><package><location href='../../x'/></package></metadata>",
            at: "http://h.example/os/repodata/primary.xml")
        #expect(reading.lines.first == "P/a+b~1^2.rpm http://m.example/r/P/a%2Bb~1%5E2.rpm")
        #expect(reading.problems.map(\.origin.line) == [3])
        // What leads out of the destination is refused where entries are placed.
        #expect(reading.entries.last?.suggestedPath.map { String(decoding: $0, as: UTF8.self) } == "../../x")
    }
}

@Suite struct WebDAVReaderTests {
    private func response(_ href: String, _ properties: String, status: String = "HTTP/1.1 200 OK") -> String {
        "<d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop><d:status>\(status)</d:status></d:propstat></d:response>"
    }

    private func multistatus(_ content: String) -> String { "<d:multistatus xmlns:d='DAV:'>\(content)</d:multistatus>" }
    private let collection = "<d:resourcetype><d:collection/></d:resourcetype>"

    @Test("members count, the collection itself and what lies elsewhere do not")
    func members() throws {
        let text = multistatus(
            response("/c/", collection) + response("/c/a%20b", "<d:getcontentlength>5</d:getcontentlength>")
                + response("https://other.example:8443/c/x", "") + response("/c/sub", collection)
                + response("/c/sub2/", collection)
                + response("/elsewhere", "") + response("/c/gone", "", status: "HTTP/1.1 404 Not Found")
                + "<d:response><d:href>/c/locked</d:href><d:status>HTTP/1.1 403 Forbidden</d:status></d:response>")
        for address in ["http://h.example/c/", "http://h.example/c"] {
            let reading = try readXML(text, at: address)
            #expect(
                reading.lines == [
                    "a b http://h.example/c/a%20b", "x http://h.example/c/x", "sub/ http://h.example/c/sub/",
                    "sub2/ http://h.example/c/sub2/", "gone http://h.example/c/gone",
                ])
            #expect(reading.listings.allSatisfy { $0.format == "webdav" })
        }
    }

    @Test("a property counts only if its status is one of success")
    func status() throws {
        let size = "<d:getcontentlength>5</d:getcontentlength>"
        for (status, known) in [
            ("HTTP/1.1 200 OK", true), ("HTTP/2 200", true), ("HTTP/1.1 404 Not Found", false), ("", false),
        ] {
            let reading = try readXML(multistatus(response("/c/a", size, status: status)), at: "http://h.example/c/")
            #expect(reading.entries.first?.size == (known ? .exact(5) : .unknown), "\(status)")
        }
    }

    @Test("an answer that says nothing, or speaks of a file, is no listing")
    func noListing() throws {
        #expect(try readXML(multistatus(""), at: "http://h.example/c/").error?.message.contains("says nothing") == true)
        let file = try readXML(multistatus(response("/c/f", "<d:resourcetype/>")), at: "http://h.example/c/f")
        #expect(file.error?.message.contains("a file and no collection") == true)
        #expect(try readXML(multistatus(response("/c/", collection)), at: "http://h.example/c/").items.isEmpty)
    }
}

@Suite struct ThreddsReaderTests {
    private func catalog(_ content: String) -> String {
        "<t:catalog xmlns:t='http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0' xmlns:x='http://www.w3.org/1999/xlink'>"
            + content.replacing("</", with: "</t:").replacing(#/<([a-zA-Z])/#) { "<t:\($0.output.1)" } + "</t:catalog>"
    }
    private let services =
        "<service name='all' serviceType='Compound' base=''><service name='o' serviceType='OPENDAP' base='/o/'/>"
        + "<service name='deep' serviceType='compound'><service name='f' serviceType='HTTPServer' base='/files/' suffix='?dl=1'/></service></service>"
        + "<service name='o2' serviceType='OPENDAP' base='/o/'/>"

    @Test(
        "cases 133, 134: a dataset's service is its own, its access's, or inherited; compound ones are looked into",
        arguments: [
            ("<dataset urlPath='d/a.nc' serviceName='all'/>", ["a.nc http://h.example/files/d/a.nc?dl=1"]),
            (
                "<dataset urlPath='d/a.nc'><serviceName>f</serviceName></dataset>",
                ["a.nc http://h.example/files/d/a.nc?dl=1"]
            ),
            (
                "<dataset><metadata inherited='true'><serviceName>all</serviceName></metadata><dataset><dataset urlPath='a.nc'/></dataset></dataset>",
                ["a.nc http://h.example/files/a.nc?dl=1"]
            ),
            (
                "<dataset><metadata inherited='true'><serviceName>o2</serviceName></metadata><dataset urlPath='b'/><dataset urlPath='a.nc'><serviceName>all</serviceName></dataset></dataset>",
                ["a.nc http://h.example/files/a.nc?dl=1"]
            ),
            (
                "<dataset><access serviceName='o2' urlPath='x'/><access serviceName='f' urlPath='a.nc'/></dataset>",
                ["a.nc http://h.example/files/a.nc?dl=1"]
            ),
            (
                "<dataset urlPath='a.nc' serviceName='o2'/>",
                ["problem 0 none of the 1 datasets can be had by plain HTTP (serviceType HTTPServer)"]
            ),
            (
                "<dataset urlPath='a.nc' serviceName='missing'/>",
                ["problem 0 none of the 1 datasets can be had by plain HTTP (serviceType HTTPServer)"]
            ),
            (
                "<dataset><serviceName>all</serviceName><dataset urlPath='a.nc'/></dataset>",
                ["problem 0 none of the 1 datasets can be had by plain HTTP (serviceType HTTPServer)"]
            ),
            ("<dataset name='empty'/>", []),
            (
                "<dataset urlPath='/files/d/a.nc' serviceName='f'/>",
                ["a.nc http://h.example/files//files/d/a.nc?dl=1 http://h.example/files/d/a.nc?dl=1"]
            ),
        ])
    func services(_ content: String, _ lines: [String]) throws {
        let reading = try readXML(catalog(services + content))
        #expect(reading.lines == lines && reading.error == nil)
    }

    @Test("a reference is a listing under its title, whatever that holds, or under its address's directory")
    func references() throws {
        let references =
            "<catalogRef x:href='a/catalog.xml' x:title='A/B ..' name=''/><catalogRef x:href='b/catalog.xml' x:title=''/>"
            + "<catalogRef x:href='/c/catalog.xml' x:title='..'/><catalogRef href='d'/>"
        let reading = try readXML(catalog(references))
        #expect(
            reading.lines == [
                "A%2FB ../ http://h.example/dir/a/catalog.xml", "b/ http://h.example/dir/b/catalog.xml",
                "c/ http://h.example/c/catalog.xml", "problem 1 a reference to a catalog has no valid address",
            ])
    }

    @Test("sizes are rounded unless they are in bytes, and nothing is inherited")
    func sizes() throws {
        func size(_ text: String, _ unit: String) throws -> SizeKnowledge? {
            let set = "<dataset urlPath='a' serviceName='f'><dataSize units='\(unit)'>\(text)</dataSize></dataset>"
            return try readXML(catalog(services + set)).entries.first?.size
        }
        #expect(try size("1234", "bytes") == .exact(1234))
        let rounded = try #require(try size("671.8", "Mbytes"))
        #expect(rounded.allows(671_800_000) && !rounded.allows(600_000_000) && rounded != .exact(671_800_000))
        for (text, unit) in [("1.5", "bytes"), ("x", "Mbytes"), ("5", ""), ("-1", "Kbytes"), ("5", "bits")] {
            #expect(try size(text, unit) == .unknown, "\(text) \(unit)")
        }
    }
}

@Suite struct AutoindexAndMavenTests {
    @Test("nginx's names are raw, and one that is no name is a problem")
    func autoindex() throws {
        let reading = try readXML(
            "<list>\n<directory> d%41 </directory><file size=\"3\" mtime=\"2020-01-02T03:04:05Z\">a&amp;b?</file><file>..</file>"
                + "<file>a/b</file><other>x</other><file></file></list>", at: "http://h.example/p/")
        #expect(
            Array(reading.lines.prefix(2)) == [
                " d%41 / http://h.example/p/%20d%2541%20/", "a&b? http://h.example/p/a%26b%3F",
            ])
        #expect(reading.problems.count == 3 && reading.items.count == 5)
        #expect(
            reading.entries.first?.modified
                == ListedDate(secondsSinceEpoch: 1_577_934_245, hasZone: true, precision: .second))
    }

    @Test(
        "nginx's names are bytes, whatever they spell and the server claims", arguments: [nil, "utf-8", "iso-8859-1"])
    func rawNames(_ charset: String?) throws {
        let bytes =
            Array("<?xml version=\"1.0\"?>\r\n<list>\r\n<file size=\"1\">caf".utf8) + [0xE9]
            + Array("é</file></list>".utf8)
        let reading = try readXML(bytes, at: "http://h.example/", charset: charset)
        #expect(reading.entries.map(\.suggestedPath) == [Array("caf".utf8) + [0xE9, 0xC3, 0xA9]])
        #expect(reading.entries.map { $0.urls.map(\.string) } == [["http://h.example/caf%E9%C3%A9"]])
        #expect(try readXML(bytes.dropLast(3), at: "http://h.example/").error?.message.contains("cut short") == true)
    }

    @Test("a version or file that is no name is a problem, and metadata without either an error")
    func maven() throws {
        let reading = try readXML(
            "<metadata><artifactId>a</artifactId><versioning><versions><version>1.0</version><version>../x</version></versions>"
                + "<snapshotVersions><snapshotVersion><extension>jar</extension></snapshotVersion></snapshotVersions></versioning></metadata>"
        )
        #expect(reading.lines.first == "1.0/ http://h.example/dir/1.0/" && reading.problems.count == 2)
        #expect(
            try readXML("<metadata><versioning><snapshot/></versioning></metadata>").error?.message.contains("Maven 2")
                == true)
        #expect(try readXML("<metadata/>").error?.message.contains("names no versions") == true)
    }
}
