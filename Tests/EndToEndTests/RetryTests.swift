import TestSupport
import Testing

/// Servers that are down, stall or refuse for a while.
@Suite(.timeLimit(.minutes(10))) struct RetryTests {
    @Test("A server that is down is told in one sentence with its URL")
    func tellsServerDown() async throws {
        try await withTemporaryDirectory { directory in
            let url = "http://127.0.0.1:\(try freePort())/file"
            let result = try await Command.run(
                "--retries", "0", "-", directory.appending("here"), input: Array(url.utf8))
            #expect(result.exited(3), "\(result)")
            #expect(result.errorLines.count == 1)
            #expect(result.errorText.hasPrefix("dlsync: file: "), "\(result)")
            #expect(result.errorText.contains(url), "\(result)")

            let source = try await Command.run("--retries", "0", url, directory.appending("here"))
            #expect(source.exited(4), "\(source)")
            #expect(source.errorLines.count == 1)
            #expect(source.errorText.contains(url), "\(source)")
        }
    }

    @Test("A server that comes up a little later is waited for")
    func waitsForServer() async throws {
        try await withTemporaryDirectory { directory in
            // No other server comes up at this address meanwhile.
            let (address, port) = ("127.0.0.77", try freePort())
            let process = try Command.start(
                ["--retries", "1000", "--retry-max-wait", "1s", "-", directory.appending("here")],
                input: Array("http://\(address):\(port)/file".utf8))
            try await waitUntil("the state") { exists(directory.appending("here/.dlsync/state.db")) }
            let server = try FaultServer(address: address, port: port)
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 5000)))
            #expect(try await process.wait().wasSilent)
            #expect(try fileMatchesPattern(directory.appending("here/file"), seed: 1, count: 5000))
        }
    }

    @Test("A transfer that stalls is begun again where it was")
    func goesOnAfterStall() async throws {
        try await withTemporaryDirectory { directory in
            let size: Int64 = 1 << 20
            let server = try FaultServer()
            defer { server.stop() }
            server.serve(
                "/file", Resource(.pattern(seed: 1, count: size)), script: [.once(on: .get, .stall(after: size / 2))])
            let result = try await Command.run(
                ["--stall-timeout", "1s", "--retry-max-wait", "1s", "-", directory.appending("here")],
                input: Array(server.url("/file").utf8))
            #expect(result.wasSilent, "\(result)")
            #expect(try fileMatchesPattern(directory.appending("here/file"), seed: 1, count: size))
            #expect(server.requests.count == 2, "\(server.requests)")
            #expect(server.requests.last?.range == "bytes=\(size / 2)-\(size - 1)", "\(server.requests)")
            #expect(server.bodyBytesSent == size)
        }
    }

    @Test("A transfer that stalls each time is given up after the retries, and what is here stays for the next run")
    func givesUpOnStalls() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 5000)), script: [.always(.stall(after: 0))])
            let arguments = ["--stall-timeout", "1", "--retry-max-wait", "1", "--retries", "1"]
            let result = try await Command.run(
                arguments + ["-", directory.appending("here")], input: Array(server.url("/file").utf8))
            #expect(result.exited(3), "\(result)")
            #expect(result.errorLines.count == 1)
            #expect(result.errorText.contains(server.url("/file")), "\(result)")
            #expect(server.requests.count == 2, "\(server.requests)")
        }
    }

    @Test("A busy server is asked again after the time that it names, and spends no retry")
    func heedsRetryAfter() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve(
                "/file", Resource(.pattern(seed: 1, count: 5000)),
                script: [.times(2, .refusal(503, retryAfter: "1")), .once(.refusal(429, retryAfter: "0"))])
            let result = try await Command.run(
                ["--retries", "1", "-", directory.appending("here")], input: Array(server.url("/file").utf8))
            #expect(result.wasSilent, "\(result) \(server.requests)")
            #expect(server.requests.count == 4)
        }
    }

    @Test("A server that wants credentials ends the run with 5", arguments: [401, 407])
    func tellsDenied(status: Int) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 5000)), script: [.always(.status(status))])
            server.serve("/other", Resource(.pattern(seed: 2, count: 5000)))
            let list = Array("\(server.url("/file"))\n\(server.url("/other"))\n".utf8)
            let result = try await Command.run("-", directory.appending("here"), input: list)
            #expect(result.exited(5), "\(result)")
            #expect(result.errorLines.count == 1)
            #expect(try fileMatchesPattern(directory.appending("here/other"), seed: 2, count: 5000))
        }
    }
}
