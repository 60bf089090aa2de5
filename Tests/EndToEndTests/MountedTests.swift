import TestSupport
import Testing

/// Destinations in which directories of other file systems are mounted, or that have less room than the state needs.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Mount.isAllowed, "needs the right to mount a tmpfs"))
struct MountedTests {
    private let directory: TemporaryDirectory
    private let destination: String
    private let server: FaultServer

    init() throws {
        directory = try TemporaryDirectory()
        destination = directory.appending("here")
        server = try FaultServer()
    }

    @Test("A file below a mount point is refused in one sentence; its bytes are kept, and all else is brought")
    func crossesFileSystems() async throws {
        defer { server.stop() }
        for name in ["a", "b", "c"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 200_000))) }
        let list = directory.appending("list")
        try writeFile(
            list,
            """
            \(server.url("/a"))
              out=first
            \(server.url("/b"))
              out=mounted/below/second
            \(server.url("/c"))
              out=third

            """)
        do {
            let mount = try Mount(memory: "4m", at: "\(destination)/mounted")
            for _ in 0..<2 {
                let told = try await Command.run(list, destination)
                #expect(told.exited(3), "\(told)")
                #expect(told.standardOutput.isEmpty && told.errorLines.count == 1, "\(told)")
                #expect(told.errorText.hasPrefix("dlsync: mounted/below/second: "), "\(told)")
                #expect(told.errorText.contains("another file system"), "\(told)")
            }
            for name in ["first", "third"] {
                #expect(try fileMatchesPattern("\(destination)/\(name)", seed: 1, count: 200_000))
            }
            #expect(!exists("\(destination)/mounted/below/second"))
            // The second run had the bytes already.
            #expect(server.bodyBytesSent == 600_000)
            withExtendedLifetime(mount) {}
        }
        // Once nothing is mounted there any more, what was kept is put in place.
        try await Command.runSilently(list, destination)
        #expect(try fileMatchesPattern("\(destination)/mounted/below/second", seed: 1, count: 200_000))
        #expect(server.bodyBytesSent == 600_000)
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
    }

    @Test(
        "Wherever the room for the state runs out, the run says so, and the next one with room ends right",
        arguments: Array(stride(from: 0, through: 256, by: 4)))
    func stateRunsFull(kibibytes: Int) async throws {
        defer { server.stop() }
        let mount = try Mount(memory: "8m", at: destination)
        let names = (0..<6).map { "f\($0)" }
        for (number, name) in names.enumerated() {
            server.serve("/\(name)", Resource(.pattern(seed: UInt64(number), count: 5000)))
        }
        let list = Array(names.map { server.url("/\($0)") + "\n" }.joined().utf8)
        try fillDisk(destination, leaving: kibibytes << 10)

        let full = try await Command.run("-", destination, input: list)
        #expect(full.exited(0) || full.exited(6), "\(full)")
        #expect(full.exited(0) == full.standardError.isEmpty, "\(full)")
        // Not even a state finds a place, or all does.
        if kibibytes == 0 { #expect(full.exited(6)) }
        if kibibytes == 256 { #expect(full.exited(0), "\(full)") }
        #expect(full.standardOutput.isEmpty)
        if full.exited(6) {
            #expect(full.errorText.contains("No space left on device") || full.errorText.contains("full"), "\(full)")
        }
        var whole = 0
        for (path, _) in try treeListing(destination, skipping: [".dlsync", "filler"]) {
            // What has its name is whole, whatever became of its record.
            let number = try #require(Int(path.description.dropFirst()))
            #expect(try fileMatchesPattern("\(destination)/\(path)", seed: UInt64(number), count: 5000))
            whole += 1
        }
        #expect(!full.exited(0) || whole == names.count)

        removeTree("\(destination)/filler")
        try await Command.runSilently("-", destination, input: list)
        for (number, name) in names.enumerated() {
            #expect(try fileMatchesPattern("\(destination)/\(name)", seed: UInt64(number), count: 5000))
        }
        let before = server.requests.count
        try await Command.runSilently("-", destination, input: list)
        #expect(server.requests[before...].allSatisfy { $0.method == "HEAD" })
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
        withExtendedLifetime(mount) {}
    }

    @Test("Where only records are written, and no room is left for them, each step of the state is told and recovers")
    func recordsRunFull() async throws {
        defer { server.stop() }
        let count = 300
        var statuses: [Bool] = []
        for kibibytes in Array(stride(from: 0, through: 512, by: 16)) + [3072] {
            let destination = "\(destination)-\(kibibytes)"
            let mount = try Mount(memory: "8m", at: destination)
            for file in 0..<count {
                server.serve("/\(file)", Resource(.pattern(seed: UInt64(file), count: 100)))
                try writePatternFile(
                    "\(destination)/\(file)", seed: UInt64(file), count: 100, modified: Resource.ordinaryDate)
            }
            let list = Array((0..<count).map { server.url("/\($0)") + "\n" }.joined().utf8)
            try fillDisk(destination, leaving: kibibytes << 10)
            let full = try await Command.run("-", destination, input: list)
            #expect(full.exited(0) || full.exited(6), "\(kibibytes): \(full)")
            if full.exited(6) {
                #expect(full.errorLines.count == 1 && full.errorText.contains("free some space there"), "\(full)")
            } else {
                #expect(full.wasSilent, "\(kibibytes): \(full)")
            }
            statuses.append(full.exited(0))
            removeTree("\(destination)/filler")
            try await Command.runSilently("-", destination, input: list)
            for file in 0..<count {
                #expect(try fileMatchesPattern("\(destination)/\(file)", seed: UInt64(file), count: 100))
            }
            withExtendedLifetime(mount) {}
        }
        // How much is needed depends on how many commits the records come in.
        #expect(statuses.first == false && statuses.last == true)
        // No byte of a file was fetched in all these runs.
        #expect(server.requests.allSatisfy { $0.method == "HEAD" })
    }
}
