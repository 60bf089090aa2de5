import Foundation
import SyncCore
import TestSupport
import Testing

private let md5 = "d41d8cd98f00b204e9800998ecf8427e"
private let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
private let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
private let sha512 = sha256 + sha256

private func read(
    _ text: some Sequence<UInt8>, name: String = "SHA256SUMS", base: String? = "https://m.example/pub/SUMS"
) throws -> Reading {
    let context = ManifestContext(sourceName: name, baseURL: base.flatMap { WebURL($0) })
    return try ReaderVerifier { ChecksumReader(context: context) }.read(Array(text))
}

private func path(_ entry: Entry) -> String { String(decoding: entry.suggestedPath ?? [], as: UTF8.self) }

@Suite struct ChecksumReaderTests {
    @Test(
        "a line of any tool gives the name and what its digest is of",
        arguments: [
            ("\(sha256)  a b.iso", "a b.iso", "sha-256"), ("\(sha256) *a.iso", "a.iso", "sha-256"),
            ("\(md5) a.iso", "a.iso", "md5"), ("\(md5)\ta.iso", "a.iso", "md5"), ("\(sha1)   a", " a", "sha-1"),
            ("\(sha256.uppercased())  a", "a", "sha-256"), ("\(sha512)  a", "a", "sha-512"),
            ("\(sha256.prefix(56))  a", "a", "sha-224"), ("\(sha512.prefix(96))  a", "a", "sha-384"),
            ("\\\(sha256)  a\\\\b\\nc\\r", "a\\b\nc\r", "sha-256"), ("\(sha256)  a\\nb", "a\\nb", "sha-256"),
            ("SHA256 (a (1) = b) = \(sha256)", "a (1) = b", "sha-256"), ("MD5(a)= \(md5)", "a", "md5"),
            ("SHA2-512(a)= \(sha512)", "a", "sha-512"), ("BLAKE2b (a) = \(sha512)", "a", "blake2b-512"),
            ("\\SHA256 (a\\nb) = \(sha256)", "a\nb", "sha-256"),
            ("SHA256 (a) = n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", "a", "sha-256"),
            ("\(md5)  ./d//x/./y", "d/x/y", "md5"), ("\(md5)  100%41.txt", "100%41.txt", "md5"),
            ("\(md5)  a:b?c#d", "a:b?c#d", "md5"), ("\(md5)  ..x/...", "..x/...", "md5"),
        ])
    func line(_ line: String, _ name: String, _ algorithm: String) throws {
        let reading = try read("# comment\r\n\n\(line)\r\n".utf8)
        #expect(reading.problems.isEmpty && reading.error == nil)
        #expect(reading.entries.map(path) == [name])
        #expect(reading.entries.first?.digests.map(\.algorithm.rawValue) == [algorithm])
        #expect(reading.entries.first?.origin.line == 3)
    }

