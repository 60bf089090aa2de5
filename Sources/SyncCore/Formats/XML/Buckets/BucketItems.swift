/// Makes items of a bucket's keys: what the readers of all object stores share.
struct BucketItems {
    let address: BucketAddress
    private let context: ManifestContext
    /// How many bytes of each key stand for the listing itself: a listing below another has its prefix in front of
    /// every key, and its directory already in the context.
    private let prefixCount: Int

    init(_ address: BucketAddress, context: ManifestContext) {
        self.address = address
        self.context = context
        let prefix = address["prefix"] ?? []
        let end = prefix.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        prefixCount = context.directory.isEmpty ? 0 : end
    }

    /// An object as its listing describes it.
    struct Object {
        var key: [UInt8] = []
        var size: Int64?
        var modified: ListedDate?
        var digests: [Digest] = []
        var guessedDigest: Digest?
        var line = 1
    }

    /// The item of an object; nil for the marker of a directory.
    func item(_ object: Object) -> ManifestItem? {
        guard !object.key.isEmpty else { return problem("an object without a name was passed over", object.line) }
        if object.key.last == UInt8(ascii: "/") {
            // Consoles make directories visible by empty objects of their name.
            guard let size = object.size, size > 0 else { return nil }
            return problem(
                "the object \(quoted(object.key)) has \(size) bytes and the name of a directory, which no file can have",
                object.line)
        }
        guard let url = address.object(object.key) else {
            return problem(
                "the object \(quoted(object.key)) has '.' or '..' in its name, so that no address leads to it and no "
                    + "file can have it", object.line)
        }
        return .entry(
            Entry(
                urls: [url], suggestedPath: path(of: object.key), size: object.size.map { .exact($0) } ?? .unknown,
                modified: object.modified, digests: object.digests, guessedDigest: object.guessedDigest,
                origin: origin(object.line)))
    }

    /// The item of a prefix that stands for all keys that start with it.
    func item(prefix: [UInt8], line: Int) -> ManifestItem? {
        let name = prefix.last == UInt8(ascii: "/") ? prefix.dropLast() : prefix[...]
        guard !name.isEmpty else { return nil }
        guard prefix.last == UInt8(ascii: "/") else {
            return problem(
                "the prefix \(quoted(prefix)) is no directory; list the bucket with delimiter=/ or without one", line)
        }
        guard
            let url = address.listing(
                setting: [("prefix", prefix)], removing: ["marker", "continuation-token", "start-after"])
        else { return problem("the prefix \(quoted(prefix)) makes no valid address", line) }
        return .listing(SubListing(url: url, path: path(of: Array(name)), origin: origin(line)))
    }

    /// An item that tells of a row that is passed over.
    func problem(_ message: String, _ line: Int) -> ManifestItem {
        .problem(ManifestProblem(origin: origin(line), message: message))
    }

    private func origin(_ line: Int) -> EntryOrigin { EntryOrigin(source: context.sourceName, line: line) }

    /// The place of a key. Between two slashes there is no directory.
    private func path(of key: [UInt8]) -> [UInt8] {
        let below = key.count > prefixCount ? key[prefixCount...] : key[...]
        let components = Parts(of: below, separatedBy: UInt8(ascii: "/"))
        return context.placed(Array(components.joined(separator: "/".utf8)))
    }
}
