import Foundation
import TestSupport
import Testing

/// dlsync as cron runs it: no terminal, no input, and files that tell of it.
@Suite(.timeLimit(.minutes(10))) struct CronTests {
    private static func json(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    private static func lines(_ path: String) throws -> [String] {
        try readText(path).split(separator: "\n").map(String.init)
    }

    @Test("case 97: a run that goes well says nothing; its files say everything, and all numbers agree")
    func tellsInFiles() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            let names = (0..<30).map { "file-\($0)" }
            for name in names { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 1000))) }
            let list = directory.appending("list")
            try writeFile(list, names.map { server.url("/\($0)") + "\n" }.joined())
            let here = directory.appending("here")
            let files = ["events", "report", "failed-file", "metrics-file", "log-file"].flatMap {
                ["--\($0)", directory.appending($0)]
            }
            try await Command.runSilently(files + [list, here])
            let events = try Self.lines(directory.appending("events")).map { try Self.json($0) }
            #expect(events.count == 31)
            #expect(
                events.filter { $0["type"] as? String == "outcome" && $0["status"] as? String == "done" }.count == 30)
            let report = try Self.json(readText(directory.appending("report")))
            let summary = try #require(events.last)
            for object in [report, summary] {
                #expect(object["version"] as? Int == 1 && object["exitStatus"] as? Int == 0)
                #expect(object["entries"] as? Int == 30 && object["changed"] as? Int == 30)
                #expect(object["bytes"] as? Int == 30000 && object["failed"] as? Int == 0)
            }
            #expect(report["type"] as? String == "report" && summary["type"] as? String == "summary")
            #expect(report["lastSuccess"] as? String != nil)
            #expect(!exists(directory.appending("failed-file")))
            #expect(!exists(directory.appending("failed-file.dlsync-new")))
            #expect(try readText(directory.appending("metrics-file")).contains("dlsync_run_exit_status"))
            let log = try Self.lines(directory.appending("log-file"))
            #expect(log.count == 31 && log[30].contains("ended with exit status 0: 30 entries, 30 changed, 0 failed"))
            // The second run changes nothing: its events are its own, and the log goes on.
            try await Command.runSilently(files + [list, here])
            #expect(try Self.lines(directory.appending("events")).count == 31)
            let second = try Self.json(readText(directory.appending("report")))
            #expect(second["entries"] as? Int == 30 && second["kept"] as? Int == 30 && second["changed"] as? Int == 0)
            #expect(try Self.lines(directory.appending("log-file")).count == 32)
            #expect(!exists(directory.appending("report.dlsync-new")))
        }
    }

    @Test("case 163: the list of what failed is a source itself, and is gone once nothing fails")
    func failedFileIsSource() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            for name in ["a", "b c", "d"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 1000))) }
            server.serve("/b%20c", Resource(.pattern(seed: 1, count: 1000)), script: [.times(2, .status(404))])
            let list = directory.appending("list")
            try writeFile(
                list, "\(server.url("/a"))\n\(server.url("/b%20c"))\n  out=sub/it's \"b\"\n\(server.url("/d"))\n")
            let (here, failed) = (directory.appending("here"), directory.appending("failed"))
            let first = try await Command.run("--failed-file", failed, list, here)
            #expect(first.exited(3), "\(first)")
            // It is read while a new one is written.
            let second = try await Command.run("--failed-file", failed, failed, here)
            #expect(second.exited(3), "\(second)")
            try await Command.runSilently("--failed-file", failed, failed, here)
            #expect(try fileMatchesPattern("\(here)/sub/it's \"b\"", seed: 1, count: 1000))
            #expect(!exists(failed))
        }
    }

    @Test("Events go to standard output too, one line each, and nothing else does")
    func eventsOnOutput() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)))
            let result = try await Command.run(
                ["--events", "-", "--on-change", "echo from the hook", "-", directory.appending("here")],
                input: Array(server.url("/a").utf8))
            #expect(result.exited(0), "\(result)")
            let lines = result.outputText.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines { _ = try Self.json(line) }
            #expect(result.errorText == "from the hook\n")
        }
    }

    @Test("A file that cannot be written is told before anything is fetched, and one that fails at the end makes it 1")
    func unwritableFiles() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)))
            let list = Array(server.url("/a").utf8)
            let here = directory.appending("here")
            for name in ["events", "failed-file", "log-file"] {
                let result = try await Command.run(
                    ["--\(name)", directory.appending("missing/x"), "--on-failure", "echo hook", "-", here],
                    input: list)
                #expect(result.exited(1) && result.errorLines.count == 2, "\(result)")
                #expect(result.errorLines.last == "hook")
            }
            #expect(server.requests.isEmpty)
            let result = try await Command.run(
                ["--report", directory.appending("missing/x"), "-", here], input: list)
            #expect(result.exited(1) && result.errorLines.count == 1, "\(result)")
            #expect(try fileMatchesPattern("\(here)/a", seed: 1, count: 1000))
        }
    }

    @Test("A log that is rotated away is begun anew in the middle of a run")
    func rotatedLog() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)))
            server.serve("/b", Resource(.pattern(seed: 1, count: 1000)), script: [.once(.hold("body"))])
            let list = directory.appending("list")
            try writeFile(list, "\(server.url("/a"))\n\(server.url("/b"))\n")
            let log = directory.appending("log")
            let process = try Command.start(["--log-file", log, list, directory.appending("here")])
            try await server.gate("body").waitForArrivals()
            try await waitUntil("a line in the log") {
                (try? readText(log).contains("fetch: a")) == true || !process.isRunning
            }
            #expect(rename(log, log + ".1") == 0)
            server.gate("body").open()
            #expect(try await process.wait().exited(0))
            #expect(try readText(log + ".1").contains("fetch: a"))
            let after = try Self.lines(log)
            #expect(after.count == 2 && after[0].contains("fetch: b"), "\(after)")
        }
    }

    @Test("A run that --max-duration stops exits with 8 without a word, and the next one fetches the rest alone")
    func stops() async throws {
        try await withTemporaryDirectory { directory in
            let size: Int64 = 4 << 20
            let server = try FaultServer()
            defer { server.stop() }
            server.serve(
                "/a", Resource(.pattern(seed: 1, count: size)),
                script: [.always(on: .get, .drip(bytes: 1 << 20, gate: "flow"))])
            let list = directory.appending("list")
            try writeFile(list, server.url("/a"))
            let here = directory.appending("here")
            server.gate("flow").allow(2)
            let report = directory.appending("report")
            let hook = ["--on-failure", "echo no failure", "--on-change", "echo no change"]
            let result = try await Command.run(
                ["--max-duration", "1s", "-s", "1", "--report", report] + hook + [list, here])
            #expect(result.exited(8), "\(result)")
            #expect(result.standardError.isEmpty && result.standardOutput.isEmpty, "\(result)")
            let told = try Self.json(readText(report))
            #expect(told["stopped"] as? String != nil && told["unfinished"] as? Int == 1 && told["failed"] as? Int == 0)
            try await server.waitUntilIdle()
            server.gate("flow").open()
            let before = server.requests.count
            try await Command.runSilently("-s", "1", list, here)
            #expect(bytesAsked(server.requests[before...], size: size) < size)
            #expect(try fileMatchesPattern("\(here)/a", seed: 1, count: size))
        }
    }

    @Test("A window is by the clock of the local time zone")
    func followsTimeZone() async throws {
        try await withTemporaryDirectory { directory in
            let hour = time(nil) / 3600 % 24
            // Three hours around now by the clock of UTC, which is the night of a zone that is twelve hours off.
            let (start, end) = ((hour + 23) % 24, (hour + 2) % 24)
            let window = "\(start < 10 ? "0" : "")\(start):00-\(end < 10 ? "0" : "")\(end):00"
            let list = directory.appending("list")
            try writeFile(list, "# nothing\n")
            for (zone, status) in [("UTC0", Int32(0)), ("XXX12", 8), ("XXX-12", 8)] {
                let process = try ChildProcess(
                    builtProduct("dlsync"),
                    ["--format", "list", "--window", window, list, directory.appending("here")],
                    environment: ["PATH": "/usr/bin:/bin", "TZ": zone])
                let result = try await process.wait()
                #expect(result.exited(status), "\(zone) \(window) \(result)")
            }
        }
    }

    @Test("case 95: a run that finds another one is silent, touches none of its files and runs no command")
    func busy() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)), script: [.always(.hold("body"))])
            let list = directory.appending("list")
            try writeFile(list, server.url("/a"))
            let here = directory.appending("here")
            let first = try Command.start([list, here])
            try await server.gate("body").waitForArrivals()
            let report = directory.appending("report")
            let options = ["report", "events", "failed-file", "metrics-file"].flatMap {
                ["--\($0)", directory.appending($0)]
            }
            for path in options where path.hasPrefix("/") { try writeFile(path, "old") }
            let second = try await Command.run(options + ["--on-failure", "echo failed", list, here])
            #expect(second.exited(7) && second.standardError.isEmpty && second.standardOutput.isEmpty, "\(second)")
            for path in options where path.hasPrefix("/") { #expect(try readText(path) == "old") }
            #expect(!exists(report + ".dlsync-new"))
            let status = try await Command.run("--status", "--json", here)
            #expect(status.exited(0), "\(status)")
            #expect(status.outputText.contains("\"busy\":true"))
            server.gate("body").open()
            #expect(try await first.wait().exited(0))
        }
    }

    @Test("A hook gets names with quotes, line ends and commands in them as they are, and its failure is told")
    func hooks() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 1, count: 1000)))
            server.serve("/gone", Resource(.bytes([])), script: [.always(.status(404))])
            let list = Array(server.url("/a").utf8)
            let odd = directory.appending("it's \"$(touch owned)\"\n`touch owned`; touch owned;")
            let out = directory.appending("out")
            let change =
                "printf '%s|' \"$DLSYNC_DEST\" \"$DLSYNC_STATUS\" \"$DLSYNC_CHANGED\" \"$DLSYNC_FAILED\" >>'\(out)'"
            let options = ["--on-change", change, "--on-failure", "printf failed >>'\(out)'; exit 5"]
            let first = try await Command.run(options + ["-", odd], input: list, directory: directory.path)
            #expect(first.wasSilent, "\(first)")
            #expect(try readText(out) == "\(odd)|0|1|0|")
            // Nothing changed, nothing failed: no hook.
            try await Command.runSilently(options + ["-", odd], input: list)
            #expect(try readText(out) == "\(odd)|0|1|0|")
            let failing = try await Command.run(
                options + ["-", odd], input: Array(server.url("/gone").utf8), directory: directory.path)
            #expect(failing.exited(3), "\(failing)")
            #expect(failing.errorLines.last == "dlsync: the command of --on-failure ended with exit status 5.")
            #expect(try readText(out).hasSuffix("|failed"))
            #expect(!exists(directory.appending("owned")))
            let broken = try await Command.run(
                ["--on-change", "exit 9", "-", directory.appending("new")], input: list)
            #expect(broken.exited(1), "\(broken)")
            #expect(broken.errorText == "dlsync: the command of --on-change ended with exit status 9.\n")
        }
    }
}
