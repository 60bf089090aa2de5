/// Fills words into lines of at most a width; a word that is longer stands alone on its line, whole, since what is cut
/// cannot be copied. Blank text gives no lines.
func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
        if line.isEmpty {
            line = String(word)
        } else if line.count + 1 + word.count <= width {
            line += " \(word)"
        } else {
            lines.append(line)
            line = String(word)
        }
    }
    return line.isEmpty ? lines : lines + [line]
}

extension String {
    /// This many spaces.
    static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
