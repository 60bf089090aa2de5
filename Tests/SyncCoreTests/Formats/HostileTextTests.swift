import Foundation
import SyncCore
import TestSupport
import Testing

/// The readers of text formats, each with the room of its samples.
private let formats: [(format: ManifestFormat, room: String)] = [
    (.autoindexJSON, "json"), (.bagItFetch, "bagit"), (.checksums, "checksums"), (.csv, "tables"), (.debian, "debian"),
    (.list, "list"), (.tsv, "tables"),
]

private let context = ManifestContext(sourceName: "source", baseURL: WebURL("http://h.example/dists/d/list"))

private func read(_ format: ManifestFormat, _ pieces: [ArraySlice<UInt8>]) -> Reading {
    ReaderVerifier { format.makeReader(context) }.read(pieces: pieces)
}

/// What must hold of any reading, whatever the bytes were.
private func check(_ reading: Reading, of count: Int, _ format: ManifestFormat, _ note: String) {
    #expect(reading.items.count <= count + 1, "\(format.name), \(note)")
    for problem in reading.problems {
        #expect(!problem.message.isEmpty && problem.message.utf8.count < 1000, "\(format.name), \(note)")
    }
    if let error = reading.error {
        #expect(error.message.hasPrefix("source ") || error.message.contains(" source "), "\(error)")
    }
    for entry in reading.entries {
        #expect(entry.urls.allSatisfy { $0.scheme == "http" || $0.scheme == "https" }, "\(format.name), \(note)")
        // Where out= and dir= lead is judged when the entry is placed.
        guard format.name != "list", let path = entry.suggestedPath else { continue }
        #expect(path.first != 0x2F, "\(format.name), \(note)")
        #expect(!path.split(separator: 0x2F).contains { $0.elementsEqual("..".utf8) }, "\(format.name), \(note)")
    }
}

@Suite struct HostileTextTests {
    @Test(
        "samples with seeded damage are read without a fault, the same however they are cut", arguments: formats.indices
    )
    func mutations(_ index: Int) throws {
        let (format, room) = formats[index]
        let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/\(room)")
        let others = try formats.map { other in
            let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/\(other.room)")
            let name = try #require(ManifestFixture.names(in: directory).first)
            return try ManifestFixture(name, in: directory).bytes.prefix(2000)
        }
        var generator = SeededGenerator(seed: UInt64(index))
        for name in ManifestFixture.names(in: directory) {
            let sample = Array(try ManifestFixture(name, in: directory).bytes.prefix(3000))
            for round in 0..<25 {
                var bytes = sample
                for _ in 0...Int.random(in: 0...4, using: &generator) { damage(&bytes, others, &generator) }
                let whole = read(format, [bytes[...]])
                check(whole, of: bytes.count, format, "\(name), round \(round)")
                for _ in 0..<4 {
                    let cut = Int.random(in: 0...bytes.count, using: &generator)
                    #expect(
                        read(format, [bytes[..<cut], bytes[cut...]]) == whole, "\(name), round \(round), cut at \(cut)")
                }
            }
        }
    }

    private func damage(
        _ bytes: inout [UInt8], _ others: [ArraySlice<UInt8>], _ generator: inout SeededGenerator
    ) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...40, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 3: bytes.removeSubrange(place...)
        case 4:
            let pieces = [
                "\u{0}", "\n", "\r", "\"", "\\", "../", "//", "\t", ";", "%00", "\u{FEFF}", "{", "]", "(", " = ", ": ",
            ]
            bytes.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: place)
        case 5:
            let other = others.randomElement(using: &generator) ?? []
            bytes.insert(contentsOf: other.prefix(Int.random(in: 0...300, using: &generator)), at: place)
        default:
            bytes.insert(
                contentsOf: [[0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80]].randomElement(using: &generator) ?? [], at: place
            )
        }
    }

    /// Two mebibytes without a line end, in pieces as they come from a server.
    @Test(
        "an endless line, name or field is told once, or ends the reading",
        arguments: formats.indices, ["a", "a b", "a,", "a\t", "\"", "[", "{\"name\":\"", "a/", " ", "\\", "0"])
    func endless(_ index: Int, _ pattern: String) {
        let format = formats[index].format
        let piece = Array(String(repeating: pattern, count: 65_536 / pattern.utf8.count).utf8)
        let reading = read(format, Array(repeating: piece[...], count: 32))
        check(reading, of: 1, format, "endless \(pattern)")
        #expect(reading.entries.isEmpty, "\(format.name), \(pattern)")
    }

    @Test(
        "a good start does not help an endless line",
        arguments: [
            (ManifestFormat.csv, "url,md5\nhttp://a.example/"), (.csv, "url,md5\n\"http://a.example/"),
            (.tsv, "url\tmd5\nhttp://a.example/"), (.checksums, "d41d8cd98f00b204e9800998ecf8427e  "),
            (.debian, "Package: x\nFilename: "), (.bagItFetch, "http://a.example/ - "), (.list, "http://a.example/"),
            (.autoindexJSON, "[{\"name\":\""), (.checksums, "SHA256 (x) = "),
        ])
    func longNames(_ format: ManifestFormat, _ start: String) {
        let piece = [UInt8](repeating: 0x78, count: 65_536)
        let reading = read(format, [Array(start.utf8)[...]] + Array(repeating: piece[...], count: 32))
        check(reading, of: 4, format, start)
        #expect(reading.entries.isEmpty && (reading.error != nil || !reading.problems.isEmpty), "\(format.name)")
    }

    @Test("a million columns are refused", arguments: [(ManifestFormat.tsv, "\t"), (.csv, ",")])
    func columns(_ format: ManifestFormat, _ separator: String) {
        let text = Array((String(repeating: "x\(separator)", count: 1_000_000) + "\nurl\n").utf8)
        #expect(read(format, [text[...]]).error?.message.contains("columns") == true)
    }

    @Test(
        "a million lines of nothing give a bounded number of problems",
        arguments: [
            (ManifestFormat.checksums, "x\n"), (.bagItFetch, "x\n"), (.debian, "x\n"), (.list, " x\n"),
            (.csv, "http://h:99999/,\n"),
        ])
    func problems(_ format: ManifestFormat, _ line: String) {
        let header = format.name == "csv" ? "url,md5\n" : ""
        let text = Array((header + String(repeating: line, count: 30_000)).utf8)
        let reading = read(format, [text[...]])
        #expect(reading.problems.count <= 10_000 && reading.error?.message.contains("10000") == true)
    }

    @Test("UTF-16 and bytes that are no text are read alike however they are cut", arguments: formats.indices)
    func encodings(_ index: Int) throws {
        let (format, room) = formats[index]
        let directory = Bundle.module.bundleURL.appendingPathComponent("Resources/\(room)")
        let name = try #require(ManifestFixture.names(in: directory).last)
        let text = String(decoding: try ManifestFixture(name, in: directory).bytes.prefix(1000), as: UTF8.self)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let bytes = Array(try #require(("\u{FEFF}" + text).data(using: encoding)))
            let reading = try ReaderVerifier { format.makeReader(context) }.read(Array(bytes.prefix(1100)))
            check(reading, of: bytes.count, format, "UTF-16")
        }
        var generator = SeededGenerator(seed: 16)
        for _ in 0..<4 {
            let noise = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let reading = try ReaderVerifier { format.makeReader(context) }.read(noise)
            check(reading, of: noise.count, format, "noise")
        }
    }
}
