import SyncCore
import Testing

private func heads(_ text: String, now: HTTPDate? = nil) -> [ResponseHead] {
    heads(Array(text.utf8), now: now)
}

/// Reads lines as they stand, and once more with the line ends that a server sends: both must agree.
private func heads(_ bytes: [UInt8], now: HTTPDate?) -> [ResponseHead] {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var bare = ResponseHeadParser(now: now)
    var ended = ResponseHeadParser(now: now)
    let heads = lines.compactMap { bare.read(line: $0) }
    #expect(lines.compactMap { ended.read(line: ($0 + [0x0D, 0x0A])[...]) } == heads)
    return heads
}

private func head(_ fields: String, status: Int = 200, now: HTTPDate? = nil) throws -> ResponseHead {
    let all = heads("HTTP/1.1 \(status) Whatever\n\(fields)\n\n", now: now)
    #expect(all.count == 1)
    return try #require(all.first)
}

struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-499/1234", 0, 500, 1234), ("bytes 0-0/1", 0, 1, 1), ("BYTES  5-9/*", 5, 10, nil),
            (" bytes 0-9223372036854775805/9223372036854775807 ", 0, 9_223_372_036_854_775_806, .max),
        ] as [(String, Int64, Int64, Int64?)])
    func readsARange(_ text: String, _ start: Int64, _ end: Int64, _ length: Int64?) {
        #expect(
            ContentRange(fieldValue: text) == ContentRange(range: ByteRange(start, end), completeLength: length))
    }

    @Test func readsTheLengthAlone() {
        #expect(ContentRange(fieldValue: "bytes */1234") == ContentRange(range: nil, completeLength: 1234))
        #expect(ContentRange(fieldValue: "bytes */0") == ContentRange(range: nil, completeLength: 0))
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes */*", "bytes 0-499", "bytes 0-499/", "bytes -499/1234", "bytes 0-/1234",
        "bytes 500-499/1234", "bytes 0-1234/1234", "bytes 0-499/499", "bytes 0-0/0", "bytes=0-499/1234", "items 0-4/5",
        "bytes 0-499/12x", "bytes +0-499/1234", "bytes 0 - 499/1234", "bytes 0-499/1234/5", "bytes 0-1-2/5",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/*", "bytes 0-4/18446744073709551617", "0-4/5",
        "bytes 0-499/-1",
    ])
    func refusesAnythingElse(_ text: String) {
        #expect(ContentRange(fieldValue: text) == nil)
    }
}

struct ResponseHeadParserTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\n\n", true), ("HTTP/1.0 200 OK\nETag: \"a\"\n\n", true), ("HTTP/2 200\n\n", false),
        ("HTTP/3 200\n\n", false), ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", false),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", false),
        ("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n", false),
        ("HTTP/2 103\n\nHTTP/1.1 206 OK\n\n", true), ("HTTP/1.1 404 Not Found\n\n", false),
        ("HTTP/1.1 204 No Content\n\n", false),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: identity\n\n", true),
    ])
    func `tells whether only the connection's end is the body's`(_ text: String, _ expected: Bool) {
        #expect(heads(text).map(\.endsWithConnection) == [expected])
    }

    @Test func readsAWholeAnswer() throws {
        let head = try head(
            """
            Date: Sun, 06 Nov 1994 08:49:40 GMT
            Server: example
            content-length: 1048576
            ETag: "abc"
            Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT
            CONTENT-TYPE: Text/HTML; Charset="UTF-8"
            Accept-Ranges: bytes
            """)
        #expect(
            head
                == ResponseHead(
                    status: 200, contentLength: 1_048_576,
                    representation: Representation(
                        length: 1_048_576, entityTag: EntityTag(opaque: "\"abc\"", isWeak: false),
                        lastModified: HTTPDate(secondsSinceEpoch: 784_111_777), mediaType: "text/html"),
                    charset: "utf-8", date: HTTPDate(secondsSinceEpoch: 784_111_780)))
    }

    @Test func readsAPartialAnswer() throws {
        let head = try head("Content-Length: 500\nContent-Range: bytes 500-999/1234\nContent-Type: a/b", status: 206)
        #expect(head.status == 206)
        #expect(head.contentLength == 500)
        #expect(head.contentRange == ContentRange(range: ByteRange(500, 1000), completeLength: 1234))
        #expect(head.representation.length == 1234)
        #expect(!head.isMultipart)
    }

    @Test func readsTheLengthThatA416Names() throws {
        let head = try head("Content-Range: bytes */1234\nContent-Length: 30", status: 416)
        #expect(head.representation.length == 1234)
        #expect(head.contentRange?.range == nil)
    }

    @Test(arguments: [204, 301, 304, 404, 500])
    func takesNoLengthFromABodyThatIsNotTheFile(_ status: Int) throws {
        let head = try head("Content-Length: 30", status: status)
        #expect(head.contentLength == 30)
        #expect(head.representation.length == nil)
    }

    @Test func seesMultipartAnswers() throws {
        let head = try head("Content-Type: multipart/byteranges; boundary=x\nContent-Range: bytes 0-1/9", status: 206)
        #expect(head.isMultipart)
        #expect(head.representation.length == nil)
    }

    @Test(
        arguments: [
            ("Content-Length: 5\nContent-Length: 5", 5), ("Content-Length: 5, 5", 5), ("Content-Length:5", 5),
            ("Content-Length: 0", 0), ("Content-Length: 9223372036854775807", .max),
            ("Content-Length: 5\nContent-Length: 6", nil), ("Content-Length: 5, 6", nil), ("Content-Length: -5", nil),
            ("Content-Length: +5", nil), ("Content-Length: 5 5", nil), ("Content-Length: 0x5", nil),
            ("Content-Length:", nil),
            ("Content-Length: 9223372036854775808", nil), ("Content-Length: x\nContent-Length: 5", nil),
            ("Content-Length: 5\nTransfer-Encoding: chunked", nil), ("X: y", nil),
        ] as [(String, Int64?)])
    func readsTheLength(_ fields: String, _ length: Int64?) throws {
        let head = try head(fields)
        #expect(head.contentLength == length)
        #expect(head.representation.length == length)
    }

    @Test(
        arguments: [
            ("Content-Encoding: gzip", "gzip"), ("Content-Encoding: x-GZIP", "gzip"),
            ("Content-Encoding: identity", nil),
            ("Content-Encoding: identity, br", "br"), ("Content-Encoding: gzip\nContent-Encoding: br", "gzip, br"),
            ("Content-Encoding: aws-chunked", nil), ("Content-Encoding: none", nil), ("Content-Encoding: UTF-8", nil),
            ("Content-Encoding:", nil), ("Content-Encoding: ,gzip,", "gzip"),
        ] as [(String, String?)])
    func readsContentCodings(_ fields: String, _ coding: String?) throws {
        let head = try head("Content-Length: 7\n" + fields)
        #expect(head.representation.contentCoding == coding)
        #expect(head.representation.length == (coding == nil ? 7 : nil))
        #expect(head.contentLength == 7)
    }

    @Test(
        arguments: [
            ("text/plain", "text/plain", nil),
            ("text/plain ; a=\"x;charset=no\" ; charset=ISO-8859-1", "text/plain", "iso-8859-1"),
            ("", nil, nil), (";charset=utf-8", nil, "utf-8"), ("A/B;charset=\"u\\tf-8", "a/b", "utf-8"),
            ("a/b;charset", "a/b", nil),
        ] as [(String, String?, String?)])
    func readsTheMediaType(_ value: String, _ mediaType: String?, _ charset: String?) throws {
        let head = try head("Content-Type: \(value)")
        #expect(head.representation.mediaType == mediaType)
        #expect(head.charset == charset)
    }

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("-3", 0), ("99999999999999999999999", 2_147_483_647),
            ("2147483648", 2_147_483_647),
            (" 7 ", 7), ("-99999999999999999999999", 0),
        ] as [(String, Int64)])
    func readsDelays(_ value: String, _ seconds: Int64) throws {
        #expect(try head("Retry-After: \(value)", status: 503).retryAfter == .delay(.seconds(seconds)))
    }

    @Test func readsDatesOfRetryAfterAndNothingElse() throws {
        #expect(
            try head("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", status: 429).retryAfter
                == .date(HTTPDate(secondsSinceEpoch: 784_111_777)))
        for value in ["soon", "1h", "--1", "-", "1.5"] {
            #expect(try head("Retry-After: \(value)", status: 429).retryAfter == nil)
        }
    }

    @Test(
        arguments: [
            ("attachment; filename=plain.txt", "plain.txt"),
            ("attachment; filename=\"two words; really.txt\"", "two words; really.txt"),
            ("attachment; filename=\"a\\\"b\\\\c\"", "a\"b\\c"),
            ("attachment;FileName = x ; other=y", "x"),
            ("inline; filename*=UTF-8''na%C3%AFve%20file.txt", "na\u{EF}ve file.txt"),
            ("attachment; filename=\"fallback\"; filename*=utf-8'en'%e2%82%ac", "\u{20AC}"),
            ("attachment; filename*=utf-8''%e2%82%ac; filename=\"fallback\"", "\u{20AC}"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "\u{A3} rates"),
            ("attachment; filename=fallback; filename*=utf-8''%ff", "fallback"),
            ("attachment; filename=fallback; filename*=koi8-r''%c1", "fallback"),
            ("attachment; filename=fallback; filename*=no-quotes", "fallback"),
            ("attachment; filename=\"caf\u{E9}\"", "caf\u{E9}"),
            ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"),
            ("attachment; filename=\"not closed", "not closed"),
            ("attachment", nil), ("attachment; filename=", nil), ("attachment; filename=\"\"", nil), ("", nil),
        ] as [(String, String?)])
    func readsSuggestedNames(_ value: String, _ name: String?) throws {
        #expect(try head("Content-Disposition: \(value)").suggestedName == name.map { Array($0.utf8) })
    }

    @Test func keepsALocationAsItsBytes() {
        let lines = Array("HTTP/1.1 302 Found\nLocation: /caf".utf8) + [0xE9] + Array("?a:b\n\n".utf8)
        #expect(heads(lines, now: nil).first?.location == Array("/caf".utf8) + [0xE9] + Array("?a:b".utf8))
    }

    @Test(arguments: [("none", true), ("None", true), ("bytes", false), ("none, bytes", false)])
    func seesThatRangesAreRefused(_ value: String, _ refuses: Bool) throws {
        #expect(try head("Accept-Ranges: \(value)").refusesRanges == refuses)
    }

    @Test func believesOnlyDatesThatAClockCanShow() throws {
        let now = HTTPDate(secondsSinceEpoch: 784_111_777)
        let future = "Last-Modified: Wed, 09 Nov 1994 08:49:37 GMT"
        #expect(try head(future, now: now).representation.lastModified == nil)
        #expect(try head(future).representation.lastModified != nil)
        #expect(try head(future + "\nDate: Sun, 06 Nov 1994 08:49:37 GMT").representation.lastModified == nil)
        #expect(try head("Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT").representation.lastModified == nil)
        #expect(try head("Last-Modified: 0").representation.lastModified == nil)
    }

    @Test func everyStatusLineBeginsAnew() {
        let all = heads(
            """
            HTTP/1.1 200 Connection established
            ETag: "proxy"

            HTTP/1.1 103 Early Hints
            Link: </x>; rel=preload
            Content-Length: 1

            HTTP/1.1 100 Continue

            HTTP/1.0 302 Found
            Location: /elsewhere
            Content-Length: 3

            HTTP/2 200
            content-length: 5

            """)
        #expect(all.map(\.status) == [200, 302, 200])
        #expect(all.map(\.contentLength) == [nil, 3, 5])
        #expect(all.map(\.location) == [nil, Array("/elsewhere".utf8), nil])
        #expect(all.last?.representation == Representation(length: 5))
    }

    @Test func aHeadThatWasCutShortGivesWayToTheNext() {
        let all = heads("HTTP/1.1 200 OK\nETag: \"old\"\nHTTP/1.1 404 Not Found\n\n")
        #expect(all == [ResponseHead(status: 404)])
    }

    @Test func trailersAreIgnored() {
        let all = heads("HTTP/1.1 200 OK\nETag: \"a\"\n\nETag: \"trailer\"\n\nContent-Length: 5\n\n")
        #expect(all.map(\.representation.entityTag?.opaque) == ["\"a\""])
    }

    @Test(arguments: ["ETag \"x\"", ": \"x\"", "ETag : \"x\"", " ETag: \"x\"", "ETa: \"x\"", "XTag: \"x\"", "ETag"])
    func passesOverWhatIsNoField(_ line: String) throws {
        #expect(try head(line).representation.entityTag == nil)
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 abc", "http/1.1 200 OK", "HTTP/", "ICY 200 OK",
    ])
    func takesNoHeadWithoutAStatus(_ line: String) {
        #expect(heads("\(line)\nContent-Length: 5\n\n").isEmpty)
    }

    @Test func readsDigests() throws {
        let sha256 = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="
        let md5 = "Q2hlY2sgSW50ZWdyaXR5IQ=="
        let expected = Digest(.sha256, hex: "5f8f04f6a3a892aaabbddb6cf273894493773960d4a325b105fee46eef4304f1")
        #expect(try head("Repr-Digest: sha-256=:\(sha256):, unixsum=:AAA=:").digests == [expected].compactMap { $0 })
        #expect(try head("Digest: SHA-256=\(sha256),MD5=x").digests == [expected].compactMap { $0 })
        #expect(try head("Content-MD5: \(md5)").digests.map(\.algorithm) == [.md5])
        #expect(try head("Content-MD5: \(md5)\nContent-Range: bytes 0-1/9", status: 206).digests.isEmpty)
    }

    @Test(
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"), ("Z", nil),
            ("Zm9v=Zm9v", nil), ("Zg===", nil), ("Z-__", nil), ("Zm9v ", nil),
        ] as [(String, String?)])
    func decodesBase64(_ text: String, _ decoded: String?) {
        #expect(base64Decoded(Array(text.utf8)[...]) == decoded.map { Array($0.utf8) })
    }

    /// Whatever a server sends, the parser goes on and the next head is right.
    @Test func noiseNeverTrapsAndNeverSticks() {
        var random = SplitMix64(seed: 5)
        let names = [
            "Content-Length", "Content-Range", "ETag", "Last-Modified", "Retry-After", "Content-Disposition", "Date",
            "Repr-Digest", "Content-Type", "Content-Encoding", "Location", "HTTP/1.1 ",
        ]
        let pieces: [[UInt8]] =
            [
                "bytes ", "0-", "9223372036854775807", "/", "*", "\"", "\\", ";", "=", ",", ":", "'", "%", "utf-8''",
                "filename*", "charset", "Sun, 06 Nov ", "-94 ", "08:49:37", " ", "sha-256=", "W/", "-",
            ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0x0D]]
        var parser = ResponseHeadParser()
        for _ in 0..<5_000 {
            var line = Array((names.randomElement(using: &random) ?? "").utf8) + Array(": ".utf8)
            for _ in 0..<Int.random(in: 0..<8, using: &random) { line += pieces.randomElement(using: &random) ?? [] }
            _ = parser.read(line: Array("HTTP/1.1 206 x".utf8)[...])
            _ = parser.read(line: line[...])
            if let head = parser.read(line: []) { #expect(head.contentLength ?? 0 >= 0) }
            _ = parser.read(line: Array("HTTP/1.1 204 x".utf8)[...])
            #expect(parser.read(line: []) == ResponseHead(status: 204))
        }
    }
}
