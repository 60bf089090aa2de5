import Glibc
import TestSupport
import Testing

/// The places and the circumstances in which the command is run.
@Suite(.timeLimit(.minutes(10))) struct SurroundingsTests {
    @Test(
        "A destination may be named in any way",
        arguments: ["here", "here/", "./here", ".", "link", "a/../here", "sp ace", "ü"])
    func namesDestination(name: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 10)))
            try writeFile(directory.appending("work/list"), server.url("/file"))
            try makeDirectories(directory.appending("work/a"))
            try makeDirectories(directory.appending("work/target"))
            #expect(symlink("target", directory.appending("work/link")) == 0)
            for _ in 0..<2 {
                let result = try await Command.run("list", name, directory: directory.appending("work"))
                #expect(result.wasSilent, "\(result)")
            }
            #expect(try fileMatchesPattern(directory.appending("work/\(name)/file"), seed: 1, count: 10))
            #expect(server.requests.map(\.method) == ["GET", "HEAD"])
        }
    }

    @Test(
        "Streams that are closed are nobody's file: what is said goes nowhere, and never into data",
        arguments: ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func survivesClosedStreams(closing: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            let size: Int64 = 3 << 20
            server.serve("/file", Resource(.pattern(seed: 1, count: size)))
            let list = directory.appending("list")
            let here = directory.appending("here")
            try writeFile(list, "\(server.url("/gone"))\n\(server.url("/file"))\n")
            let dlsync = try builtProduct("dlsync")
            for options in ["", "-v", "-n", "-v"] {
                let result = try await ChildProcess.run(
                    "/bin/sh", ["-c", "exec '\(dlsync)' \(options) '\(list)' '\(here)' \(closing)"])
                #expect(result.exited(3), "\(result)")
                #expect(try fileMatchesPattern("\(here)/file", seed: 1, count: size))
            }
            #expect(try treeListing(here, skipping: [".dlsync"]).count == 1)
            let state = try treeListing("\(here)/.dlsync").keys.sorted().map(\.description)
            #expect(state.filter { $0.contains("damaged") }.isEmpty, "\(state)")
            #expect(try readFile("\(here)/.dlsync/lock").isEmpty)
            // The state is whole: what is here needs no more than a question.
            let again = try await Command.run(list, here)
            #expect(again.exited(3))
            #expect(server.requests(to: "/file").last?.method == "HEAD")
        }
    }

    @Test(
        "New files have the rights that the user's mask leaves",
        arguments: [("022", 0o644), ("077", 0o600), ("002", 0o664)])
    func heedsMask(mask: String, rights: UInt32) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/file", Resource(.pattern(seed: 1, count: 10)))
            let list = directory.appending("list")
            try writeFile(list, server.url("/file"))
            let dlsync = try builtProduct("dlsync")
            let result = try await ChildProcess.run(
                "/bin/sh", ["-c", "umask \(mask); exec '\(dlsync)' '\(list)' '\(directory.appending("here"))'"])
            #expect(result.wasSilent, "\(result)")
            var status = stat()
            #expect(stat(directory.appending("here/file"), &status) == 0)
            #expect(status.st_mode & 0o777 == rights)
        }
    }
}
