import TestSupport
import Testing

@Suite("Secrets") struct SecretTests {
    private static let secret = "open-sesame-4711"

    @Test("A password is on no list of processes, in no message, and in no file of the state", .timeLimit(.minutes(10)))
    func isNowhere() async throws {
        try await FaultServer.run { server in
            server.serve("/a", Resource(.bytes([1])), script: [.once(.hold("a"))])
            server.serve("/b", Resource(.bytes([1])), script: [.always(.status(500))])
            let directory = try TemporaryDirectory()
            let authority = server.origin.split(separator: "/").last.map(String.init) ?? ""
            try writeFile(
                directory.appending("list"),
                "http://me:\(Self.secret)@\(authority)/a\nhttp://me:\(Self.secret)@\(authority)/b\n")
            let child = try ChildProcess(
                try builtProduct("dlsync"),
                [
                    "-v", "--retries", "0", "--origin", server.origin, "-u", "you:\(Self.secret)", "-H",
                    "X-Key: \(Self.secret)",
                    "-b", "c=\(Self.secret)", "http://me:\(Self.secret)@\(authority)/none", directory.appending("list"),
                    directory.appending("dest"),
                ])
            try await server.gate("a").waitForArrivals()
            let words = try readFile("/proc/\(child.processID)/cmdline")
            #expect(!String(decoding: words, as: UTF8.self).contains(Self.secret))
            server.gate("a").open()
            let result = try await child.wait()
            #expect(result.termination == .exited(4), "\(result)")
            #expect(!(result.outputText + result.errorText).contains(Self.secret), "\(result.errorText)")
            for name in ["state.db", "state.db-wal"] where exists(directory.appending("dest/.dlsync/\(name)")) {
                let bytes = try readFile(directory.appending("dest/.dlsync/\(name)"))
                #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.secret))
            }
            // What was for this origin has reached it.
            let asked = try #require(server.requests(to: "/a").first)
            #expect(asked.field("X-Key") == Self.secret)
            #expect(asked.field("Authorization")?.hasPrefix("Basic ") == true)
        }
    }

    @Test("What is for one origin does not follow a redirect to another", arguments: [true, false])
    func redirects(isSameOrigin: Bool) async throws {
        try await FaultServer.run { server in
            try await FaultServer.run { other in
                let target = isSameOrigin ? server : other
                target.serve("/target", Resource(.bytes([1])))
                server.redirect("/a", to: target.url("/target"))
                let directory = try TemporaryDirectory()
                try writeFile(directory.appending("list"), server.url("/a") + "\n header=X-Own: 1\n")
                let result = try await ChildProcess.run(
                    try builtProduct("dlsync"),
                    [
                        "--origin", server.origin, "-u", "you:pass", "-H", "X-Key: k", "-b", "c=1",
                        directory.appending("list"), directory.appending("dest"),
                    ])
                #expect(result.termination == .exited(0), "\(result)")
                let asked = try #require(target.requests(to: "/target").first)
                for name in ["Authorization", "X-Key", "Cookie", "X-Own"] {
                    #expect((asked.field(name) != nil) == isSameOrigin, "\(name)")
                }
            }
        }
    }
}
