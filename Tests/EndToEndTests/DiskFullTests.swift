import TestSupport
import Testing

/// Small file systems that a set of files does not fit into.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Mount.isAllowed, "needs the right to mount a tmpfs"))
struct DiskFullTests {
    private let directory: TemporaryDirectory
    private let destination: String
    private let list: String
    private let mount: Mount
    private let server: FaultServer

    init() throws {
        directory = try TemporaryDirectory()
        destination = directory.appending("here")
        list = directory.appending("list")
        mount = try Mount(memory: "4m", at: destination)
        server = try FaultServer()
    }

    /// Serves files of these sizes under their numbers, and lists them.
    private func serve(_ sizes: [Int64], script: [Step] = []) throws {
        for (number, size) in sizes.enumerated() {
            server.serve("/\(number)", Resource(.pattern(seed: UInt64(number), count: size)), script: script)
        }
        try writeFile(list, sizes.indices.map { server.url("/\($0)") }.joined(separator: "\n"))
    }

    private func isWhole(_ number: Int, _ sizes: [Int64]) throws -> Bool {
        try fileMatchesPattern("\(destination)/\(number)", seed: UInt64(number), count: sizes[number])
    }

    @Test("Files that are too small to be looked at ahead fill the disk; the next run goes on from what is here")
    func goesOnFromPartials() async throws {
        defer { server.stop() }
        let sizes = [Int64](repeating: 800_000, count: 6)
        try serve(sizes)
        let full = try await Command.run(["-j", "1", list, destination])
        #expect(full.exited(6), "\(full)")
        #expect(full.standardOutput.isEmpty)
        let here = try treeListing(destination, skipping: [".dlsync"])
        for path in here.keys { #expect(try isWhole(#require(Int(path.description)), sizes)) }
        #expect(here.count >= 3)
        // A sentence for each that failed, and no more.
        #expect(full.errorLines.count == sizes.count - here.count, "\(full)")
        #expect(full.errorLines.allSatisfy { $0.contains("No space left on device") }, "\(full)")

        try mount.resize(memory: "32m")
        let plan = try await PlanLines.ask(list, destination)
        let held = plan.entries.filter { $0.action == "resume" }
        #expect(!held.isEmpty, "\(plan.entries)")
        let before = server.requests.count
        try await Command.runSilently(list, destination)
        for number in sizes.indices { #expect(try isWhole(number, sizes)) }
        let fetches = server.requests[before...].filter { $0.method == "GET" }
        for entry in held {
            let fetch = try #require(fetches.first { $0.path == "/\(entry.path)" })
            #expect(fetch.range?.hasPrefix("bytes=\(entry.have)-") == true, "\(fetch)")
        }
        let needed = plan.summary?.fetch
        #expect(fetches.reduce(0) { $0 + $1.bodyBytesSent } == needed)
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
    }

    @Test("A body of unknown length fills the disk; nothing of it stays, as it cannot be gone on with")
    func dropsUnknownLength() async throws {
        defer { server.stop() }
        let sizes: [Int64] = [6 << 20]
        try serve(sizes, script: [.once(on: .get, .chunked(.proper))])
        let full = try await Command.run(list, destination)
        #expect(full.exited(6), "\(full)")
        #expect(full.errorLines.count == 1 && full.errorText.contains("No space left on device"), "\(full)")
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
        try mount.resize(memory: "32m")
        try await Command.runSilently(list, destination)
        #expect(try isWhole(0, sizes))
    }

    @Test("What is known not to fit is not begun, and smaller files go on")
    func refusesWhatCannotFit() async throws {
        defer { server.stop() }
        let sizes: [Int64] = [8 << 20, 1 << 20, 500_000, 6 << 20, 0]
        try serve(sizes)
        let told = try await Command.run(["-j", "1", list, destination])
        #expect(told.exited(6), "\(told)")
        #expect(told.errorLines.count == 2, "\(told)")
        for (name, need) in [("0", "8.0 MiB"), ("3", "6.0 MiB")] {
            let line = try #require(told.errorLines.first { $0.hasPrefix("dlsync: \(name): it needs \(need) and ") })
            #expect(line.hasSuffix(" are free in '\(destination)'; free some space there."), "\(line)")
        }
        for number in [1, 2, 4] { #expect(try isWhole(number, sizes)) }
        #expect(try treeListing(destination, skipping: [".dlsync"]).count == 3)
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
        // Nobody knew their lengths before the answers came; those were cut at once.
        for request in server.requests where ["/0", "/3"].contains(request.path) {
            #expect(!request.isComplete && request.bodyBytesSent < 8 << 20, "\(request)")
        }

        try mount.resize(memory: "32m")
        try await Command.runSilently(list, destination)
        for number in sizes.indices { #expect(try isWhole(number, sizes)) }
    }

    @Test("A file whose size an index page tells is not even asked for where it cannot fit")
    func asksForNothing() async throws {
        defer { server.stop() }
        server.serve(
            "/tree/",
            .html(
                nginxIndexPage(
                    of: "/tree/", [IndexRow("big", size: 8 << 20), IndexRow("small", size: 70_000)])))
        server.serve("/tree/big", Resource(.pattern(seed: 1, count: 8 << 20)))
        server.serve("/tree/small", Resource(.pattern(seed: 2, count: 70_000)))
        let told = try await Command.run(server.url("/tree/"), destination)
        #expect(told.exited(6), "\(told)")
        #expect(told.errorLines.count == 1 && told.errorText.contains("it needs 8.0 MiB and "), "\(told)")
        #expect(try fileMatchesPattern("\(destination)/small", seed: 2, count: 70_000))
        #expect(server.requests(to: "/tree/big").isEmpty)
        try mount.resize(memory: "32m")
        try await Command.runSilently(server.url("/tree/"), destination)
        #expect(try fileMatchesPattern("\(destination)/big", seed: 1, count: 8 << 20))
    }

    @Test("An unfinished file whose room was taken ahead is gone on with where little else fits")
    func goesOnWithinItsRoom() async throws {
        defer { server.stop() }
        let sizes: [Int64] = [3 << 20]
        try serve(sizes, script: [.once(on: .get, .cut(after: 1 << 20))])
        let first = try await Command.run(["--retries", "0", list, destination])
        #expect(!first.exited(0) && !first.exited(6), "\(first)")
        let entry = try #require(try await PlanLines.ask(list, destination).entries.first)
        #expect(entry.action == "resume" && entry.have > 0, "\(entry)")
        try fillDisk(destination, leaving: 1 << 20)
        try await Command.runSilently(list, destination)
        #expect(try isWhole(0, sizes))
    }

    @Test("Two files of which either fits alone do not both begin")
    func dividesRoom() async throws {
        defer { server.stop() }
        let sizes: [Int64] = [5 << 19, 5 << 19]
        try serve(sizes, script: [.always(on: .get, .stall(after: 1000, gate: "flow"))])
        let process = try Command.start(["-j", "2", list, destination])
        try await server.waitForRequests(2, .get)
        try await server.gate("flow").waitForArrivals(1)
        server.gate("flow").open()
        let told = try await process.wait()
        #expect(told.exited(6), "\(told)")
        #expect(told.errorLines.count == 1 && told.errorText.contains("it needs 2.5 MiB and "), "\(told)")
        #expect(try treeListing(destination, skipping: [".dlsync"]).count == 1)
    }
}
