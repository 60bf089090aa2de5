import Glibc
import SyncCore
import Testing

/// The bytes of this process that are in memory.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let numbers = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
    return numbers.count > 1 ? (Int(numbers[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// Reads so many lines of a list, from a number on, as a run reads them: in pieces, each entry placed and claimed and then
/// forgotten. Gives the number of entries that got their path.
private func read(
    _ lines: Range<Int>, _ reader: inout any ManifestReader, _ registry: inout PathRegistry
) throws -> Int {
    let placement = Placement(layout: .host)
    var claimed = 0
    for start in stride(from: lines.lowerBound, to: lines.upperBound, by: 500) {
        let text = (start..<min(start + 500, lines.upperBound)).map { line in
            "https://mirror.example/pool/directory-\(line / 100)/a-file-with-a-longer-name-\(line).tar.gz size=\(line)\n"
        }.joined()
        var items: [ManifestItem] = []
        try reader.read(Array(text.utf8)[...], into: &items)
        for case .entry(let entry) in items {
            let path = try placement.path(of: entry)
            if registry.claim(path, for: entry.urls[0].resourceIdentity) == .new { claimed += 1 }
        }
    }
    return claimed
}

@Suite(.timeLimit(.minutes(10))) struct ListMemoryTests {
    /// In a process of its own, since what other tests take would be counted too. A release build takes some thirty bytes.
    @Test("case 23: a line of a long list costs a few hundred bytes at most, however long it is")
    func memoryOfLines() async {
        await #expect(processExitsWith: .success) {
            var reader: any ManifestReader = ListReader(context: ManifestContext(sourceName: "list"))
            var registry = PathRegistry()
            // What is needed once is needed by now.
            let first = try read(0..<20_000, &reader, &registry)
            let before = residentBytes()
            let rest = try read(20_000..<200_000, &reader, &registry)
            let perLine = (residentBytes() - before) / 180_000
            let again = try read(0..<1000, &reader, &registry)
            // An entry is given once the next line shows that no options follow. All of them are known still.
            #expect(first == 19_999 && rest == 180_000 && again == 1, "\(first), \(rest), \(again)")
            #expect(before > 0 && perLine <= 512, "\(perLine) bytes for each line")
        }
    }
}
