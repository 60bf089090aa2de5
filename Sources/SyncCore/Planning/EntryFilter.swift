/// Which entries are wanted, by their paths below the destination and by their sizes.
///
/// The first rule whose pattern matches decides. Where none does, an entry is wanted, unless all rules are of what to
/// include: then nothing else is.
public struct EntryFilter: Hashable, Sendable {
    /// One rule.
    public struct Rule: Hashable, Sendable {
        /// Whether what matches is wanted.
        public var includes: Bool
        /// What it is for.
        public var pattern: PathPattern

        /// A rule for a pattern.
        public init(includes: Bool, _ pattern: PathPattern) {
            self.includes = includes
            self.pattern = pattern
        }
    }

    /// The rules, in the order in which they are tried.
    public var rules: [Rule] = []
    /// The fewest bytes of a wanted file.
    public var minimumSize: Int64?
    /// The most bytes of a wanted file.
    public var maximumSize: Int64?

    /// A filter that wants everything.
    public init() {}

    /// What is known of an entry's size against the bounds.
    public enum SizeVerdict: Hashable, Sendable {
        case wanted
        case unwanted
        /// It has to be known more exactly.
        case undecided
    }

    private var wantsByDefault: Bool { rules.isEmpty || rules.contains { !$0.includes } }

    /// Whether any size is unwanted.
    public var boundsSizes: Bool { minimumSize != nil || maximumSize != nil }

    /// Whether a path is wanted.
    public func wants(_ path: RelativePath) -> Bool {
        rules.first { $0.pattern.matches(path.bytes) }?.includes ?? wantsByDefault
    }

    /// Whether nothing below a directory can be wanted, so that nobody need look there.
    ///
    /// - Parameter directory: Its path below the destination, without a last slash; empty for the destination itself.
    public func excludesAll(below directory: [UInt8]) -> Bool {
        guard !directory.isEmpty else { return false }
        for rule in rules {
            if rule.includes, rule.pattern.mayMatchBelow(directory) { return false }
            if !rule.includes, rule.pattern.matchesAllBelow(directory) { return true }
        }
        return !wantsByDefault
    }

    /// Whether a size is wanted. A rounded one is unwanted only where it lies outside of the bounds however it was
    /// rounded, and a number that its source often gets wrong decides nothing.
    public func verdict(on size: SizeKnowledge) -> SizeVerdict {
        guard boundsSizes else { return .wanted }
        switch size {
        case .exact(let bytes): return wants(bytes) ? .wanted : .unwanted
        case .within(let bounds):
            if bounds.upperBound < minimumSize ?? .min || bounds.lowerBound > maximumSize ?? .max { return .unwanted }
            return wants(bounds.lowerBound) && wants(bounds.upperBound) ? .wanted : .undecided
        case .unknown, .claimed: return .undecided
        }
    }

    private func wants(_ bytes: Int64) -> Bool { bytes >= minimumSize ?? .min && bytes <= maximumSize ?? .max }

    /// Why a size is unwanted, in words that complete "because …"; nil where it is wanted.
    package func objection(to bytes: Int64) -> String? {
        if let minimumSize, bytes < minimumSize {
            return "its \(bytes) bytes are fewer than the \(minimumSize) that --min-size asks for"
        }
        if let maximumSize, bytes > maximumSize {
            return "its \(bytes) bytes are more than the \(maximumSize) that --max-size allows"
        }
        return nil
    }
}

// MARK: - Files of rules

extension EntryFilter {
    /// A line of a file of rules that is none.
    package struct BadLine: Error, Hashable, Sendable {
        /// The line, counted from 1.
        package var line: Int
        /// What is wrong, in words that complete "the line …" or "the pattern …".
        package var message: String
    }

    /// Reads a file of rules: `+ PATTERN` includes, `- PATTERN` excludes, lines that are empty or start with `#` say
    /// nothing.
    package static func rules(in file: [UInt8]) throws(BadLine) -> [Rule] {
        var rules: [Rule] = []
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var line = line
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard let sign = line.first, sign != UInt8(ascii: "#"), !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 })
            else { continue }
            guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), line.dropFirst().first == UInt8(ascii: " ")
            else { throw BadLine(line: index + 1, message: "the line starts neither with '+ ' nor with '- '") }
            do {
                let pattern = try PathPattern(Array(line.dropFirst(2)))
                rules.append(Rule(includes: sign == UInt8(ascii: "+"), pattern))
            } catch {
                throw BadLine(line: index + 1, message: "the pattern \(error)")
            }
        }
        return rules
    }
}
