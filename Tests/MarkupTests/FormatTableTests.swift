import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

@Suite struct FormatTableTests {
    private let context = ManifestContext(sourceName: "source", baseURL: WebURL("http://h.example/"))

    private func format(_ bytes: some Sequence<UInt8>, named name: String? = nil) throws(ManifestError) -> String {
        try chooseFormat(start: Array(bytes)[...], context: context, named: name).name
    }

    @Test(
        "a document's format is recognised by its content",
        arguments: [
            ("<!DOCTYPE html><html>", "html"), ("<html>", "html"), ("\n\n <!doctype HTML PUBLIC \"x\">", "html"),
            ("\u{FEFF}\n<HTML>", "html"), ("<!-- a --> <head>", "html"), ("<pre><a href=x>", "html"),
            ("<h1>Index</h1>", "html"),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC>", "html"),
            ("<?xml version=\"1.0\"?><html xmlns=\"x\">", "html"),
            ("http://a.example/x", "list"), ("# c\n\n\nhttps://a.example/x out=y", "list"),
            ("\u{FEFF}http://a.example/x", "list"),
            ("\t http://a.example/", "list"), ("ftp://a.example/x", "list"), ("# only\r\n# comments\r\n", "list"),
            ("magnet:?xt=urn", "list"), ("\"http://a.example/x\"\nhttp://a.example/y\n", "list"),
            ("# c\ncrawl-data/a/b.gz\ncrawl-data/c.gz\n\ncra", "list"),
            ("[]", "autoindex-json"), (" [ {\"name\":\"x\"", "autoindex-json"),
            ("{\"path\":\"/\",\"files\":[{\"size\":1,\"name\"", "autoindex-json"),
            ("Origin: Debian\n", "debian"), ("\nPackage: x\nFilename: y\n", "debian"), ("SHA256:\n 12 1 x\n", "debian"),
            ("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSuite: x\n", "debian"),
            ("-----BEGIN PGP SIGNED MESSAGE-----\n\nMD5 (x) = d41d8cd98f00b204e9800998ecf8427e\n", "checksums"),
            ("# c\nd41d8cd98f00b204e9800998ecf8427e  x\n", "checksums"),
            ("d41d8cd98f00b204e9800998ecf8427e", "checksums"),
            ("SHA3-256 (x) = 00", "checksums"),
            (
                "Some words.\n\nd41d8cd98f00b204e9800998ecf8427e  ./x\nd41d8cd98f00b204e9800998ecf8427e  ./y\n",
                "checksums"
            ),
            ("{\"dirs\":[],\"files\":[{\"href\"", "autoindex-json"),
            ("md5\turl\nd41d8cd98f00b204e9800998ecf8427e\thttp://a.example/x\n", "tsv"),
            ("; sfv\nx y.bin DEADBEEF\n", "checksums"),
            ("http://a.example/x - data/x y\n", "bagit-fetch"), ("http://a.example/x 17 x", "bagit-fetch"),
            ("http://a.example/x y\n", "list"), ("http://a.example/x size=17", "list"),
            ("TsvHttpData-1.0\nhttp://a.example/x", "tsv"), ("id\tfastq_ftp\n", "tsv"), ("\"path\"\t\"md5\"\n", "tsv"),
            ("# made today\nname,size,URL\n", "csv"), ("sep=;\nurl;md5\n", "csv"), ("url\nhttp://a.example/x\n", "csv"),
            ("path,sha256\n", "csv"), ("# see the url, size\nhttp://a.example/x\n", "list"),
            ("# file url\nhttp://a.example/x\n", "list"),
            ("#url,md5\nhttp://a.example/x,1\n", "csv"), ("#url\tmd5\nhttp://a.example/x\t1\n", "tsv"),
            ("# list of url, size\n", "list"),
            ("<?xml version=\"1.0\"?><metalink>", "metalink"), ("\n <metalink version='3.0'><files/>", "metalink"),
            ("<m:metalink xmlns:m=\"urn:ietf:params:xml:ns:metalink\">", "metalink"),
            ("<feed xmlns=\"http://www.w3.org/2005/Atom\">", "feed"), ("<rss version=\"2.0\">", "feed"),
            ("<?xml version='1.0'?><!-- a > b --><?x y?><urlset>", "sitemap"),
            ("<x:sitemapindex xmlns:x='u'>", "sitemap"),
            ("<ListBucketResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>", "s3"), ("<ListBucketResult>", "s3"),
            ("<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'>", "gcs"),
            ("\u{FEFF}<?xml version='1.0'?><EnumerationResults>", "azure"),
            ("<x:multistatus xmlns:x='DAV:'>", "webdav"), ("<list>", "autoindex-xml"),
            ("<repomd xmlns='http://linux.duke.edu/metadata/repo'>", "repomd"),
            ("<metadata xmlns='http://linux.duke.edu/metadata/common'>", "repomd"),
            ("<metadata modelVersion='1.1.0'>", "maven-metadata"),
            (
                "<c:catalog xmlns:c='http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0'>", "thredds"
            ),
            ("<!DOCTYPE rss SYSTEM 'http://n.example/rss.dtd'><rss>", "feed"),
        ])
    func recognised(_ text: String, _ name: String) throws {
        #expect(try format(text.utf8) == name)
    }

