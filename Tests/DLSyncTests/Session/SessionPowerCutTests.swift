import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// A file of the runs, and what the first run brought in its place.
private struct Wanted: Sendable {
    var name: String
    var seed: UInt64
    var count: Int64
    var old: (seed: UInt64, count: Int64)?
    /// Whether another program wrote it, and synced nothing.
    var isForeign = false
}

private let wanted = [
    Wanted(name: "empty", seed: 10, count: 0),
    Wanted(name: "small", seed: 11, count: 1),
    Wanted(name: "page", seed: 12, count: 4096),
    Wanted(name: "more", seed: 13, count: 20_000),
    Wanted(name: "big", seed: 1, count: 1_200_000),
    Wanted(name: "replaced", seed: 3, count: 7000, old: (2, 5000)),
    Wanted(name: "kept", seed: 4, count: 300, old: (4, 300)),
    Wanted(name: "foreign", seed: 7, count: 3000, isForeign: true),
    Wanted(name: "new/f", seed: 5, count: 1000),
    Wanted(name: "new/below/g", seed: 6, count: 2000),
]

private func date(_ file: Wanted) -> Int64 {
    Resource.ordinaryDate + (file.old == nil || file.old?.seed == file.seed ? 0 : 100)
}

/// What was done to a destination, and where its runs ended.
private struct History: Sendable {
    var disk: PowerCutDisk
    var steps: [PowerCutDisk.Step]
    /// How many steps there were when the first run had ended.
    var firstRun: Int
}

extension FaultServer {
    fileprivate func serveWanted(asBefore: Bool) {
        for file in wanted {
            if asBefore, let old = file.old {
                replace("/\(file.name)", Resource(.pattern(seed: old.seed, count: old.count)))
            } else {
                let body = Body.pattern(seed: file.seed, count: file.count)
                replace("/\(file.name)", Resource(body, lastModified: date(file)))
            }
        }
    }

    fileprivate func lines(asBefore: Bool) -> [String] {
        wanted.filter { !asBefore || $0.old != nil }.map { url("/\($0.name)") + " out=\($0.name)" }
    }
}

extension SessionTests {
    @Suite struct PowerCut {
        @Test(
            "Wherever the power is cut, no half file and no record ahead of its data is left, and the next run ends right",
            arguments: [false, true])
        func everyCut(isInterrupted: Bool) async throws {
            try await FaultServer.run { server in
                let history = try await record(server, isInterrupted: isInterrupted)
                server.serveWanted(asBefore: false)
                for cut in 1...history.steps.count {
                    for seed: UInt64 in 0..<3 { try await check(server, history, cut, seed) }
                }
            }
        }

        /// Two runs, the second over what another program left; with an interruption and one more run to end with, if
        /// so wanted.
        private func record(_ server: FaultServer, isInterrupted: Bool) async throws -> History {
            let bench = try Bench(isInMemory: true)
            let disk = PowerCutDisk(root: bench.destination)
            server.serveWanted(asBefore: true)
            let before = try await run(bench, server.lines(asBefore: true), on: disk.calls)
            #expect(before.isAllWell, "\(before.complaints)")
            let firstRun = disk.steps.count

            for file in wanted where file.isForeign { try writeForeign(file, bench, disk.calls) }
            server.serveWanted(asBefore: false)
            let lines = server.lines(asBefore: false)
            if isInterrupted { try await interrupt(bench, server, lines, disk.calls) }
            let told = try await run(bench, lines, on: disk.calls)
            #expect(told.isAllWell, "\(told.complaints)")
            return History(disk: disk, steps: disk.steps, firstRun: firstRun)
        }

        private func run(
            _ bench: Bench, _ lines: [String], on calls: SystemCalls = .live, bootID: String = "before"
        ) async throws -> Told {
            let list = try bench.list(lines)
            return try await bench.session(Self.configure, calls: calls, bootID: bootID) { session in
                await session.tell([list])
            }
        }