    @Test("names are encoded whole, so that the server gets them back")
    func addresses() throws {
        let reading = try read("\(md5)  d e/100%41#?:é+.txt\n".utf8)
        #expect(
            reading.entries.first?.urls.map(\.string) == [
                "https://m.example/pub/d%20e/100%2541%23%3F%3A%C3%A9%2B.txt"
            ])
    }

    @Test("a name that is not UTF-8 stays the bytes that it is")
    func rawName() throws {
        let reading = try read(Array("\(md5)  caf".utf8) + [0xE9, 0x0A])
        #expect(reading.entries.first?.suggestedPath == Array("caf".utf8) + [0xE9])
        #expect(reading.entries.first?.urls.first?.string == "https://m.example/pub/caf%E9")
    }

    @Test(
        "algorithms that are not computed here give the file without a digest",
        arguments: [
            "SHA3-256 (a) = 00", "RMD160 (a) = 00", "BLAKE2s256(a)= 00", "SHA512/256 (a) = 00", "CRC32 (a) = 1",
        ])
    func otherAlgorithm(_ line: String) throws {
        let reading = try read(line.utf8)
        #expect(reading.entries.map(path) == ["a"] && reading.entries.first?.digests == [])
        #expect(reading.problems.isEmpty)
    }

    @Test(
        "the list's own name tells digests of one length apart",
        arguments: [
            ("B2SUMS", sha512, ["blake2b-512"]), ("x.b2", sha512, ["blake2b-512"]), ("SHA512SUMS", sha512, ["sha-512"]),
            ("a.sha3-256.txt", sha256, []), ("B3SUMS", sha256, []), ("b3sums.b3sum", sha256, []),
        ])
    func listName(_ name: String, _ digest: String, _ algorithms: [String]) throws {
        let reading = try read("\(digest)  a\n".utf8, name: name)
        #expect(reading.entries.first?.digests.map(\.algorithm.rawValue) == algorithms)
    }

    @Test("tagged lines of one file make one entry, in blocks or not, with its size")
    func tags() throws {
        let reading = try read(
            "MD5 (a) = \(md5)\nMD5 (b) = \(md5)\nSHA256 (b) = \(sha256)\nSIZE (b) = 7\nSHA256 (a) = \(sha256)\n".utf8)
        #expect(reading.entries.map(path) == ["a", "b"])
        #expect(reading.entries.map { $0.digests.map(\.algorithm) } == [[.md5, .sha256], [.md5, .sha256]])
        #expect(reading.entries.map(\.size) == [.unknown, .exact(7)])
        #expect(reading.entries.first?.strongestDigest?.hex == sha256)
    }

    @Test("lines without tags make one entry where they stand together")
    func neighbours() throws {
        let reading = try read("\(md5)  a\n\(sha256)  a\n\(md5)  b\n".utf8)
        #expect(reading.entries.map { $0.digests.count } == [2, 1])
    }

    @Test("a large tagged list and a plain one behind it are read whole")
    func mixed() throws {
        let tagged = (0..<3000).map { "MD5 (t\($0)) = \(md5)\n" }.joined()
        let plain = (0..<3000).map { "\(md5)  p\($0)\n" }.joined()
        let context = ManifestContext(sourceName: "x", baseURL: WebURL("http://h.example/"))
        let reading = ReaderVerifier { ChecksumReader(context: context) }.read(pieces: [
            Array((tagged + plain).utf8)[...]
        ])
        #expect(reading.entries.count == 6000 && reading.problems.isEmpty)
        #expect(reading.entries.map(path).suffix(2) == ["p2998", "p2999"])
    }

    @Test("two different digests of one algorithm are told, and the first counts")
    func conflict() throws {
        let reading = try read("\(md5)  a\n\(md5.reversed().map(String.init).joined())  a\n".utf8)
        #expect(reading.entries.map { $0.digests.map(\.hex) } == [[md5]])
        #expect(reading.problems.map(\.origin.line) == [2])
    }

    @Test("a signed list gives its lines, and the sizes in its comments")
    func signed() throws {
        let text = """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            # disk.iso: 2018148352 bytes
            SHA256 (disk.iso) = \(sha256)
            - -----x
            -----BEGIN PGP SIGNATURE-----

            abc=
            -----END PGP SIGNATURE-----

            """
        let reading = try read(text.utf8)
        #expect(reading.entries.map(path) == ["disk.iso"])
        #expect(reading.entries.first?.size == .exact(2_018_148_352))
        #expect(reading.problems.map(\.origin.line) == [6])
        let cut = try read(text.utf8.dropLast(40))
        #expect(cut.error?.message.contains("cut short") == true)
    }

    @Test(
        "a digest alone is of the file that its list is called after",
        arguments: [
            ("https://m.example/d/disk.iso.sha256", "disk.iso.sha256", "\(sha256)\n"),
            ("https://m.example/d/disk.iso.md5", "-", "\(md5)  -\n"),
            ("https://m.example/d/", "https://m.example/d/disk%2Eiso.sha1?a=/b.md5", "\(sha1)\n"),
            ("https://m.example/d/disk.iso.md5", "standard input", "\(md5)\n"),
            ("https://m.example/d/", "/srv/x/disk.iso.sha512.txt", "\(sha512)\n"),
        ])
    func sideFile(_ base: String, _ name: String, _ text: String) throws {
        let reading = try read(text.utf8, name: name, base: base)
        #expect(reading.entries.map(\.urls.first?.string) == ["https://m.example/d/disk.iso"])
    }

    @Test("BagIt's names may have line ends and percent signs encoded, and nothing else")
    func bagIt() throws {
        let reading = try read("\(md5)    a%0Ab%25%7E%0d\n".utf8, name: "manifest-md5.txt")
        #expect(reading.entries.map(path) == ["a\nb%%7E\r"])
        #expect(reading.entries.first?.urls.first?.lastPathSegment == Array("a\nb%%7E\r".utf8))
    }

    @Test("UTF-16 as Windows writes it is read")
    func utf16() throws {
        let data = try #require("\u{FEFF}\(md5)  é.txt\r\n".data(using: .utf16LittleEndian))
        #expect(try read(data).entries.map(path) == ["é.txt"])
    }

    @Test(
        "a line that cannot be used is told with its number, and the rest goes on",
        arguments: [
            ("\(md5)  /etc/passwd", "absolute"), ("\(md5)  ../x", "leads out"), ("\(md5)  a/../../x", "leads out"),
            ("\(md5)  \\\\server\\x", "network"), ("\(md5)  C:\\x", "absolute"), ("\(md5)  d/", "directory"),
            ("\(md5)  .", "directory"), ("\(md5)  a\u{0}b", "NUL"), ("\(md5.dropLast())  a", "no line"),
            ("hello", "no line"),
            ("\(md5)  -", "no file's name"), ("\(md5)", "no file's name"), ("SHA256 (a) = \(md5)", "sha-256 digest"),
            ("\\\(md5)  a\\tb", "backslash"), ("SIZE (a) = x", "size"), ("https://a.example/x", "no line"),
        ])
    func badLine(_ line: String, _ words: String) throws {
        let reading = try read("\(md5)  first\n\(line)\n\(md5)  last\n".utf8)
        #expect(reading.entries.map(path) == ["first", "last"])
        #expect(reading.problems.map(\.origin.line) == [2])
        #expect(reading.problems.first?.message.contains(words) == true, "\(reading.problems)")
    }

    @Test("an address in a name's place is taken as it is")
    func addressAsName() throws {
        let reading = try read(
            "\(md5)  https://a.example/x%20y?z\n\(sha256)  https://a.example/x%20y?z\n".utf8, base: nil)
        #expect(reading.entries.map { $0.urls.map(\.string) } == [["https://a.example/x%20y?z"]])
        #expect(reading.entries.first?.digests.count == 2 && reading.entries.first?.suggestedPath == nil)
    }

    @Test("sentences in front of a list are passed over, and are no list by themselves")
    func prose() throws {
        let text = "These are the digests of the files here.\nTo test them, run md5sum -c CHECKSUMS.md5\n\n"
        let reading = try read("\(text)\(md5)  ./a\nno line\n\(md5)  ./b\n".utf8)
        #expect(reading.entries.map(path) == ["a", "b"] && reading.problems.map(\.origin.line) == [5])
        #expect(try read(text.utf8).error?.message.contains("no checksum list") == true)
        #expect(try read("word\n\(md5)  a\n".utf8).problems.map(\.origin.line) == [1])
        #expect(try read("\(md5.dropLast())  cut\n\(md5)  a\n".utf8).problems.map(\.origin.line) == [1])
    }

    @Test("without a base there is one error that tells the cure")
    func noBase() throws {
        let reading = try read("\(md5)  a\n\(md5)  b\n".utf8, base: nil)
        #expect(reading.error?.message.contains("--base-url") == true && reading.items.isEmpty)
    }

    @Test("what is no checksum list at all ends after many problems")
    func noList() throws {
        let context = ManifestContext(sourceName: "x", baseURL: WebURL("http://h.example/"))
        let bytes = Array(String(repeating: "nothing\n", count: 50_000).utf8)
        let reading = ReaderVerifier { ChecksumReader(context: context) }.read(pieces: [bytes[...]])
        #expect(reading.problems.count == 10_000)
        #expect(reading.error?.message.contains("--format") == true)
    }
}

/// Checksum lists as found in the world, with what must be read from them.
@Suite struct ChecksumFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/checksums")

    @Test("a checksum list gives its entries, however it is cut", arguments: ManifestFixture.names(in: directory))
    func list(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let reading = try ReaderVerifier { ChecksumReader(context: fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }

    @Test("there are lists")
    func lists() { #expect(ManifestFixture.names(in: Self.directory).count == 13) }
}
