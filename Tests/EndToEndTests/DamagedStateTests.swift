import Glibc
import TestSupport
import Testing

/// Runs that find the state of a destination damaged, or made by a later version.
@Suite(.timeLimit(.minutes(10))) struct DamagedStateTests {
    /// What happens to the files of the state between two runs.
    enum Damage: Hashable, Sendable {
        case cut(to: Int)
        case halved
        case withoutLastByte
        case zeroed
        case text
        /// Random bytes over the middle third.
        case middle(seed: UInt64)
        case logCut(to: Int)
        case logHalved
        case logZeroed
        case logForeign(seed: UInt64)
        /// A log where the last run left none.
        case strayLog

        /// Whether it cannot be overlooked in a database that has everything and no log. SQLite takes one that ends within
        /// its first bytes for an empty one, fills up its last page, and skips what is no log.
        var isObvious: Bool {
            switch self {
            case .cut(let length): length >= 40
            case .halved, .zeroed, .text: true
            default: false
            }
        }

        /// Changes the file that is concerned. False where it is not there.
        func inflict(on state: String) throws -> Bool {
            let path =
                switch self {
                case .logCut, .logHalved, .logZeroed, .logForeign, .strayLog: "\(state)-wal"
                default: state
                }
            if self == .strayLog {
                try writeFile(path, "What is this?\n")
                return true
            }
            guard exists(path), case var bytes = try readFile(path), !bytes.isEmpty else { return false }
            switch self {
            case .cut(let length), .logCut(let length): bytes = Array(bytes.prefix(length))
            case .halved, .logHalved: bytes = Array(bytes.prefix(bytes.count / 2))
            case .withoutLastByte: bytes.removeLast()
            case .zeroed, .logZeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
            case .text: bytes = Array("These are not the records you are looking for.\n".utf8)
            case .middle(let seed):
                var generator = SeededGenerator(seed: seed)
                for index in bytes.count / 3..<bytes.count * 2 / 3 {
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                }
            case .logForeign(let seed):
                var generator = SeededGenerator(seed: seed)
                bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
            case .strayLog: break
            }
            try writeFile(path, bytes)
            return true
        }
    }

    private static let names = (0..<12).map { "file-\($0)" }
    private static let sizes = names.indices.map { Int64($0 * 9_000) }
    private static let bigSize: Int64 = 3 << 20

    private let directory: TemporaryDirectory
    private let destination: String
    private let list: String
    private let server: FaultServer
    private var state: String { "\(destination)/.dlsync/state.db" }

    init() throws {
        directory = try TemporaryDirectory()
        destination = directory.appending("here")
        list = directory.appending("list")
        server = try FaultServer()
        for (index, name) in Self.names.enumerated() {
            server.serve("/\(name)", Resource(.pattern(seed: UInt64(index), count: Self.sizes[index])))
        }
        server.serve(
            "/big", Resource(.pattern(seed: 99, count: Self.bigSize)),
            script: [.always(on: .get, .drip(bytes: 1 << 18, gate: "big"))])
        try writeFile(list, (Self.names + ["big"]).map { server.url("/\($0)") }.joined(separator: "\n"))
    }

    /// Brings the destination up to date; or nearly so, if the run is killed amid its big file.
    private func fill(killed: Bool) async throws {
        let gate = server.gate("big")
        guard killed else {
            gate.open()
            return try await Command.runSilently(list, destination)
        }
        gate.allow(4)
        let process = try Command.start([list, destination])
        let wanted = Self.names.map { "\(destination)/\($0)" }
        try await waitUntil("the small files") { wanted.allSatisfy(exists) && gate.waiting > 0 }
        // Their records come after them, or did already, and that of the big file within a second.
        let log = "\(state)-wal"
        let before = try readFile(log)
        try await waitUntil("a record") { try readFile(log) != before }
        process.send(SIGKILL)
        _ = try await process.wait()
        gate.open()
        try await server.waitUntilIdle()
    }

    /// Whether all files are there and right.
    private func isRight() throws -> Bool {
        try smallAreRight()
            && firstDifference("\(destination)/big", seed: 99, count: Self.bigSize) == nil
    }

    private func smallAreRight() throws -> Bool {
        try Self.names.indices.allSatisfy { index in
            try fileMatchesPattern(
                "\(destination)/\(Self.names[index])", seed: UInt64(index), count: Self.sizes[index])
        }
    }

    @Test(
        "A damaged state is told in one sentence, loses no file, and brings no byte that is here already",
        arguments: [
            Damage.cut(to: 0), .cut(to: 1), .cut(to: 40), .cut(to: 100), .cut(to: 512), .cut(to: 4096), .cut(to: 8192),
            .halved, .withoutLastByte, .zeroed, .text, .middle(seed: 1), .middle(seed: 2), .logCut(to: 0),
            .logCut(to: 31), .logCut(to: 5000), .logHalved, .logZeroed, .logForeign(seed: 3), .strayLog,
        ], [false, true])
    func survives(damage: Damage, killed: Bool) async throws {
        defer { server.stop() }
        try await fill(killed: killed)
        // A log is only there after a kill.
        guard try damage.inflict(on: state) else { return #expect(!killed) }
        let before = server.requests.count

        let plan = try await Command.run("-n", list, destination)
        #expect(plan.exited(0) || plan.exited(1), "\(plan)")
        #expect(plan.errorLines.count <= 1, "\(plan)")

        // Damage within the pages shows when they are read. Then a run fails, and the next one looks more closely.
        var told = 0
        for _ in 0..<3 {
            let result = try await Command.run(list, destination)
            #expect(result.standardOutput.isEmpty)
            #expect(try smallAreRight())
            if result.wasSilent { break }
            told += 1
            #expect(result.errorLines.count == 1, "\(result)")
            #expect(result.errorText.hasPrefix("dlsync: the state '\(state)' "), "\(result)")
            let isAside = result.errorText.contains("state.db.damaged-1")
            #expect(result.exited(isAside ? 0 : 1), "\(result)")
        }
        #expect(told <= 2)
        if damage.isObvious, !killed { #expect(told == 1) }
        try await Command.runSilently(list, destination)
        #expect(try isRight())
        let fetched = server.requests[before...].filter { $0.method == "GET" && $0.path != "/big" }
        #expect(fetched.isEmpty, "\(fetched)")
        if !killed { #expect(server.requests[before...].allSatisfy { $0.bodyBytesSent == 0 }) }
        #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
    }

    @Test("A state of a newer version is refused, and nothing is touched", arguments: [false, true])
    func refusesNewer(isPlan: Bool) async throws {
        defer { server.stop() }
        try await fill(killed: false)
        // The version of the tables is at byte 60 of the header, big end first (https://sqlite.org/fileformat.html).
        var bytes = try readFile(state)
        bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
        try writeFile(state, bytes)
        try writeFile("\(destination)/.dlsync/partial/r9-9", "somebody's")
        try checked("unlink") { unlink("\(destination)/file-3") }
        let requests = server.requests.count
        let tree = try treeListing(destination)

        let result = try await Command.run((isPlan ? ["-n"] : []) + [list, destination])
        #expect(result.exited(1), "\(result)")
        #expect(result.standardOutput.isEmpty)
        #expect(result.errorLines.count == 1, "\(result)")
        #expect(result.errorText.contains("version 99"), "\(result)")
        #expect(result.errorText.hasSuffix(".\n"), "\(result)")
        #expect(try readFile(state) == bytes)
        #expect(try treeListing(destination) == tree)
        #expect(server.requests.count == requests)
    }

    @Test("A directory or a link in the state's place is told, and left alone", arguments: [false, true])
    func refusesOther(isLink: Bool) async throws {
        defer { server.stop() }
        try await fill(killed: false)
        try checked("unlink") { unlink(state) }
        if isLink {
            try writeFile(directory.appending("elsewhere"), "mine")
            try checked("symlink") { symlink(directory.appending("elsewhere"), state) }
        } else {
            try writeFile("\(state)/inside", "mine")
        }
        let requests = server.requests.count
        for _ in 0..<2 {
            let result = try await Command.run(list, destination)
            #expect(result.exited(1), "\(result)")
            #expect(result.errorLines.count == 1, "\(result)")
            #expect(result.errorText.contains(state), "\(result)")
        }
        #expect(server.requests.count == requests)
        #expect(try readText(isLink ? directory.appending("elsewhere") : "\(state)/inside") == "mine")
        #expect(try isRight())
        removeTree(state)
        let before = server.bodyBytesSent
        try await Command.runSilently(list, destination)
        #expect(server.bodyBytesSent == before)
    }
}
