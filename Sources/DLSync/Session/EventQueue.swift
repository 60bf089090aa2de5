internal import Synchronization

/// A lossless queue from any thread to one reader.
///
/// The sequence of events that a run gives out is built on it, so that no type of the concurrency library is part of the
/// interface.
final class EventQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var first = 0
        var isFinished = false
        var reader: CheckedContinuation<Element?, Never>?

        /// Moves on, and lets go of what was read from time to time.
        mutating func advance() {
            first += 1
            if first == elements.count || first > 1024 {
                elements.removeFirst(first)
                first = 0
            }
        }
    }

    private let state = Mutex(State())

    /// Adds an element. After ``finish()`` it is dropped.
    func push(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.elements.append(element)
            return nil
        }
        reader?.resume(returning: element)
    }

    /// Says that nothing more comes.
    func finish() {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next element; nil after the last one.
    func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let (element, isOver) = state.withLock { state -> (Element?, Bool) in
                if state.first < state.elements.count {
                    defer { state.advance() }
                    return (state.elements[state.first], false)
                }
                guard !state.isFinished else { return (nil, true) }
                state.reader = continuation
                return (nil, false)
            }
            if element != nil || isOver { continuation.resume(returning: element) }
        }
    }
}
