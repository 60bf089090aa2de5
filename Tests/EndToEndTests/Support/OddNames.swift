import TestSupport

/// Names that are right on a disk and awkward everywhere else.
let oddNames = [
    "plain.bin", "with space.txt", " leading and trailing ", "ünï©ode-名前.dat", "emoji 🎉.bin", "e\u{301} decomposed",
    "\u{E9} composed", "100%.txt", "%41 is no A", "%2F is no slash", "a#b.txt", "what?.txt", "query?a=b&c=d",
    "it's.txt",
    "\"quoted\".txt", "plus+plus", "amp&amp;.txt", "<b>.html", "semi;colon,comma", "a=b", "[brackets]{braces}",
    "back\\slash", "pipe|caret^tick`", "trailing dot.", "-dash", "~tilde", ".hidden", "at@sign:8080", "$(money)",
    "star*",
    "..two dots", "tab\tstop", "new\nline", "archive.tar.gz", "UPPER.BIN", "upper.bin", "C:drive",
    "a very long name that a listing cuts short because it has more than fifty characters.bin",
]

/// Makes sizes that are mostly small, sometimes big: none, or up to 8 MiB, about evenly over the orders of magnitude.
func mixedSize(using generator: inout SeededGenerator) -> Int64 {
    let magnitude = Int64.random(in: 0...23, using: &generator)
    return Int64.random(in: 0...(1 << magnitude), using: &generator)
}

/// Writes files of odd and of ordinary names with random sizes into a directory, and gives the names.
func makeFiles(in directory: String, count: Int, seed: UInt64) throws -> [String] {
    var generator = SeededGenerator(seed: seed)
    var names = oddNames
    for number in 0..<max(0, count - oddNames.count) { names.append("file-\(number).bin") }
    names.shuffle(using: &generator)
    for (index, name) in names.enumerated() {
        let size = index == 0 ? 0 : index == 1 ? 8 << 20 : mixedSize(using: &generator)
        try writePatternFile(
            "\(directory)/\(name)", seed: generator.next(), count: size,
            modified: 1_600_000_000 + Int64.random(in: 0...100_000_000, using: &generator))
    }
    return names
}
