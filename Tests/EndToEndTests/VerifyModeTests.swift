import Glibc
import TestSupport
import Testing

/// `--verify` and `--repair`.
@Suite(.timeLimit(.minutes(10))) struct VerifyModeTests {
    @Test("One flipped byte in a large file is found, told, and repaired, and nothing else is fetched")
    func flippedByte() async throws {
        try await withTemporaryDirectory { directory in
            let size: Int64 = 64 << 20
            let server = try FaultServer()
            defer { server.stop() }
            for name in ["large", "other"] { server.serve("/\(name)", Resource(.pattern(seed: 3, count: size))) }
            let list = directory.appending("list")
            try writeFile(list, "\(server.url("/large"))\n\(server.url("/other"))\n")
            let here = directory.appending("here")
            try await Command.runSilently("--record-digests", list, here)
            try await Command.runSilently("--verify", here)
            let before = server.requests.count

            var bytes = try readFile("\(here)/large")
            bytes[50_000_000] ^= 4
            try writeFile("\(here)/large", bytes, modified: try modified("\(here)/large"))
            let found = try await Command.run("--verify", here)
            #expect(found.exited(9), "\(found)")
            #expect(found.outputText.hasPrefix("differs       large  (its sha-256 digest is "))
            #expect(
                found.outputText.hasSuffix(
                    "; 1048576 of 67108864 bytes lie in blocks that differ: 49283072-50331647)\n"), "\(found)")
            #expect(found.outputText.split(separator: "\n").count == 1)
            #expect(server.requests.count == before)
            #expect(try readFile("\(here)/large") == bytes)

            let repaired = try await Command.run("--verify", "--repair", here)
            #expect(repaired.exited(0), "\(repaired)")
            let asked = server.requests[before...].filter { $0.method == "GET" }
            #expect(asked.map(\.range) == ["bytes=49283072-50331647"] && asked.first?.target == "/large")
            #expect(asked.first?.field("If-Range") != nil)
            #expect(server.requests[before...].allSatisfy { $0.target == "/large" })
            #expect(try fileMatchesPattern("\(here)/large", seed: 3, count: size))
            try await Command.runSilently("--verify", here)
        }
    }

    @Test("A repair holds back what comes last as a run does, and lets it go")
    func repairsWhatComesLast() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            for name in ["a", "index"] { server.serve("/\(name)", Resource(.pattern(seed: 3, count: 1000))) }
            let here = directory.appending("here")
            let list = directory.appending("list")
            try writeFile(list, "\(server.url("/a"))\n\(server.url("/index"))\n")
            try await Command.runSilently("--record-digests", list, here)
            for name in ["a", "index"] { #expect(unlink("\(here)/\(name)") == 0) }
            let repaired = try await Command.run("--verify", "--repair", "--publish-last", "index", here)
            #expect(repaired.exited(0), "\(repaired)")
            for name in ["a", "index"] { #expect(try fileMatchesPattern("\(here)/\(name)", seed: 3, count: 1000)) }
        }
    }

    @Test("A file that is gone from here and from the server stays missing, and that is a failure")
    func missing() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.pattern(seed: 3, count: 1000)))
            let here = directory.appending("here")
            try await Command.runSilently("--record-digests", "-", here, input: Array(server.url("/a").utf8))
            #expect(rename("\(here)/a", directory.appending("a")) == 0)
            server.setScript("/a", [.always(.status(404))])
            let verified = try await Command.run("--verify", here)
            #expect(verified.exited(3), "\(verified)")
            #expect(verified.outputText == "missing       a  (it is not here)\n")
            let repaired = try await Command.run("--verify", "--repair", here)
            #expect(repaired.exited(3), "\(repaired)")
        }
    }
}
