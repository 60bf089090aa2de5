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
        var writers: [CheckedContinuation<Void, Never>] = []

        /// The next element, if there is one. Lets go of what was read from time to time: not so often that a long queue is
        /// moved for every few elements.
        mutating func take() -> Element? {
            guard first < elements.count else { return nil }
            defer {
                first += 1
                if first == elements.count || first > max(1024, elements.count / 2) {
                    elements.removeFirst(first)
                    first = 0
                }
            }
            return elements[first]
        }

        /// Those that wait for room, once half of it is there.
        mutating func writersToWake() -> [CheckedContinuation<Void, Never>] {
            guard !writers.isEmpty, isFinished || elements.count - first <= EventQueue.most / 2 else { return [] }
            defer { writers = [] }
            return writers
        }
    }

    /// How many elements may wait to be read before ``waitForRoom()`` suspends.
    private static var most: Int { 4096 }

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

    /// Suspends while the reader is far behind: for a writer that could fill the memory. Returns at once after ``finish()``.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isFinished || state.elements.count - state.first <= Self.most { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Says that nothing more comes, or that nothing more is wanted.
    func finish() {
        wake()
        let (reader, writers) = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return (state.reader, state.writersToWake())
        }
        reader?.resume(returning: nil)
        for writer in writers { writer.resume() }
    }

    /// The next element; nil after the last one.
    func next() async -> Element? {
        let (element, writers) = state.withLock { state in (state.take(), state.writersToWake()) }
        for writer in writers { writer.resume() }
        if let element { return element }
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
