/// The hosts that are paused, by slot, in a binary heap whose root is the pause that ends first.
struct PauseHeap: Sendable {
    private struct Pause: Sendable {
        let slot: Int
        var end: MonotonicTime
    }

    private var heap: [Pause] = []
    /// Where in the heap a slot's pause is.
    private var positions: [Int: Int] = [:]

    /// Pauses a slot, or lets its pause end later.
    mutating func set(_ slot: Int, until end: MonotonicTime) {
        if let position = positions[slot] {
            heap[position].end = max(heap[position].end, end)
            siftDown(position)
        } else {
            heap.append(Pause(slot: slot, end: end))
            positions[slot] = heap.count - 1
            siftUp(heap.count - 1)
        }
    }

    /// Takes out one pause that has ended, the earliest first; nil where there is none.
    mutating func removeFirst(endedBy now: MonotonicTime) -> Int? {
        guard let first = heap.first, first.end <= now else { return nil }
        positions[first.slot] = nil
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            positions[last.slot] = 0
            siftDown(0)
        }
        return first.slot
    }

    /// The earliest end of the pauses whose slots are asked for. Only below those that are not is the heap descended.
    func earliest(where isWanted: (Int) -> Bool) -> MonotonicTime? {
        var earliest: MonotonicTime?
        var open = heap.isEmpty ? [] : [0]
        while let position = open.popLast() {
            let pause = heap[position]
            if let earliest, earliest <= pause.end { continue }
            if isWanted(pause.slot) {
                earliest = pause.end
            } else {
                for child in [2 * position + 1, 2 * position + 2] where child < heap.count { open.append(child) }
            }
        }
        return earliest
    }

    private mutating func siftUp(_ start: Int) {
        var position = start
        while position > 0, heap[position].end < heap[(position - 1) / 2].end {
            exchange(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < heap.count && heap[child].end < heap[least].end {
                least = child
            }
            guard least != position else { return }
            exchange(position, least)
            position = least
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        positions[heap[one].slot] = one
        positions[heap[other].slot] = other
    }
}
