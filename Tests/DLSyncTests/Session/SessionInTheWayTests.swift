import SyncCore
import TestSupport
import Testing

@testable import DLSync

private func deleting(_ configuration: inout SyncConfiguration) { configuration.deletion.scope = .owned }

extension SessionTests {
    /// A file in the place of which its source has a directory now, or the other way round.
    @Suite struct InTheWay {
        /// Makes a file a directory with a file in it, or a directory of files a file.
        private static func turn(_ tree: MirroredTree, toDirectory: Bool) {
            if toDirectory {
                tree.remove("f0", in: "")
                tree.add(directory: "f0/", ["g"])
            } else {
                tree.remove(directory: "d3/")
                tree.add("d3", in: "")
            }
        }

        private static func path(_ toDirectory: Bool) -> String { toDirectory ? "f0/g" : "d3" }

        @Test("With --delete it is one run: what is gone goes, then what is new comes", arguments: [true, false])
        func oneRun(toDirectory: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                Self.turn(tree, toDirectory: toDirectory)
                let kept = try await bench.run([tree.source])
                #expect(kept.outcomes[Self.path(toDirectory)]?.action == .conflict)
                let told = try await bench.run([tree.source], deleting)
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(told.outcomes[Self.path(toDirectory)]?.status == .done)
                #expect(told.summary.deleted == (toDirectory ? 1 : 4))
                let here = Set(try bench.tree())
                #expect(Set(tree.paths).isSubset(of: here))
                #expect(here.count == tree.paths.count + tree.files.count - 1)
                #expect(bench.holds(Self.path(toDirectory), seed: 1, 50))
                #expect(try await bench.run([tree.source], deleting).summary.done == 0)
            }
        }

        @Test(
            "Where a guard refuses, or a source that is left out names it, what is in the way stays",
            arguments: [true, false])
        func refused(isGuarded: Bool) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let other = try bench.list(
                    [server.url("/pub/f0"), "  out=f0", server.url("/pub/d3/f0"), "  out=d3/f0"], name: "other")
                let sources = isGuarded ? [tree.source] : [tree.source, other]
                #expect(try await bench.run(sources, deleting).isAllWell)
                Self.turn(tree, toDirectory: true)
                Self.turn(tree, toDirectory: false)
                let told = try await bench.run([tree.source]) {
                    deleting(&$0)
                    if isGuarded { $0.deletion.limit = .count(0) }
                }
                #expect(told.summary.isGuarded == isGuarded)
                #expect(told.summary.deleted == (isGuarded ? 0 : 3))
                for name in ["f0/g", "d3"] {
                    #expect(told.outcomes[name]?.action == .conflict, "\(String(describing: told.outcomes[name]))")
                    #expect(told.outcomes[name]?.failure?.code == .collision)
                }
                #expect(bench.holds("f0", seed: 1, 50) && bench.holds("d3/f0", seed: 1, 50))
            }
        }

        @Test("A file of somebody else in the way stays, and so does its directory")
        func foreign() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                #expect(try await bench.run([tree.source], deleting).isAllWell)
                try writeFile(bench.path("d3/mine"), "mine")
                Self.turn(tree, toDirectory: false)
                let told = try await bench.run([tree.source], deleting)
                #expect(told.outcomes["d3"]?.action == .conflict && told.summary.deleted == 4)
                #expect(try readText(bench.path("d3/mine")) == "mine")
            }
        }

        @Test("What comes last waits for the next run, as something is fetched after the deletions")
        func comesLast() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let tree = MirroredTree(server)
                let last = { (configuration: inout SyncConfiguration) in
                    deleting(&configuration)
                    configuration.publishLast = ["/f1", "/f0/g"].compactMap { try? PathPattern(Array($0.utf8)) }
                }
                #expect(try await bench.run([tree.source], last).isAllWell)
                Self.turn(tree, toDirectory: true)
                server.serve("/pub/f1", Resource(.pattern(seed: 2, count: 50)))
                let told = try await bench.run([tree.source], last)
                #expect(told.isAllWell && told.outcomes["f1"]?.status == .kept, "\(told.complaints)")
                #expect(bench.holds("f0/g", seed: 1, 50) && bench.holds("f1", seed: 1, 50))
                let next = try await bench.run([tree.source], last)
                #expect(next.isAllWell && bench.holds("f1", seed: 2, 50))
            }
        }
    }
}
