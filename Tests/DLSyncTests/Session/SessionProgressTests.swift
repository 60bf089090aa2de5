import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 2_000_000
private let original = Resource(.pattern(seed: 1, count: size), etag: "\"v1\"")
private let successor = Resource(.pattern(seed: 2, count: size), etag: "\"v2\"", lastModified: 1_700_000_100)
private let cut = Step.once(on: .get, .cut(after: 400_000))
/// An answer in whose midst a look at the progress is waited for.
private let watched = Fault.stall(after: 200_000, gate: "look")

/// What a server does to one file, and how many bytes come for it.
private struct Course: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var served = original
    var script: [Step]
    var segments = SegmentLimit.fixed(1)
    var seed: UInt64 = 1
    /// All bytes that arrive for it; nil where chance has a part in it.
    var received: Int64?
    /// Whether bytes are fetched more than once.
    var hasMore = false
}

private let courses = [
    Course(testDescription: "cut three times", script: [cut, cut, cut, .always(watched)], received: size),
    Course(
        testDescription: "cut three times, with as many segments as pay", script: [cut, cut, cut, .always(watched)],
        segments: .auto),
    Course(
        testDescription: "cut three times, with four segments", script: [cut, cut, cut, .always(watched)],
        segments: .fixed(4)),
    Course(
        testDescription: "cut three times, then another version",
        script: [cut, cut, cut, .always(.from(successor), watched)], seed: 2, received: 1_200_000 + size),
    Course(
        testDescription: "begun anew each time", served: Resource(.pattern(seed: 1, count: size), ranges: .none),
        script: [
            .once(.cut(after: 1_900_000)), .once(.cut(after: 1_900_000)), .once(.cut(after: 1_900_000)),
            .always(watched),
        ], hasMore: true),
    Course(
        testDescription: "long pages of errors first",
        script: [.times(3, .status(500), .body(.pattern(seed: 9, count: 60_000))), .always(watched)],
        received: 180_000 + size),
    Course(testDescription: "without a length", script: [.always(.closeDelimited, watched)], received: size),
]

/// What a snapshot claims that cannot be; nil where all is well.
private func lie(in snapshot: ProgressSnapshot) -> String? {
    if let file = snapshot.active.first(where: { file in file.size.map { file.have > $0 } ?? false }) {
        return "\(file.have) bytes of \(file.size ?? -1) are here"
    }
    if snapshot.bytesReceived > snapshot.bytesWanted {
        return "\(snapshot.bytesReceived) bytes of \(snapshot.bytesWanted) wanted have come"
    }
    let missing = snapshot.active.reduce(0) { $0 + max(0, ($1.size ?? $1.have) - $1.have) }
    if snapshot.bytesWanted - snapshot.bytesReceived < missing {
        return "of \(snapshot.bytesWanted) bytes \(snapshot.bytesReceived) have come, and \(missing) are missing"
    }
    return nil
}

extension SessionTests {
    @Suite struct Progress {
        /// Runs over a source, looks at the progress at every turn, and opens the gate once a look has seen the midst.
        private func watch(
            _ source: Source, of bench: Bench, _ server: FaultServer,
            _ change: @Sendable (inout SyncConfiguration) -> Void = { _ in },
            sawMidst: @escaping @Sendable (ProgressSnapshot) -> Bool
        ) async throws -> (told: Told, last: ProgressSnapshot) {
            let clock = ManualClock()
            return try await bench.session(
                {
                    change(&$0)
                    $0.stallTimeout = .seconds(1_000_000)
                }, clock: clock
            ) { session in
                let isOver = Flag()
                async let told = {
                    defer { isOver.set() }
                    return await session.tell([source])
                }()
                var lies: Set<String> = []
                try await session.turn {
                    clock.advance(by: .milliseconds(100))
                    let snapshot = session.progress
                    if lies.count < 10, let lie = lie(in: snapshot) { lies.insert(lie) }
                    if sawMidst(snapshot) { server.gate("look").open() }
                    return isOver.isSet
                }
                #expect(lies.isEmpty)
                return (await told, session.progress)
            }
        }

        @Test("case 15: no more is ever shown than the whole, however often bytes are fetched", arguments: courses)
        private func bounded(course: Course) async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", course.served, script: course.script)
                let (told, last) = try await watch(
                    try bench.list([server.url("/a")]), of: bench, server,
                    {
                        $0.segments = course.segments
                        $0.minimumSegment = 256 << 10
                    },
                    sawMidst: { snapshot in
                        // The last answer stands still in its midst.
                        let have = snapshot.active.first?.have ?? 0
                        return server.gate("look").waiting > 0 && have > 0 && have < size
                    })
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: course.seed, size))
                #expect(last.bytesReceived == last.bytesWanted && last.active.isEmpty)
                if let received = course.received { #expect(last.bytesReceived == received) }
                #expect(last.bytesReceived >= size && (!course.hasMore || last.bytesReceived > size))
            }
        }

        @Test("case 15: the bytes of a page do not stand for those of its files") func pages() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let rows = (0..<2000).map { IndexRow("no-such-file-\($0)", size: 1) }
                server.serve("/", .html(nginxIndexPage(of: "/", [IndexRow("a", size: 400_000)] + rows)))
                server.serve("/a", Resource(.pattern(seed: 1, count: 400_000)), script: [.always(watched)])
                let (told, last) = try await watch(
                    Source(argument: server.url("/")), of: bench, server,
                    sawMidst: { $0.active.contains { $0.have >= 200_000 } })
                #expect(told.outcomes["a"]?.status == .done)
                #expect(last.bytesReceived == last.bytesWanted)
            }
        }

        @Test("What is still missing is what the running files lack, and nothing once they are settled")
        func board() throws {
            let board = ProgressBoard()
            let (a, b) = (try RelativePath("a"), try RelativePath("b"))
            func show(_ path: RelativePath, _ have: Int64, _ size: Int64?) {
                board.fetches(.init(path: path, have: have, size: size, transfers: 1))
            }
            func expect(_ received: Int64, of wanted: Int64, _ location: SourceLocation = #_sourceLocation) {
                let snapshot = board.snapshot
                #expect(
                    snapshot.bytesReceived == received && snapshot.bytesWanted == wanted, "\(snapshot)",
                    sourceLocation: location)
            }
            board.count(bytes: 90)
            show(a, 90, 100)
            expect(90, of: 100)
            // Begun anew: 90 bytes come a second time.
            show(a, 0, 100)
            expect(90, of: 190)
            show(b, 0, nil)
            board.count(bytes: 1000)
            show(b, 1000, nil)
            expect(1090, of: 1190)
            board.count(bytes: 100)
            show(a, 100, 100)
            expect(1190, of: 1190)
            show(a, 0, .max)
            expect(1190, of: .max)
            board.settled(a, failed: true)
            board.settled(b, failed: false)
            expect(1190, of: 1190)
        }
    }
}
