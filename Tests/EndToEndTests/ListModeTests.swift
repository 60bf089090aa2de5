import TestSupport
import Testing

/// What `--list` prints.
@Suite(.timeLimit(.minutes(10))) struct ListModeTests {
    @Test("Listings are told and followed, and told only where the depth forbids it")
    func followsListings() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/top/", page("<a href=\"a.bin\">a.bin</a> <a href=\"sub/\">sub/</a>"))
        server.serve("/top/sub/", page("<a href=\"b.bin\">b.bin</a>"))
        let all = try await Command.run("--list", "--json", server.url("/top/"))
        #expect(all.exited(0), "\(all)")
        #expect(all.kindsAndPaths.sorted() == ["file a.bin", "file sub/b.bin", "listing sub/"], "\(all)")
        let shallow = try await Command.run("--list", "--json", "--depth", "0", server.url("/top/"))
        #expect(shallow.kindsAndPaths.sorted() == ["file a.bin", "listing sub/"], "\(shallow)")
        #expect(server.requests.map(\.path) == ["/top/", "/top/sub/", "/top/"])
    }

    private func page(_ links: String) -> Resource {
        Resource(
            .bytes(Array("<html><body><h1>Index of /top</h1><a href=\"../\">../</a> \(links)</body></html>".utf8)),
            contentType: "text/html")
    }

    @Test("A list is printed for people with size, path and URL, and its bad lines are told")
    func forPeople() async throws {
        let directory = try TemporaryDirectory()
        let list = directory.appending("list")
        try writeFile(list, "https://example.org/a.iso size=1048576\nftp://example.org/b\n")
        let result = try await Command.run("--list", list)
        #expect(result.exited(3), "\(result)")
        #expect(
            result.outputText == "   1.0 MiB                        a.iso  https://example.org/a.iso\n", "\(result)")
        #expect(result.errorText.contains("\(list):2"), "\(result)")
    }

    @Test(
        "A destination beside --list, and --json without a mode for it, are refused",
        arguments: [
            ["--list", "-n", "list"], ["--json", "list", "here"], ["--list"],
        ])
    func refuses(words: [String]) async throws {
        #expect(try await Command.run(words).exited(2))
    }
}

extension ProcessResult {
    fileprivate var kindsAndPaths: [String] {
        outputText.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("{\"type\":\"entry\"") else { return nil }
            func member(_ name: String) -> Substring {
                line.components(after: "\"\(name)\":\"").prefix { $0 != "\"" }
            }
            return "\(member("kind")) \(member("path"))"
        }
    }
}

extension Substring {
    fileprivate func components(after mark: String) -> Substring {
        var rest = self
        while !rest.isEmpty {
            if rest.hasPrefix(mark) { return rest.dropFirst(mark.count) }
            rest = rest.dropFirst()
        }
        return rest
    }
}
