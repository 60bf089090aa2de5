import Glibc
import SyncCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
    @Test("Both streams and the status of a program come back")
    func capturesStreams() async throws {
        let result = try await ChildProcess.run("/bin/sh", ["-c", "echo out; echo err >&2; exit 7"])
        #expect(result.termination == .exited(7))
        #expect(result.outputText == "out\n")
        #expect(result.errorText == "err\n")
        #expect(result.peakMemory > 0)
    }

    @Test("More output than pipes hold does not block a program, nor does much input")
    func capturesMuch() async throws {
        let input = pattern(seed: 1, ByteRange(0, 3_000_000))
        let result = try await ChildProcess.run("/bin/sh", ["-c", "tee /dev/stderr"], input: input)
        #expect(result.standardOutput == input)
        #expect(result.standardError == input)
    }

    @Test("Without input a program reads an empty file")
    func readsNothing() async throws {
        #expect(try await ChildProcess.run("cat").standardOutput.isEmpty)
    }

    @Test("A program gets its variables and its directory")
    func setsSurroundings() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await ChildProcess.run(
                "/bin/sh", ["-c", "echo $COLOUR $HOME; pwd"], environment: ["COLOUR": "blue"], directory: directory.path
            )
            #expect(result.outputText == "blue\n\(directory.path)\n")
        }
    }

    @Test("A signal ends a program and is told", arguments: [SIGTERM, SIGKILL, SIGINT])
    func tellsSignals(signal: Int32) async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "echo ready; exec sleep 600"])
        try await process.waitForText("ready\n", in: .output)
        #expect(process.isRunning)
        process.send(signal)
        #expect(try await process.wait().termination == .signalled(signal))
        #expect(!process.isRunning)
        process.send(signal)
    }

    @Test("A program that handles a signal ends by itself")
    func letsHandleSignals() async throws {
        let process = try ChildProcess(
            "/bin/sh", ["-c", "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.01; done"])
        try await process.waitForText("ready", in: .output)
        process.send(SIGINT)
        let result = try await process.wait()
        #expect(result.termination == .exited(3))
        #expect(result.outputText == "ready\ncaught\n")
    }

    @Test("A child that outlives the program does not keep the test waiting, and dies with the object")
    func leavesNobodyBehind() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending("held")
            #expect(mkfifo(path, 0o600) == 0)
            var process: ChildProcess? = try ChildProcess("/bin/sh", ["-c", "sleep 600 3>'\(path)' & echo left"])
            let held = try checked("open") { open(path, O_RDONLY) }
            defer { close(held) }
            #expect(try await process?.wait().outputText == "left\n")
            process = nil
            // The end comes when the last writer is gone.
            let count = try await onThread {
                var byte: UInt8 = 0
                return read(held, &byte, 1)
            }
            #expect(count == 0)
        }
    }

    @Test("A program that cannot be started is an error")
    func failsToStart() async {
        await #expect(throws: SystemError.self) { try await ChildProcess.run("/nowhere/nothing") }
    }

    @Test("Standard error is a terminal of the given width, and standard output is none")
    func hasTerminal() async throws {
        let script = "test -t 1 && echo yes || echo no; test -t 2 && stty size <&2 >&2"
        let result = try await ChildProcess.run("/bin/sh", ["-c", script], terminal: Terminal(columns: 57))
        #expect(result.outputText == "no\n")
        #expect(result.errorText == "24 57\n")
    }

    @Test("A program that does not end in time is killed, and the error tells what it wrote")
    func givesUp() async throws {
        let failure = await #expect(throws: WaitTimeout.self) {
            let process = try ChildProcess("/bin/sh", ["-c", "echo begun; exec sleep 600"])
            try await process.waitForText("begun", in: .output)
            _ = try await process.wait(timeout: .zero)
        }
        #expect(failure?.description.contains("begun") == true)
    }

    @Test("A wait for a text ends where the program does")
    func missesText() async throws {
        let process = try ChildProcess("/bin/echo", ["hello"])
        await #expect(throws: WaitTimeout.self) { try await process.waitForText("goodbye", in: .output) }
        #expect(process.written(.output) == Array("hello\n".utf8))
    }

    @Test("The program of the package lies beside the tests")
    func findsProduct() throws {
        #expect(access(try builtProduct("dlsync"), X_OK) == 0)
        #expect(throws: MissingProduct.self) { try builtProduct("no-such-product") }
    }
}
