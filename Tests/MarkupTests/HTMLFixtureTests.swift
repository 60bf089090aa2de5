import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

/// Pages of real servers, read and compared with what their directories held.
@Suite struct HTMLFixtureTests {
    static let directory =
        Bundle.module.bundleURL.appendingPathComponent("Resources/html")

    @Test(
        "a page gives the entries of its directory, however it is cut", arguments: ManifestFixture.names(in: directory))
    func page(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let verifier = ReaderVerifier { HTMLListingReader(context: fixture.context) }
        let differences = fixture.differences(from: try verifier.read(fixture.bytes))
        #expect(differences.isEmpty, "\(differences.prefix(8).joined(separator: "\n"))")
    }

    @Test("the parser's blocks may end anywhere", arguments: ManifestFixture.names(in: directory))
    func blocks(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        func read(block: Int) -> Reading {
            var limits = MarkupLimits.standard
            limits.blockBytes = block
            return ReaderVerifier { HTMLListingReader(context: fixture.context, limits: limits) }
                .read(pieces: [fixture.bytes[...]])
        }
        let whole = read(block: 1 << 20)
        for block in [1, 7, 1021] { #expect(read(block: block) == whole, "blocks of \(block) bytes") }
    }

    @Test("there are pages")
    func pages() { #expect(ManifestFixture.names(in: Self.directory).count >= 36) }
}
