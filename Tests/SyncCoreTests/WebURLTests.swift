import Foundation
import SyncCore
import Testing

/// A row of `Resources/urls/wpt-resolve.json`, which is from web-platform-tests (url/resources/urltestdata.json): the
/// URL that a reference gives against a base, without its fragment, or nothing where parsing must fail.
struct ResolutionCase: Decodable, Sendable, CustomTestStringConvertible {
    var base: String
    var ref: String
    var url: String?

    var testDescription: String { "\(ref.debugDescription) against \(base)" }

    static let all: [ResolutionCase] = {
        guard let file = Bundle.module.url(forResource: "Resources/urls/wpt-resolve", withExtension: "json"),
            let data = try? Data(contentsOf: file)
        else { return [] }
        return (try? JSONDecoder().decode([ResolutionCase].self, from: data)) ?? []
    }()
}

private func withoutFragment(_ url: WebURL) -> String {
    url.fragment.map { String(url.string.dropLast($0.utf8.count + 1)) } ?? url.string
}

struct WebURLParsingTests {
    @Test func theTableOfTheStandardIsThere() { #expect(ResolutionCase.all.count == 133) }

    @Test(arguments: ResolutionCase.all)
    func resolvesAsTheStandardHasIt(_ row: ResolutionCase) throws {
        let base = try #require(WebURL(row.base))
        #expect(base.resolve(row.ref).map(withoutFragment) == row.url)
        #expect(base.resolve(bytes: Array(row.ref.utf8)[...]).map(withoutFragment) == row.url)
    }

    @Test(arguments: ResolutionCase.all.compactMap(\.url))
    func aSerialisationIsItsOwnSerialisation(_ text: String) throws {
        let url = try #require(WebURL(text))
        #expect(url.string == text)
        if url.path.hasPrefix("/") { #expect(url.resolve("") == url) }
        #expect(WebURL(bytes: Array(text.utf8)[...]) == url)
    }

    @Test(arguments: [
        ("HTTP://EXAMPLE.ORG:80/A/./b/../C", "http://example.org/A/C"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org?x", "https://example.org/?x"),
        ("http://example.org/a/%2E%2e/b/.%2E/%2e", "http://example.org/"),
        ("http://example.org/.hidden/..two/a..", "http://example.org/.hidden/..two/a.."),
        ("http://example.org/a^b'c|d", "http://example.org/a%5Eb'c|d"),
        ("http://example.org/?a'b", "http://example.org/?a%27b"),
        ("http://example.org/a\u{E9}?\u{E9}#\u{E9}", "http://example.org/a%C3%A9?%C3%A9#%C3%A9"),
        ("http://example.org/100%/%zz", "http://example.org/100%/%zz"),
        ("http://B\u{DC}CHER.example/", "http://b\u{FC}cher.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://017700000001/", "http://127.0.0.1/"),
        ("http://1e2.example/", "http://1e2.example/"),
        ("http://[1:0:0:2:0:0:0:3]:8080/x", "http://[1:0:0:2::3]:8080/x"),
        ("http://[::ffff:192.0.2.1]/", "http://[::ffff:c000:201]/"),
        ("http://[0:0:0:0:0:0:0:0]/", "http://[::]/"),
        ("http://[1:2:3:4:5:6:7::]/", "http://[1:2:3:4:5:6:7:0]/"),
        ("http://user:@example.org/", "http://user@example.org/"),
        ("http://@example.org/", "http://example.org/"),
        ("file:///C|/x/../..", "file:///C:/"),
        ("file://localhost/etc/passwd", "file:///etc/passwd"),
        ("web+demo:/.//not-a-host/", "web+demo:/.//not-a-host/"),
        ("web+demo:/a/..//b", "web+demo:/.//b"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("data:x #y", "data:x%20#y"),
        ("sftp://example.org:22/x", "sftp://example.org:22/x"),
    ])
    func normalises(_ text: String, _ expected: String) {
        #expect(WebURL(text)?.string == expected)
    }

    @Test(arguments: [
        "", "relative", "/absolute", "//example.org/", "http://", "http:///", "http://:80/", "http://a b/",
        "http://a%00/",
        "http://a:b/", "http://a:65536/", "http://a@/", "http://[::1/", "http://[]/", "http://[1::2::3]/",
        "http://[12345::]/", "http://[1:2:3:4:5:6:7:8::]/", "http://[1:]/", "http://1.2.3.256/", "http://1.2.3.08/",
        "http://0x100000000/", "http://\u{AD}/", "1http://a/", "ht!tp://a/", "web+demo://a b/",
    ])
    func refuses(_ text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test func refusesHostsThatAreNotUTF8AndTextsBeyondTheLimit() throws {
        #expect(WebURL(bytes: Array("http://a".utf8) + [0xFF] + Array("/".utf8)) == nil)
        let long = String(repeating: "a", count: WebURL.maximumLength)
        #expect(WebURL("http://example.org/" + long) == nil)
        #expect(try #require(WebURL("http://example.org/")).resolve(long) == nil)
    }

    @Test func takesBytesThatAreNotUTF8AsTheyAre() throws {
        let base = try #require(WebURL("http://example.org/pub/"))
        let latin = base.resolve(bytes: [0x63, 0x61, 0x66, 0xE9, 0x3F, 0xE9])
        #expect(latin?.string == "http://example.org/pub/caf%E9?%E9")
        #expect(latin?.lastPathSegment == [0x63, 0x61, 0x66, 0xE9])
    }

    @Test(
        arguments: [
            ("mailto:x", "y", nil), ("mailto:x", "#y", "mailto:x#y"), ("mailto:x", "http://a/", "http://a/"),
            ("web+demo://h", "x", "web+demo://h/x"), ("web+demo://h/a/b?q#f", "?r", "web+demo://h/a/b?r"),
            ("web+demo:/.//p", "#f", "web+demo:/.//p#f"), ("web+demo:/.//p", "..", "web+demo:/"),
            ("web+demo:/a/b", "\\c", "web+demo:/a/\\c"), ("http://h/a/b?q#f", "", "http://h/a/b?q"),
            ("http://h/a/b?q#f", "#g", "http://h/a/b?q#g"), ("http://h/a/b", "../../../c/", "http://h/c/"),
            ("http://h/a/b", "?", "http://h/a/b?"), ("http://h/a/b", "./c:d", "http://h/a/c:d"),
            ("http://h/a/b", "c:d", "c:d"), ("https://u:p@h:8443/a", "//i/b", "https://i/b"),
            ("file:///C:/a/b", "/d", "file:///C:/d"), ("file:///C:/a/b", "D|/e", "file:///D:/e"),
            ("file:///a/b", "c", "file:///a/c"), ("file://h/a", "/b", "file://h/b"),
            ("file:///a", "//D:/b", "file:///D:/b"),
        ] as [(String, String, String?)])
    func resolvesAgainstBasesOfEveryKind(_ base: String, _ reference: String, _ expected: String?) throws {
        let base = try #require(WebURL(base))
        #expect(base.resolve(reference)?.string == expected)
    }

    /// The short cut for plain URLs must never differ from the parser.
    @Test func theShortCutAgreesWithTheParser() {
        var random = SplitMix64(seed: 11)
        let pieces = [
            "http://", "https://", "a", "b.example", ".", "..", "/", "//", "%2e", "%41", "?", "#", "q=1", ":", "80",
            "8080",
            "@", "\\", "'", " ", "\t", "1", "0x1", "-", "_", "~", "\u{E9}", "[", "]", "A", "^", "|", "\"", "&", "+",
        ]
        for _ in 0..<20_000 {
            var text = random.next() % 2 == 0 ? "http://h" : ""
            for _ in 0..<Int.random(in: 0..<9, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            let url = WebURL(text)
            // A blank in front keeps the short cut from being taken, and changes nothing else.
            #expect(url == WebURL(" " + text))
            #expect(url == WebURL(bytes: Array(text.utf8)[...]))
            guard let url else { continue }
            #expect(WebURL(url.string)?.string == url.string, "\(text.debugDescription)")
            #expect(reassembled(url) == url.string, "\(text.debugDescription)")
        }
    }

    /// What the components say, put together again.
    private func reassembled(_ url: WebURL) -> String {
        var text = url.scheme + ":"
        if url.string.dropFirst(text.count).hasPrefix("//") {
            text += "//"
            if let user = url.user { text += user + (url.password.map { ":" + $0 } ?? "") + "@" }
            text += url.hostAndPort
        } else if url.path.hasPrefix("//") {
            text += "/."
        }
        return text + url.path + (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
    }
}

struct WebURLComponentTests {
    @Test(
        "a host of Punycode that decodes to nothing is no host",
        arguments: [
            ("http://xn--bcher-kva.example/", true), ("http://xn--fsqu00a.xn--0zwm56d/", true),
            ("http://XN--zca/", true),
            ("http://xn--mgba3a4f16a.ir/", true), ("http://xn--ls8h.la/", true),
            ("http://xn--vermgensberatung-pwb/", true),
            ("http://xn--/", false), ("http://a.xn--.b/", false), ("http://xn--abc-/", false),
            ("http://xn--99999999/", false), ("http://xn--a_b/", false),
        ])
    func punycode(_ text: String, _ isURL: Bool) { #expect((WebURL(text) != nil) == isURL) }

    @Test(
        "an origin is scheme, host and port, whatever a link holds",
        arguments: [
            ("http://h.example/x", "http://h.example:80"), ("https://h.example:8443", "https://h.example:8443"),
            ("http://[::1]:81/", "http://[::1]:81"), ("javascript:;", "javascript://"), ("mailto:", "mailto://"),
            ("a:", "a://"), ("x://h", "x://h"), ("file:///a", "file://"),
        ])
    func origin(_ text: String, _ origin: String) throws { #expect(try #require(WebURL(text)).origin == origin) }

    @Test func givesItsComponents() throws {
        let url = try #require(WebURL("https://us%65r:p%40ss@Example.ORG:8443/a%20b/c%2Fd?x=1&y#frag"))
        #expect(url.scheme == "https")
        #expect(url.user == "us%65r")
        #expect(url.password == "p%40ss")
        #expect(url.host == "example.org")
        #expect(url.port == 8443)
        #expect(url.path == "/a%20b/c%2Fd")
        #expect(url.query == "x=1&y")
        #expect(url.fragment == "frag")
        #expect(url.origin == "https://example.org:8443")
        #expect(url.hostAndPort == "example.org:8443")
        #expect(url.lastPathSegment == Array("c/d".utf8))
        #expect(url.withoutCredentials.string == "https://example.org:8443/a%20b/c%2Fd?x=1&y")
        #expect(url.withoutCredentials == WebURL("https://example.org:8443/a%20b/c%2Fd?x=1&y"))
        #expect(url.withoutCredentials.path == url.path)
        #expect(url.withoutCredentials.query == url.query)
        let userinfo = try #require(url.userinfo)
        #expect(userinfo.user == Array("user".utf8))
        #expect(userinfo.password == Array("p@ss".utf8))
    }

    @Test func leavesOutWhatIsNotThere() throws {
        let url = try #require(WebURL("http://example.org/"))
        #expect(
            url.user == nil && url.password == nil && url.query == nil && url.fragment == nil && url.userinfo == nil)
        #expect(url.lastPathSegment.isEmpty)
        #expect(url.withoutCredentials == url)
        let mail = try #require(WebURL("mailto:a@example.org"))
        #expect(mail.host.isEmpty && mail.port == nil && mail.user == nil)
        #expect(mail.path == "a@example.org")
    }

    @Test(
        arguments: [
            ("http://h/", 80), ("https://h/", 443), ("ftp://h/", 21), ("sftp://h/", 22), ("http://h:8080/", 8080),
            ("http://[::1]:81/", 81), ("http://[::1]/", 80), ("gopher://h/", nil),
        ] as [(String, Int?)])
    func knowsThePort(_ text: String, _ port: Int?) {
        #expect(WebURL(text)?.port == port)
    }

    @Test func emptyQueriesAndFragmentsAreNotMissingOnes() throws {
        let url = try #require(WebURL("http://h/?#"))
        #expect(url.query?.isEmpty == true && url.fragment?.isEmpty == true)
    }

    @Test func hostsThatOnlyLookAlikeStayTwo() throws {
        let composed = try #require(WebURL("http://caf\u{E9}.example/"))
        let decomposed = try #require(WebURL("http://cafe\u{301}.example/"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func describesItselfWithoutSecrets() throws {
        let url = try #require(WebURL("https://u:secret@h/x?token=secret"))
        #expect("\(url)" == "https://h/x?token=…")
    }

    @Test(arguments: [
        (
            "https://h/f?v=2&X-Amz-Date=1&X-Amz-Signature=ab#x", "https://h/f?v=2&X-Amz-Date=…&X-Amz-Signature=…",
            "https://h/f?v=2"
        ),
        ("https://h/f?x-goog-signature=ab", "https://h/f?x-goog-signature=…", "https://h/f"),
        (
            "https://h/f?Expires=1&Signature=s&Key-Pair-Id=k&id=7",
            "https://h/f?Expires=…&Signature=…&Key-Pair-Id=…&id=7", "https://h/f?id=7"
        ),
        ("https://h/f?expires=1&policy=2", "https://h/f?expires=1&policy=2", "https://h/f?expires=1&policy=2"),
        ("https://h/f?sv=1&sp=r&sig=x&comp=list", "https://h/f?sv=…&sp=…&sig=…&comp=list", "https://h/f?comp=list"),
        ("https://h/f?sp=1&st=2", "https://h/f?sp=1&st=2", "https://h/f?sp=1&st=2"),
        ("https://h/f?md5=a&expires=1", "https://h/f?md5=…&expires=…", "https://h/f"),
        ("https://h/f?md5=a", "https://h/f?md5=a", "https://h/f?md5=a"),
        ("https://u:p@h/f?access%5Ftoken=a&b", "https://h/f?access%5Ftoken=…&b", "https://h/f?b"),
        ("https://u:p@h/f", "https://h/f", "https://h/f"),
        ("https://h/f?&&hdnts=a", "https://h/f?&&hdnts=…", "https://h/f?&"),
    ])
    func hidesAndDropsVolatileParts(_ text: String, _ redacted: String, _ identity: String) throws {
        let url = try #require(WebURL(text))
        #expect(url.redacted == redacted)
        #expect(url.resourceIdentity == identity)
    }
}

struct PercentCodingTests {
    @Test(arguments: [
        ("a%20b", "a b"), ("%2520", "%20"), ("100%", "100%"), ("%4", "%4"), ("%zz%41", "%zzA"), ("%%41", "%A"),
        ("", ""),
    ])
    func decodesOnceAndLeavesWhatIsNoEscape(_ text: String, _ decoded: String) {
        #expect(percentDecoded(Array(text.utf8)) == Array(decoded.utf8))
    }

    @Test func anyNameComesBackFromItsSegment() throws {
        var random = SplitMix64(seed: 7)
        let base = try #require(WebURL("http://example.org/pub/dir/"))
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...40, using: &random)
            let name = (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
                .filter { $0 != UInt8(ascii: "/") }
            guard !name.isEmpty, name != Array(".".utf8), name != Array("..".utf8) else { continue }
            let url = try #require(base.resolve(bytes: percentEncodedSegment(name)[...]))
            #expect(url.lastPathSegment == name)
            #expect(url.string.hasPrefix(base.string))
        }
    }
}
