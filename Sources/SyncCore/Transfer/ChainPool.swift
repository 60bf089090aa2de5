/// A queue whose elements live in a ``ChainPool``: first in, first out, and any element can leave from the middle.
struct Chain: Sendable {
    /// The node of the first element; nil where the chain is empty.
    fileprivate(set) var first: Int?
    fileprivate var last: Int?

    /// Whether the chain holds nothing.
    var isEmpty: Bool { first == nil }
}

/// The nodes of many chains in one array, so that an element enters at a chain's end and leaves from anywhere in
/// constant time, and a node that became free serves again.
struct ChainPool<Element: Sendable>: Sendable {
    private struct Node: Sendable {
        var element: Element
        var previous: Int?
        var next: Int?
    }

    private var nodes: [Node] = []
    private var free: [Int] = []

    /// The element at a node that is in a chain.
    subscript(node: Int) -> Element { nodes[node].element }

    /// Puts an element at a chain's end; the node that it gets is its own until it is removed.
    mutating func append(_ element: Element, to chain: inout Chain) -> Int {
        let fresh = Node(element: element, previous: chain.last, next: nil)
        let node: Int
        if let used = free.popLast() {
            node = used
            nodes[node] = fresh
        } else {
            node = nodes.count
            nodes.append(fresh)
        }
        if let last = chain.last { nodes[last].next = node } else { chain.first = node }
        chain.last = node
        return node
    }

    /// Takes a node out of the chain that it is in.
    mutating func remove(_ node: Int, from chain: inout Chain) {
        let (previous, next) = (nodes[node].previous, nodes[node].next)
        if let previous { nodes[previous].next = next } else { chain.first = next }
        if let next { nodes[next].previous = previous } else { chain.last = previous }
        free.append(node)
    }
}
