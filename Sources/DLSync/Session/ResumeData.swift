public import SyncCore

/// What a pause gives out, so that a later launch can go on: which file, where its unfinished data is, and which bytes of
/// which version are there.
///
/// It holds no data of the file itself: that stays in the destination's `.dlsync`, with the record of which bytes are
/// there, and both are believed before this. So it is a handle and not a promise, and stays right when the download went
/// on without it.
public struct ResumeData: Hashable, Sendable {
    let url: WebURL
    let record: PartialRecord
    let digest: Digest?

    init(url: WebURL, record: PartialRecord, digest: Digest?) {
        self.url = url
        self.record = record
        self.digest = digest
    }

    /// The path below the destination that the finished file will have.
    public var path: RelativePath { record.path }
    /// How many bytes are here.
    public var have: Int64 { record.extents.count }
    /// How many the file has.
    public var size: Int64? { record.identity.representation.length }

    private static let firstLine = "dlsync resume data 1"

    /// The data as text, to be stored. It holds the URL as it was given, credentials included.
    public var text: String {
        let representation = record.identity.representation
        let fields: [(String, String?)] = [
            ("url", url.string),
            ("partial", record.id),
            ("path", hexDigits(record.path.bytes)),
            ("resource", record.identity.resource),
            ("length", representation.length.map(String.init)),
            ("etag", representation.entityTag?.fieldValue),
            ("modified", representation.lastModified.map { String($0.secondsSinceEpoch) }),
            ("extents", record.extents.encoded),
            ("digest", digest.map { "\($0.algorithm.rawValue)=\($0.hex)" }),
        ]
        let lines = fields.compactMap { name, value in value.map { "\(name) \($0)" } }
        return ([Self.firstLine] + lines).joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` gave; nil for anything else, for another version, and for damaged text.
    public init?(text: String) {
        var lines = text.split(separator: "\n")[...]
        guard lines.popFirst() == Self.firstLine[...] else { return nil }
        var fields: [Substring: Substring] = [:]
        for line in lines {
            guard let blank = line.firstIndex(of: " ") else { return nil }
            fields[line[..<blank]] = line[line.index(after: blank)...]
        }
        guard let url = fields["url"].flatMap({ WebURL(String($0)) }), let id = fields["partial"],
            let pathBytes = fields["path"].flatMap({ Self.bytes(hex: $0) }),
            let path = try? RelativePath(bytes: pathBytes), let resource = fields["resource"],
            let extents = fields["extents"].flatMap({ ByteRangeSet(encoded: String($0)) })
        else { return nil }
        let representation = Representation(
            length: fields["length"].flatMap { Int64($0) },
            entityTag: fields["etag"].flatMap { EntityTag(fieldValue: String($0)) },
            lastModified: fields["modified"].flatMap { Int64($0) }.map(HTTPDate.init(secondsSinceEpoch:)))
        self.init(
            url: url,
            record: PartialRecord(
                id: String(id), path: path,
                identity: Identity(resource: String(resource), representation: representation), extents: extents),
            digest: fields["digest"].flatMap(Self.digest))
    }

    private static func bytes(hex: Substring) -> [UInt8]? {
        let digits = hex.utf8.map(hexValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func digest(_ text: Substring) -> Digest? {
        let parts = text.split(separator: "=")
        guard parts.count == 2, let algorithm = DigestAlgorithm(name: String(parts[0])) else { return nil }
        return Digest(algorithm, hex: String(parts[1]))
    }
}
