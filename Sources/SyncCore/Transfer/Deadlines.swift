/// Moments at which something is to be done, earliest first: a binary heap.
package struct Deadlines<Key: Sendable>: Sendable {
    private var heap: [(time: MonotonicTime, key: Key)] = []

    package init() {}

    /// The earliest moment.
    package var earliest: MonotonicTime? { heap.first?.time }

    /// Adds a moment.
    package mutating func add(_ key: Key, at time: MonotonicTime) {
        heap.append((time, key))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest key out if its moment has come.
    package mutating func next(now: MonotonicTime) -> Key? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.key }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].time < heap[least].time { least = child }
            }
            guard least != parent else { return first.key }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
