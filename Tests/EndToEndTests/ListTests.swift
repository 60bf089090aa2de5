import TestSupport
import Testing

/// Lists and what becomes of their files, against nginx.
@Suite(.timeLimit(.minutes(10))) struct ListTests {
    @Test("Two hundred mixed files come whole by a list, and the second run fetches none")
    func mirrorsList() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            let destination = directory.appending("here")
            let names = try makeFiles(in: root, count: 200, seed: 1)
            let server = try NginxServer.start(root: root)
            try writeFile(
                directory.appending("list"), names.map { server.url("/" + percentEncoded($0)) }.joined(separator: "\n"))

            let first = try await Command.run(directory.appending("list"), destination)
            #expect(first.wasSilent, "\(first)")
            #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])
            for name in names {
                #expect(try modified("\(root)/\(name)") == modified("\(destination)/\(name)"))
            }

            let before = try treeState(destination).filter { !$0.key.bytes.starts(with: ".dlsync".utf8) }
            let second = try await Command.run("-v", directory.appending("list"), destination)
            #expect(second.exited(0), "\(second)")
            #expect(second.standardOutput.isEmpty)
            #expect(second.errorLines.count == 200)
            #expect(second.errorLines.allSatisfy { $0.hasPrefix("up-to-date: ") }, "\(second)")
            let after = try treeState(destination).filter { !$0.key.bytes.starts(with: ".dlsync".utf8) }
            // The directory itself may have a new time: the state's directory stands in it.
            #expect(before.filter { $0.key != "" } == after.filter { $0.key != "" })

            let log = try server.stopAndReadLog()
            let fetched = log.prefix { $0.method == "GET" }
            #expect(fetched.count == 200, "a new file costs one request")
            #expect(log.dropFirst(fetched.count).map(\.method) == Array(repeating: "HEAD", count: 200))
            #expect(log.dropFirst(fetched.count).reduce(0) { $0 + $1.bodyBytes } == 0)
        }
    }

    /// How a list reaches dlsync, or is written.
    enum Way: String, CaseIterable {
        case standardInput, url, windowsLines, byteOrderMark, wideCharacters, relativeNames
    }

    @Test("A list may come from anywhere, in the line ends and codings of any system", arguments: Way.allCases)
    func readsList(way: Way) async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            let destination = directory.appending("here")
            for (number, name) in ["a.bin", "b c.bin", "ü.bin"].enumerated() {
                try writePatternFile("\(root)/\(name)", seed: UInt64(number), count: 1000 + Int64(number))
            }
            try await NginxServer.run(root: root) { server in
                let urls = ["/a.bin", "/b%20c.bin", "/%C3%BC.bin"].map { server.url($0) }
                let text = urls.joined(separator: "\n") + "\n"
                let list = directory.appending("list")
                let result: ProcessResult
                switch way {
                case .standardInput:
                    result = try await Command.run("-", destination, input: Array(text.utf8))
                case .url:
                    try writeFile("\(root)/lists/all.txt", text)
                    result = try await Command.run(server.url("/lists/all.txt"), destination)
                    removeTree("\(root)/lists")
                case .windowsLines:
                    try writeFile(list, urls.joined(separator: "\r\n") + "\r\n")
                    result = try await Command.run(list, destination)
                case .byteOrderMark:
                    try writeFile(list, [0xEF, 0xBB, 0xBF] + Array(text.utf8))
                    result = try await Command.run(list, destination)
                case .wideCharacters:
                    let wide = text.utf16.flatMap {
                        [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
                    }
                    try writeFile(list, [0xFF, 0xFE] + wide)
                    result = try await Command.run(list, destination)
                case .relativeNames:
                    try writeFile(list, "a.bin\nb%20c.bin\n/%C3%BC.bin\n")
                    result = try await Command.run(
                        "--format", "list", "--base-url", server.url("/"), list, destination)
                }
                #expect(result.wasSilent, "\(result)")
                #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])
            }
        }
    }

    @Test("cases 77, 78: A file of the right digest is kept, and one of a wrong digest never replaces the old one")
    func checksDigests() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            let destination = directory.appending("here")
            let list = directory.appending("list")
            try writeFile("\(root)/good", "hello\n")
            try writeFile("\(root)/bad", "the first one\n")
            try await NginxServer.run(root: root) { server in
                try writeFile(list, server.url("/bad"))
                try await Command.runSilently(list, destination)

                try writeFile("\(root)/bad", "not what the list says\n")
                try writeFile(
                    list,
                    """
                    \(server.url("/good"))
                      checksum=sha-256=5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
                    \(server.url("/bad"))
                      checksum=sha-256=5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
                    """)
                let result = try await Command.run(list, destination)
                #expect(result.exited(9), "\(result)")
                #expect(result.errorLines.count == 1)
                #expect(result.errorText.hasPrefix("dlsync: bad: "), "\(result)")
                #expect(result.errorText.contains("sha-256"))
                #expect(try readText("\(destination)/good") == "hello\n")
                #expect(try readText("\(destination)/bad") == "the first one\n")
                #expect(try treeListing("\(destination)/.dlsync/partial").isEmpty)
            }
        }
    }

    @Test("What one entry lacks stops no other: a missing file is told in one sentence with its URL")
    func tellsMissingFile() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            try writeFile("\(root)/there", "there")
            try await NginxServer.run(root: root) { server in
                let result = try await Command.run(
                    "-", directory.appending("here"),
                    input: Array("\(server.url("/gone"))\n\(server.url("/there"))\n".utf8))
                #expect(result.exited(3), "\(result)")
                #expect(result.errorText == "dlsync: gone: \(server.url("/gone")) does not exist (404).\n")
                #expect(try readText(directory.appending("here/there")) == "there")
                #expect(!exists(directory.appending("here/gone")))
            }
        }
    }

    @Test("Two files that would land at one path are a conflict that says how to resolve it")
    func findsCollision() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            try writeFile("\(root)/one/data", "one")
            try writeFile("\(root)/two/data", "two")
            try await NginxServer.run(root: root) { server in
                let list = Array("\(server.url("/one/data"))\n\(server.url("/two/data"))\n".utf8)
                let result = try await Command.run("-", directory.appending("flat"), input: list)
                #expect(result.exited(3), "\(result)")
                #expect(result.errorText.contains("out="), "\(result)")
                #expect(result.errorText.contains("--layout host"), "\(result)")
                #expect(try treeListing(directory.appending("flat"), skipping: [".dlsync"]).count == 1)

                let placed = directory.appending("placed")
                try await Command.runSilently("--layout", "host", "-", placed, input: list)
                #expect(try treeDifferences(root, "\(placed)/127.0.0.1:\(server.port)") == [])
            }
        }
    }

    @Test("A list that cannot be read says why, whatever the way to it")
    func tellsUnreadList() async throws {
        try await withTemporaryDirectory { directory in
            let missing = try await Command.run(directory.appending("none"), directory.appending("here"))
            #expect(missing.exited(4), "\(missing)")
            #expect(
                missing.errorText
                    == "dlsync: '\(directory.appending("none"))' cannot be read: No such file or directory.\n")

            try makeDirectories(directory.appending("www"))
            try await NginxServer.run(root: directory.appending("www")) { server in
                let gone = try await Command.run(server.url("/none.txt"), directory.appending("here"))
                #expect(gone.exited(4), "\(gone)")
                #expect(gone.errorText == "dlsync: \(server.url("/none.txt")) does not exist (404).\n", "\(gone)")
            }
        }
    }

    @Test("case 23: the first file is asked for while the list is still being written")
    func beginsBeforeListEnds() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            let names = (0..<200).map { "file-\($0)" }
            for name in names { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 10))) }
            var pipe: NamedPipe? = try NamedPipe(directory.appending("list"))
            // More than is looked at to know the format.
            let text = names.map { server.url("/\($0)") + "\n" }.joined()
            #expect(text.utf8.count > 4096)
            try pipe?.write(text)
            let process = try Command.start([directory.appending("list"), directory.appending("here")])
            // Options of the last line could still follow.
            try await server.waitForRequests(names.count - 1)
            #expect(process.isRunning)
            server.serve("/last", Resource(.pattern(seed: 2, count: 10)))
            try pipe?.write(server.url("/last") + "\n")
            try await server.waitForRequests(names.count)
            pipe = nil
            #expect(try await process.wait().wasSilent)
            #expect(try fileMatchesPattern(directory.appending("here/last"), seed: 2, count: 10))
            #expect(try treeListing(directory.appending("here"), skipping: [".dlsync"]).count == names.count + 1)
        }
    }
}
