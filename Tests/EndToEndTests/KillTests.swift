import Glibc
import TestSupport
import Testing

/// Runs that are killed at any moment.
@Suite(.timeLimit(.minutes(10)), .tags(.large)) struct KillTests {
    /// When a run is killed.
    private enum Moment: CaseIterable {
        /// Its first request has arrived.
        case early
        /// The server has sent some pieces.
        case amidData
        /// The same, and dlsync has written down since then what is here.
        case recorded
    }

    private static let size: Int64 = 256 << 20
    private static let piece: Int64 = 1 << 20

    @Test("A big file in eight segments survives twenty kills: no byte that was recorded is fetched again")
    func survivesKills() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        server.serve(
            "/big.bin", Resource(.pattern(seed: 3, count: Self.size)),
            script: [.always(on: .get, .drip(bytes: Self.piece, gate: "flow"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/big.bin"))
        let arguments = ["-s", "8", list, destination]
        let seed: UInt64 = 11
        var generator = SeededGenerator(seed: seed)

        var have: Int64 = 0
        var lost: Int64 = 0
        for round in 0..<20 {
            let moment = Moment.allCases[round % 3]
            let pieces = Int.random(in: 1...20, using: &generator)
            let gate = server.gate("flow")
            let passes = GateCount(server, "flow")
            let sentBefore = server.bodyBytesSent
            let requestsBefore = server.requests.count
            let process = try Command.start(arguments)
            switch moment {
            case .early:
                try await server.waitForRequests(requestsBefore + 1)
            case .amidData:
                gate.allow(pieces)
                try await passes.waitForPasses(pieces, of: process)
            case .recorded:
                gate.allow(pieces)
                try await passes.waitForPasses(pieces, of: process)
                let records = try recordsState(destination)
                try await waitUntil("a record of what is here") {
                    try !process.isRunning || recordsState(destination) != records
                }
            }
            process.send(SIGKILL)
            let result = try await process.wait()
            #expect(result.termination == .signalled(SIGKILL), "seed \(seed), round \(round): \(result)")
            gate.close()
            try await server.waitUntilIdle()

            let plan = try await PlanLines.ask(list, destination)
            let entry = try #require(plan.entries.first)
            let sent = server.bodyBytesSent - sentBefore
            #expect(entry.action == (entry.have == 0 ? "fetch" : "resume"), "\(entry)")
            #expect(entry.have >= have, "seed \(seed), round \(round) lost what was recorded")
            #expect(entry.have <= have + sent, "seed \(seed), round \(round) holds more than came")
            if moment == .recorded { #expect(entry.have > have, "seed \(seed), round \(round) recorded nothing") }
            lost += have + sent - entry.have
            have = entry.have
            #expect(!exists("\(destination)/big.bin"))
        }

        server.gate("flow").open()
        let requestsBefore = server.requests.count
        try await Command.runSilently("-s", "8", list, destination)
        #expect(bytesAsked(server.requests[requestsBefore...], size: Self.size) == Self.size - have)
        #expect(try firstDifference("\(destination)/big.bin", seed: 3, count: Self.size) == nil)
        // What is lost is what came since the last record, and what a transfer still sends when another took its rest.
        #expect(server.bodyBytesSent <= Self.size + lost + Self.size / 8)
        #expect(lost <= Self.size / 2, "\(lost) bytes were lost")
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
    }

    /// What changes when the state is written.
    private func recordsState(_ destination: String) throws -> [TreePath: [Int]] {
        try treeState("\(destination)/.dlsync").filter { $0.key.description.hasPrefix("state.db") }
    }

    @Test("Many small files survive kills: each is whole or not there, and those that are there are not fetched again")
    func survivesKillsAmongFiles() async throws {
        let directory = try TemporaryDirectory()
        let destination = directory.appending("here")
        let server = try FaultServer()
        defer { server.stop() }
        let count = 300
        var urls: [String] = []
        for number in 0..<count {
            let resource = Resource(.pattern(seed: UInt64(number), count: Int64(number * 37)))
            server.serve("/\(number)", resource, script: [.always(on: .get, .hold("flow"))])
            urls.append(server.url("/\(number)"))
        }
        let list = directory.appending("list")
        try writeFile(list, urls.joined(separator: "\n"))
        var generator = SeededGenerator(seed: 5)
        let gate = server.gate("flow")
        for _ in 0..<6 {
            let passes = GateCount(server, "flow")
            let process = try Command.start([list, destination])
            let answers = Int.random(in: 0...60, using: &generator)
            gate.allow(answers)
            try await waitUntil("\(answers) answers") { !process.isRunning || passes.passed >= answers }
            process.send(SIGKILL)
            _ = try await process.wait()
            gate.close()
            try await server.waitUntilIdle()
            for (path, node) in try treeListing(destination, skipping: [".dlsync"]) {
                let number = try #require(Int(path.description))
                #expect(node == .file(size: Int64(number * 37)))
            }
        }
        gate.open()
        let here = try treeListing(destination, skipping: [".dlsync"]).count
        let before = server.requests.count
        try await Command.runSilently(list, destination)
        for number in 0..<count {
            #expect(try fileMatchesPattern("\(destination)/\(number)", seed: UInt64(number), count: Int64(number * 37)))
        }
        let fetches = server.requests[before...].count { $0.method == "GET" }
        #expect(fetches <= count - here, "\(here) files were here, and \(fetches) of \(count) were fetched")
    }
}
