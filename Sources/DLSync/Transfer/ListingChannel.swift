internal import SyncCore
internal import Synchronization

/// Carries one document from the loop's thread to its reader: a bounded buffer between a thread that must not wait and
/// a task that may.
final class ListingChannel: Sendable {
    /// What the reader gets.
    enum Element: Sendable {
        /// An answer begins. A second one means that the first was cut, and all is told once more from its start.
        case begin(ResponseHead, WebURL)
        case bytes([UInt8])
        case end
        case failed(Failure)
    }

    /// What the sender is told.
    enum Room {
        case more
        /// Hold back until the channel calls for more.
        case full
    }

    private struct State {
        var elements: [Element] = []
        var bytes = 0
        var isHeld = false
        var reader: CheckedContinuation<Element, Never>?
        var isOver = false
    }

    /// The sender is held back above this many bytes, and called again below a quarter.
    private static let mostBytes = 1 << 20

    /// What the sender hears from the reader.
    enum Wish: Sendable {
        /// It was held back, and may go on.
        case more
        /// Nothing more is read.
        case nothing
    }

    private let state = Mutex(State())
    private let tellSender: @Sendable (Wish) -> Void

    /// A channel; `tellSender` is called by the reader's task.
    init(tellSender: @escaping @Sendable (Wish) -> Void) { self.tellSender = tellSender }

    @discardableResult
    func push(_ bytes: [UInt8]) -> Room { push(.bytes(bytes), count: bytes.count) }

    func begin(_ head: ResponseHead, from url: WebURL) { _ = push(.begin(head, url), count: 0) }

    func finish(_ failure: Failure?) { _ = push(failure.map(Element.failed) ?? .end, count: 0) }

    private func push(_ element: Element, count: Int) -> Room {
        let (reader, room) = state.withLock { state -> (CheckedContinuation<Element, Never>?, Room) in
            guard !state.isOver else { return (nil, .more) }
            switch element {
            case .end, .failed: state.isOver = true
            case .begin, .bytes: break
            }
            if let reader = state.reader {
                state.reader = nil
                return (reader, .more)
            }
            state.elements.append(element)
            state.bytes += count
            state.isHeld = state.bytes > Self.mostBytes
            return (nil, state.isHeld ? .full : .more)
        }
        reader?.resume(returning: element)
        return room
    }

    /// The next element, in order. After `end` or `failed` it must not be asked again.
    func next() async -> Element {
        await withCheckedContinuation { continuation in
            let (element, wantsMore) = state.withLock { state -> (Element?, Bool) in
                guard !state.elements.isEmpty else {
                    state.reader = continuation
                    return (nil, false)
                }
                let element = state.elements.removeFirst()
                if case .bytes(let bytes) = element { state.bytes -= bytes.count }
                let wantsMore = state.isHeld && state.bytes < Self.mostBytes / 4
                if wantsMore { state.isHeld = false }
                return (element, wantsMore)
            }
            if wantsMore { tellSender(.more) }
            if let element { continuation.resume(returning: element) }
        }
    }

    /// Ends the reading, wherever it is: a sender that was held back would wait for ever.
    func stopReading() {
        let wasOpen = state.withLock { state in
            defer {
                state.isOver = true
                state.elements = []
            }
            return !state.isOver
        }
        if wasOpen { tellSender(.nothing) }
    }
}