        private static let configure: @Sendable (inout SyncConfiguration) -> Void = {
            $0.segments = .fixed(2)
            $0.minimumSegment = 1 << 19
        }

        /// A run that is interrupted when the half of the big file is here.
        private func interrupt(
            _ bench: Bench, _ server: FaultServer, _ lines: [String], _ calls: SystemCalls
        ) async throws {
            let list = try bench.list(lines)
            let clock = ManualClock()
            let sentBefore = server.bodyBytesSent
            server.setScript("/big", [.times(2, on: .method("GET"), .stall(after: 300_000, gate: "stop"))])
            let told = try await bench.session(
                {
                    Self.configure(&$0)
                    $0.stallTimeout = .seconds(1_000_000)
                }, calls: calls, clock: clock, bootID: "before"
            ) { session in
                async let told = session.tell([list])
                try await server.gate("stop").waitForArrivals(1)
                await session.settle(server, clock, from: sentBefore)
                await session.interrupt()
                return await told
            }
            #expect(told.outcomes["big"]?.failure?.code == .interrupted)
            server.setScript("/big", [])
            try await server.waitUntilIdle()
        }

        private func writeForeign(_ file: Wanted, _ bench: Bench, _ calls: SystemCalls) throws {
            let path = bench.path(file.name)
            let number = try calls.open(
                in: SystemCalls.workingDirectory, Array(path.utf8), flags: O_CREAT | O_RDWR, mode: 0o666, path: path)
            let descriptor = Descriptor(number, calls: calls, path: path)
            let bytes = pattern(seed: file.seed, ByteRange(0, file.count))
            try bytes.withUnsafeBytes { try calls.write(number, $0, at: 0, path: path) }
            try calls.setModified(number, seconds: date(file), path: path)
            try descriptor.close()
        }

        // MARK: After the cut

        private func check(_ server: FaultServer, _ history: History, _ cut: Int, _ seed: UInt64) async throws {
            let bench = try Bench(isInMemory: true)
            let last = history.steps[max(0, cut - 4)..<cut].map { "\($0.effect) \($0.path)" }
            let place: Comment = "cut \(cut), seed \(seed), after \(last)"
            let found = try damage(bench, history, cut, seed)
            #expect(found.problems.isEmpty, place)

            let told = try await run(bench, server.lines(asBefore: false), bootID: "after")
            #expect(told.isAllWell, "\(told.complaints), \(place)")
            for file in wanted {
                // Nothing but its size and its date tells of a file that another program wrote.
                if file.isForeign, !found.vouched.contains(file.name) { continue }
                #expect(bench.holds(file.name, seed: file.seed, file.count), "\(file.name), \(place)")
            }
            #expect(try bench.tree().count == wanted.count + 2, place)
            #expect(bench.partials().isEmpty, place)
        }

        /// Builds what is left after a cut. Gives what must not be so, and the files that the state vouches for.
        private func damage(
            _ bench: Bench, _ history: History, _ cut: Int, _ seed: UInt64, lie: PowerCutDisk.Lie? = nil
        ) throws -> (problems: [String], vouched: Set<String>) {
            try history.disk.build(bench.destination, after: cut, seed: seed, lie: lie)
            var problems: [String] = []
            for file in wanted where !file.isForeign {
                guard exists(bench.path(file.name)) else {
                    if file.old != nil, cut >= history.firstRun { problems.append("'\(file.name)' is gone") }
                    continue
                }
                let isOld = file.old.map { bench.holds(file.name, seed: $0.seed, $0.count) } ?? false
                if !isOld, !bench.holds(file.name, seed: file.seed, file.count) {
                    problems.append("'\(file.name)' is half a file")
                }
            }
            guard exists(bench.path(".dlsync/state.db")) else { return (problems, []) }
            let destination = try Destination(path: bench.destination, access: .existing)
            let (state, note) = try StateStore.open(in: destination, bootID: "after")
            defer { state.close() }
            if let note { problems.append(note.message) }
            var vouched: Set<String> = []
            for file in wanted {
                let path = try RelativePath(file.name)
                guard let record = try state.records(for: [path])[0] else { continue }
                guard case .file(let local) = try destination.status(of: path) else {
                    problems.append("'\(file.name)' is recorded and missing")
                    continue
                }
                if record.file == local { vouched.insert(file.name) }
                // A new file may stand there without its record, but no old one with the record of the new.
                let isRecordOfOld = file.old != nil && record.identity.representation.length == file.old?.count
                let isRight = bench.holds(file.name, seed: file.seed, file.count) && record.file == local
                if !isRecordOfOld, !isRight { problems.append("the record of '\(file.name)' is ahead of it") }
            }
            for record in try state.allPartials() where !record.extents.isEmpty {
                problems += try self.problems(record, bench, history.steps.prefix(cut))
            }
            return (problems, vouched)
        }