    @Test("UTF-16 is recognised by its mark")
    func utf16() throws {
        #expect(try format([0xFF, 0xFE] + "http://a.example/x\r\n".utf8.flatMap { [$0, 0] }) == "list")
        #expect(try format([0xFE, 0xFF] + "<html>".utf8.flatMap { [0, $0] }) == "html")
        #expect(try format([0xFE, 0xFF] + "<urlset>".utf8.flatMap { [0, $0] }) == "sitemap")
        #expect(
            try format([0xFF, 0xFE] + "<?xml version='1.0' encoding='UTF-16'?><rss>".utf8.flatMap { [$0, 0] }) == "feed"
        )
    }

    @Test(
        "what fits no format is refused by what it looks like",
        arguments: [
            ("", "is empty"), ("  \n", "only blanks"),
            ("<svg xmlns=\"http://www.w3.org/2000/svg\">", "is XML whose root element is 'svg'"),
            ("<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code></Error>", "root element is 'Error'"),
            ("<feed xmlns=\"http://other.example/\">", "'feed'"), ("<multistatus>", "'multistatus'"), ("{}", "JSON"),
            ("%PDF-1.4", "PDF"),
            ("#!/bin/sh\necho", "no URL"),
            ("readme.txt\n", "no URL"), ("see docs/x.\n", "no URL"), ("docs/x\nand more\n", "no URL"),
            ("docs/x/\n", "no URL"),
            ("/etc/passwd\n", "no URL"), ("a,b\n1,2\n", "no URL"), ("name,age\n", "no URL"), ("[1]", "JSON"),
            ("[{\"id\":1}]", "JSON"), ("{\"error\":[]}", "JSON"), ("a\tb\n", "no URL"), ("Dear all: hello\n", "no URL"),
            ("version: 3\n", "no URL"),
            ("please have a look at the url\nyes\n", "no URL"),
            ("d41d8cd98f00b204e9800998ecf8427\n", "no URL"), ("http://a\u{0}", "binary"), ("<", "XML"),
            ("<!doctype book>", "XML"),
            ("<!-- x", "XML"),
        ])
    func refused(_ text: String, _ words: String) {
        let error = #expect(throws: ManifestError.self) { try format(text.utf8) }
        #expect(error?.message.contains(words) == true && error?.message.hasPrefix("source ") == true)
    }

    @Test("a PNG image is called one")
    func image() {
        let error = #expect(throws: ManifestError.self) { try format([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]) }
        #expect(error?.message.contains("looks like a PNG image") == true)
    }

    @Test("a format that the user names is taken whatever the content, and an unknown one refused")
    func named() throws {
        #expect(try format("readme.txt".utf8, named: "list") == "list")
        let error = #expect(throws: ManifestError.self) { try format("http://a.example/".utf8, named: "lst") }
        #expect(error?.message.contains("csv, list") == true)
    }

    @Test(
        "every page and list of the world is recognised",
        arguments: ManifestFixture.names(in: HTMLFixtureTests.directory))
    func fixtures(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: HTMLFixtureTests.directory)
        #expect(try chooseFormat(start: fixture.bytes.prefix(4096), context: fixture.context).name == "html")
    }

    @Test(
        "every text of the world is recognised",
        arguments: [
            ("autoindex-json", "json"), ("bagit-fetch", "bagit"), ("checksums", "checksums"), ("debian", "debian"),
            ("list", "list"), ("tsv", "tables"),
        ])
    func textFixtures(_ format: String, _ room: String) throws {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("SyncCoreTests/Resources/\(room)")
        let names = ManifestFixture.names(in: directory)
        #expect(!names.isEmpty)
        for name in names {
            let fixture = try ManifestFixture(name, in: directory)
            // By its content alone, as on standard input.
            let context = ManifestContext(sourceName: "-")
            let chosen = try chooseFormat(start: fixture.bytes.prefix(4096), context: context).name
            #expect(chosen == format, "\(name) is taken for \(chosen)")
        }
    }

    @Test("a format's reader reads its documents")
    func readers() throws {
        for (format, text) in [("list", "http://h.example/x\n"), ("html", "<html><a href=\"x\">x</a></html>")] {
            let chosen = try chooseFormat(start: Array(text.utf8)[...], context: context)
            #expect(chosen.name == format)
            let reading = try ReaderVerifier { chosen.makeReader(context) }.read(Array(text.utf8))
            #expect(reading.entries.map { $0.urls.map(\.string) } == [["http://h.example/x"]])
        }
    }
}
