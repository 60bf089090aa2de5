import Glibc
import TestSupport

/// Suspends until something that other programs do has happened.
/// - Throws: ``NothingHappened`` after a time that only bounds a fault.
func waitUntil(_ awaited: String, _ condition: @escaping @Sendable () throws -> Bool) async throws {
    try await onThread {
        for _ in 0..<6000 {
            if try condition() { return }
            poll(nil, 0, 10)
        }
        throw NothingHappened(awaited: awaited)
    }
}

/// Something that was waited for did not come.
struct NothingHappened: Error { let awaited: String }

/// Counts what passes a gate of a server, since answers that were given up at it have come to it too.
struct GateCount: Sendable {
    private let server: FaultServer
    private let gate: Gate
    private let before: Int

    /// Begins to count: nothing may wait at the gate.
    init(_ server: FaultServer, _ name: String) {
        self.server = server
        gate = server.gate(name)
        before = gate.arrivals
    }

    /// How many have passed.
    var passed: Int { gate.arrivals - before - gate.waiting }

    /// Suspends until so many have passed and all they let through is on its way, or until the process has ended.
    func waitForPasses(_ count: Int, of process: ChildProcess) async throws {
        try await waitUntil("\(count) pieces of the answers") {
            !process.isRunning || passed >= count && server.statistics.activeRequests == gate.waiting
        }
    }
}
