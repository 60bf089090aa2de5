import Foundation
import Markup
import SyncCore
import TestSupport
import Testing

/// Pages of real servers, read and compared with what their directories held.
@Suite struct HTMLFixtureTests {
    /// Pages that are not read as they could be, and why.
    static let knownGaps: [String: String] = [
        "node-serve-index-readme.html": "a directory is linked without a slash; only a class of its link tells",
        "pep503-base-yanked-mixed.html": "package files lie on another host, so they are not below the page",
        "pep503-root-relative-base.html": "paths are those below the page, not below its <base>",
        "pypiserver-package.html": "package files lie in another directory, so they are not below the page",
        "rclone-memstore.html": "the column of MD5 digests is not read",
    ]

    static let directory =
        Bundle.module.bundleURL.appendingPathComponent("Resources/html")

    @Test(
        "a page gives the entries of its directory, however it is cut", arguments: ManifestFixture.names(in: directory))
    func page(_ name: String) throws {
        let fixture = try ManifestFixture(name, in: Self.directory)
        let verifier = ReaderVerifier { HTMLListingReader(context: fixture.context) }
        let differences = fixture.differences(from: try verifier.read(fixture.bytes))
        if let reason = Self.knownGaps[name] {
            #expect(!differences.isEmpty, "\(name) is read now; take it off the list of gaps (\(reason))")
        } else {
            #expect(differences.isEmpty, "\(differences.prefix(8).joined(separator: "\n"))")
        }
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

    @Test("there are pages, and every gap names one of them")
    func pages() {
        let names = ManifestFixture.names(in: Self.directory)
        #expect(names.count >= 36)
        #expect(Set(Self.knownGaps.keys).isSubset(of: names))
    }
}
