import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// Deletes files that dlsync brought.
private func deleting(_ configuration: inout SyncConfiguration) { configuration.deletion.scope = .owned }

/// What goes wrong with a listing.
enum ListingFault: String, CaseIterable {
    case serverError, missing, cutByServer, cutInside, portal, redirectToPortal, empty

    func apply(to path: String, of tree: MirroredTree, on server: FaultServer) {
        switch self {
        case .serverError: server.setScript(path, [.always(.status(503))])
        case .missing: server.setScript(path, [.always(.status(404))])
        case .cutByServer: server.setScript(path, [.always(.cut(after: 150))])
        case .cutInside:
            server.serve(path, .html(String(nginxIndexPage(of: path, [IndexRow("f0", size: 50)]).prefix(150))))
        case .portal: server.setScript(path, [.always(.body(.text(portalPage)))])
        case .redirectToPortal:
            server.serve("/login", .html(portalPage))
            server.setScript(path, [.always(.redirect("/login"))])
        case .empty: tree.empty(String(path.dropFirst("/pub/".count)))
        }
    }
}

extension SessionTests {
    @Suite struct Deletion {
        @Test("A file that its listing names no more is deleted last, with its empty directories, and all else stays")
        func deletes() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                #expect(try bench.tree().count == 20 + 4)
                try writeFile(bench.path("d1/mine"), "mine")
                tree.remove("f0", in: "")
                tree.remove("f1", in: "d1/")
                tree.remove(directory: "d3/")
                let kept = try await bench.run([tree.source])
                #expect(kept.isAllWell && kept.summary.actions[.delete] == nil)
                #expect(exists(bench.path("f0")))
                let source = tree.source
                let plan = try await bench.session({
                    $0.isReadOnly = true; deleting(&$0)
                }) { session in
                    await Told(of: session.planEvents([source]))
                }
                let gone = ["d1/f1", "d3/f0", "d3/f1", "d3/f2", "d3/f3", "f0"]
                #expect(plan.deletions.map(\.path.description) == gone && plan.deletions.allSatisfy(\.isDeleted))
                #expect(plan.deletions.allSatisfy { $0.size == 50 && $0.reason == "no source names it any more" })
                #expect(exists(bench.path("f0")))
                let told = try await bench.run([tree.source], deleting)
                #expect(told.isAllWell && told.kept.isEmpty, "\(told.complaints)")
                #expect(told.outcomes.values.filter { $0.action == .delete }.map(\.path.description).sorted() == gone)
                #expect(told.summary.deleted == 6 && told.summary.bytesDeleted == 300)
                #expect(told.summary.entries == tree.paths.count)
                let local = try bench.tree()
                #expect(local.filter { !$0.hasPrefix("d") || $0.contains("/") } == (tree.paths + ["d1/mine"]).sorted())
                #expect(!exists(bench.path("d3")))
                #expect(try await bench.run([tree.source], deleting).summary.deleted == 0)
            }
        }

        @Test(
            "A listing that could not be read, early, in the middle or late, keeps all below it; elsewhere it goes on",
            arguments: ListingFault.allCases, [0, 2, 4])
        func badListing(fault: ListingFault, page: Int) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                let before = try bench.tree()
                tree.removeEverywhere("f0")
                let directory = MirroredTree.directories[page]
                fault.apply(to: "/pub/\(directory)", of: tree, on: server)
                let told = try await bench.run([tree.source]) { configuration in
                    deleting(&configuration)
                    configuration.retries = 1
                }
                if fault == .empty {
                    #expect(try bench.tree() == before)
                    #expect(told.summary.isGuarded && told.kept.count == 1)
                    #expect(told.kept.first?.reason.contains("--allow-empty") == true)
                } else {
                    #expect(told.unread.count == 1, "\(told.complaints)")
                    let protected = before.filter { $0.hasPrefix(directory) }
                    let after = try bench.tree()
                    #expect(Set(protected).isSubset(of: after))
                    #expect(told.summary.deleted == (page == 0 ? 0 : 4), "\(told.kept)")
                    #expect(told.kept.count == 1 && told.kept.first?.isRefused == false)
                    #expect(told.summary.deletionsUnknown > 0 && !told.summary.isGuarded)
                }
                // Once the listing is itself again, what is gone goes.
                server.setScript("/pub/\(directory)", [])
                tree.serve()
                let healed = try await bench.run([tree.source], deleting)
                #expect(healed.isAllWell && healed.kept.isEmpty, "\(healed.complaints) \(healed.kept)")
                #expect(try bench.tree().filter { $0.contains("f") } == tree.paths)
            }
        }

        @Test("case 33: a portal before everything deletes nothing") func portalEverywhere() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                let before = try bench.tree()
                for directory in MirroredTree.directories {
                    server.setScript("/pub/\(directory)", [.always(.body(.text(portalPage)))])
                }
                let told = try await bench.run([tree.source]) {
                    $0.deletion.scope = .all
                    $0.deletion.limit = .percent(100)
                }
                #expect(told.summary.sourcesFailed == 1 && told.summary.deleted == 0)
                #expect(try bench.tree() == before)
            }
        }

        @Test("case 34: a listing that is empty is believed only where that is said; then its directory goes too")
        func allowsEmpty() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                tree.empty("d2/")
                for _ in 0..<2 {
                    #expect(try await bench.run([tree.source], deleting).summary.isGuarded)
                    #expect(exists(bench.path("d2/f0")))
                }
                let told = try await bench.run([tree.source]) {
                    deleting(&$0); $0.deletion.acceptsEmpty = true
                }
                #expect(told.summary.deleted == 4 && !told.summary.isGuarded, "\(told.kept)")
                #expect(!exists(bench.path("d2")))
                // It has been empty since.
                #expect(try await !bench.run([tree.source], deleting).summary.isGuarded)
            }
        }

        @Test(
            "No more than so many files go, else none",
            arguments: [
                (.percent(50), 10, true), (.percent(50), 11, false), (.percent(100), 19, true), (.percent(0), 1, false),
                (.count(10), 10, true), (.count(10), 11, false), (.count(0), 1, false),
            ] as [(DeletionLimit, Int, Bool)])
        func limits(limit: DeletionLimit, gone: Int, isAllowed: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<20).map { "f\($0)" }
                for name in names { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 50))) }
                #expect(try await bench.run(names.map { server.url("/\($0)") }).isAllWell)
                let told = try await bench.run(names.dropFirst(gone).map { server.url("/\($0)") }) {
                    deleting(&$0)
                    $0.deletion.limit = limit
                }
                #expect(told.summary.deleted == (isAllowed ? gone : 0))
                #expect(told.summary.isGuarded == !isAllowed)
                #expect(told.summary.deletionsRefused == (isAllowed ? 0 : gone))
                #expect(try bench.tree().count == (isAllowed ? 20 - gone : 20))
            }
        }

        @Test("case 37: files of several sources stay until none names them, those of sources left out too")
        func severalSources() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["a", "b", "c", "d", "both"] {
                    server.serve("/\(name)", Resource(.pattern(seed: 1, count: 50)))
                }
                func list(_ name: String, _ files: String...) throws -> Source {
                    try bench.list(files.map { server.url("/\($0)") }, name: name)
                }
                let one = try list("one", "a", "b", "both")
                let two = try list("two", "c", "d", "both")
                #expect(try await bench.run([one, two], deleting).isAllWell)
                #expect(try bench.tree() == ["a", "b", "both", "c", "d"])
                // Each alone keeps the other's.
                #expect(try await bench.run([one], deleting).summary.deleted == 0)
                #expect(try await bench.run([two], deleting).summary.deleted == 0)
                // One drops the file of both, and one of its own.
                let less = try list("one", "a")
                #expect(try await bench.run([less, two], deleting).summary.deleted == 1)
                #expect(try bench.tree() == ["a", "both", "c", "d"])
                // The other drops it as well, and is given alone.
                let fewer = try list("two", "c", "d")
                #expect(try await bench.run([fewer], deleting).summary.deleted == 1)
                #expect(try bench.tree() == ["a", "c", "d"])
            }
        }

        @Test("A file that somebody changed or replaced is kept and told, and so is a directory in its place")
        func touched() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                tree.removeEverywhere("f0")
                try writeFile(bench.path("f0"), "something else")
                try setModified(bench.path("d1/f0"), 1_000_000_000)
                removeTree(bench.path("d2/f0"))
                try makeDirectories(bench.path("d2/f0"))
                removeTree(bench.path("d3/f0"))
                let told = try await bench.run([tree.source], deleting)
                #expect(told.summary.deleted == 1 && told.isAllWell)
                let kept = told.outcomes.filter { $1.action == .delete && $1.status == .kept }
                #expect(kept.keys.sorted() == ["d1/f0", "d2/f0", "f0"], "\(kept)")
                #expect(try readText(bench.path("f0")) == "something else")
                #expect(exists(bench.path("d1/f0")) && exists(bench.path("d2/f0")) && !exists(bench.path("d4/f0")))
            }
        }

        @Test("A file goes only when it was gone in so many complete runs in a row") func afterRuns() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                func run() async throws -> SyncSummary {
                    try await bench.run([tree.source]) {
                        deleting(&$0); $0.deletion.afterRuns = 3; $0.retries = 0
                    }.summary
                }
                let first = try await run()
                #expect(first.deleted == 0)
                tree.removeEverywhere("f0")
                #expect(try await run().deleted == 0)
                // A listing that cannot be read makes no run of its files.
                server.setScript("/pub/d1/", [.always(.status(500))])
                #expect(try await run().deleted == 0)
                server.setScript("/pub/d1/", [])
                #expect(try await run().deleted == 4)
                #expect(exists(bench.path("d1/f0")) && !exists(bench.path("d2/f0")))
                #expect(try await run().deleted == 1)
            }
        }

        @Test("What a filter leaves out is neither fetched nor deleted, and its listing not asked for")
        func filtered() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                tree.removeEverywhere("f0")
                let rules = try EntryFilter.rules(in: Array("- d1/\n- /d2/f*\n".utf8))
                let before = server.requests.count
                let told = try await bench.run([tree.source]) { configuration in
                    deleting(&configuration)
                    configuration.filter.rules = rules
                }
                #expect(told.summary.deleted == 3 && told.summary.entries == 9, "\(told.summary)")
                #expect(exists(bench.path("d1/f0")) && exists(bench.path("d2/f0")))
                let asked = server.requests[before...].map(\.path)
                #expect(!asked.contains { $0.hasPrefix("/pub/d1/") } && asked.contains("/pub/d2/"))
                #expect(told.kept.isEmpty)
            }
        }

        @Test("Files that dlsync did not bring go only where that is asked for, and only where listings were read")
        func unowned() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                for name in ["mine", "d1/mine", "d2/mine", "own/mine"] { try writeFile(bench.path(name), name) }
                try writeFile(bench.path(".dlsync/mine"), "mine")
                tree.removeEverywhere("f0")
                try writeFile(bench.path("d3/f0"), "touched")
                server.setScript("/pub/d1/", [.always(.status(500))])
                let told = try await bench.run([tree.source]) {
                    $0.deletion.scope = .all; $0.retries = 0
                }
                #expect(told.summary.deleted == 4 + 3, "\(told.outcomes.filter { $1.action == .delete }.keys)")
                #expect(exists(bench.path("d1/mine")) && exists(bench.path("d1/f0")))
                #expect(
                    !exists(bench.path("mine")) && !exists(bench.path("d2/mine")) && !exists(bench.path("own/mine")))
                #expect(!exists(bench.path("d3/f0")) && exists(bench.path(".dlsync/mine")))
                #expect(exists(bench.path("own")), "a directory that dlsync did not make stays")
            }
        }

        @Test("A directory full of files of others is not emptied by the first run") func unownedLimit() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                for number in 0..<100 { try writeFile(bench.path("photos/\(number)"), "mine") }
                let told = try await bench.run([tree.source]) { $0.deletion.scope = .all }
                #expect(told.summary.isGuarded && told.summary.deletionsRefused == 100)
                #expect(exists(bench.path("photos/99")) && exists(bench.path("d1/f0")))
            }
        }

        @Test(
            "Files are moved to the backup directory, which may lie in the destination, and none of an earlier run is lost",
            arguments: [false, true])
        func backup(isInside: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let backup = isInside ? bench.path("old/kept") : bench.directory.path("old/kept")
                for round in 0..<3 {
                    server.serve("/pub/d1/f0", Resource(.pattern(seed: UInt64(round), count: 50)))
                    if round > 0 { tree.add("f0", in: "d1/") }
                    #expect(try await bench.run([tree.source]).isAllWell)
                    tree.remove("f0", in: "d1/")
                    let told = try await bench.run([tree.source]) {
                        $0.deletion.scope = .all
                        $0.deletion.backupDirectory = Array(backup.utf8)
                    }
                    #expect(told.summary.deleted == 1, "\(told.kept)")
                    #expect(!exists(bench.path("d1/f0")))
                }
                for (round, name) in ["f0", "f0.~1~", "f0.~2~"].enumerated() {
                    #expect(try fileMatchesPattern("\(backup)/d1/\(name)", seed: UInt64(round), count: 50))
                }
            }
        }

        @Test(
            "A file that is replaced is kept in the backup directory, by a copy where it cannot have two names",
            arguments: [false, true])
        func backupOfReplaced(isCopied: Bool) async throws {
            let bench = try Bench()
            let backup = bench.directory.path("old")
            let calls = SystemCalls { operation, path in
                isCopied && operation == .rename && path.hasPrefix(backup) ? .failure(EXDEV) : nil
            }
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                for round in 0..<4 {
                    server.serve("/pub/d1/f0", Resource(.pattern(seed: UInt64(round), count: 50)))
                    let told = try await bench.run(
                        [tree.source], { $0.deletion.backupDirectory = Array(backup.utf8) }, calls: calls)
                    #expect(told.isAllWell, "\(told.complaints)")
                    #expect(bench.holds("d1/f0", seed: UInt64(round), 50))
                }
                for (round, name) in ["f0", "f0.~1~", "f0.~2~"].enumerated() {
                    #expect(try fileMatchesPattern("\(backup)/d1/\(name)", seed: UInt64(round), count: 50))
                }
                #expect(!exists("\(backup)/d1/f1") && !exists("\(backup)/d1/f0.~3~"))
            }
        }

        @Test("A file that cannot be kept is not replaced; one that was kept by a killed run is not kept twice")
        func backupRefused() async throws {
            let bench = try Bench()
            let backup = bench.directory.path("old")
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                server.serve("/pub/d1/f0", Resource(.pattern(seed: 2, count: 50)))
                let place = bench.path("d1/f0")
                for refused in [backup, place] {
                    let calls = SystemCalls { operation, path in
                        operation == .rename && path.hasPrefix(refused) ? .failure(EIO) : nil
                    }
                    let told = try await bench.run(
                        [tree.source], { $0.deletion.backupDirectory = Array(backup.utf8) }, calls: calls)
                    #expect(told.outcomes["d1/f0"]?.failure?.code == .disk, "\(told.complaints)")
                    #expect(bench.holds("d1/f0", seed: 1, 50))
                }
                let told = try await bench.run([tree.source]) { $0.deletion.backupDirectory = Array(backup.utf8) }
                #expect(told.isAllWell && bench.holds("d1/f0", seed: 2, 50))
                #expect(try treeListing("\(backup)/d1").keys.map(\.description) == ["f0"])
                #expect(try fileMatchesPattern("\(backup)/d1/f0", seed: 1, count: 50))
            }
        }

        @Test("The destination cannot be its own backup directory, and a dry run makes none")
        func backupPlace() async throws {
            let bench = try Bench()
            let backup = bench.directory.path("old")
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                await #expect(throws: Failure.self) {
                    try await bench.run([tree.source]) { $0.deletion.backupDirectory = Array(bench.destination.utf8) }
                }
                let source = tree.source
                _ = try await bench.session({
                    $0.isReadOnly = true
                    $0.deletion.backupDirectory = Array(backup.utf8)
                }) { session in await Told(of: session.planEvents([source])) }
                #expect(!exists(backup))
            }
        }

        @Test(
            "A run that its time or window ends, early, in the middle or late, deletes nothing",
            arguments: ["/pub/", "/pub/d2/", "/pub/d4/", "/pub/d4/new"], [true, false])
        func curfew(path: String, byWindow: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                tree.removeEverywhere("f0")
                tree.add("new", in: "d4/")
                let before = try bench.tree()
                server.setScript(path, [.always(.hold("never"))])
                // The clock starts at midnight.
                let clock = ManualClock()
                let window = try #require(DayWindow("22:00-06:00"))
                let (told, reason) = try await bench.session(
                    {
                        $0.deletion.scope = .all
                        $0.deletion.limit = .percent(100)
                        $0.stallTimeout = .seconds(1_000_000)
                        if byWindow { $0.curfew.window = window } else { $0.curfew.maxDuration = .seconds(6 * 3600) }
                    }, clock: clock
                ) { session in
                    let events = session.run([tree.source])
                    try await server.gate("never").waitForArrivals()
                    clock.advance(by: .seconds(6 * 3600))
                    return (await Told(of: events), session.stopReason)
                }
                #expect(reason == (byWindow ? .window(window) : .maxDuration(.seconds(6 * 3600))))
                #expect(told.summary.deleted == 0 && told.kept.isEmpty, "\(told.kept)")
                #expect(try Set(before).isSubset(of: bench.tree()))
                server.setScript(path, [])
                let next = try await bench.run([tree.source]) { $0.deletion.scope = .owned }
                #expect(next.isAllWell && next.summary.deleted == 5, "\(next.complaints)")
            }
        }

        @Test("Outside of its window a run deletes nothing, and one whose time ends amid deletions stops there")
        func curfewAmidDeletions() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<1200).map { "n\($0)" }
                for name in names { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 5))) }
                let all = try bench.list(names.map { server.url("/\($0)") })
                #expect(try await bench.run([all]).isAllWell)
                let one = try bench.list([server.url("/n0")])
                let window = try #require(DayWindow("22:00-06:00"))
                let noon = ManualClock()
                noon.advance(by: .seconds(12 * 3600))
                let outside = try await bench.session(
                    {
                        $0.deletion.scope = .owned
                        $0.deletion.limit = .percent(100)
                        $0.curfew.window = window
                    }, clock: noon
                ) { session in await session.tell([one]) }
                #expect(try outside.summary.deleted == 0 && bench.tree().count == 1200)
                let clock = ManualClock()
                let calls = SystemCalls { operation, path in
                    if operation == .remove, path.contains("/n") { clock.advance(by: .seconds(3600)) }
                    return nil
                }
                let (told, reason) = try await bench.session(
                    {
                        $0.deletion.scope = .owned
                        $0.deletion.limit = .percent(100)
                        $0.curfew.maxDuration = .seconds(3600)
                    }, calls: calls, clock: clock
                ) { session in (await session.tell([one]), session.stopReason) }
                #expect(reason == .maxDuration(.seconds(3600)))
                #expect(told.summary.deleted >= 1 && told.summary.deleted < 1199, "\(told.summary.deleted)")
                #expect(try bench.tree().count == 1200 - told.summary.deleted)
                let next = try await bench.run([one]) {
                    $0.deletion.scope = .owned
                    $0.deletion.limit = .percent(100)
                }
                #expect(next.summary.deleted == 1199 - told.summary.deleted)
            }
        }

        @Test("A source that has moved is forgotten on demand; what no other names is nobody's then")
        func forgetsSource() async throws {
            let bench = try Bench()
            let destination = Array(bench.destination.utf8)
            try await FaultServer.run { server in
                for name in ["a", "b", "c"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: 5))) }
                let old = try bench.list(["a", "b", "c"].map { server.url("/\($0)") }, name: "old")
                #expect(try await bench.run([old]).isAllWell)
                let new = try bench.list(["b", "c"].map { server.url("/\($0)") }, name: "new")
                #expect(try await bench.run([new], deleting).summary.deleted == 0)
                let known = try DestinationStatus(of: destination).sources
                #expect(known.map(\.name) == ["new", "old"].map { bench.directory.path($0) })
                #expect(known.map(\.files) == [2, 3] && known.allSatisfy { $0.lastRead != nil })
                #expect(throws: Failure.self) { try ForgottenSource("other", of: destination) }
                #expect(throws: Failure.self) { try ForgottenSource("old", of: Array(bench.directory.path("x").utf8)) }
                #expect(!exists(bench.directory.path("x")))
                let forgotten = try ForgottenSource(bench.directory.path("old"), of: destination)
                #expect(forgotten.files == 1 && forgotten.source.files == 3)
                #expect(try DestinationStatus(of: destination).sources.map(\.files) == [2])
                // Nobody's file stays where only gone files go.
                #expect(try await bench.run([new], deleting).summary.deleted == 0)
                #expect(try bench.tree() == ["a", "b", "c"])
                // What the new one drops goes, as the old one keeps it no more.
                let fewer = try bench.list([server.url("/b")], name: "new")
                #expect(
                    try await bench.run([fewer]) {
                        $0.deletion.scope = .all; $0.deletion.limit = .count(2)
                    }.summary.deleted == 2)
                #expect(try bench.tree() == ["b"])
            }
        }

        @Test(
            "case 182: a file that is gone between listing and request is counted, stays here, and keeps nothing else")
        func vanished() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                tree.remove("f0", in: "d1/")
                server.remove("/pub/f1")
                let told = try await bench.run([tree.source], deleting)
                #expect(told.summary.vanished == 1 && told.summary.deleted == 1 && told.summary.failed == 1)
                #expect(exists(bench.path("f1")) && !exists(bench.path("d1/f0")))
            }
        }

        @Test(
            "A run that is interrupted while it reads, or fetches, deletes nothing",
            arguments: ["/pub/d4/", "/pub/d2/new"])
        func interrupted(path: String) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                tree.removeEverywhere("f0")
                tree.add("new", in: "d2/")
                let before = try bench.tree()
                server.setScript(path, [.always(.hold("never"))])
                let source = tree.source
                try await bench.session({ $0.deletion.scope = .all }) { session in
                    async let told = session.tell([source])
                    try await server.gate("never").waitForArrivals()
                    await session.interrupt()
                    #expect(await told.summary.deleted == 0)
                }
                let after = Set(try bench.tree())
                #expect(Set(before).isSubset(of: after))
            }
        }

        @Test("A disk that refuses to write the state, or to remove files, keeps them and says so") func refusedByDisk()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source]).isAllWell)
                tree.removeEverywhere("f0")
                let calls = SystemCalls { operation, path in
                    operation == .remove && path.hasSuffix("/f0") && !path.hasSuffix("d1/f0") ? .failure(5) : nil
                }
                let told = try await bench.run([tree.source], deleting, calls: calls)
                #expect(told.summary.deleted == 1 && told.summary.failed == 4)
                // They are gone in the next run still.
                #expect(try await bench.run([tree.source], deleting).summary.deleted == 4)
            }
        }

        @Test("A source with more entries than it may have is not read on, and nothing of it is deleted")
        func mostEntries() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let first = try await bench.run([tree.source]) { $0.mostEntries = 20 }
                #expect(first.isAllWell)
                tree.removeEverywhere("f0")
                let told = try await bench.run([tree.source]) {
                    deleting(&$0); $0.mostEntries = 3
                }
                #expect(told.summary.sourcesFailed > 0, "\(told.summary)")
                #expect(told.unread.allSatisfy { $0.failure.message.contains("--max-entries") })
                #expect(MirroredTree.directories.contains { exists(bench.path($0 + "f0")) })
                #expect(told.summary.deletionsUnknown > 0)
            }
        }
    }
}
