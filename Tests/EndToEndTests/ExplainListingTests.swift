import TestSupport
import Testing

/// What `--explain-listing` prints.
@Suite(.timeLimit(.minutes(10))) struct ExplainListingTests {
    private static let page = """
        <html><head><title>Index of /pub</title></head><body><a href="../">../</a> <a href="?C=N">Name</a>
        <a href="a b.iso">a b.iso</a> <a href="sub/">sub/</a> <a href="https://example.org/x">x</a></body></html>
        """

    @Test("Each link has a line with what it is and why, and nothing but the page is asked for") func text()
        async throws
    {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/pub/", .html(Self.page))
        let result = try await Command.run("--explain-listing", server.url("/pub/"))
        #expect(result.exited(0), "\(result)")
        #expect(
            result.outputText == """
                parent      ../  (the listing above, which is not followed)
                sorting     ?C=N  (the same listing in another order)
                entry       a b.iso  (a file below the listing)
                listing     sub/  (a directory below the listing)
                other-host  https://example.org/x  (only what lies on \(server.origin) is of this listing)

                """)
        #expect(server.requests.map(\.path) == ["/pub/"])
    }

    @Test("With --json each link is an object, and the summary is the last") func json() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("page.html")
        try writeFile(file, Self.page)
        let base = "http://example.org/pub/"
        let result = try await Command.run("--explain-listing", file, "--base-url", base, "--json")
        #expect(result.exited(0), "\(result)")
        let lines = result.outputText.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(
            lines[2]
                == "{\"type\":\"link\",\"kind\":\"entry\",\"reference\":\"a b.iso\",\"url\":\"\(base)a%20b.iso\",\"path\":\"a b.iso\","
                + "\"reason\":\"a file below the listing\"}")
        #expect(
            lines[5]
                == "{\"type\":\"summary\",\"version\":1,\"links\":5,\"problems\":0,\"sourcesFailed\":0,\"exitStatus\":0}"
        )
    }

    @Test("A page that is no listing is explained and has the status 4, as one that is not there") func failures()
        async throws
    {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/login", .html("<html><body><a href='/home'>home</a></body></html>"))
        let login = try await Command.run("--explain-listing", server.url("/login"))
        // Beside the page lies what is below its directory.
        #expect(login.outputText.hasPrefix("entry       /home"), "\(login)")
        server.serve("/deep/login", .html("<html><body><a href='/home'>home</a></body></html>"))
        let deep = try await Command.run("--explain-listing", server.url("/deep/login"))
        #expect(deep.exited(4), "\(deep)")
        #expect(deep.outputText.hasPrefix("outside     /home"), "\(deep)")
        #expect(deep.errorText.contains("is no index page"), "\(deep)")
        let missing = try await Command.run("--explain-listing", server.url("/none"))
        #expect(missing.exited(4) && missing.outputText.isEmpty, "\(missing)")
    }

    @Test("Of a document without links its files are told") func otherFormats() async throws {
        let directory = try TemporaryDirectory()
        let list = directory.appending("list")
        try writeFile(list, "https://example.org/a.iso\nftp://example.org/b\n")
        let result = try await Command.run("--explain-listing", list)
        #expect(result.exited(0), "\(result)")
        #expect(
            result.outputText == "entry       https://example.org/a.iso  (a file of the list document)\n", "\(result)")
        #expect(result.errorText.contains("\(list):2"))
    }

    @Test("The dates of directories are listed, too") func datesOfListings() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", [IndexRow("sub/")])))
        let result = try await Command.run("--list", "--json", "--depth", "0", server.url("/pub/"))
        #expect(result.outputText.contains("\"kind\":\"listing\""), "\(result)")
        #expect(result.outputText.contains("\"modified\":\"2023-11-14T22:13\""), "\(result)")
    }
}
