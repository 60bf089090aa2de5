/// A pattern for paths below the destination, as `--include`, `--exclude` and `--publish-last` take it.
///
/// `*` stands for any bytes within a component, `**` for any bytes across directories, `?` for one character, `[a-z]` for
/// one character of a set (`[!a-z]` for one outside of it), and a backslash makes the next character stand for itself. A
/// pattern that starts with a slash is matched from the top. Any other may begin at any directory, so that one without a
/// slash is for names. One that ends in a slash is for a directory with all below it.
///
/// A pattern is matched in one pass over the path, with all the places in the pattern that may be reached kept at once:
/// no name that a server makes up takes more than time proportional to both lengths.
public struct PathPattern: Hashable, Sendable {
    /// Why a text is no pattern.
    public enum Fault: Error, Hashable, Sendable {
        /// It names nothing.
        case empty
        /// A set has no closing bracket.
        case openSet
        /// A backslash has nothing behind it.
        case openEscape
    }

    /// One step of a pattern.
    private enum Token: Hashable, Sendable {
        case byte(UInt8)
        /// One character, which is no slash.
        case character
        /// One character of ranges, or outside of them; never a slash.
        case set([ClosedRange<UInt32>], isInverted: Bool)
        /// Any bytes but slashes.
        case star
        /// Any bytes.
        case everything
        /// Any number of whole directories, none included.
        case directories
    }

    /// The pattern as it was given.
    public let text: [UInt8]
    private let tokens: [Token]

