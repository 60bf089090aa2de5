/// A positional argument, for the help. How many there must be depends on the mode, so that the caller asks for it with
/// ``ParsedArguments/positionals(named:atLeast:atMost:)``.
package struct ArgumentSpec: Hashable, Sendable {
    /// The name, without its angle brackets.
    package let name: String
    /// What it is, in full sentences.
    package let help: String

    /// A positional argument.
    package init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }
}

/// A part of the manual that is not about one option: exit statuses, files, examples.
package struct ManualSection: Hashable, Sendable {
    /// A block of such a part.
    package enum Block: Hashable, Sendable {
        /// Running text, filled to the width.
        case paragraph(String)
        /// Words and what they mean, such as exit statuses.
        case definitions([Definition])
        /// Lines to be typed or read as they stand.
        case verbatim([String])
    }

    /// A word and what it means.
    package struct Definition: Hashable, Sendable {
        package let term: String
        package let meaning: String

        /// A word and what it means.
        package init(_ term: String, _ meaning: String) {
            self.term = term
            self.meaning = meaning
        }
    }

    /// The heading, with a capital at its beginning.
    package let title: String
    /// What stands below it.
    package let blocks: [Block]
    /// Whether `--help` shows it too, and not only the manual.
    package let isInHelp: Bool

    /// A part of the manual.
    package init(_ title: String, isInHelp: Bool = false, _ blocks: [Block]) {
        self.title = title
        self.blocks = blocks
        self.isInHelp = isInHelp
    }
}

/// A whole command line as data: one table, from which parser, help, manual, completions and reference are made.
///
/// Sections stand in the order in which they first occur in the table, and the options of a section in theirs.
package struct CommandSpec: Hashable, Sendable {
    /// The name that the command is called by.
    package let name: String
    /// What it does, in one sentence.
    package let overview: String
    /// More of that, a paragraph each.
    package let discussion: [String]
    /// The ways to call it, without the name itself: `[<options>] <source> ... <dest>`.
    package let usage: [String]
    /// The positional arguments, in order.
    package let arguments: [ArgumentSpec]
    /// The options, in the order of the help.
    package let options: [OptionSpec]
    /// What the manual says beyond the options.
    package let manual: [ManualSection]

    /// A command line.
    package init(
        name: String, overview: String, discussion: [String] = [], usage: [String], arguments: [ArgumentSpec] = [],
        options: [OptionSpec], manual: [ManualSection] = []
    ) {
        self.name = name
        self.overview = overview
        self.discussion = discussion
        self.usage = usage
        self.arguments = arguments
        self.options = options
        self.manual = manual
    }

    /// The option of a long name.
    package func option(named name: String) -> OptionSpec? {
        options.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The option of a one-letter name.
    package func option(short: Character) -> OptionSpec? {
        options.first { $0.short == short }
    }

    /// What is wrong with the table itself, a sentence each: names used twice, names that could not be typed, help that
    /// is not a sentence. A test asks for it, so that the parser need not.
    package func inconsistencies() -> [String] {
        var faults: [String] = []
        var seen: Set<String> = []
        for option in options {
            let spellings =
                ["--\(option.name)"] + (option.isNegatable ? ["--no-\(option.name)"] : [])
                + (option.short.map { ["-\($0)"] } ?? [])
            for spelling in spellings where !seen.insert(spelling).inserted {
                faults.append("\(spelling) stands in the table twice.")
            }
            let isTypable = option.name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            }
            if option.name.utf8.count < 2 || !isTypable || option.name.hasPrefix("-") {
                faults.append("--\(option.name) is no long name of small letters, digits, dots and hyphens.")
            }
            if let short = option.short, !(short.isASCII && (short.isLetter || short.isNumber)) {
                faults.append("-\(short) of --\(option.name) is no ASCII letter or digit.")
            }
            if let placeholder = option.placeholder, placeholder.isEmpty {
                faults.append("--\(option.name) has an empty placeholder.")
            }
            if !option.help.hasSuffix(".") { faults.append("The help of --\(option.name) is not a sentence.") }
            if case .words(let words) = option.completion {
                // Shells expand these words, so that only letters which mean nothing to any shell are safe.
                for word in words where word.isEmpty || !word.utf8.allSatisfy(Self.isPlain) {
                    faults.append("'\(word)' of --\(option.name) is more than letters, digits and '.', '_', '-', '+'.")
                }
            }
            if option.section.isEmpty { faults.append("--\(option.name) stands in no section.") }
        }
        return faults
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
        default: false
        }
    }

    /// The sections in order, each with its options.
    var sections: [(title: String, options: [OptionSpec])] {
        var sections: [(title: String, options: [OptionSpec])] = []
        for option in options {
            if let index = sections.firstIndex(where: { $0.title == option.section }) {
                sections[index].options.append(option)
            } else {
                sections.append((option.section, [option]))
            }
        }
        return sections
    }

    /// Every long spelling, in the order of the table.
    var longSpellings: [String] {
        options.flatMap { $0.isNegatable ? ["--\($0.name)", "--no-\($0.name)"] : ["--\($0.name)"] }
    }
}
