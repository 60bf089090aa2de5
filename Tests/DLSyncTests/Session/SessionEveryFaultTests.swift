import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

/// Counts the calls of each kind, and fails one of them.
private final class OneFault: Sendable {
    private struct Contents {
        var counts: [SystemCalls.Operation: Int] = [:]
        var closed: Set<String> = []
        var hit: Hit?
    }

    /// The call that failed.
    struct Hit {
        var path: String
        /// Whether the path was closed before: whoever wrote through it has heard of it by then.
        var wasClosed: Bool
    }

    private let contents = Mutex(Contents())
    private let target: (operation: SystemCalls.Operation, number: Int, code: Int32)?

    /// - Parameter target: Which call of its kind is to fail, counted from 0; nil to count only.
    init(_ target: (operation: SystemCalls.Operation, number: Int, code: Int32)? = nil) { self.target = target }

    var calls: SystemCalls {
        SystemCalls { [self] operation, path in
            contents.withLock { contents in
                let number = contents.counts[operation, default: 0]
                contents.counts[operation] = number + 1
                let isFirst = operation != .close || contents.closed.insert(path).inserted
                // Files are made longer only where the file system takes no room for them ahead of time.
                if operation == .allocate, target?.operation == .truncate { return .failure(EOPNOTSUPP) }
                guard let target, operation == target.operation, number == target.number else { return nil }
                contents.hit = Hit(path: path, wasClosed: !isFirst)
                return .failure(target.code)
            }
        }
    }

    var hit: Hit? { contents.withLock { $0.hit } }
}

/// A file of the run, and what an earlier run brought in its place.
private struct Wanted: Sendable {
    var name: String
    var seed: UInt64
    var count: Int64
    var old: (seed: UInt64, count: Int64)?
    /// Whether not a run but another program left the old one, which is the beginning of the new.
    var isForeign = false
}

private let wanted =
    [0, 1, 100, 4096, 20_000].enumerated().map { Wanted(name: "small\($0)", seed: UInt64($0 + 10), count: $1) }
    + [
        Wanted(name: "big", seed: 1, count: 3 << 20),
        Wanted(name: "replaced", seed: 3, count: 7000, old: (2, 5000)),
        Wanted(name: "kept", seed: 4, count: 300, old: (4, 300)),
        Wanted(name: "adopted", seed: 7, count: 100_000, old: (7, 60_000), isForeign: true),
        Wanted(name: "new/f", seed: 5, count: 1000),
        Wanted(name: "new/below/g", seed: 6, count: 2000),
    ]

extension FaultServer {
    /// Serves the files as an earlier run finds them, or as they are now.
    fileprivate func serveWanted(asBefore: Bool) {
        for file in wanted {
            if asBefore, let old = file.old {
                replace("/\(file.name)", Resource(.pattern(seed: old.seed, count: old.count)))
            } else {
                let date = Resource.ordinaryDate + (file.old?.seed == file.seed ? 0 : 100)
                replace("/\(file.name)", Resource(.pattern(seed: file.seed, count: file.count), lastModified: date))
            }
        }
    }

    fileprivate func lines(asBefore: Bool) -> [String] {
        wanted.filter { !asBefore || ($0.old != nil && !$0.isForeign) }.map { url("/\($0.name)") + " out=\($0.name)" }
    }
}

extension SessionTests {
    @Suite struct EveryFault {
        private static let configure: @Sendable (inout SyncConfiguration) -> Void = { $0.segments = .fixed(2) }

