import TestSupport
import Testing

/// Trees that are mirrored from a real WebDAV server.
@Suite(.timeLimit(.minutes(10))) struct CollectionTests {
    @Test("A tree of odd names is mirrored from its collections byte for byte, and a second run fetches nothing")
    func mirrorsCollections() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            let destination = directory.appending("here")
            var generator = SeededGenerator(seed: 11)
            var files = 0
            let directories = ["", "sub/", "odd & <dir>/", "odd & <dir>/deep ü#1/", "100%/50%/"]
            for place in directories {
                for name in oddNames {
                    try writePatternFile(
                        "\(root)/\(place)\(name)", seed: generator.next(),
                        count: Int64.random(in: 0...20000, using: &generator), modified: 1_650_000_000)
                    files += 1
                }
            }
            // To Apache a collection with an index page is that page, unless it is told otherwise.
            try writeFile("\(root)/sub/index.html", "<html><title>Welcome</title></html>")
            files += 1
            let server = try ApacheServer.start(root: root, directives: "Dav On\nDirectoryIndex disabled")

            let first = try await Command.run("--format", "webdav", server.url("/"), destination)
            #expect(first.wasSilent, "\(first)")
            #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])
            let second = try await Command.run("--format", "webdav", server.url("/"), destination)
            #expect(second.wasSilent, "\(second)")
            // Rows of a collection have sizes and dates to the second, with their zone.
            let third = try await Command.run("--format", "webdav", "--trust-listing", server.url("/"), destination)
            #expect(third.wasSilent, "\(third)")
            #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])

            let log = try server.stopAndReadLog()
            let collections = directories.count + 1
            #expect(log.count { $0.method == "PROPFIND" && $0.status == 207 } == 3 * collections)
            #expect(log.count { $0.method == "GET" && $0.status == 200 } == files)
            // Only empty files are asked about where listings are trusted.
            #expect(log.count { $0.method == "HEAD" } < 2 * files)
            #expect(log.count { $0.method == "HEAD" } >= files)
        }
    }

    @Test("A server that knows no collections is told from one that is broken") func noCollections() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            try writeFile("\(root)/file", "text")
            try await NginxServer.run(root: root) { server in
                let result = try await Command.run("--format", "webdav", server.url("/"), directory.appending("here"))
                #expect(result.exited(4))
                #expect(result.errorText.contains("PROPFIND with status 405; leave --format webdav out"))
            }
        }
    }
}