    /// Reads a pattern.
    public init(_ text: [UInt8]) throws(Fault) {
        self.text = text
        let slash = UInt8(ascii: "/")
        var rest = text[...]
        var tokens: [Token] = []
        if rest.first == slash { rest.removeFirst() } else { tokens.append(.directories) }
        guard !rest.isEmpty else { throw .empty }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                guard rest.first == UInt8(ascii: "*") else {
                    tokens.append(.star)
                    continue
                }
                while rest.first == UInt8(ascii: "*") { rest.removeFirst() }
                // At the start of a component `**/` may also stand for no directory at all.
                let isWhole = tokens.isEmpty || tokens.last == .directories || tokens.last == .byte(slash)
                if isWhole, rest.first == slash, rest.count > 1 {
                    rest.removeFirst()
                    if tokens.last != .directories { tokens.append(.directories) }
                } else {
                    tokens.append(.everything)
                }
            case UInt8(ascii: "?"): tokens.append(.character)
            case UInt8(ascii: "["): tokens.append(try Self.set(&rest))
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .openEscape }
                tokens.append(.byte(next))
            default: tokens.append(.byte(byte))
            }
        }
        if tokens.last == .byte(slash) { tokens.append(.everything) }
        // Any name in any directory is anything at all.
        if tokens.suffix(2) == [.directories, .star] {
            tokens.replaceSubrange((tokens.count - 2)..., with: [.everything])
        }
        self.tokens = tokens
    }

    /// Reads a set behind its opening bracket.
    private static func set(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Token {
        let isInverted = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
        if isInverted { rest.removeFirst() }
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while let low = Character.read(&rest) {
            if low == UInt32(UInt8(ascii: "]")), !isFirst { return .set(ranges, isInverted: isInverted) }
            isFirst = false
            var end = rest
            if end.popFirst() == UInt8(ascii: "-"), let high = Character.read(&end), high != UInt32(UInt8(ascii: "]")) {
                rest = end
                if low <= high { ranges.append(low...high) }
            } else {
                ranges.append(low...low)
            }
        }
        throw .openSet
    }

    /// Whether a path is of the pattern.
    public func matches(_ path: some Collection<UInt8>) -> Bool {
        var places = Places(tokens)
        places.read(path)
        return places.isAtEnd
    }

    /// Whether some path below a directory may be of the pattern.
    public func mayMatchBelow(_ directory: some Collection<UInt8>) -> Bool {
        var places = Places(tokens)
        places.read(directory)
        places.read([UInt8(ascii: "/")])
        return places.isAlive
    }

    /// Whether every path below a directory is of the pattern for sure.
    public func matchesAllBelow(_ directory: some Collection<UInt8>) -> Bool {
        var places = Places(tokens)
        places.read(directory)
        places.read([UInt8(ascii: "/")])
        return places.takeEverything
    }

    /// Characters as patterns count them: UTF-8 sequences, and single bytes where there is none.
    private enum Character {
        static func read(_ bytes: inout ArraySlice<UInt8>) -> UInt32? {
            guard let first = bytes.popFirst() else { return nil }
            let more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0
            guard more > 0, bytes.prefix(more).count == more, bytes.prefix(more).allSatisfy({ $0 & 0xC0 == 0x80 })
            else { return UInt32(first) }
            var scalar = UInt32(first) & (0x3F >> UInt32(more))
            for byte in bytes.prefix(more) { scalar = scalar << 6 | UInt32(byte & 0x3F) }
            bytes = bytes.dropFirst(more)
            return scalar
        }
    }

    /// The places in a pattern that were reached after some bytes of a path.
    private struct Places {
        private let tokens: [Token]
        /// Whether the bytes may stand before each token; the last place is the pattern's end.
        private var reached: [Bool]
        /// Whether they may stand within a directory of a token of directories.
        private var within: [Bool]

        init(_ tokens: [Token]) {
            self.tokens = tokens
            reached = Array(repeating: false, count: tokens.count + 1)
            within = reached
            reached[0] = true
            skip(from: 0)
        }

        var isAtEnd: Bool { reached[tokens.count] }
        var isAlive: Bool { reached.contains(true) || within.contains(true) }
        var takeEverything: Bool { !tokens.isEmpty && tokens.last == .everything && reached[tokens.count - 1] }

        /// Goes on over what may stand for nothing.
        private mutating func skip(from start: Int) {
            var place = start
            while place < tokens.count, reached[place] {
                switch tokens[place] {
                case .star, .everything, .directories: reached[place + 1] = true
                case .byte, .character, .set: return
                }
                place += 1
            }
        }

        mutating func read(_ path: some Collection<UInt8>) {
            var rest = Array(path)[...]
            while !rest.isEmpty, isAlive {
                let start = rest
                guard let scalar = Character.read(&rest) else { return }
                // Places that stand for whole characters take them whole; in all others a character's bytes go one by one.
                step(start.prefix(start.count - rest.count), scalar)
            }
            if !rest.isEmpty { reached = Array(repeating: false, count: reached.count) }
        }

        private mutating func step(_ bytes: ArraySlice<UInt8>, _ scalar: UInt32) {
            let isSlash = bytes.first == UInt8(ascii: "/")
            var next = Places(empty: tokens)
            for place in tokens.indices {
                let isHere = reached[place]
                switch tokens[place] {
                case .byte where isHere: next.takeBytes(bytes, at: place)
                case .character where isHere && !isSlash: next.reached[place + 1] = true
                case .set(let ranges, let isInverted) where isHere && !isSlash:
                    if ranges.contains(where: { $0.contains(scalar) }) != isInverted { next.reached[place + 1] = true }
                case .star where isHere && !isSlash: next.reached[place] = true
                case .everything where isHere: next.reached[place] = true
                case .directories where isHere || within[place]:
                    if !isSlash { next.within[place] = true } else if within[place] { next.reached[place] = true }
                default: break
                }
            }
            for place in tokens.indices where next.reached[place] { next.skip(from: place) }
            self = next
        }

        private init(empty tokens: [Token]) {
            self.tokens = tokens
            reached = Array(repeating: false, count: tokens.count + 1)
            within = reached
        }

        /// Takes the bytes of one character where the pattern spells them out.
        private mutating func takeBytes(_ bytes: ArraySlice<UInt8>, at start: Int) {
            for (offset, byte) in bytes.enumerated() {
                let place = start + offset
                guard place < tokens.count, tokens[place] == .byte(byte) else { return }
            }
            reached[start + bytes.count] = true
        }
    }
}

extension PathPattern.Fault: CustomStringConvertible {
    /// The fault in words that complete "the pattern …".
    public var description: String {
        switch self {
        case .empty: "names nothing"
        case .openSet: "has a '[' without its ']'"
        case .openEscape: "ends in a backslash"
        }
    }
}
