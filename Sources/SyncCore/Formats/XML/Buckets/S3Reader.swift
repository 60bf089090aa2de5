extension XMLFormat {
    /// Bucket listings of Amazon S3, in both versions, and of the many servers that speak like it.
    package static let s3 = XMLFormat(
        name: "s3", rootDescription: "a bucket listing (<ListBucketResult>)",
        accepts: { $0.name == "ListBucketResult" }, makeReader: { S3Reader(context: $0) })

    /// Bucket listings of Google Cloud Storage's XML interface.
    package static let gcs = XMLFormat(
        name: "gcs", rootDescription: "a bucket listing (<ListBucketResult>)",
        accepts: { $0.name == "ListBucketResult" && $0.namespace.hasPrefix("http://doc.s3.amazonaws.com/") },
        makeReader: { S3Reader(context: $0) })
}

/// Reads a page of a bucket listing (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html), of either
/// version.
struct S3Reader: XMLContentReader {
    private let context: ManifestContext
    private var items: BucketItems?
    private var object = BucketItems.Object()
    private var keyIsTold = false

    /// Whether keys are percent-encoded: told by a field that some servers put in front of the keys, some behind.
    private var isEncoded = false
    /// Whether a field was seen that stands in front of the keys wherever `EncodingType` does.
    private var hasHead = false
    /// Objects and prefixes that wait for it to be told.
    private var held: [Held] = []
    private var gaveRawEncoded = false

    private var isTruncated = false
    private var token: [UInt8]?
    private var nextMarker: [UInt8]?
    /// The last key and the last prefix, as the listing has them.
    private var lastKey: [UInt8] = []
    private var lastPrefix: [UInt8] = []

    private enum Held {
        case object(BucketItems.Object)
        case prefix([UInt8], line: Int)
    }

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into found: inout [ManifestItem]
    ) throws(ManifestError) {
        if place.depth == 1 {
            items = BucketItems(BucketAddress(try context.requireBase()), context: context)
        } else if place.depth == 2, element.name == "Contents" {
            object = BucketItems.Object(line: place.line)
            keyIsTold = false
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into found: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth, place.parent, name) {
        case (3, "Contents", "Key"):
            object.key = Array(text)
            keyIsTold = true
        case (3, "Contents", "Size"): object.size = decimalValue(xmlTrimmed(text))
        case (3, "Contents", "LastModified"): object.modified = listedDate(whole: xmlTrimmed(text))?.date
        case (3, "Contents", "ETag"): object.guessedDigest = Self.guessedDigest(xmlTrimmed(text))
        case (2, _, "Contents"):
            guard keyIsTold else {
                throw ManifestError("\(context.sourceName) names an object without a key on line \(place.line)")
            }
            lastKey = object.key
            take(.object(object), into: &found)
        case (3, "CommonPrefixes", "Prefix"):
            lastPrefix = Array(text)
            take(.prefix(lastPrefix, line: place.line), into: &found)
        case (2, _, _): takeField(name, text)
        default: break
        }
    }

    mutating func finish(into found: inout [ManifestItem]) throws(ManifestError) {
        guard !(isEncoded && gaveRawEncoded) else {
            throw ManifestError(
                "\(context.sourceName) says behind its keys that they are encoded; name the listing's whole address "
                    + "with --base-url, encoding-type=url included")
        }
        for held in held { give(held, into: &found) }
        held = []
        if isTruncated { found.append(.nextPage(try nextPage())) }
    }

    private mutating func takeField(_ name: String, _ text: ArraySlice<UInt8>) {
        switch name {
        case "EncodingType": isEncoded = xmlTrimmed(text).elementsEqual("url".utf8)
        case "Name", "MaxKeys": hasHead = true
        case "IsTruncated": isTruncated = asciiLowercase(xmlTrimmed(text)).elementsEqual("true".utf8)
        case "NextContinuationToken": token = text.isEmpty ? nil : Array(text)
        case "NextMarker": nextMarker = text.isEmpty ? nil : Array(text)
        default: break
        }
    }

    private mutating func take(_ row: Held, into found: inout [ManifestItem]) {
        let mayBeTold = !hasHead || items?.address["encoding-type"] != nil
        if !isEncoded, mayBeTold { held.append(row) } else { give(row, into: &found) }
    }

    private mutating func give(_ row: Held, into found: inout [ManifestItem]) {
        switch row {
        case .object(var object):
            object.key = decoded(object.key)
            if let item = items?.item(object) { found.append(item) }
        case .prefix(let prefix, let line):
            if let item = items?.item(prefix: decoded(prefix), line: line) { found.append(item) }
        }
    }

    private mutating func decoded(_ key: [UInt8]) -> [UInt8] {
        if isEncoded { return BucketAddress.formDecoded(key) }
        gaveRawEncoded = gaveRawEncoded || key.contains(UInt8(ascii: "%")) || key.contains(UInt8(ascii: "+"))
        return key
    }

    /// An entity tag is the MD5 of an object that was stored in one piece and is not encrypted by a key of somebody's.
    private static func guessedDigest(_ tag: ArraySlice<UInt8>) -> Digest? {
        let hex = tag.first == UInt8(ascii: "\"") && tag.last == UInt8(ascii: "\"") ? tag.dropFirst().dropLast() : tag
        return Digest(.md5, hex: String(decoding: hex, as: UTF8.self))
    }

    /// The address of the page behind this one.
    private func nextPage() throws(ManifestError) -> WebURL {
        guard let address = items?.address else { throw ManifestError("\(context.sourceName) has no address") }
        let key: String
        let value: [UInt8]
        if let token {
            (key, value) = ("continuation-token", token)
        } else if let nextMarker {
            (key, value) = ("marker", decodedMarker(nextMarker))
        } else if !lastKey.isEmpty || !lastPrefix.isEmpty {
            // Version 1 gives a marker only with a delimiter: the last key is one. Prefixes stand behind all keys.
            let ends = [lastKey, lastPrefix].map { isEncoded ? BucketAddress.formDecoded($0) : $0 }
            let isSecond = address["list-type"]?.elementsEqual("2".utf8) == true
            value = ends[0].lexicographicallyPrecedes(ends[1]) ? ends[1] : ends[0]
            key = isSecond ? "start-after" : "marker"
        } else {
            throw ManifestError(
                "\(context.sourceName) says that more follows, but not where: it names no key and no marker")
        }
        guard address[key] != value, let url = address.listing(setting: [(key, value)]) else {
            throw ManifestError(
                "\(context.sourceName) names its own page as the next one (\(key)=\(quoted(value))), so that the listing "
                    + "has no end")
        }
        return url
    }

    /// A marker, which some servers encode like the keys and some do not.
    private func decodedMarker(_ marker: [UInt8]) -> [UInt8] {
        guard isEncoded else { return marker }
        var index = marker.startIndex
        while let percent = marker[index...].firstIndex(of: UInt8(ascii: "%")) {
            let digits = marker[(percent + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy({ hexValue($0) != nil }) else { return marker }
            index = percent + 3
        }
        let isRaw = marker.contains { $0 == 0x20 || $0 >= 0x80 }
        return isRaw ? marker : BucketAddress.formDecoded(marker)
    }
}
