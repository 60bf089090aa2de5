import TestSupport
import Testing

/// Lists of digests beside the sources.
@Suite(.timeLimit(.minutes(10))) struct DigestListTests {
    /// The SHA-256 digest of "abc".
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private func serve(on server: FaultServer) {
        server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", [IndexRow("a b", size: 3), IndexRow("c", size: 3)])))
        server.serve("/pub/a%20b", Resource(.text("abc")))
        server.serve("/pub/c", Resource(.text("abd")))
    }

    @Test("What differs from a list's digest is not published, and the status is 9", arguments: [false, true])
    func mismatch(isFile: Bool) async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        serve(on: server)
        let list = "\(Self.abc)  a b\n\(Self.abc)  c\n"
        server.serve("/pub/SHA256SUMS", Resource(.text(list), contentType: "text/plain"))
        try writeFile(directory.appending("SHA256SUMS"), list)
        let digests = isFile ? directory.appending("SHA256SUMS") : server.url("/pub/SHA256SUMS")
        let destination = directory.appending("here")
        let result = try await Command.run("--digests", digests, server.url("/pub/"), destination)
        #expect(result.exited(9), "\(result)")
        #expect(result.errorText.contains("c: its sha-256 digest is "), "\(result)")
        #expect(try treeListing(destination, skipping: [".dlsync"]).keys.map(\.description) == ["a b"])
        let listed = try await Command.run("--list", "--json", "--digests", digests, server.url("/pub/"))
        #expect(listed.outputText.contains("\"digests\":{\"sha-256\":\"\(Self.abc)\"}"), "\(listed)")
    }

    @Test("A list that cannot be read ends the run with 4 before anything is fetched") func unreadable() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        serve(on: server)
        for digests in [directory.appending("none"), server.url("/none")] {
            let result = try await Command.run(
                "--digests", digests, server.url("/pub/"), directory.appending("here"))
            #expect(result.exited(4), "\(result)")
        }
        #expect(server.requests.map(\.path) == ["/none"])
    }

    @Test("A list that cannot be read deletes nothing, though the source names a file no more")
    func unreadableDeletesNothing() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        serve(on: server)
        let here = directory.appending("here")
        try await Command.runSilently(server.url("/pub/"), here)
        server.serve("/pub/", .html(nginxIndexPage(of: "/pub/", [IndexRow("c", size: 3)])))
        let list = directory.appending("SHA256SUMS")
        for digests in [list, server.url("/none")] {
            let result = try await Command.run("--delete", "--digests", digests, server.url("/pub/"), here)
            #expect(result.exited(4), "\(result)")
            #expect(Set(try treeListing(here, skipping: [".dlsync"]).keys.map(\.description)) == ["a b", "c"])
        }
        try writeFile(list, "\(Self.abc)  a b\n")
        try await Command.runSilently("--delete", "--digests", list, server.url("/pub/"), here)
        #expect(try treeListing(here, skipping: [".dlsync"]).keys.map(\.description) == ["c"])
    }

    @Test("A verification without sources holds a list's digests against what is here", arguments: [false, true])
    func verifies(isFile: Bool) async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        serve(on: server)
        let here = directory.appending("here")
        // What was recorded would prove both.
        try await Command.runSilently("--record-digests", server.url("/pub/"), here)
        let text = "\(Self.abc)  a b\n\(Self.abc)  c\n"
        server.serve("/pub/SHA256SUMS", Resource(.text(text), contentType: "text/plain"))
        let list = isFile ? directory.appending("SHA256SUMS") : server.url("/pub/SHA256SUMS")
        if isFile { try writeFile(list, text) }
        let before = server.requests.count
        let result = try await Command.run("--verify", "--digests", list, here)
        #expect(result.exited(9), "\(result)")
        #expect(result.outputText.hasPrefix("differs       c  (its sha-256 digest is "), "\(result)")
        #expect(result.outputText.split(separator: "\n").count == 1, "\(result)")
        #expect(server.requests[before...].map(\.path) == (isFile ? [] : ["/pub/SHA256SUMS"]))
        let unread = try await Command.run("--verify", "--digests", directory.appending("none"), here)
        #expect(unread.exited(4) && unread.outputText.isEmpty, "\(unread)")
    }
}
