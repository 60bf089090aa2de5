import Foundation
import SyncCore
import TestSupport
import Testing

private let md5 = "d41d8cd98f00b204e9800998ecf8427e"
private let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

private func read(
    _ text: String, base: String? = "http://a.example/debian/dists/stable/main/binary-amd64/Packages"
) throws -> Reading {
    let context = ManifestContext(sourceName: "index", baseURL: base.flatMap { WebURL($0) })
    return try ReaderVerifier { DebianReader(context: context) }.read(Array(text.utf8))
}

private func urls(_ reading: Reading) -> [String] { reading.entries.map { $0.urls[0].string } }

@Suite struct DebianReaderTests {
    @Test("a stanza of Packages gives a file, below the archive's root")
    func packages() throws {
        let reading = try read(
            """
            Package: x
            Description: a
             Filename: no
             SHA256: no
            Description-md5: \(md5)
            Filename: pool/x/x_1+b~c_all.deb
            Size: 7
            Installed-Size: 99
            MD5sum: \(md5)
            SHA256: \(sha256)

            # a comment

            package: y
            FILENAME: ./pool/y.deb
            size: 8
            """)
        #expect(reading.error == nil && reading.problems.isEmpty)
        #expect(
            urls(reading) == [
                "http://a.example/debian/pool/x/x_1%2Bb~c_all.deb", "http://a.example/debian/pool/y.deb",
            ])
        #expect(
            reading.entries.map(\.suggestedPath) == ["pool/x/x_1+b~c_all.deb", "pool/y.deb"].map { Array($0.utf8) })
        #expect(reading.entries.map(\.size) == [.exact(7), .exact(8)])
        #expect(reading.entries.map { $0.digests.map(\.algorithm) } == [[.md5, .sha256], []])
    }

    @Test(
        "the archive's root is above dists, or the base itself",
        arguments: [
            ("http://a.example/debian/dists/x/Packages", "http://a.example/debian/p.deb"),
            ("http://a.example/dists/x/Packages", "http://a.example/p.deb"),
            ("http://a.example/dists/dists/x/Packages?a=/dists/", "http://a.example/dists/p.deb"),
            ("http://a.example/flat/Packages", "http://a.example/flat/p.deb"),
            ("http://a.example/flat/", "http://a.example/flat/p.deb"),
            ("http://a.example//dists/x/", "http://a.example//p.deb"),
        ])
    func root(_ base: String, _ url: String) throws {
        #expect(urls(try read("Package: p\nFilename: p.deb\n", base: base)) == [url])
    }

    @Test("a Release names each file once, with all its digests, relative to itself")
    func release() throws {
        let reading = try read(
            """
            Origin: X
            MD5Sum:
             \(md5)        7 main/a
             \(md5)        8 main/b
            SHA256:
             \(sha256) 7 main/a
             \(sha256) 8 main/b
            """, base: "http://a.example/debian/dists/stable/Release")
        #expect(reading.problems.isEmpty)
        #expect(
            urls(reading) == [
                "http://a.example/debian/dists/stable/main/a", "http://a.example/debian/dists/stable/main/b",
            ])
        #expect(reading.entries.map { $0.digests.count } == [2, 2])
        #expect(reading.entries.map(\.size) == [.exact(7), .exact(8)])
        #expect(reading.entries.map(\.origin.line) == [3, 4])
    }

    @Test("a stanza of Sources gives its files in their directory, and a .dsc or .changes file its own beside it")
    func sources() throws {
        let files =
            "Files:\n \(md5) 7 x_1.dsc\n \(md5) 8 x_1.tar.xz\nChecksums-Sha256:\n \(sha256) 7 x_1.dsc\n \(sha256) 8 x_1.tar.xz\n"
        let reading = try read("Package: x\nDirectory: pool/x\n\(files)\nPackage: y\nDirectory: pool/y\n\(files)")
        #expect(
            urls(reading).map { $0.dropFirst("http://a.example/debian/".count) } == [
                "pool/x/x_1.dsc", "pool/x/x_1.tar.xz", "pool/y/x_1.dsc", "pool/y/x_1.tar.xz",
            ])
        #expect(reading.entries.allSatisfy { $0.digests.map(\.algorithm) == [.md5, .sha256] })
        let dsc = try read("Format: 3.0\n\(files)", base: "http://a.example/pool/x/x_1.dsc")
        #expect(urls(dsc) == ["http://a.example/pool/x/x_1.dsc", "http://a.example/pool/x/x_1.tar.xz"])
        let changes = try read(
            "Format: 1.8\nFiles:\n \(md5) 7 libs optional x.deb\n", base: "http://a.example/i/x.changes")
        #expect(urls(changes) == ["http://a.example/i/x.deb"])
    }

    @Test("a signed text is read without its armour, and is cut short without its end")
    func signed() throws {
        let text =
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nOrigin: X\nSHA256:\n \(sha256) 7 a\n"
            + "-----BEGIN PGP SIGNATURE-----\n\nSHA1: x\n-----END PGP SIGNATURE-----\n"
        let base = "http://a.example/dists/x/InRelease"
        #expect(urls(try read(text, base: base)) == ["http://a.example/dists/x/a"])
        for count in [10, 40, 100] {
            #expect(try read(String(text.dropLast(count)), base: base).error?.message.contains("cut short") == true)
        }
    }

    @Test(
        "what cannot be used is told with its line, and the rest goes on",
        arguments: [
            ("Filename: ../x", 3, "leads out"), ("Filename: /x", 3, "absolute"),
            ("Filename: x\nMD5sum: 12", 4, "no md5"),
            ("SHA256:\n \(sha256) 7", 4, "size and name"), ("SHA256:\n \(sha256) x y", 4, "size and name"),
            ("SHA256:\n \(md5) 7 y", 4, "sha-256"), ("nonsense", 3, "no field"),
            ("SHA256:\n \(sha256) 7 y\n \(sha256) 8 y", 5, "another size"),
            ("SHA256:\n \(sha256) 7 y\n \(sha256.reversed().map { String($0) }.joined()) 7 y", 5, "another digest"),
        ])
    func bad(_ stanza: String, _ line: Int, _ words: String) throws {
        let reading = try read("Filename: a\n\n\(stanza)\n\nFilename: b\n")
        #expect(urls(reading).map { $0.suffix(1) } == ["a", "b"])
        #expect(reading.problems.map(\.origin.line) == [line])
        #expect(reading.problems.first?.message.contains(words) == true, "\(reading.problems)")
    }

    @Test("an index that names no file is an error, an empty one is empty")
    func none() throws {
        #expect(try read("Package: x\nDescription-md5: \(md5)\n").error?.message.contains("names no file") == true)
        #expect(try read("") == Reading())
        #expect(try read("\n\n") == Reading())
    }

    @Test("without a base there is one error that tells the cure")
    func noBase() throws { #expect(try read("Filename: x\n", base: nil).error?.message.contains("--base-url") == true) }

    @Test("long fields that do not matter are passed over")
    func longField() throws {
        let context = ManifestContext(sourceName: "x", baseURL: WebURL("http://a.example/"))
        let text = "Package: x\nProvides: \(String(repeating: "a, ", count: 100_000))\n x\nFilename: x.deb\n"
        let reading = ReaderVerifier { DebianReader(context: context) }.read(pieces: [Array(text.utf8)[...]])
        #expect(urls(reading) == ["http://a.example/x.deb"] && reading.problems.isEmpty)
    }
}

/// Indices as found in the world.
@Suite struct DebianFixtureTests {
    static let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/debian")

    @Test("an index gives its entries, however it is cut", arguments: ManifestFixture.names(in: directory))
    func index(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let reading = try ReaderVerifier { DebianReader(context: fixture.context) }.read(fixture.bytes)
        let differences = fixture.differences(from: reading)
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        #expect(reading.problems.isEmpty)
    }

    @Test("there are indices")
    func indices() { #expect(ManifestFixture.names(in: Self.directory).count == 2) }
}
