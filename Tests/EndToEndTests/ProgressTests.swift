import TestSupport
import Testing

/// What is shown of a run while it runs, and that none of it is shown where nobody looks.
@Suite(.timeLimit(.minutes(10))) struct ProgressTests {
    private static let size: Int64 = 8 << 20

    private func halfServed() throws -> (FaultServer, [UInt8]) {
        let server = try FaultServer()
        server.serve(
            "/file", Resource(.pattern(seed: 1, count: Self.size)),
            script: [.always(on: .get, .stall(after: Self.size / 2, gate: "half"))])
        return (server, Array(server.url("/file").utf8))
    }

    @Test(
        "A terminal sees files, bytes, a share and each file that is on its way, and in the end what was done",
        arguments: [[], ["--progress", "bar"], ["--progress=auto"]])
    func drawsBar(options: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let (server, list) = try halfServed()
            defer { server.stop() }
            let process = try Command.start(
                options + ["-s1", "-", directory.appending("here")], input: list, terminal: Terminal(columns: 100))
            try await process.waitForText("0/1 file  4.0 MiB/8.0 MiB  50%", in: .error)
            try await process.waitForText("  file ", in: .error)
            server.gate("half").open()
            let result = try await process.wait()
            #expect(result.exited(0), "\(result)")
            #expect(result.standardOutput.isEmpty)
            // The last lines are cleared before the end is told.
            #expect(result.errorText.contains("\u{1B}[J"))
            #expect(result.errorText.hasSuffix("1 file: 1 fetch; 8.0 MiB received\n"), "\(result)")
        }
    }

    @Test("No line of progress is longer than the terminal", arguments: [20, 40, 80] as [UInt16])
    func fitsTerminal(columns: UInt16) async throws {
        try await withTemporaryDirectory { directory in
            let (server, list) = try halfServed()
            defer { server.stop() }
            let process = try Command.start(
                ["-", directory.appending("here")], input: list, terminal: Terminal(columns: columns))
            try await process.waitForText("50%", in: .error)
            server.gate("half").open()
            let result = try await process.wait()
            let drawn = result.errorText.split(separator: "\n").dropLast().map { line in
                // What is behind the carriage return and before the sequence that clears the rest.
                line.split(separator: "\r").last?.split(separator: "\u{1B}").first ?? ""
            }
            #expect(!drawn.isEmpty)
            #expect(drawn.allSatisfy { $0.count < columns }, "\(drawn)")
        }
    }

    @Test(
        "Nothing is shown where there is no terminal, or none is wanted",
        arguments: [
            ([], false), (["--progress", "none"], true), (["-q"], true), (["-q", "--progress", "bar"], true),
        ] as [([String], Bool)])
    func staysSilent(options: [String], hasTerminal: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (server, list) = try halfServed()
            defer { server.stop() }
            server.gate("half").open()
            let result = try await Command.run(
                options + ["-", directory.appending("here")], input: list, terminal: hasTerminal ? Terminal() : nil)
            #expect(result.wasSilent, "\(result)")
        }
    }

    @Test("Plain progress needs no terminal, and ends with what was done")
    func printsPlainLines() async throws {
        try await withTemporaryDirectory { directory in
            let (server, list) = try halfServed()
            defer { server.stop() }
            server.gate("half").open()
            let result = try await Command.run(
                ["--progress", "plain", "-", directory.appending("here")], input: list)
            #expect(result.exited(0), "\(result)")
            #expect(result.errorText == "1 file: 1 fetch; 8.0 MiB received\n", "\(result)")
            #expect(!result.errorText.contains("\u{1B}"))
        }
    }

    @Test("Names from a server cannot command the terminal")
    func escapesNames() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a%1B%5B2Jb%0Ac", Resource(.pattern(seed: 1, count: 10)))
            let list = Array((server.url("/a%1B%5B2Jb%0Ac") + "\n" + server.url("/%1B%5B31mgone")).utf8)
            let result = try await Command.run(["-v", "-", directory.appending("here")], input: list)
            #expect(result.exited(3))
            #expect(result.errorLines.count == 2)
            #expect(!result.errorText.contains("\u{1B}"), "\(result)")
            #expect(result.errorText.contains("fetch: a\\x1b[2Jb\\x0ac, 10 B (it is not here)\n"), "\(result)")
            let plan = try await Command.run(["-n", "-", directory.appending("there")], input: list)
            #expect(!plan.outputText.contains("\u{1B}"), "\(plan)")
        }
    }
}
