internal import Dispatch
internal import SyncCore

/// Looks at what stands in the destination and in the state for an entry, before anybody is asked.
final class Surveyor: Sendable {
    private let destination: Destination
    private let state: StateStore
    private let queue = DispatchQueue(label: "dlsync.survey")
    /// Whether any earlier run left a failure: mostly there is none to look for.
    private let hasFailures: Bool

    init(destination: Destination, state: StateStore) {
        self.destination = destination
        self.state = state
        hasFailures = (try? state.hasFailures()) ?? false
    }

    /// Looks at what is here of each entry, away from every thread that must not wait.
    func survey(_ facts: [EntryFacts]) async -> [EntryFacts] {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: look(facts)) }
        }
    }

    /// Does something with the state, away from every thread that must not wait.
    func onQueue(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work()
                continuation.resume()
            }
        }
    }

    private func look(_ facts: [EntryFacts]) -> [EntryFacts] {
        var facts = facts
        let paths = facts.map(\.path)
        // A state that cannot be read only costs work: everything is compared anew.
        let records = (try? state.records(for: paths)) ?? Array(repeating: nil, count: paths.count)
        let partials = (try? state.partials(for: paths)) ?? Array(repeating: nil, count: paths.count)
        let failures = hasFailures ? (try? state.failures(for: paths)) : nil
        for index in facts.indices {
            facts[index].failure = failures?[index]
            facts[index].record = records[index]
            facts[index].partial = partials[index].flatMap { destination.hasData(of: $0) ? $0 : nil }
            do {
                facts[index].local = try destination.status(of: facts[index].path)
            } catch {
                facts[index].local = .unreadable(error.failure)
            }
        }
        return facts
    }
}
