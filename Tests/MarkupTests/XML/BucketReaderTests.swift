import Markup
import SyncCore
import TestSupport
import Testing

/// A listing of a bucket, with what stands in front of the keys, and behind them.
private func bucket(_ rows: String, head: String = "<Name>b</Name>", tail: String = "") -> String {
    "<ListBucketResult>\(head)\(rows)\(tail)</ListBucketResult>"
}

private func object(_ key: String, _ fields: String = "<Size>5</Size>") -> String {
    "<Contents><Key>\(key)</Key>\(fields)</Contents>"
}

private func more(_ field: String = "") -> String { "<IsTruncated>true</IsTruncated>\(field)" }

@Suite struct BucketReaderTests {
    @Test(
        "an object's address is the bucket's and its key, percent-encoded, whatever the key holds",
        arguments: [
            ("a b", "a b http://h.example/b/a%20b"), ("a%20b", "a%20b http://h.example/b/a%2520b"),
            ("a+b", "a+b http://h.example/b/a%2Bb"), ("x?y#z", "x?y#z http://h.example/b/x%3Fy%23z"),
            ("é/&lt;&amp;&gt;", "é/<&> http://h.example/b/%C3%A9/%3C%26%3E"), (" a ", " a  http://h.example/b/%20a%20"),
            ("a//b", "a/b http://h.example/b/a//b"), ("/a", "a http://h.example/b//a"),
            ("..a", "..a http://h.example/b/..a"),
            ("a:b", "a:b http://h.example/b/a%3Ab"), ("a\\b", "a\\b http://h.example/b/a%5Cb"),
        ])
    func keys(_ key: String, _ line: String) throws {
        for address in ["http://h.example/b", "http://h.example/b/", "http://h.example/b?list-type=2&prefix=x"] {
            #expect(try readXML(bucket(object(key)), at: address).lines == [line])
        }
        #expect(try readXML(bucket(object(key)), at: "http://h.example/b", directory: "d").lines == ["d/" + line])
    }

    @Test(
        "a key that no address or file can have is a problem",
        arguments: ["..", ".", "a/../b", "../x", "a/./b", "x/.."])
    func dots(_ key: String) throws {
        let reading = try readXML(bucket("\n" + object(key) + object("ok")), at: "http://h.example/b")
        #expect(reading.lines.first?.hasPrefix("problem 2 the object '\(key)' has '.' or '..'") == true)
        #expect(reading.entries.count == 1 && reading.error == nil)
    }

    @Test("case 71: the marker of a directory is passed over, and one with content is a problem")
    func directories() throws {
        let reading = try readXML(
            bucket(object("d/", "<Size>0</Size>") + object("e/") + object("f/", "")), at: "http://h.example/b")
        #expect(reading.lines.count == 1)
        #expect(reading.lines.first?.contains("'e/' has 5 bytes and the name of a directory") == true)
    }

