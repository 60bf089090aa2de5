import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

/// The tests of whole sessions. One after the other: each has threads, servers and loops of its own, and some of them turn
/// a clock as fast as they can.
@Suite(.serialized, .timeLimit(.minutes(10))) enum SessionTests {}

/// What one run of a session told, ordered by path.
struct Told: Sendable {
    private(set) var outcomes: [String: Outcome] = [:]
    private(set) var planned: [String: PlannedEntry] = [:]
    private(set) var verified: [String: Verification] = [:]
    private(set) var problems: [Failure] = []
    private(set) var unread: [(source: String, failure: Failure)] = []
    private(set) var deletions: [PlannedDeletion] = []
    private(set) var kept: [KeptDeletions] = []
    private(set) var summary = SyncSummary()

    mutating func note(_ event: SyncEvent) {
        summary.count(event)
        switch event {
        case .outcome(let outcome):
            #expect(outcomes[outcome.path.description] == nil, "'\(outcome.path)' has two outcomes")
            outcomes[outcome.path.description] = outcome
        case .planned(let entry): planned[entry.facts.path.description] = entry
        case .verified(let finding): verified[finding.path.description] = finding
        case .plannedDeletion(let deletion): deletions.append(deletion)
        case .deletionsKept(let reason): kept.append(reason)
        case .listed, .listing: break
        case .problem(_, let failure): problems.append(failure)
        case .sourceFailed(let source, let failure): unread.append((source, failure))
        }
    }

    /// Whether every entry is in sync, and every source was read.
    var isAllWell: Bool { summary.failed == 0 && problems.isEmpty && unread.isEmpty }

    /// The messages of everything that went wrong.
    var complaints: [String] {
        outcomes.values.compactMap { $0.failure?.message } + problems.map(\.message) + unread.map(\.failure.message)
    }
}

/// A destination, the lists that are synced into it, and sessions on it.
final class Bench: Sendable {
    let directory: TemporaryDirectory
    /// The destination's path.
    let destination: String

    init(isInMemory: Bool = false) throws {
        directory = try TemporaryDirectory(isInMemory: isInMemory)
        destination = directory.path("dest")
    }

    /// The path of something below the destination.
    func path(_ name: String) -> String { "\(destination)/\(name)" }

    /// Writes a list, and names it as a source.
    func list(_ lines: [String], name: String = "list.txt") throws -> Source {
        try writeFile(directory.path(name), lines.joined(separator: "\n") + "\n")
        return .file(directory.path(name))
    }

    /// Opens a session without waits between retries.
    func session<Result: Sendable>(
        _ change: (inout SyncConfiguration) -> Void = { _ in }, calls: SystemCalls = .live,
        clock: any LoopClock = SystemClock(), bootID: String = currentBootID(),
        _ body: @Sendable (SyncSession) async throws -> Result
    ) async throws -> Result {
        var configuration = SyncConfiguration()
        configuration.longestRetryWait = .zero
        change(&configuration)
        return try await withSyncSession(
            into: Array(destination.utf8), configuration,
            on: SyncSession.Machine(calls: calls, clock: clock, bootID: bootID),
            body)
    }

    /// Runs a session over sources to its end.
    func run(
        _ sources: [Source], _ change: (inout SyncConfiguration) -> Void = { _ in }, calls: SystemCalls = .live
    ) async throws -> Told {
        try await session(change, calls: calls) { session in await session.tell(sources) }
    }

    /// Runs a session over a list to its end.
    func run(
        _ lines: [String], _ change: (inout SyncConfiguration) -> Void = { _ in }, calls: SystemCalls = .live
    ) async throws -> Told {
        try await run([list(lines)], change, calls: calls)
    }

    /// What stands below the destination, dlsync's own directory left out.
    func tree() throws -> [String] {
        guard exists(destination) else { return [] }
        return try treeListing(destination, skipping: [".dlsync"]).keys.map(\.description).sorted()
    }

    /// The files of partials that are there.
    func partials() -> [String] {
        directory.names(in: "dest/.dlsync/partial").filter { $0 != "." && $0 != ".." }
    }

    /// Whether a file is the whole of a pattern.
    func holds(_ name: String, seed: UInt64, _ count: Int64) -> Bool {
        (try? fileMatchesPattern(path(name), seed: seed, count: count)) ?? false
    }
}

extension SyncSession {
    /// Runs over sources to the end.
    func tell(_ sources: [Source]) async -> Told { await Told(of: run(sources)) }

    /// Lets the loop take turns until something holds.
    func turn(until condition: () -> Bool) async throws {
        for _ in 0..<2_000_000 {
            if condition() { return }
            try Task.checkCancellation()
            _ = await loop.newSeed()
        }
        Issue.record("what is waited for does not come: \(await loop.account); \(desk.account)")
        throw CancellationError()
    }

    /// Waits until as many bytes have arrived as the server has sent, which the progress shows as its clock goes on.
    ///
    /// - Parameter sentBefore: What the server had sent before this session.
    func settle(_ server: FaultServer, _ clock: ManualClock, from sentBefore: Int64) async {
        for _ in 0..<100_000 {
            clock.advance(by: .milliseconds(100))
            _ = await loop.newSeed()
            if progress.bytesReceived >= server.bodyBytesSent - sentBefore { return }
        }
        Issue.record("the bytes that were sent do not arrive")
    }
}

extension Told {
    init(of events: SyncEvents) async {
        self.init()
        for await event in events { note(event) }
    }
}

extension ManualClock: LoopClock {
    /// The clock starts at midnight.
    package var minuteOfDay: Int { Int(now.sinceStart.components.seconds / 60 % 1440) }
}

/// Moves a session's clock on, a step at each turn of its loop, until `body` is done: what would wait for hours waits for
/// some thousand turns.
func driving<Result: Sendable>(
    _ clock: ManualClock, of session: SyncSession, by step: Duration = .milliseconds(50),
    _ body: @Sendable () async throws -> Result
) async throws -> Result {
    let isDone = Flag()
    async let ticking: Void = {
        while !isDone.isSet, !Task.isCancelled {
            clock.advance(by: step)
            _ = await session.loop.newSeed()
        }
    }()
    let result: Result
    do {
        defer { isDone.set() }
        result = try await body()
    }
    await ticking
    return result
}

/// Something that is set once.
final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

extension RecordedRequest {
    /// The range that was asked for, as half-open offsets; an open end is nil.
    var asked: (start: Int64, end: Int64?)? {
        guard let range, range.hasPrefix("bytes=") else { return nil }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Int64(ends[0]) else { return nil }
        return (start, Int64(ends[1]).map { $0 + 1 })
    }

    /// The request's method and range in short: `GET 0-99`, `HEAD`.
    var short: String { range.map { "\(method) \($0.dropFirst(6))" } ?? method }
}

extension FaultServer {
    /// What was asked of a path, in short.
    func asked(_ path: String) -> [String] { requests(to: path).map(\.short) }
    /// How many of a path's requests had this method.
    func count(_ method: String, _ path: String? = nil) -> Int {
        requests.count { $0.method == method && (path == nil || $0.path == path) }
    }
}
