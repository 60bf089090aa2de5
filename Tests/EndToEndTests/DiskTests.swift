import Glibc
import TestSupport
import Testing

/// Destinations that cannot be written to, and disks that fill up.
@Suite(.timeLimit(.minutes(10))) struct DiskTests {
    @Test("A destination that is a file, or lies below one, is told in one sentence")
    func refusesFile() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending("file")
            try writeFile(file, "mine")
            for destination in [file, "\(file)/below"] {
                for mode in [[], ["-n"]] {
                    let result = try await Command.run(mode + ["-", destination], input: [])
                    #expect(result.exited(1), "\(result)")
                    #expect(result.standardOutput.isEmpty)
                    #expect(result.errorLines.count == 1)
                    #expect(result.errorText.hasPrefix("dlsync: "), "\(result)")
                    #expect(result.errorText.contains(destination), "\(result)")
                    #expect(result.errorText.contains("Not a directory"), "\(result)")
                }
            }
            #expect(try readText(file) == "mine")
        }
    }

    @Test("A full disk ends a run with 6; once there is room, the next run goes on", .enabled(if: Mount.isAllowed))
    func goesOnAfterFullDisk() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let mount = try Mount(memory: "3m", at: destination)
        let server = try FaultServer()
        defer { server.stop() }
        let list = directory.appending("list")
        // Five files that fit for the most part, and one that never did.
        let sizes = (0..<5).map { Int64(700_000 + $0) } + [6 << 20]
        for (number, size) in sizes.enumerated() {
            server.serve("/\(number)", Resource(.pattern(seed: UInt64(number), count: size)))
        }
        try writeFile(list, sizes.indices.map { server.url("/\($0)") }.joined(separator: "\n"))

        let full = try await Command.run(["-j", "1", list, destination])
        #expect(full.exited(6), "\(full)")
        #expect(full.errorText.contains("No space left on device"), "\(full)")
        for (path, node) in try treeListing(destination, skipping: [".dlsync"]) {
            let number = try #require(Int(path.description))
            #expect(node == .file(size: sizes[number]), "what is there is whole")
        }
        let here = try treeListing(destination, skipping: [".dlsync"]).count
        #expect(here >= 1)

        try mount.resize(memory: "32m")
        let before = server.requests.count
        try await Command.runSilently(list, destination)
        for (number, size) in sizes.enumerated() {
            #expect(try fileMatchesPattern("\(destination)/\(number)", seed: UInt64(number), count: size))
        }
        let fetches = server.requests[before...].filter { $0.method == "GET" }
        #expect(Set(fetches.map(\.path)).count == sizes.count - here, "\(fetches)")
    }

    @Test("A destination on a file system that is read-only ends a run with 6", .enabled(if: Mount.isAllowed))
    func refusesReadOnly() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let mount = try Mount(memory: "2m", at: destination)
        try mount.makeReadOnly()
        for place in [destination, "\(destination)/below"] {
            let result = try await Command.run("-", place, input: Array("http://127.0.0.1:1/file\n".utf8))
            #expect(result.exited(6), "\(result)")
            #expect(result.errorLines.count == 1)
            #expect(result.errorText.contains("Read-only file system"), "\(result)")
        }
        // To look needs no right to write.
        let plan = try await Command.run("-n", "-", destination, input: Array("# nothing\n".utf8))
        #expect(plan.exited(0), "\(plan)")
    }
}
