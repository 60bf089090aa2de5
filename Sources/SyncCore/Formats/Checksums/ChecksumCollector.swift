/// Makes the lines that name one file one entry.
///
/// Lists without tags give their entries at once: only lines right behind each other are put together. Tagged lists often
/// have a block of lines for each algorithm, so their files wait for the end, or until many have come.
struct ChecksumCollector {
    /// The most files that wait.
    static let limit = 200_000

    private var waiting: [Entry] = []
    private var places: [[UInt8]: Int] = [:]

    /// Takes a line's entry. Gives what it says otherwise than a line before; that is not taken then.
    mutating func take(_ entry: Entry, isTagged: Bool, into items: inout [ManifestItem]) -> String? {
        let path = entry.suggestedPath ?? entry.urls.first.map { Array($0.string.utf8) } ?? []
        if let place = places[path] { return merge(entry, at: place) }
        if !isTagged || waiting.count >= Self.limit { finish(into: &items) }
        places[path] = waiting.count
        waiting.append(entry)
        return nil
    }

    /// Gives the files that wait.
    mutating func finish(into items: inout [ManifestItem]) {
        for entry in waiting { items.append(.entry(entry)) }
        // Emptying a table takes as long as it once was large; few files are the usual case.
        let isSmall = waiting.count <= 16
        waiting.removeAll(keepingCapacity: isSmall)
        places.removeAll(keepingCapacity: isSmall)
    }

    private mutating func merge(_ entry: Entry, at place: Int) -> String? {
        for digest in entry.digests {
            guard let other = waiting[place].digests.first(where: { $0.algorithm == digest.algorithm }) else {
                waiting[place].digests.append(digest)
                continue
            }
            if other != digest { return "two different \(digest.algorithm.rawValue) digests are given" }
        }
        guard entry.size != .unknown else { return nil }
        if waiting[place].size == .unknown { waiting[place].size = entry.size }
        return waiting[place].size == entry.size ? nil : "two different sizes are given"
    }
}