        /// A run over an earlier one, with one call that fails; whether that was told.
        private func run(_ server: FaultServer, _ fault: OneFault, expecting code: Failure.Code?) async throws -> Bool {
            let bench = try Bench(isInMemory: true)
            server.serveWanted(asBefore: true)
            let before = try await bench.run(server.lines(asBefore: true))
            #expect(before.isAllWell, "\(before.complaints)")
            for file in wanted where file.isForeign {
                let old = try #require(file.old)
                try writePatternFile(bench.path(file.name), seed: old.seed, count: old.count)
            }
            try writeFile(bench.path(".dlsync/partial/left-over"), "nobody's")
            server.serveWanted(asBefore: false)
            let lines = server.lines(asBefore: false)

            var failures: [Failure] = []
            do {
                let told = try await bench.run(lines, Self.configure, calls: fault.calls)
                failures = told.outcomes.values.compactMap(\.failure)
                #expect(told.outcomes.count == wanted.count && told.problems.isEmpty && told.unread.isEmpty)
            } catch let failure as Failure {
                failures = [failure]
            }
            #expect(failures.allSatisfy { $0.code == code }, "\(failures)")
            for file in wanted where exists(bench.path(file.name)) {
                let isOld = file.old.map { bench.holds(file.name, seed: $0.seed, $0.count) } ?? false
                #expect(isOld || bench.holds(file.name, seed: file.seed, file.count), "'\(file.name)' is half a file")
            }
            for file in wanted where file.old != nil { #expect(exists(bench.path(file.name))) }

            let again = try await bench.run(lines, Self.configure)
            #expect(again.isAllWell, "\(again.complaints)")
            for file in wanted { #expect(bench.holds(file.name, seed: file.seed, file.count), "'\(file.name)'") }
            #expect(try bench.tree().count == wanted.count + 2)
            #expect(bench.partials().isEmpty)
            return !failures.isEmpty
        }

        /// Whether nobody need be told that a call failed.
        private func isOfNoMatter(_ operation: SystemCalls.Operation, _ hit: OneFault.Hit) -> Bool {
            // The room that is kept for the records is a precaution; a run goes on without.
            if hit.path.hasSuffix("-reserve") { return true }
            return switch operation {
            // What is left over in it is looked for again by the next run; opened to work in, it is told.
            case .open: hit.path.hasSuffix("/.dlsync/partial")
            // The destination is there, as is found out.
            case .makeDirectory: hit.path.hasSuffix("/dest")
            // What nobody needs any more is removed by the next run.
            case .remove: hit.path.contains("/.dlsync/partial/")
            // Where the file system as a whole cannot be synced, each file is.
            case .sync: hit.path.hasSuffix("/dest")
            // Nothing was written through a directory or the lock, and what was written to a file was synced by the time
            // that it is closed once more.
            case .close: hit.wasClosed || !hit.path.contains("/.dlsync/partial/")
            // Bytes that cannot be compared with the server's count as others, and are fetched.
            case .read: hit.path.contains("/.dlsync/partial/")
            // The state is opened by its usual path then, names count as different if their case is, and a partial counts
            // as having no room yet when room is looked for.
            case .examine:
                hit.path.hasSuffix("/state.db") || hit.path.hasSuffix("/dest")
                    || hit.path.contains("/.dlsync/partial/r")
            default: false
            }
        }

        @Test(
            "Whichever call fails, the run tells it, no name holds half a file, and the next run makes all right",
            arguments: [
                SystemCalls.Operation.open, .makeDirectory, .rename, .remove, .write, .allocate, .truncate, .setTime,
                .sync, .close, .copy, .read, .examine, .lock,
            ])
        func everyCall(operation: SystemCalls.Operation) async throws {
            try await FaultServer.run { server in
                let clean = OneFault()
                #expect(try await run(server, clean, expecting: nil) == false)
                let codes: [(errno: Int32, failure: Failure.Code)] = [
                    (ENOSPC, .diskFull), (EIO, .disk), (EDQUOT, .diskFull),
                ]
                // How many calls there are depends on which files are published together, so the end is where three runs
                // in a row make fewer.
                var misses = 0
                for number in 0..<500 {
                    let code = codes[number % codes.count]
                    let fault = OneFault((operation, number, code.errno))
                    let isTold = try await run(server, fault, expecting: code.failure)
                    guard let hit = fault.hit else {
                        misses += 1
                        if misses < 3 { continue }
                        #expect(number > 2, "no call of this kind was made")
                        return
                    }
                    misses = 0
                    #expect(isTold || isOfNoMatter(operation, hit), "call \(number), \(hit), error \(code.errno)")
                }
                Issue.record("the calls have no end")
            }
        }
    }
}
