/// Cuts a text into lines however its bytes arrive, without copying those that arrive whole.
///
/// Lines end with LF or CR LF; the last one may lack its end. A line longer than the limit is not kept, only told.
package struct LineSplitter: Sendable {
    /// One line.
    package enum Line: Hashable, Sendable {
        /// The line's bytes without its end.
        case text(ArraySlice<UInt8>)
        /// A line longer than the limit.
        case tooLong
    }

    /// The number of the line that ``next()`` or ``finish()`` gave last, counted from 1.
    package private(set) var number = 0

    private let limit: Int
    private var chunk: ArraySlice<UInt8> = []
    /// The start of a line whose end has not arrived yet.
    private var carried: [UInt8] = []
    /// Whether ``carried`` was given out as a line and is to be cleared.
    private var carriedIsUsed = false
    private var isSkipping = false

    /// A splitter that keeps lines of up to `limit` bytes.
    package init(limit: Int) { self.limit = limit }

    /// Takes the next bytes. The lines of the bytes before must have been asked for until there was none.
    package mutating func push(_ bytes: ArraySlice<UInt8>) { chunk = bytes }

    /// The next line that is complete; nil if more bytes are needed.
    package mutating func next() -> Line? {
        clearUsed()
        guard let end = chunk.firstIndex(of: 0x0A) else {
            carry(chunk)
            chunk = []
            return nil
        }
        let piece = chunk[..<end]
        chunk = chunk[(end &+ 1)...]
        number &+= 1
        if isSkipping {
            isSkipping = false
            return .tooLong
        }
        guard !carried.isEmpty else { return line(piece) }
        // One byte more than the limit may be the CR of the line's end.
        if carried.count &+ piece.count <= limit &+ 1 {
            carried.append(contentsOf: piece)
            carriedIsUsed = true
            return line(carried[...])
        }
        carried.removeAll(keepingCapacity: true)
        return .tooLong
    }

    /// The text's last line, if it has no end of its own.
    package mutating func finish() -> Line? {
        clearUsed()
        if isSkipping {
            isSkipping = false
            number &+= 1
            return .tooLong
        }
        guard !carried.isEmpty else { return nil }
        number &+= 1
        carriedIsUsed = true
        return line(carried[...])
    }

    private mutating func clearUsed() {
        guard carriedIsUsed else { return }
        carriedIsUsed = false
        carried.removeAll(keepingCapacity: true)
    }

    private mutating func carry(_ piece: ArraySlice<UInt8>) {
        guard !isSkipping, !piece.isEmpty else { return }
        if carried.count &+ piece.count > limit &+ 1 {
            isSkipping = true
            carried.removeAll(keepingCapacity: true)
        } else {
            carried.append(contentsOf: piece)
        }
    }

    private func line(_ bytes: ArraySlice<UInt8>) -> Line {
        let text = bytes.last == 0x0D ? bytes.dropLast() : bytes
        return text.count > limit ? .tooLong : .text(text)
    }
}
