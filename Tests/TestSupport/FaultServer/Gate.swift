/// A place where answers of a ``FaultServer`` wait for the test.
package struct Gate: Sendable {
    let name: String
    let core: ServerCore

    /// Lets everything pass from now on.
    package func open() { core.changeGate(name) { $0.isOpen = true } }

    /// Lets this many pass, in addition to those that were allowed and have not come.
    package func allow(_ count: Int = 1) { core.changeGate(name) { $0.permits += count } }

    /// Holds up what comes from now on, and forgets what was allowed.
    package func close() {
        core.changeGate(name) {
            $0.isOpen = false
            $0.permits = 0
        }
    }

    /// How many answers have come to the gate, those that passed at once among them.
    package var arrivals: Int { core.monitor.read { $0.gates[name]?.arrivals ?? 0 } }

    /// How many answers wait now.
    package var waiting: Int { core.monitor.read { $0.gates[name]?.waiting.count ?? 0 } }

    /// Blocks until `count` answers have come to the gate since the server's start.
    /// - Throws: ``WaitTimeout``.
    package func waitForArrivals(_ count: Int = 1) throws {
        let core = core
        let name = name
        try core.monitor.wait(for: "\(count) answers at the gate \(name)") { state in
            state.gates[name, default: .init()].arrivals >= count ? () : nil
        }
    }

    /// Suspends until `count` answers have come to the gate since the server's start.
    /// - Throws: ``WaitTimeout``.
    package func waitForArrivals(_ count: Int = 1) async throws {
        try await onThread { try self.waitForArrivals(count) }
    }
}
