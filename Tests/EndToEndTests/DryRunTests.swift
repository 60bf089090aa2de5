import Glibc
import TestSupport
import Testing

/// What a dry run tells, and that it writes nothing.
@Suite(.timeLimit(.minutes(10))) struct DryRunTests {
    private static let size: Int64 = 8 << 20

    @Test("A dry run into a directory that is not there says what would come, and makes nothing")
    func plansNewTree() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/small", Resource(.pattern(seed: 1, count: 1000)))
        server.serve("/big", Resource(.pattern(seed: 2, count: Self.size)))
        server.serve("/unsized", Resource(.pattern(seed: 3, count: 10)), script: [.always(.closeDelimited)])
        let list = directory.appending("list")
        try writeFile(list, "small\nbig\nunsized\ngone\nftp://127.0.0.1/old\n")
        let destination = directory.appending("a/b/here")
        let words = ["--format", "list", "--base-url", server.url("/"), list, destination]

        let result = try await Command.run(["-n", "--json"] + words)
        #expect(result.exited(3), "\(result)")
        let plan = try PlanLines(result.standardOutput)
        #expect(
            plan.entries.sorted { $0.path < $1.path } == [
                .init(
                    path: "big", url: server.url("/big"), action: "fetch", reason: "it is not here", size: Self.size,
                    have: 0, fetch: Self.size),
                .init(
                    path: "gone", url: server.url("/gone"), action: "skip",
                    reason: "\(server.url("/gone")) does not exist (404)", size: nil, have: 0, fetch: 0),
                .init(
                    path: "small", url: server.url("/small"), action: "fetch", reason: "it is not here", size: 1000,
                    have: 0, fetch: 1000),
                .init(
                    path: "unsized", url: server.url("/unsized"), action: "fetch", reason: "it is not here", size: nil,
                    have: 0, fetch: nil),
            ])
        let problem = try #require(plan.problems.first)
        #expect(plan.problems.count == 1)
        #expect(problem.source == list)
        #expect(problem.line == 5)
        let summary = try #require(plan.summary)
        #expect(summary.version == 1)
        #expect(summary.entries == 4)
        #expect(summary.actions["fetch"] == 3)
        #expect(summary.actions["skip"] == 1)
        #expect(summary.actions.count == 10)
        #expect(summary.failed == 1)
        #expect(summary.problems == 1)
        #expect(summary.sourcesFailed == 0)
        #expect(summary.have == 0)
        #expect(summary.fetch == Self.size + 1000)
        #expect(summary.unknownSizes == 1)
        #expect(summary.exitStatus == 3)

        let text = try await Command.run(["--dry-run"] + words)
        #expect(text.exited(3))
        let lines = text.outputText.split(separator: "\n").map(String.init)
        #expect(
            lines.dropLast().sorted() == [
                "fetch              ?  unsized  (it is not here)",
                "fetch         1000 B  small  (it is not here)",
                "fetch        8.0 MiB  big  (it is not here)",
                "skip             0 B  gone  (\(server.url("/gone")) does not exist (404))",
            ])
        #expect(
            lines.last?.hasPrefix("4 entries: 3 fetch, 1 skip; 8.0 MiB to fetch and 1 of unknown size, 0 B here")
                == true)

        #expect(!exists(directory.appending("a")))
        #expect(server.requests.allSatisfy { $0.method == "HEAD" })
    }

    @Test("A dry run over a tree with all kinds of files tells the truth, and touches neither files nor state")
    func plansOldTree() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        let destination = directory.appending("here")
        let list = directory.appending("list")
        for name in ["same", "changed", "half"] {
            server.serve("/\(name)", Resource(.pattern(seed: 1, count: Self.size)))
        }
        server.setScript("/half", [.once(on: .get, .stall(after: Self.size / 2)), .always(.hold("never"))])
        try writeFile(list, ["same", "changed", "half", "new"].map { server.url("/\($0)") }.joined(separator: "\n"))
        let process = try Command.start(["-s", "1", list, destination])
        try await waitUntil("two files and a half") {
            !process.isRunning
                || server.requests(to: "/half").contains { $0.bodyBytesSent >= Self.size / 2 }
                    && exists("\(destination)/same") && exists("\(destination)/changed")
        }
        process.send(SIGINT)
        #expect(try await process.wait().exited(130))
        try await server.waitUntilIdle()
        server.setScript("/half", [])
        server.replace("/changed", Resource(.pattern(seed: 2, count: Self.size)))
        server.serve("/new", Resource(.pattern(seed: 3, count: 77)))
        try writeFile("\(destination)/mine", "no list names it")

        let before = try treeState(destination)
        let sent = server.bodyBytesSent
        let plan = try await PlanLines.ask(list, destination)
        let text = try await Command.run("-n", list, destination)
        #expect(try treeState(destination) == before)
        #expect(server.bodyBytesSent == sent, "a dry run brings no data")

        let entries = plan.entries.sorted { $0.path < $1.path }
        #expect(entries.map(\.path) == ["changed", "half", "new", "same"])
        #expect(entries.map(\.action) == ["replace", "resume", "fetch", "up-to-date"])
        #expect(entries.map(\.size) == [Self.size, Self.size, 77, Self.size])
        let half = entries[1]
        #expect(half.have > 0 && half.have <= Self.size / 2)
        #expect(half.fetch == Self.size - half.have)
        #expect(half.reason == "\(half.have) bytes are here already")
        #expect(entries.map(\.fetch) == [Self.size, Self.size - half.have, 77, 0])
        #expect(plan.summary?.exitStatus == 0)
        #expect(plan.summary?.fetch == entries.reduce(0) { $0 + ($1.fetch ?? 0) })
        #expect(text.exited(0), "\(text)")
        #expect(text.outputText.contains("4 entries: 1 up-to-date, 1 fetch, 1 resume, 1 replace; "), "\(text)")

        // What was told comes true.
        let promised = plan.summary?.fetch
        try await Command.runSilently(list, destination)
        #expect(server.bodyBytesSent - sent == promised)
        #expect(try readText("\(destination)/mine") == "no list names it")
    }

    @Test("A dry run beside a run that holds the destination ends with 7, as a run would")
    func plansBesideRun() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)), script: [.once(on: .get, .hold("body"))])
        let arguments = ["-", directory.appending("here")]
        let list = Array(server.url("/file").utf8)
        let run = try Command.start(arguments, input: list)
        try await server.gate("body").waitForArrivals()
        let dry = try await Command.run(["-n"] + arguments, input: list)
        #expect(dry.exited(7), "\(dry)")
        #expect(dry.standardOutput.isEmpty)
        server.gate("body").open()
        #expect(try await run.wait().wasSilent)
    }

    @Test("A source that cannot be read is a line of the plan, and the others are planned")
    func tellsUnreadSource() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)))
        try writeFile(directory.appending("list"), server.url("/file"))
        let result = try await Command.run(
            "-n", "--json", server.url("/none"), directory.appending("list"), directory.appending("here"))
        #expect(result.exited(4), "\(result)")
        let plan = try PlanLines(result.standardOutput)
        let failed = plan.lines.compactMap { line in
            if case .sourceFailed(let failed) = line { failed } else { nil }
        }
        #expect(failed.map(\.source) == [server.url("/none")])
        #expect(failed.map(\.reason) == ["\(server.url("/none")) does not exist (404)"])
        #expect(plan.entries.map(\.path) == ["file"])
        #expect(plan.summary?.sourcesFailed == 1)
        #expect(plan.summary?.exitStatus == 4)
    }

    @Test("The example in the format's document is of the format")
    func readsExample() throws {
        let repository = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let document = try readText("/\(repository)/docs/formats/plan.md")
        let example = document.split(separator: "\n").filter { $0.hasPrefix("{") }.joined(separator: "\n")
        let plan = try PlanLines(Array(example.utf8))
        #expect(plan.lines.count == 4)
        #expect(plan.entries.map(\.action) == ["resume", "up-to-date"])
        #expect(plan.problems.count == 1)
        #expect(plan.summary?.have == plan.entries.reduce(0) { $0 + $1.have })
        #expect(plan.summary?.fetch == plan.entries.reduce(0) { $0 + ($1.fetch ?? 0) })
    }

    @Test("A plan whose lines cannot be written does not end as a success")
    func tellsLostOutput() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)))
        try writeFile(directory.appending("list"), server.url("/file"))
        let result = try await ChildProcess.run(
            "/bin/sh",
            ["-c", "exec '\(builtProduct("dlsync"))' -n '\(directory.appending("list"))' /nonexistent/here >/dev/full"])
        #expect(result.exited(6), "\(result)")
        #expect(result.errorText == "dlsync: standard output cannot be written: No space left on device.\n")
    }

    @Test("The sources of a dry run may come from standard input, and its lines go to a reader that stops early")
    func survivesClosedReader() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        for number in 0..<200 { server.serve("/\(number)", Resource(.pattern(seed: 1, count: 10))) }
        try writeFile(directory.appending("list"), (0..<200).map { server.url("/\($0)") }.joined(separator: "\n"))
        let result = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                "'\(builtProduct("dlsync"))' -n --json - /nonexistent/here <'\(directory.appending("list"))' | head -n 1",
            ])
        #expect(result.exited(0))
        #expect(result.outputText.split(separator: "\n").count == 1)
        #expect(result.standardError.isEmpty, "\(result)")
    }
}
