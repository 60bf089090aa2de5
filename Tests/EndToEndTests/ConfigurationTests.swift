import Glibc
import TestSupport
import Testing

/// Options that stand in files.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationTests {
    @Test("The command line wins over --config, which wins over the destination's own file")
    func precedence() async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/dir/a", Resource(.pattern(seed: 1, count: 1000)))
            let list = Array(server.url("/dir/a").utf8)
            let here = directory.appending("here")
            try makeDirectories("\(here)/.dlsync")
            try writeFile("\(here)/.dlsync/config", "user-agent = own\nlayout = host\nverbose\n")
            let config = directory.appending("config")
            try writeFile(config, "# of all runs\nuser-agent = given\n")
            try await Command.runSilently("-q", "--layout", "tree", "-", here, input: list)
            #expect(server.requests.last?.field("User-Agent") == "own")
            #expect(exists("\(here)/a"))
            let second = try await Command.run("--config", config, "-", here, input: list)
            #expect(second.exited(0) && !second.errorText.isEmpty, "\(second)")
            #expect(server.requests.last?.field("User-Agent") == "given")
            #expect(exists("\(here)/127.0.0.1:\(server.port)/dir/a") || !exists("\(here)/dir"))
            try await Command.runSilently("-A", "typed", "--config", config, "-q", "-", here, input: list)
            #expect(server.requests.last?.field("User-Agent") == "typed")
        }
    }

    @Test(
        "A line that is wrong is told with its file and number, and nothing is done",
        arguments: [
            ("conections = 4", "config:1: Unknown option 'conections'. Did you mean 'connections'?"),
            ("\nconnections = 300", "config:2: The value '300' is invalid for '--connections'"),
            ("dry-run", "config:1: The option 'dry-run' can only stand on the command line"),
            ("config = x", "config:1: The option 'config' can only stand on the command line"),
            ("window = 8-9", "config:1: The value '8-9' is invalid for '--window'"),
        ])
    func refuses(text: String, message: String) async throws {
        try await withTemporaryDirectory { directory in
            let here = directory.appending("here")
            try makeDirectories("\(here)/.dlsync")
            for config in [directory.appending("config"), "\(here)/.dlsync/config"] {
                try writeFile(config, text)
                let given = config.hasPrefix(here) ? [] : ["--config", config]
                let result = try await Command.run(given + ["/dev/null", here])
                #expect(result.exited(2), "\(result)")
                #expect(result.errorText.contains(message), "\(result)")
                #expect(!exists("\(here)/.dlsync/state.db"))
                unlink(config)
            }
        }
    }

    @Test("A file of the destination that others may write is refused, since it may name commands")
    func refusesWritable() async throws {
        try await withTemporaryDirectory { directory in
            let here = directory.appending("here")
            try makeDirectories("\(here)/.dlsync")
            let config = "\(here)/.dlsync/config"
            try writeFile(config, "on-change = touch owned\n")
            chmod(config, 0o666)
            let result = try await Command.run("/dev/null", here)
            #expect(result.exited(2), "\(result)")
            #expect(result.errorText.contains("chmod go-w"))
        }
    }

    @Test("No manifest can write the destination's own file", arguments: [".dlsync/config", "./.dlsync/config"])
    func isOutOfReach(path: String) async throws {
        try await withTemporaryDirectory { directory in
            let server = try FaultServer()
            defer { server.stop() }
            server.serve("/a", Resource(.bytes(Array("on-change = touch owned\n".utf8))))
            let here = directory.appending("here")
            let result = try await Command.run(
                ["-", here], input: Array("\(server.url("/a"))\n  out=\(path)\n".utf8))
            #expect(result.exited(3), "\(result)")
            #expect(!exists("\(here)/.dlsync/config"))
        }
    }
}
