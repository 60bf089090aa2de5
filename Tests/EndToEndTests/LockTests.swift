import TestSupport
import Testing

/// Several runs on one destination.
@Suite(.timeLimit(.minutes(10))) struct LockTests {
    @Test("Of twenty runs that start at once one works, and the others end silently with 7")
    func letsOneWork() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve(
            "/file", Resource(.pattern(seed: 1, count: 100_000)), script: [.always(on: .get, .hold("body"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file"))

        let runs = try (0..<20).map { _ in try Command.start([list, destination]) }
        try await waitUntil("nineteen runs that end") { runs.count { $0.isRunning } <= 1 }
        try await server.gate("body").waitForArrivals()
        let late = try await Command.run(list, destination)
        #expect(late.exited(7), "\(late)")
        #expect(late.standardOutput.isEmpty && late.standardError.isEmpty, "\(late)")
        let working = runs.filter(\.isRunning)
        #expect(working.count == 1)

        server.gate("body").open()
        for run in runs {
            let result = try await run.wait()
            #expect(result.exited(run === working.first ? 0 : 7), "\(result)")
            #expect(result.standardOutput.isEmpty && result.standardError.isEmpty, "\(result)")
        }
        #expect(server.requests.count == 1)
        #expect(try fileMatchesPattern("\(destination)/file", seed: 1, count: 100_000))
    }

    @Test("case 153: a run that is to wait takes its turn when the other has ended, so that no trigger is lost")
    func waitsForItsTurn() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)), script: [.once(on: .get, .hold("body"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file"))
        let first = try Command.start([list, destination])
        try await server.gate("body").waitForArrivals()
        let second = try Command.start(["--lock-wait", "100s", list, destination])
        let hasty = try await Command.run("--lock-wait", "0", list, destination)
        #expect(hasty.exited(7), "\(hasty)")
        // What changes while the first run works is brought by the second.
        server.serve("/file", Resource(.pattern(seed: 2, count: 2000)))
        server.gate("body").open()
        #expect(try await first.wait().exited(0))
        let result = try await second.wait()
        #expect(result.exited(0), "\(result)")
        #expect(try fileMatchesPattern("\(destination)/file", seed: 2, count: 2000))
    }

    @Test("Someone at a terminal is told that another run works")
    func tellsAtTerminal() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)), script: [.always(on: .get, .hold("body"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file"))
        let first = try Command.start([list, destination])
        try await server.gate("body").waitForArrivals()
        let second = try await Command.run([list, destination], terminal: Terminal())
        #expect(second.exited(7))
        #expect(second.errorText == "dlsync: another run works on '\(destination)'.\n", "\(second)")
        server.gate("body").open()
        #expect(try await first.wait().exited(0))
    }

    @Test("A lock does not outlive the run that was killed")
    func letsGoWhenKilled() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Resource(.pattern(seed: 1, count: 1000)), script: [.once(on: .get, .hold("body"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file"))
        let first = try Command.start([list, destination])
        try await server.gate("body").waitForArrivals()
        first.sendToGroup(9)
        #expect(try await first.wait().termination == .signalled(9))
        try await Command.runSilently(list, destination)
    }
}
