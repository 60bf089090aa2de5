/// The control sequences (ECMA-48) that draw lines over those that were drawn before.
///
/// The cursor rests at the beginning of the line below the last one, before and after.
package enum TerminalRedraw {
    /// What to write so that `lines` stand where `previousLines` stood.
    ///
    /// Each line is written over the old one and then cleared to its end, never cleared first, so that nothing flickers;
    /// a line that is as it was is not written again. Lines must fit the terminal, or the count of them is wrong.
    package static func sequence(previousLines: [String], lines: [String]) -> String {
        guard previousLines != lines else { return "" }
        var result = previousLines.isEmpty ? "" : "\u{1B}[\(previousLines.count)A"
        for (index, line) in lines.enumerated() {
            if index >= previousLines.count || !previousLines[index].utf8.elementsEqual(line.utf8) {
                result += "\r\(line)\u{1B}[K"
            }
            result += "\n"
        }
        // What was drawn below the last line would else stay.
        return lines.count < previousLines.count ? result + "\r\u{1B}[J" : result
    }

    /// What to write so that a message stands above the lines, which are drawn again below it.
    package static func sequence(printing message: String, above lines: [String]) -> String {
        let erased = sequence(previousLines: lines, lines: [])
        return erased + message + "\n" + sequence(previousLines: [], lines: lines)
    }
}
