import TestSupport
import Testing

/// Buckets of a look-alike of S3 that are mirrored by their listings, a thousand keys a page.
@Suite(.timeLimit(.minutes(5)), .enabled(if: MotoServer.isInstalled, "moto is not installed"), .tags(.large))
struct BucketTests {
    /// How many keys there are below `data/`.
    private static let dataCount = 2100

    /// Keys that are right in a bucket, awkward everywhere else, and can be said in XML.
    private static let oddKeys =
        oddNames.filter { name in name.utf8.allSatisfy { $0 >= 0x20 } }
        + ["odd & <dir>/deep ü#1/a+b %41.txt", "100%/50%/x", ".hidden directory/y"]

    /// Writes the bucket's files whose keys begin so, and gives their number.
    private static func writeFiles(_ root: String, prefix: String = "") throws -> Int {
        var generator = SeededGenerator(seed: 11)
        var count = 0
        for key in oddKeys + (0..<dataCount).map({ "data/part \($0)+.bin" }) {
            let (seed, size) = (generator.next(), Int64.random(in: 0...3000, using: &generator))
            guard key.hasPrefix(prefix) else { continue }
            try writePatternFile("\(root)/\(key)", seed: seed, count: size, modified: 1_650_000_000)
            count += 1
        }
        return count
    }

    /// A listing of the bucket, and how much of it that is.
    struct Listing: CustomTestStringConvertible, Sendable {
        let query: String
        let pages: Int
        /// What the keys begin with.
        var prefix = ""
        var testDescription: String { "bucket/\(query)" }
    }

    @Test(
        "A bucket of thousands of keys is mirrored to its last page, and then only asked about",
        arguments: [
            Listing(query: "", pages: 3),
            // The root, five listings of prefixes in it and below, and three pages of another.
            Listing(query: "?list-type=2&delimiter=/", pages: 9),
            Listing(query: "?prefix=data/part%201&max-keys=700", pages: 2, prefix: "data/part 1"),
            Listing(query: "?list-type=2&prefix=data/part%202&max-keys=100", pages: 3, prefix: "data/part 2"),
        ])
    func mirrorsBucket(listing: Listing) async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("bucket")
            let destination = directory.appending("here")
            _ = try Self.writeFiles(root)
            let server = try MotoServer.start(root: root)
            // The server has them in its memory; what is compared with is what is wanted of them.
            removeTree(root)
            let count = try Self.writeFiles(root, prefix: listing.prefix)
            let source = server.url("/\(MotoServer.bucket)/\(listing.query)")

            let first = try await Command.run(source, destination)
            #expect(first.wasSilent, "\(first)")
            #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])
            let asked = try server.readLog().count

            let second = try await Command.run(source, destination)
            #expect(second.wasSilent, "\(second)")
            let log = try server.stopAndReadLog()
            for (run, method) in [(log.prefix(asked), "GET"), (log.dropFirst(asked), "HEAD")] {
                let pages = run.filter {
                    $0.target.hasPrefix("/\(MotoServer.bucket)/?") || $0.target == "/\(MotoServer.bucket)/"
                }
                let objects = Set(run.map(\.target)).subtracting(pages.map(\.target))
                #expect(pages.count == listing.pages, "\(pages.map(\.target))")
                #expect(objects.count == count)
                #expect(run.count == count + pages.count)
                let others = run.filter { objects.contains($0.target) }
                #expect(others.allSatisfy { $0.method == method && $0.status == 200 })
                if method == "HEAD" { #expect(Array(others).bodyBytes == 0) }
            }
        }
    }
}
