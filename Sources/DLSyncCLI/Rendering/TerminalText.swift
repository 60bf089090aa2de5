/// Names as a terminal can show them, measured in its columns.
package enum TerminalText {
    /// A name for people: U+FFFD for what is not UTF-8, and everything escaped that could move the cursor, start a line
    /// or turn the direction of writing, since names come from servers.
    package static func printable(_ bytes: some Collection<UInt8>) -> String {
        var result = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            // Nearly all of them, and to look a category up is dear.
            if (0x20..<0x7F).contains(scalar.value) {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar.properties.generalCategory {
            case .control:
                let digits = String(scalar.value, radix: 16)
                result += scalar.value < 0x10 ? "\\x0\(digits)" : "\\x\(digits)"
            case .lineSeparator, .paragraphSeparator: result += "\\u{\(String(scalar.value, radix: 16))}"
            case .format where isDirectional(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The columns that a printable text takes: two for a wide character, none for what combines with one before.
    package static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    /// A printable text in at most so many columns: where it is longer, its middle gives way to `…`, since the end of a
    /// file's name tells as much as its beginning.
    package static func shortened(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        guard width > 0 else { return "" }
        let room = width - 1
        let tail = fitting(text.reversed(), in: room / 2)
        let head = fitting(text, in: room - tail.columns)
        return String(head.characters) + "…" + String(tail.characters.reversed())
    }

    /// A printable text in exactly so many columns: shortened, or with blanks behind it.
    package static func fitted(_ text: String, to width: Int) -> String {
        let short = shortened(text, to: width)
        return short + String(repeating: " ", count: max(0, width - columns(of: short)))
    }

    /// As many characters from the start as fit.
    private static func fitting(
        _ text: some Sequence<Character>, in width: Int
    ) -> (characters: [Character], columns: Int) {
        var result: (characters: [Character], columns: Int) = ([], 0)
        for character in text {
            let columns = columns(of: character)
            guard result.columns + columns <= width else { break }
            result.characters.append(character)
            result.columns += columns
        }
        return result
    }

    /// The sum of the scalars, as most terminals have it. One that draws several scalars as one sign takes fewer columns
    /// than this, which leaves a gap; to count too few would wrap the line.
    private static func columns(of character: Character) -> Int {
        character.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x80, 0xAD, 0x1F1E6...0x1F1FF: return 1
        // What asks for the emoji form of the sign before it, which may be wider by one.
        case 0xFE0F: return 1
        // The vowels and finals of Hangul join the initial before them.
        case 0x1160...0x11FF: return 0
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    /// The wide and full-width blocks of Unicode's annex 11, without the few scalars in them that are not.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// The marks that turn the direction of writing, by which a name can look like another (`exe.gpj`).
    private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
