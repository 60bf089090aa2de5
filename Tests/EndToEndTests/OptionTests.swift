import TestSupport
import Testing

/// What options change on the wire and on the disk.
@Suite(.timeLimit(.minutes(10))) struct OptionTests {
    @Test("Every request says who sends it, in the words that the user wants")
    func sendsUserAgent() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/list/", .html(nginxIndexPage(of: "/list/", [IndexRow("file", size: 10)])))
        server.serve("/list/file", Resource(.pattern(seed: 1, count: 10)))
        for (options, expected) in [([], "dlsync/0.1.0"), (["-A", "some one/2"], "some one/2")] {
            let before = server.requests.count
            for mode in [["-n"], []] {
                let result = try await Command.run(
                    options + mode + [server.url("/list/"), directory.appending("here")])
                #expect(result.exited(0), "\(result)")
            }
            let requests = server.requests[before...]
            #expect(requests.count == 4)
            #expect(requests.allSatisfy { $0.field("User-Agent") == expected })
        }
    }

    @Test(
        "No more is asked at once than the user allows, in all and of one host",
        arguments: [(["-j", "3"], 3), (["--per-host", "2"], 2), (["-j", "1", "--per-host", "5"], 1), ([], 8)])
    func limitsTransfers(options: [String], most: Int) async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        for number in 0..<20 {
            server.serve(
                "/\(number)", Resource(.pattern(seed: 1, count: 10)), script: [.always(on: .get, .hold("all"))])
        }
        let list = Array((0..<20).map { server.url("/\($0)") }.joined(separator: "\n").utf8)
        let process = try Command.start(options + ["-", directory.appending("here")], input: list)
        try await server.gate("all").waitForArrivals(most)
        server.gate("all").open()
        #expect(try await process.wait().wasSilent)
        #expect(server.statistics.peakActiveRequests == most)
        #expect(server.statistics.peakConnections <= most)
        #expect(server.requests.count == 20)
    }

    @Test(
        "A file is fetched by as many transfers as the user wants, of the size that pays",
        arguments: [
            (["-s", "1"], 1), (["-s", "2", "--min-segment", "4M"], 2), (["-s", "8", "--min-segment", "4M"], 4),
        ])
    func cutsSegments(options: [String], count: Int) async throws {
        let directory = try TemporaryDirectory()
        let size: Int64 = 16 << 20
        let server = try FaultServer()
        defer { server.stop() }
        server.serve(
            "/file", Resource(.pattern(seed: 1, count: size)),
            script: [.always(on: .get, .stall(after: 1000, gate: "all"))])
        let process = try Command.start(
            options + ["-", directory.appending("here")], input: Array(server.url("/file").utf8))
        try await server.gate("all").waitForArrivals(count)
        #expect(server.statistics.activeRequests == count)
        server.gate("all").open()
        #expect(try await process.wait().wasSilent)
        #expect(server.statistics.peakActiveRequests == count, "\(server.requests)")
        #expect(try fileMatchesPattern(directory.appending("here/file"), seed: 1, count: size))
    }

    @Test(
        "Files land where the layout puts them",
        arguments: [
            ([], ["a", "a/b", "a/b/one", "a/two"]), (["--cut-dirs", "1"], ["b", "b/one", "two"]),
            (["--cut-dirs=9"], ["one", "two"]), (["--layout", "flat"], ["one", "two"]),
        ] as [([String], [String])])
    func placesFiles(options: [String], paths: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            for path in ["a/b/one", "a/two"] { try writeFile("\(root)/\(path)", path) }
            try await NginxServer.run(root: root) { server in
                let result = try await Command.run(options + [server.url("/"), directory.appending("here")])
                #expect(result.wasSilent, "\(result)")
                let listing = try treeListing(directory.appending("here"), skipping: [".dlsync"])
                #expect(listing.keys.sorted().map(\.description) == paths)
            }
        }
    }

    @Test("What another tool left is gone on with where its bytes are those of the server, unless that is not wanted")
    func adoptsForeignPartials() async throws {
        let size: Int64 = 8 << 20
        for (options, seed, isAdopted) in [([], 1, true), ([], 2, false), (["--adopt", "never"], 1, false)]
            as [([String], UInt64, Bool)]
        {
            let directory = try TemporaryDirectory()
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: size)))
            let file = directory.appending("here/file")
            try writePatternFile(file, seed: seed, count: size / 2)
            let result = try await Command.run(
                options + ["-", directory.appending("here")], input: Array(server.url("/file").utf8))
            #expect(result.wasSilent, "\(result)")
            #expect(try fileMatchesPattern(file, seed: 1, count: size))
            #expect((server.bodyBytesSent < size * 3 / 4) == isAdopted, "\(options) \(seed): \(server.requests)")
        }
    }

    @Test("The logins of the user's own netrc file are used where they are asked for, each for its host alone")
    func usesNetrc() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        let other = try FaultServer(address: "127.0.0.2")
        defer { other.stop() }
        for server in [server, other] { server.serve("/file", Resource(.pattern(seed: 1, count: 10))) }
        other.serve("/other", Resource(.pattern(seed: 1, count: 10)))
        try writeFile(directory.appending(".netrc"), "machine 127.0.0.1 login me password secret\n")
        let list = Array("\(server.url("/file"))\n\(other.url("/other"))\n".utf8)
        for (options, field) in [([], nil), (["--netrc"], "Basic bWU6c2VjcmV0")] as [([String], String?)] {
            let result = try await ChildProcess.run(
                builtProduct("dlsync"), options + ["-", directory.appending("here")],
                environment: ["HOME": directory.path], input: list)
            #expect(result.wasSilent, "\(result)")
            #expect(server.requests.last?.field("Authorization") == field)
            #expect(other.requests.last?.field("Authorization") == nil)
        }
        let missing = try await Command.run(["--netrc", "-", directory.appending("here")], input: list)
        #expect(missing.exited(2), "\(missing)")
        #expect(missing.errorText.contains("'--netrc'"), "\(missing)")
    }

    @Test("Only addresses of the wanted kind are used")
    func limitsAddresses() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 10)))
            let list = Array(server.url("/file").utf8)
            let other = try await Command.run(["-6", "--retries=0", "-", directory.appending("here")], input: list)
            #expect(other.exited(3), "\(other)")
            #expect(other.errorLines.count == 1)
            #expect(server.requests.isEmpty)
            try await Command.runSilently("-4", "-", directory.appending("here"), input: list)
        }
    }
}
