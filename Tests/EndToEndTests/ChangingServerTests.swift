import Glibc
import TestSupport
import Testing

/// Servers that change between runs, or answer ranges wrongly: the file is right in the end, or not there.
@Suite(.timeLimit(.minutes(10))) struct ChangingServerTests {
    static let size: Int64 = 4 << 20
    static let first = Resource(.pattern(seed: 1, count: size))

    /// Fetches the first half of a file, as far as one stream brings it, and is interrupted.
    private func fetchHalf(
        _ server: FaultServer, _ directory: TemporaryDirectory, size: String = ""
    ) async throws -> [String] {
        server.serve(
            "/file", Self.first, script: [.once(on: .get, .stall(after: Self.size / 2)), .always(.hold("never"))])
        let list = directory.appending("list")
        try writeFile(list, server.url("/file") + size)
        let arguments = ["-s", "1", "--retries", "2", list, directory.appending("here")]
        let process = try Command.start(arguments)
        // What was sent may not have been taken yet.
        try await waitUntil("half of the file") {
            try partials(directory).contains {
                try firstDifference($0, seed: 1, count: Self.size) ?? 0 >= Self.size / 2
            }
                || !process.isRunning
        }
        process.send(SIGINT)
        let result = try await process.wait()
        #expect(result.exited(130), "\(result)")
        try await server.waitUntilIdle()
        server.setScript("/file", [])
        return arguments
    }

    /// The files of what is here in part.
    private func partials(_ directory: TemporaryDirectory) throws -> [String] {
        let partials = directory.appending("here/.dlsync/partial")
        guard exists(partials) else { return [] }
        return try treeListing(partials).keys.map { "\(partials)/\($0)" }.filter { !$0.hasSuffix("reserve") }
    }

    /// What the server does when the second run asks for the rest.
    enum Second: String, CaseIterable {
        case unchanged, changed, changedWithoutCondition, changedDateOnly, longer, shorter, ignoresRange, wrongStart,
            wrongTotal, otherRange, notSatisfiable, multipart, cut

        var resource: Resource {
            switch self {
            case .changed, .changedWithoutCondition: Resource(.pattern(seed: 2, count: ChangingServerTests.size))
            case .changedDateOnly:
                Resource(.pattern(seed: 2, count: ChangingServerTests.size), lastModified: 1_710_000_000)
            case .longer: Resource(.pattern(seed: 2, count: ChangingServerTests.size + 5000))
            case .shorter: Resource(.pattern(seed: 2, count: ChangingServerTests.size / 3))
            default: ChangingServerTests.first
            }
        }

        var script: [Step] {
            switch self {
            case .unchanged, .changed, .changedDateOnly, .longer, .shorter: []
            case .changedWithoutCondition: [.always(.ignoreIfRange)]
            case .ignoresRange: [.always(.ignoreRange)]
            case .wrongStart: [.always(on: .ranged, .shiftContentRange(start: 1, end: 1))]
            case .wrongTotal: [.always(on: .ranged, .shiftContentRange(total: 1))]
            case .otherRange: [.always(on: .ranged, .takeRangeAs("bytes=0-99"))]
            case .notSatisfiable: [.once(on: .ranged, .rangeNotSatisfiable(total: nil))]
            case .multipart: [.always(on: .ranged, .multipart)]
            case .cut: [.once(on: .get, .cut(after: 100_000, by: .reset))]
            }
        }

        /// Whether the half that is here is good, and the server lets it be used.
        var keepsHalf: Bool { self == .unchanged || self == .cut }
    }

    @Test("A file is right in the end, whatever the server does when the rest is asked for", arguments: Second.allCases)
    func endsRight(second: Second) async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        let arguments = try await fetchHalf(server, directory)
        let before = server.bodyBytesSent
        server.replace("/file", second.resource)
        server.setScript("/file", second.script)
        let result = try await Command.run(arguments)
        let file = directory.appending("here/file")
        #expect(result.wasSilent, "\(result) \(server.requests)")
        let resource = second.resource
        guard case .pattern(let seed, let count) = resource.body else { return }
        #expect(try fileMatchesPattern(file, seed: seed, count: count), "\(server.requests)")
        #expect(try modified(file) == resource.lastModified)
        if second.keepsHalf { #expect(server.bodyBytesSent - before <= Self.size - Self.size / 2) }
    }

    @Test("A page of an error in the place of a file whose size is known takes the place of nothing")
    func refusesErrorPage() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        let arguments = try await fetchHalf(server, directory, size: " size=\(Self.size)")
        server.setScript("/file", [.always(on: .get, .softNotFound)])
        let result = try await Command.run(arguments)
        #expect(result.exited(3), "\(result)")
        #expect(result.errorLines.count == 1)
        #expect(!exists(directory.appending("here/file")))
        server.setScript("/file", [])
        let before = server.bodyBytesSent
        try await Command.runSilently(arguments)
        #expect(try fileMatchesPattern(directory.appending("here/file"), seed: 1, count: Self.size))
        #expect(server.bodyBytesSent - before <= Self.size / 2)
    }

    @Test("A file that changed without changing its size is fetched anew, and the old one stays until then")
    func replacesEqualSize() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Self.first)
        let list = directory.appending("list")
        let file = directory.appending("here/file")
        try writeFile(list, server.url("/file"))
        try await Command.runSilently(list, directory.appending("here"))

        let second = Resource(.pattern(seed: 2, count: Self.size), lastModified: 1_710_000_000)
        server.serve("/file", second, script: [.always(on: .get, .stall(after: Self.size / 2, gate: "half"))])
        let process = try Command.start([list, directory.appending("here")])
        try await server.gate("half").waitForArrivals()
        #expect(try fileMatchesPattern(file, seed: 1, count: Self.size))
        server.gate("half").open()
        let result = try await process.wait()
        #expect(result.wasSilent, "\(result)")
        #expect(try fileMatchesPattern(file, seed: 2, count: Self.size))
        #expect(try modified(file) == 1_710_000_000)
    }

    @Test("A file that someone else made shorter or changed here is mended")
    func mendsLocalChanges() async throws {
        let directory = try TemporaryDirectory()
        let server = try FaultServer()
        defer { server.stop() }
        server.serve("/file", Self.first)
        let list = directory.appending("list")
        let file = directory.appending("here/file")
        try writeFile(list, server.url("/file"))
        try await Command.runSilently(list, directory.appending("here"))
        // Its beginning, something shorter, something of the same size, something longer.
        for (seed, count) in [(1, 1000), (9, 5), (9, Self.size), (9, Self.size + 1)] as [(UInt64, Int64)] {
            try writePatternFile(file, seed: seed, count: count)
            try await Command.runSilently(list, directory.appending("here"))
            #expect(try fileMatchesPattern(file, seed: 1, count: Self.size))
        }
    }
}
