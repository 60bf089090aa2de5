import SyncCore
import TestSupport

/// Makes records of every shape; the same ones for the same seed.
struct RandomRecords {
    var generator: SeededGenerator
    private var ids = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
    private mutating func coin() -> Bool { Bool.random(using: &generator) }

    mutating func text() -> String {
        let letters = Array("abc é\u{301}'\"\\%;-/漢🙂\n")
        return String(
            (0..<Int.random(in: 0...20, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "x" }
        )
    }

    /// A path of any bytes that a path may have.
    mutating func path() -> RelativePath {
        while true {
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if let path = try? RelativePath(bytes: bytes) { return path }
        }
    }

    mutating func identity() -> Identity {
        Identity(
            resource: "http://h/" + text(),
            representation: Representation(
                length: coin() ? number(0...Int64.max) : nil,
                entityTag: coin() ? EntityTag(opaque: "\"\(text())\"", isWeak: coin()) : nil,
                lastModified: coin() ? HTTPDate(secondsSinceEpoch: number(Int64.min...Int64.max)) : nil,
                contentCoding: coin() ? "gzip" : nil, mediaType: coin() ? text() : nil))
    }

    mutating func digest() -> Digest? {
        guard let algorithm = DigestAlgorithm.allCases.randomElement(using: &generator) else { return nil }
        return Digest(
            algorithm, bytes: (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    mutating func file(_ path: RelativePath) -> FileRecord {
        let file = LocalFile(
            size: number(0...Int64.max), modifiedNanoseconds: number(Int64.min...Int64.max),
            inode: UInt64.random(in: 0...UInt64.max, using: &generator))
        var record = FileRecord(path: path, identity: identity(), file: file, digest: coin() ? digest() : nil)
        record.listed = coin() ? text() : nil
        return record
    }

    mutating func extents() -> ByteRangeSet {
        ByteRangeSet(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                let start = number(0...1000)
                return ByteRange(start, start + number(0...100))
            })
    }

    mutating func partial(_ path: RelativePath) -> PartialRecord {
        ids += 1
        return PartialRecord(
            id: "7-\(ids)", path: path, identity: identity(), extents: extents(), syncedExtents: extents())
    }

    mutating func host() -> HostFacts {
        var facts = HostFacts(
            origin: "https://h\(number(0...5)):443",
            traits: HostTraits(
                refusesRanges: coin(), ifRange: IfRangeForm.allCases[Int(number(0...2))], hasUnsteadyTags: coin()),
            permits: coin() ? Int(number(1...64)) : nil,
            learnt: HTTPDate(secondsSinceEpoch: number(0...5_000_000_000)))
        facts.permitsLearnt = HTTPDate(secondsSinceEpoch: number(0...5_000_000_000))
        return facts
    }
}
