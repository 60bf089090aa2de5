/// The number of letters to insert, drop, replace or swap with their neighbour that makes one word the other
/// (optimal string alignment).
func editDistance(_ one: String, _ other: String) -> Int {
    let one = Array(one.unicodeScalars)
    let other = Array(other.unicodeScalars)
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in one.indices {
        var current = [row + 1]
        for column in other.indices {
            var best = min(last[column + 1] + 1, current[column] + 1)
            best = min(best, last[column] + (one[row] == other[column] ? 0 : 1))
            if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        beforeLast = last
        last = current
    }
    return last[other.count]
}

/// The word that was probably meant: the nearest one, if a third of its letters or fewer are wrong, or else the only one
/// that begins with what was typed. Of equally near ones the first is taken.
func nearest(to typed: String, among words: [String]) -> String? {
    // A word that long is no slip of the fingers, and the distance costs the product of the lengths.
    guard typed.unicodeScalars.count <= 64 else { return nil }
    var best: (word: String, distance: Int)?
    for word in words {
        let distance = editDistance(typed, word)
        let letters = word.drop { $0 == "-" }.count
        if distance <= max(1, letters / 3), distance < best?.distance ?? .max { best = (word, distance) }
    }
    if let best { return best.word }
    let longer = words.filter { $0.hasPrefix(typed) }
    return longer.count == 1 ? longer[0] : nil
}
