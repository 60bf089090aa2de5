import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

private let large: Int64 = 3 << 20

/// A call that fails for one file.
struct DiskFault: Sendable, CustomTestStringConvertible {
    var operation: SystemCalls.Operation
    var code: Int32
    var failure: Failure.Code
    var testDescription: String { "\(operation) with error \(code)" }
}

/// Calls of which those of one kind fail where `fails` says so, by the path and how often that was asked before.
private func failing(
    _ operation: SystemCalls.Operation, _ code: Int32, _ fails: @escaping @Sendable (String, Int) -> Bool
) -> SystemCalls {
    let counts = Counts()
    return SystemCalls { called, path in
        guard called == operation else { return nil }
        return fails(path, counts.next(path)) ? .failure(code) : nil
    }
}

/// How often each path was asked for.
private final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    func next(_ path: String) -> Int {
        counts.withLock { counts in
            defer { counts[path, default: 0] += 1 }
            return counts[path, default: 0]
        }
    }
}

extension SessionTests {
    @Suite struct Disk {
        @Test(
            "A full disk fails the file that it hits, and the others go on",
            arguments: [
                DiskFault(operation: .write, code: ENOSPC, failure: .diskFull),
                DiskFault(operation: .write, code: EDQUOT, failure: .diskFull),
                DiskFault(operation: .write, code: EIO, failure: .disk),
                DiskFault(operation: .allocate, code: ENOSPC, failure: .diskFull),
                DiskFault(operation: .setTime, code: EIO, failure: .disk),
                DiskFault(operation: .sync, code: EIO, failure: .disk),
                DiskFault(operation: .sync, code: ENOSPC, failure: .diskFull),
            ])
        func partialFails(fault: DiskFault) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["a", "b", "c"] { server.serve("/\(name)", Resource(.pattern(seed: 1, count: large))) }
                // The first partial of the run is the first file's, since one is fetched after the other.
                let calls = failing(fault.operation, fault.code) { path, _ in path.hasSuffix("partial/r1-1") }
                let told = try await bench.run(
                    ["a", "b", "c"].map { server.url("/\($0)") }, { $0.connections = 1 }, calls: calls)
                #expect(told.outcomes["a"]?.failure?.code == fault.failure, "\(told.complaints)")
                #expect(
                    told.outcomes["b"]?.status == .done && told.outcomes["c"]?.status == .done, "\(told.complaints)")
                #expect(try bench.tree() == ["b", "c"])
                let again = try await bench.run(["a", "b", "c"].map { server.url("/\($0)") })
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(bench.holds("a", seed: 1, large) && bench.holds("b", seed: 1, large))
                #expect(bench.partials().isEmpty)
            }
        }

        @Test(
            "A rename or a directory that fails keeps the old file, and the data for another run",
            arguments: [(SystemCalls.Operation.rename, ENOSPC), (.rename, EROFS), (.makeDirectory, ENOSPC)])
        func publishingFails(operation: SystemCalls.Operation, code: Int32) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for index in 0..<20 { server.serve("/\(index)", Resource(.pattern(seed: 1, count: 100))) }
                server.serve("/big", Resource(.pattern(seed: 2, count: large)))
                let lines =
                    (0..<20).map { server.url("/\($0)") + " out=d\($0)/f" } + [server.url("/big") + " out=big/f"]
                let calls = failing(operation, code) { path, _ in
                    ["/d7", "/d7/f", "/big", "/big/f"].contains { path.hasSuffix($0) }
                }
                let told = try await bench.run(lines, calls: calls)
                for path in ["d7/f", "big/f"] {
                    #expect(told.outcomes[path]?.failure?.code == (code == EROFS ? .readOnly : .diskFull))
                    #expect(!exists(bench.path(path)))
                }
                #expect(told.summary.succeeded == 19, "\(told.complaints)")
                // The large file's data is not thrown away with the failure.
                let before = server.bodyBytesSent
                let again = try await bench.run(lines)
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(server.bodyBytesSent - before <= 100)
                #expect(bench.holds("big/f", seed: 2, large) && bench.holds("d7/f", seed: 1, 100))
                #expect(bench.partials().isEmpty)
            }
        }

        @Test("What was written before a write that failed is kept, and nothing behind it", arguments: [0, 1, 5, 11])
        func writeFailsLate(written: Int) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: large)))
                let calls = failing(.write, ENOSPC) { path, before in
                    path.hasSuffix("partial/r1-1") && before == written
                }
                let told = try await bench.run([server.url("/a")], { $0.connections = 1 }, calls: calls)
                #expect(told.outcomes["a"]?.failure?.code == .diskFull)
                let before = server.bodyBytesSent
                let again = try await bench.run([server.url("/a")])
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(bench.holds("a", seed: 1, large))
                #expect(server.bodyBytesSent - before <= large - Int64(written * WriteBuffer.size) + 200)
            }
        }

        @Test("A sync of the file system that fails publishes nothing that may not be safe") func syncFails()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                for index in 0..<50 { server.serve("/\(index)", Resource(.pattern(seed: 1, count: 100))) }
                let isBroken = Flag()
                let calls = SystemCalls { operation, path in
                    guard operation == .sync, path.hasSuffix("/dest") || path.contains("partial/") else { return nil }
                    return isBroken.isSet ? .failure(EIO) : nil
                }
                let lines = (0..<50).map { server.url("/\($0)") }
                let list = try bench.list(lines)
                let told = try await bench.session(calls: calls) { session in
                    isBroken.set()
                    return await session.tell([list])
                }
                #expect(told.outcomes.count == 50)
                #expect(told.outcomes.values.allSatisfy { $0.failure?.code == .disk })
                #expect(try bench.tree().isEmpty)
                let again = try await bench.run(lines)
                #expect(again.isAllWell && bench.partials().isEmpty)
            }
        }

        @Test("Data that turns out wrong after the run was interrupted ends the run all the same") func lateMismatch()
            async throws
        {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.bytes([])))
                let (reached, mayGo) = (Flag(), Flag())
                defer { mayGo.set() }
                // An empty file is opened once more to be verified, as no digest ran along with its bytes.
                let opened = Counts()
                let calls = SystemCalls { operation, path in
                    guard operation == .open, path.contains("/partial/r"), opened.next(path) == 1 else { return nil }
                    reached.set()
                    while !mayGo.isSet { sched_yield() }
                    return nil
                }
                let list = try bench.list([server.url("/a") + " sha-256=" + String(repeating: "0", count: 64)])
                let told = try await bench.session(calls: calls) { session in
                    async let told = session.tell([list])
                    try await session.turn { reached.isSet }
                    await session.interrupt()
                    mayGo.set()
                    return await told
                }
                #expect(told.outcomes["a"]?.status == .failed)
                #expect(try bench.tree().isEmpty)
            }
        }

        @Test("Data whose sync has failed is trusted no more, though a second sync would succeed")
        func lostWrites() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 3 << 20)))
                let failed = Flag()
                let calls = SystemCalls { operation, path in
                    guard operation == .sync, path.contains("/partial/r"), !path.hasSuffix("-reserve"), !failed.isSet
                    else {
                        return nil
                    }
                    failed.set()
                    return .failure(EIO)
                }
                let told = try await bench.run([server.url("/a")], calls: calls)
                #expect(failed.isSet)
                #expect(told.outcomes["a"]?.failure?.code == .disk)
                #expect(try bench.tree().isEmpty)
                #expect(bench.partials().isEmpty)
                let again = try await bench.run([server.url("/a")])
                #expect(again.isAllWell, "\(again.complaints)")
                #expect(server.requests.filter { $0.method == "GET" }.map(\.range) == [nil, nil])
                #expect(bench.holds("a", seed: 1, 3 << 20))
            }
        }

        @Test("What was whole when the run was interrupted is published") func lateSuccess() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 1000)))
                let (reached, mayGo) = (Flag(), Flag())
                defer { mayGo.set() }
                let calls = SystemCalls { operation, path in
                    guard operation == .sync, path.contains("/partial/r") else { return nil }
                    reached.set()
                    while !mayGo.isSet { sched_yield() }
                    return nil
                }
                let list = try bench.list([server.url("/a")])
                let told = try await bench.session(calls: calls) { session in
                    async let told = session.tell([list])
                    try await session.turn { reached.isSet }
                    await session.interrupt()
                    mayGo.set()
                    return await told
                }
                #expect(told.outcomes["a"]?.status == .done, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, 1000))
            }
        }

        @Test(
            "Where room is not taken ahead, a file that does not fit beside those that run is not begun",
            .enabled(if: Mount.isAllowed, "needs the right to mount a tmpfs"))
        func dividesRoom() async throws {
            let bench = try Bench()
            let mount = try Mount(memory: "6m", at: bench.destination)
            defer { withExtendedLifetime(mount) {} }
            try await FaultServer.run { server in
                for name in ["a", "b", "c"] {
                    server.serve(
                        "/\(name)", Resource(.pattern(seed: 1, count: large)),
                        script: [.always(on: .get, .stall(after: 1000, gate: "flow"))])
                }
                let calls = failing(.allocate, EOPNOTSUPP) { path, _ in !path.hasSuffix("reserve") }
                let list = try bench.list(["a", "b", "c"].map { server.url("/\($0)") })
                let told = try await bench.session(calls: calls) { session in
                    async let told = session.tell([list])
                    try await server.waitForRequests(3, .get)
                    server.gate("flow").open()
                    return await told
                }
                #expect(told.summary.succeeded == 1, "\(told.complaints)")
                let failures = told.outcomes.values.compactMap(\.failure)
                #expect(failures.count == 2 && failures.allSatisfy { $0.code == .diskFull }, "\(told.complaints)")
                #expect(failures.allSatisfy { $0.message.hasPrefix("it needs 3.0 MiB and ") }, "\(told.complaints)")
                #expect(bench.partials().isEmpty)
            }
        }

        @Test("Three thousand small files come through sixteen connections") func manyFiles() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let count = 3000
                for index in 0..<count {
                    server.serve(
                        "/\(index % 50)/\(index)", Resource(.pattern(seed: UInt64(index), count: Int64(index % 900))))
                }
                let lines = (0..<count).map { server.url("/\($0 % 50)/\($0)") + " out=\($0 % 50)/\($0)" }
                let configure: @Sendable (inout SyncConfiguration) -> Void = { $0.connectionsPerHost = 16 }
                let told = try await bench.run(lines, configure)
                #expect(told.isAllWell && told.outcomes.count == count, "\(told.complaints.prefix(3))")
                #expect(server.statistics.connectionsAccepted <= 16)
                #expect(bench.partials().isEmpty)
                for index in stride(from: 0, to: count, by: 97) {
                    #expect(bench.holds("\(index % 50)/\(index)", seed: UInt64(index), Int64(index % 900)))
                }
                let again = try await bench.run(lines, configure)
                #expect(again.summary.actions == [.upToDate: count], "\(again.complaints.prefix(3))")
            }
        }
    }
}
