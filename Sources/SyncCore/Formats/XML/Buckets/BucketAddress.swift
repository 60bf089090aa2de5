/// The address of a bucket's listing: where its objects are, and where further parts of the listing are.
struct BucketAddress {
    /// The listing's own address.
    let listing: WebURL
    /// The query's parts as key and value, decoded, in their order.
    private let query: [(key: [UInt8], value: [UInt8])]
    /// The address of the bucket itself, with a last slash and without a query.
    private let bucket: [UInt8]
    /// What follows each object's address: an access signature that the listing's own address has.
    private let suffix: [UInt8]

    /// Takes a listing's address.
    ///
    /// - Parameter listingKeys: The keys that ask for a listing. If the query has `sig`, all other keys are an Azure
    ///   access signature, which the objects need too.
    init(_ listing: WebURL, listingKeys: Set<String> = []) {
        self.listing = listing
        let text = listing.query.map { Array($0.utf8) } ?? []
        var query: [(key: [UInt8], value: [UInt8])] = []
        var signature: [ArraySlice<UInt8>] = []
        for part in Parts(of: text[...], separatedBy: UInt8(ascii: "&")) {
            let key = percentDecoded(part.prefix { $0 != UInt8(ascii: "=") })
            query.append((key, Self.formDecoded(part.dropFirst(part.prefix { $0 != UInt8(ascii: "=") }.count + 1))))
            if !listingKeys.contains(String(decoding: asciiLowercase(key), as: UTF8.self)) { signature.append(part) }
        }
        self.query = query
        let isSigned = query.contains { $0.key.elementsEqual("sig".utf8) }
        suffix = isSigned ? Array("?".utf8) + signature.joined(separator: "&".utf8) : []
        let bare = listing.string.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        bucket = bare.last == UInt8(ascii: "/") ? Array(bare) : Array(bare) + [UInt8(ascii: "/")]
    }

    /// The value of a part of the listing's own query, decoded.
    subscript(key: String) -> [UInt8]? { query.first { $0.key.elementsEqual(key.utf8) }?.value }

    /// The address of an object; nil where no address leads to it: a `.` or `..` in it would be resolved on the way.
    func object(_ key: some Collection<UInt8>) -> WebURL? {
        var text = bucket
        text.reserveCapacity(bucket.count + key.count + suffix.count + 16)
        var start = key.startIndex
        while true {
            let end = key[start...].firstIndex(of: UInt8(ascii: "/")) ?? key.endIndex
            let segment = key[start..<end]
            guard !segment.elementsEqual([0x2E]), !segment.elementsEqual([0x2E, 0x2E]) else { return nil }
            text.append(contentsOf: percentEncodedSegment(segment))
            guard end < key.endIndex else { break }
            text.append(UInt8(ascii: "/"))
            start = key.index(after: end)
        }
        text.append(contentsOf: suffix)
        return WebURL(String(decoding: text, as: UTF8.self))
    }

    /// The listing's address with some parts of its query set anew, and others taken out.
    func listing(setting values: [(key: String, value: [UInt8])], removing keys: [String] = []) -> WebURL? {
        let gone = keys + values.map(\.key)
        var parts: [[UInt8]] = []
        let text = listing.query.map { Array($0.utf8) } ?? []
        for part in Parts(of: text[...], separatedBy: UInt8(ascii: "&")) {
            let key = percentDecoded(part.prefix { $0 != UInt8(ascii: "=") })
            if !gone.contains(where: { key.elementsEqual($0.utf8) }) { parts.append(Array(part)) }
        }
        for (key, value) in values {
            parts.append(Array(key.utf8) + [UInt8(ascii: "=")] + percentEncodedSegment(value))
        }
        let bare = listing.string.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return WebURL(
            String(decoding: Array(bare) + [UInt8(ascii: "?")] + parts.joined(separator: "&".utf8), as: UTF8.self))
    }

    /// Decodes what a form encodes: `%XX`, and `+` for a blank.
    static func formDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
        percentDecoded(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    }
}