        /// What is wrong with the data that a partial's record counts as synced.
        private func problems(
            _ record: PartialRecord, _ bench: Bench, _ steps: ArraySlice<PowerCutDisk.Step>
        ) throws -> [String] {
            let name = ".dlsync/partial/\(record.id)"
            let file = try #require(wanted.first { $0.name == record.path.description })
            guard exists(bench.path(name)) else {
                let isMeant = steps.contains { step in
                    step.effect == .renamed(from: name) || (step.effect == .removed && step.path == name)
                }
                return isMeant ? [] : ["'\(name)' is recorded and missing"]
            }
            let bytes = try readFile(bench.path(name))
            return record.extents.ranges.compactMap { range in
                let isRight =
                    Int(range.end) <= bytes.count
                    && bytes[Int(range.start)..<Int(range.end)].elementsEqual(pattern(seed: file.seed, range))
                return isRight ? nil : "the record of '\(name)' is ahead of it at \(range)"
            }
        }

        @Test("What was once synced of a partial still counts when more has come") func syncedBefore() async throws {
            let bench = try Bench(isInMemory: true)
            let destination = try Destination(path: bench.destination, access: .creating)
            let path = try RelativePath("a")
            let identity = Identity(resource: "http://h/a", representation: Representation(length: 300))
            let first = ByteRangeSet([ByteRange(0, 100)])
            do {
                let (state, _) = try StateStore.open(in: destination, bootID: "before")
                defer { state.close() }
                let desk = PublishDesk(destination: destination, state: state, run: 1)
                let id = desk.newPartialID()
                try write(pattern(seed: 1, ByteRange(0, 200)), to: destination.createPartial(id))
                desk.note(
                    .partial(PartialRecord(id: id, path: path, identity: identity, extents: first)), synced: true)
                await desk.drain()
                let more = ByteRangeSet([ByteRange(0, 200)])
                desk.note(.partial(PartialRecord(id: id, path: path, identity: identity, extents: more)))
                await desk.drain()
                #expect(try state.partials(for: [path])[0]?.extents == more)
            }
            let (state, _) = try StateStore.open(in: destination, bootID: "after")
            defer { state.close() }
            #expect(try state.partials(for: [path])[0]?.extents == first)
        }

        // MARK: The test itself

        @Test("A disk that forgets what it was told to keep is found out", arguments: PowerCutDisk.Lie.allCases)
        func findsLies(lie: PowerCutDisk.Lie) async throws {
            try await FaultServer.run { server in
                let history = try await record(server, isInterrupted: true)
                for cut in 1...history.steps.count {
                    for seed: UInt64 in 0..<3 {
                        let found = try damage(Bench(isInMemory: true), history, cut, seed, lie: lie)
                        if !found.problems.isEmpty { return }
                    }
                }
                Issue.record("nothing is found wrong")
            }
        }
    }
}
