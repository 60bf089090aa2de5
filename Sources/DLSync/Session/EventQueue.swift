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

        /// The next element, if there is one. Lets go of what was read from time to time.
        mutating func take() -> Element? {
            guard first < elements.count else { return nil }
            defer {
                first += 1
                if first == elements.count || first > 1024 {
                    elements.removeFirst(first)
                    first = 0
                }
            }
            return elements[first]
        }
    }

    private let state = Mutex(State())

    /// Adds an element. After ``finish()`` it is dropped.
    func push(_ element: Element) {
        if append(element) { wake() }
    }

    /// Adds an element without waking the reader, so that many are told at once.
    ///
    /// - Returns: Whether the reader sleeps: ``wake()`` is to be called soon.
    func append(_ element: Element) -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            state.elements.append(element)
            return state.reader != nil
        }
    }

    /// Gives a sleeping reader what has come.
    func wake() {
        let (reader, element) = state.withLock { state -> (CheckedContinuation<Element?, Never>?, Element?) in
            guard state.first < state.elements.count, let reader = state.reader else { return (nil, nil) }
            state.reader = nil
            return (reader, state.take())
        }
        reader?.resume(returning: element)
    }

    /// Says that nothing more comes.
    func finish() {
        wake()
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next element; nil after the last one.
    func next() async -> Element? {
        if let element = state.withLock({ $0.take() }) { return element }
        return await withCheckedContinuation { continuation in
            let (element, isOver) = state.withLock { state -> (Element?, Bool) in
                if let element = state.take() { return (element, false) }
                guard !state.isFinished else { return (nil, true) }
                state.reader = continuation
                return (nil, false)
            }
            if element != nil || isOver { continuation.resume(returning: element) }
        }
    }
}
