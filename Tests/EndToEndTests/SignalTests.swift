import Glibc
import TestSupport
import Testing

/// Runs that are asked to end.
@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    private static let size: Int64 = 24 << 20
    private static let piece: Int64 = 1 << 20

    @Test(
        "A signal ends a run in order: what is here is recorded, and the next run asks for nothing else",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func savesOnSignal(signal: Int32, status: Int32) async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve(
            "/file", Resource(.pattern(seed: 3, count: Self.size)),
            script: [.always(on: .get, .drip(bytes: Self.piece, gate: "flow"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file"))

        let passes = GateCount(server, "flow")
        let process = try Command.start(["-s", "4", list, destination])
        server.gate("flow").allow(9)
        try await passes.waitForPasses(9, of: process)
        process.send(signal)
        let result = try await process.wait()
        #expect(result.exited(status), "\(result)")
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.isEmpty, "\(result)")
        #expect(!exists("\(destination)/file"))
        try await server.waitUntilIdle()

        let entry = try #require(try await PlanLines.ask(list, destination).entries.first)
        #expect(entry.action == "resume")
        #expect(entry.have > 0)
        #expect(entry.have <= 9 * Self.piece)
        server.gate("flow").open()
        let requestsBefore = server.requests.count
        try await Command.runSilently("-s", "4", list, destination)
        #expect(bytesAsked(server.requests[requestsBefore...], size: Self.size) == Self.size - entry.have)
        #expect(try fileMatchesPattern("\(destination)/file", seed: 3, count: Self.size))
    }

    @Test("A run that waits for more of its list ends at a signal too")
    func endsWhileReading() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            try writeFile("\(root)/file", "here")
            try await NginxServer.run(root: root) { server in
                let pipe = try NamedPipe(directory.appending("list"))
                try pipe.write(server.url("/file") + "\n")
                let process = try Command.start([pipe.path, directory.appending("here")])
                try await waitUntil("the state") {
                    exists(directory.appending("here/.dlsync/state.db")) || !process.isRunning
                }
                // Only once something was read for sure is the signal one amid the reading.
                try await waitUntil("the list to be read") { pipe.unreadBytes == 0 || !process.isRunning }
                process.send(SIGINT)
                let result = try await process.wait(timeout: .seconds(20))
                #expect(result.exited(130), "\(result)")
            }
        }
    }

    @Test("A run that waits for a server ends at a signal too", arguments: ["/page/", "/file"])
    func endsWhileWaiting(path: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/page/", .html(nginxIndexPage(of: "/page/", [])), script: [.always(.hold("never"))])
            server.serve("/file", Resource(.bytes([])), script: [.always(.refusal(503, retryAfter: "1000"))])
            let source = path == "/file" ? "-" : server.url(path)
            let process = try Command.start(
                [source, directory.appending("here")], input: Array(server.url(path).utf8))
            try await server.waitForRequests(1)
            if path == "/file" { try await server.waitUntilIdle() }
            process.send(SIGTERM)
            let result = try await process.wait(timeout: .seconds(20))
            #expect(result.exited(143), "\(result)")
            #expect(result.standardError.isEmpty, "\(result)")
            #expect(server.requests.count == 1)
        }
    }

    @Test("A second signal ends a run that cannot end in order")
    func endsAtSecondSignal() async throws {
        try await withTemporaryDirectory { directory in
            let list = directory.appending("list")
            // Nobody reads what is said of these lines, until dlsync can say no more.
            try writeFile(list, "http://127.0.0.1:1/x\n" + String(repeating: "ftp://127.0.0.1/file\n", count: 4000))
            let pipe = try NamedPipe(directory.appending("messages"))
            let dlsync = try builtProduct("dlsync")
            let process = try ChildProcess(
                "/bin/sh", ["-c", "exec '\(dlsync)' '\(list)' '\(directory.appending("here"))' 2>'\(pipe.path)'"])
            try await waitUntil("a pipe that is full") { pipe.unreadBytes >= 60000 || !process.isRunning }
            #expect(process.isRunning)
            // Two of one kind could become one on their way.
            process.send(SIGINT)
            process.send(SIGTERM)
            let result = try await process.wait(timeout: .seconds(20))
            #expect(result.exited(130) || result.exited(143), "\(result)")
        }
    }
}
