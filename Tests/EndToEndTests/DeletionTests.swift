import Glibc
import TestSupport
import Testing

/// Mirrors from which files are deleted, by the built command.
@Suite(.timeLimit(.minutes(10))) struct DeletionTests {
    private let directory: TemporaryDirectory
    private let destination: String
    private let server: FaultServer

    init() throws {
        directory = try TemporaryDirectory()
        destination = directory.appending("here")
        server = try FaultServer()
    }

    /// Serves a tree of five index pages with some files each, but for those whose number is below `first`.
    @discardableResult
    private func serve(from first: Int = 0, files: Int = 6) -> [String] {
        var paths: [String] = []
        for parent in ["", "d1/", "d2/", "d3/", "d4/"] {
            let names = (first..<files).map { "f\($0)" }
            let rows = (parent.isEmpty ? ["d1/", "d2/", "d3/", "d4/"].map { IndexRow($0) } : [])
            server.serve(
                "/pub/\(parent)",
                .html(nginxIndexPage(of: "/pub/\(parent)", rows + names.map { IndexRow($0, size: 40) })))
            for name in names { server.serve("/pub/\(parent)\(name)", Resource(.pattern(seed: 1, count: 40))) }
            paths += names.map { parent + $0 }
        }
        return paths.sorted()
    }

    private func files() throws -> [String] {
        try treeListing(destination, skipping: [".dlsync"]).filter { $1 == .file(size: 40) }.keys.map(\.description)
            .sorted()
    }

    @Test(
        "A dry run says what would go and why, as text and as JSON; the run does that, silently, and tells when asked")
    func tells() async throws {
        defer { server.stop() }
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        serve(from: 1)
        let plan = try await Command.run("--dry-run", "--delete", url, destination)
        #expect(plan.exited(0), "\(plan)")
        #expect(plan.outputText.contains("delete           0 B  d1/f0  (no source names it any more)\n"), "\(plan)")
        #expect(plan.outputText.contains("5 delete") && plan.outputText.contains("200 B to delete"), "\(plan)")
        let json = try await Command.run("--dry-run", "--json", "--delete", url, destination)
        #expect(
            json.outputText.contains(
                "{\"type\":\"entry\",\"path\":\"f0\",\"url\":\"\(url)f0\",\"action\":\"delete\",\"reason\":"
                    + "\"no source names it any more\",\"size\":40,\"have\":40,\"fetch\":0}\n"), "\(json)")
        #expect(json.outputText.contains("\"deleted\":5,\"bytesDeleted\":200,"), "\(json)")
        #expect(try files().count == 30)
        let told = try await Command.run("-v", "--delete", url, destination)
        #expect(told.errorLines.count { $0.hasPrefix("delete: ") } == 5, "\(told)")
        #expect(try files() == serve(from: 1))
        serve(from: 2)
        try await Command.runSilently("--delete", url, destination)
        #expect(try files() == serve(from: 2))
    }

    @Test("A guard that refuses says how many and why, by its own exit status; the plan says the same")
    func guarded() async throws {
        defer { server.stop() }
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        serve(from: 4)
        for mode in [["--dry-run"], []] {
            let told = try await Command.run(mode + ["--delete", url, destination])
            #expect(told.exited(10), "\(told)")
            #expect(
                told.errorText
                    == "dlsync: nothing is deleted: 20 files are named no more, and that is more than the 50 % of 30 files"
                    + " that --max-delete allows.\n", "\(told)")
            #expect(try files().count == 30)
        }
        try await Command.runSilently("--delete", "--max-delete", "20", url, destination)
        #expect(try files().count == 10)
    }

    @Test(
        "A run that is killed or terminated while it reads, or while it fetches, deletes nothing",
        arguments: [SIGKILL, SIGTERM, SIGINT, SIGHUP], ["/pub/", "/pub/d2/", "/pub/d4/", "/pub/d4/f5"])
    func killed(signal: Int32, path: String) async throws {
        defer { server.stop() }
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        serve(from: 2)
        server.setScript(path, [.always(.hold("never"))])
        let arguments = ["--delete-unowned", "--max-delete", "100%", url, destination]
        let process = try Command.start(arguments)
        try await server.gate("never").waitForArrivals()
        process.send(signal)
        _ = try await process.wait()
        #expect(try files().count == 30)
        server.setScript(path, [])
        try await Command.runSilently(arguments)
        #expect(try files() == serve(from: 2))
    }

    @Test("A run that is killed while it deletes has kept all that is named; the next one ends it", arguments: 0..<4)
    func killedAmidDeletions(round: Int) async throws {
        defer { server.stop() }
        serve(files: 300)
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        let named = serve(from: 200, files: 300)
        let arguments = ["--delete", "--max-delete", "100%", url, destination]
        let process = try Command.start(arguments)
        // Paths go in the order of their bytes.
        let gone = "\(destination)/\(["d1/f0", "d1/f199", "d3/f10", "d4/f99"][round])"
        try await waitUntil("the first deletions") { !process.isRunning || !exists(gone) }
        process.send(round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
        _ = try await process.wait()
        #expect(Set(named).isSubset(of: Set(try files())))
        try await Command.runSilently(arguments)
        #expect(try files() == named)
        #expect(exists("\(destination)/d1"))
    }

    @Test("A full disk, or one that another run filled up, takes no file that is named", .enabled(if: Mount.isAllowed))
    func diskFull() async throws {
        defer { server.stop() }
        let mount = try Mount(memory: "4m", at: destination)
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        serve(from: 1)
        server.serve("/big", Resource(.pattern(seed: 1, count: 50 << 20)))
        server.serve("/small", Resource(.pattern(seed: 1, count: 3 << 20)))
        let list = directory.appending("list")
        try writeFile(list, "\(server.url("/big"))\n\(server.url("/small"))\n")
        let told = try await Command.run("--delete", url, list, destination)
        #expect(told.exited(6), "\(told)")
        #expect(Set(serve(from: 1)).isSubset(of: Set(try files())))
        let kept = try await Command.run("--min-free", "3M", url, list, destination)
        #expect(kept.exited(6) && kept.errorText.contains("--min-free"), "\(kept)")
        withExtendedLifetime(mount) {}
    }

    @Test("Backups go to another file system too", .enabled(if: Mount.isAllowed)) func backupElsewhere() async throws {
        defer { server.stop() }
        let backup = directory.appending("backup")
        let mount = try Mount(memory: "4m", at: backup)
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        let before = try modified("\(destination)/d1/f0")
        serve(from: 1)
        try await Command.runSilently("--delete", "--backup-dir", backup, url, destination)
        #expect(try files() == serve(from: 1))
        for name in ["f0", "d1/f0", "d4/f0"] {
            #expect(try fileMatchesPattern("\(backup)/\(name)", seed: 1, count: 40))
        }
        #expect(try modified("\(backup)/d1/f0") == before)
        withExtendedLifetime(mount) {}
    }

    @Test("A source that has moved is forgotten by the name that the status shows, and only by one that it knows")
    func forgetsSource() async throws {
        defer { server.stop() }
        serve()
        let url = server.url("/pub/")
        try await Command.runSilently(url, destination)
        let status = try await Command.run("--status", destination)
        #expect(status.outputText.contains("SOURCES\n  \(url)  30 files, given last "), "\(status)")
        let unknown = try await Command.run("--forget-source", "http://elsewhere/", destination)
        #expect(unknown.exited(1), "\(unknown)")
        #expect(
            unknown.errorText
                == "dlsync: no source 'http://elsewhere/' is known; --status names those that are.\n", "\(unknown)")
        let forgotten = try await Command.run("--forget-source", url, destination)
        #expect(forgotten.exited(0), "\(forgotten)")
        #expect(forgotten.outputText == "forgot \(url): 30 files of it are no source's any more\n")
        #expect(try files().count == 30)
        #expect(try await !Command.run("--status", destination).outputText.contains("SOURCES"))
        // A run with the source again owns its files again.
        try await Command.runSilently(url, destination)
        serve(from: 1)
        try await Command.runSilently("--delete", url, destination)
        #expect(try files().count == 25)
    }

    @Test("Filters hold for a list, a dry run and a run alike") func filters() async throws {
        defer { server.stop() }
        serve()
        let rules = directory.appending("rules")
        try writeFile(rules, "# what is wanted\n+ /d1/f[0-2]\n- d1/\n- /d4/**\n")
        let url = server.url("/pub/")
        let filter = ["--filter-from", rules, "--exclude", "f5"]
        let wanted = serve().filter {
            !$0.hasSuffix("f5") && !$0.hasPrefix("d4/")
                && (!$0.hasPrefix("d1/") || ["d1/f0", "d1/f1", "d1/f2"].contains($0))
        }
        let list = try await Command.run(filter + ["--list", url])
        #expect(list.outputText.split(separator: "\n").count { !$0.contains("listing") } == wanted.count, "\(list)")
        let plan = try await Command.run(filter + ["-n", url, destination])
        #expect(plan.outputText.contains("\(wanted.count) entries"), "\(plan)")
        try await Command.runSilently(filter + [url, destination])
        #expect(try files() == wanted)
        #expect(server.requests(to: "/pub/d4/").isEmpty && !server.requests(to: "/pub/d1/").isEmpty)
        let many = try await Command.run("--max-entries", "3", "--list", url)
        #expect(many.exited(4) && many.errorText.contains("--max-entries"), "\(many)")
    }
}
