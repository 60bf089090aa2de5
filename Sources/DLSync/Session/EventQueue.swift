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
        /// Who waits for the reader to catch up.
        var writer: CheckedContinuation<Void, Never>?

        var isFull: Bool { elements.count - first > EventQueue.mostWaiting }

        mutating func takeWriter() -> CheckedContinuation<Void, Never>? {
            guard !isFull else { return nil }
            defer { writer = nil }
            return writer
        }

        /// Who waited, whether there is room or not.
        mutating func dropWriter() -> CheckedContinuation<Void, Never>? {
            defer { writer = nil }
            return writer
        }

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

    /// Above so many elements a writer that can wait does so.
    private static var mostWaiting: Int { 4096 }

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
        let (taken, writer) = state.withLock { state in (state.take(), state.takeWriter()) }
        writer?.resume()
        if let taken { return taken }
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

    /// Waits until the reader has caught up, or the task is cancelled. There is one caller at a time.
    func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let writer = state.withLock { state -> CheckedContinuation<Void, Never>? in
                    state.writer = continuation
                    guard !Task.isCancelled else { return state.dropWriter() }
                    return state.takeWriter()
                }
                writer?.resume()
            }
        } onCancel: {
            state.withLock { $0.dropWriter() }?.resume()
        }
    }
}