    @Test(
        "an entity tag is a guess at the MD5 if it can be one",
        arguments: [
            ("&quot;0cc175b9c0f1b6a831c399e269772661&quot;", true), ("\"0CC175B9C0F1B6A831C399E269772661\"", true),
            ("0cc175b9c0f1b6a831c399e269772661", true), ("\"0cc175b9c0f1b6a831c399e269772661-2\"", false),
            ("\"0x8CFB877BB56A6FB\"", false), ("", false),
        ])
    func entityTags(_ tag: String, _ isGuess: Bool) throws {
        let reading = try readXML(bucket(object("a", "<ETag>\(tag)</ETag>")), at: "http://h.example/b")
        #expect(reading.entries.first?.digests == [])
        #expect(
            reading.entries.first?.guessedDigest?.description
                == (isGuess ? "md5=0cc175b9c0f1b6a831c399e269772661" : nil))
    }

    @Test(
        "cases 66, 67, 69: a page says where the listing goes on, and keeps the rest of its own address",
        arguments: [
            (
                "?list-type=2&prefix=p%2F", more("<NextContinuationToken>1/kC+YIP/==</NextContinuationToken>"),
                "?list-type=2&prefix=p%2F&continuation-token=1%2FkC%2BYIP%2F%3D%3D"
            ),
            (
                "?continuation-token=old&list-type=2", more("<NextContinuationToken>new</NextContinuationToken>"),
                "?list-type=2&continuation-token=new"
            ),
            ("", more("<NextMarker>a=b+c%20d</NextMarker>"), "?marker=a%3Db%2Bc%2520d"),
            (
                "?encoding-type=url&marker=x", more("<EncodingType>url</EncodingType><NextMarker>a%3Db+c</NextMarker>"),
                "?encoding-type=url&marker=a%3Db%20c"
            ),
            (
                "?encoding-type=url", more("<EncodingType>url</EncodingType><NextMarker>50%</NextMarker>"),
                "?encoding-type=url&marker=50%25"
            ),
            ("?delimiter=/", more(), "?delimiter=/&marker=zz%2F"),
            ("?list-type=2", more(), "?list-type=2&start-after=zz%2F"),
            ("?x", "<IsTruncated>false</IsTruncated><NextMarker>z</NextMarker>", nil),
        ] as [(String, String, String?)])
    func nextPage(_ query: String, _ tail: String, _ next: String?) throws {
        let rows = object("k") + "<CommonPrefixes><Prefix>zz/</Prefix></CommonPrefixes>"
        let reading = try readXML(bucket(rows, tail: tail), at: "http://h.example/b" + query)
        #expect(reading.error == nil)
        #expect(reading.nextPages.map(\.string) == [next].compactMap { $0.map { "http://h.example/b" + $0 } })
    }

    @Test(
        "a page that names itself as the next, or none, is an error and no end",
        arguments: [
            (
                "?list-type=2&continuation-token=a%2Bb", more("<NextContinuationToken>a+b</NextContinuationToken>"),
                "its own page"
            ),
            ("?marker=k", more(), "its own page"),
            ("?marker=a%3Db", more("<NextMarker>a=b</NextMarker>"), "its own page"),
        ])
    func loops(_ query: String, _ tail: String, _ words: String) throws {
        let reading = try readXML(bucket(object("k"), tail: tail), at: "http://h.example/b" + query)
        #expect(reading.error?.message.contains(words) == true && reading.nextPages.isEmpty)
        let empty = try readXML(bucket("", tail: more()), at: "http://h.example/b")
        #expect(empty.error?.message.contains("but not where") == true)
    }

    @Test("keys are decoded where the answer says that they are encoded, in front of them or behind")
    func encodedKeys() throws {
        let told = "<EncodingType>url</EncodingType>"
        let rows = object("a+b%2B%25/%C3%A9") + "<CommonPrefixes><Prefix>p+q/</Prefix></CommonPrefixes>"
        let decoded = [
            "a b+%/é http://h.example/b/a%20b%2B%25/%C3%A9",
            "p q/ http://h.example/b?encoding-type=url&prefix=p%20q%2F",
        ]
        let address = "http://h.example/b?encoding-type=url"
        #expect(try readXML(bucket(rows, head: told), at: address).lines == decoded)
        #expect(try readXML(bucket(rows, tail: told), at: address).lines == decoded)
        #expect(try readXML(bucket(rows, head: "", tail: told), at: address).lines == decoded)
        // The question alone encodes nothing.
        #expect(
            try readXML(bucket(rows), at: address).lines.first == "a+b%2B%25/é".replacing("é", with: "%C3%A9")
                + " http://h.example/b/a%2Bb%252B%2525/%25C3%25A9")
        // Too late to be believed: the keys are given already.
        let late = try readXML(bucket(rows, tail: told), at: "http://h.example/b")
        #expect(late.error?.message.contains("encoding-type=url included") == true)
    }

    @Test("a prefix is a listing below, by the listing's own address, and its keys land where they belong")
    func prefixes() throws {
        let rows = "<CommonPrefixes><Prefix>d/e f/</Prefix></CommonPrefixes>"
        let listing = try readXML(
            bucket(rows), at: "http://h.example/b?list-type=2&delimiter=/&prefix=d/&continuation-token=t")
        #expect(listing.lines == ["d/e f/ http://h.example/b?list-type=2&delimiter=/&prefix=d%2Fe%20f%2F"])
        let below = try readXML(
            bucket(object("d/e f/g")), at: try #require(listing.listings.first?.url.string), directory: "d/e f")
        #expect(below.lines == ["d/e f/g http://h.example/b/d/e%20f/g"])
        let odd = try readXML(bucket("<CommonPrefixes><Prefix>d-</Prefix></CommonPrefixes>"), at: "http://h.example/b")
        #expect(odd.lines.first?.contains("'d-' is no directory") == true)
    }

    @Test("a listing on disk needs the address that it is of")
    func withoutAddress() throws {
        #expect(try readXML(bucket(object("a")), at: nil).error?.message.contains("--base-url") == true)
        #expect(try readXML("<EnumerationResults/>", at: nil).error?.message.contains("--base-url") == true)
    }

    @Test("an object without a key is an error: what it is, nobody knows")
    func keyless() throws {
        let reading = try readXML(bucket("<Contents><Size>1</Size></Contents>"), at: "http://h.example/b")
        #expect(reading.error?.message.contains("without a key on line 1") == true)
    }

    private func azure(_ blobs: String, _ tail: String = "") -> String {
        "<EnumerationResults><Blobs>\(blobs)</Blobs>\(tail)</EnumerationResults>"
    }

    @Test("an access signature of the list's address goes to the blobs too, and the question for a list does not")
    func accessSignature() throws {
        let reading = try readXML(
            azure(
                "<Blob><Name>a b</Name></Blob><BlobPrefix><Name>p/</Name></BlobPrefix>", "<NextMarker>m!1</NextMarker>"),
            at: "https://x.blob.example/c?restype=container&comp=list&prefix=&delimiter=/&sv=1&sig=ab%2B%3D&se=2")
        #expect(
            reading.lines == [
                "a b https://x.blob.example/c/a%20b?sv=1&sig=ab%2B%3D&se=2",
                "p/ https://x.blob.example/c?restype=container&comp=list&delimiter=/&sv=1&sig=ab%2B%3D&se=2&prefix=p%2F",
                "next https://x.blob.example/c?restype=container&comp=list&prefix=&delimiter=/&sv=1&sig=ab%2B%3D&se=2&marker=m%211",
            ])
    }

    @Test("older, deleted and encoded names, and directories that are blobs, are what they are")
    func blobStates() throws {
        func blob(_ name: String, _ fields: String) -> String { "<Blob>\(name)\(fields)</Blob>" }
        let reading = try readXML(
            azure(
                blob("<Name>a</Name>", "<Snapshot>2020</Snapshot>") + blob("<Name>b</Name>", "<Deleted>true</Deleted>")
                    + blob("<Name>c</Name>", "<IsCurrentVersion>false</IsCurrentVersion>")
                    + blob("<Name>d</Name>", "<Properties><ResourceType>directory</ResourceType></Properties>")
                    + blob("<Name Encoded=\"true\">e%01%2B</Name>", "")
                    + blob("<Name>f</Name>", "<Deleted>false</Deleted>")),
            at: "https://x.blob.example/c")
        #expect(reading.lines == ["e\u{1}+ https://x.blob.example/c/e%01%2B", "f https://x.blob.example/c/f"])
        #expect(try readXML(azure("", "<NextMarker>m</NextMarker>"), at: "https://x.example/c?marker=m").error != nil)
        #expect(
            try readXML("<EnumerationResults><Containers/></EnumerationResults>", at: "https://x.example/").error?
                .message.contains("lists containers") == true)
    }
}
