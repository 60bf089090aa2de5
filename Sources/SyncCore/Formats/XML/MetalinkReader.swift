extension XMLFormat {
    /// Metalink documents of version 4 (RFC 5854) and 3.
    package static let metalink = XMLFormat(
        name: "metalink", rootDescription: "a Metalink document (<metalink>)",
        accepts: { $0.name == "metalink" }, makeReader: { MetalinkReader(context: $0) })
}

/// Reads Metalink documents. What a file's values lack or have wrong is left out; what would fetch another file, or put it
/// elsewhere, refuses the file.
struct MetalinkReader: XMLContentReader {
    private let context: ManifestContext
    private var file: MetalinkFile?
    /// How deep the open file stands. What stands within extensions of it, such as the digests of older files in Fedora's
    /// documents, is not the file's.
    private var fileDepth = 0
    /// The value of `type` of the open `hash`.
    private var hashType: [UInt8]?
    /// Whether the open `hash` stands for a piece.
    private var pieces: MetalinkPieces?
    private var rank: Int?
    /// Whether the open `url` is in one of the countries that are preferred.
    private var isNear = false
    /// The value of `type` of the open `url`, of version 3.
    private var kind = ""
    private var fileCount = 0

    /// A file may have so many bytes of pieces' digests: 100 GB in pieces of 64 KiB, with SHA-256.
    private static let mostPieceBytes = 64 << 20

    init(context: ManifestContext) { self.context = context }

    mutating func start(
        _ element: XMLElement, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        switch (place.depth - fileDepth, place.parent, element.name) {
        case (_, "metalink", "file"), (_, "files", "file"):
            fileDepth = place.depth
            file = MetalinkFile(name: element[attribute: "name"], line: place.line)
            fileCount += 1
        case (_, _, "hash"): hashType = element[attribute: "type"]
        case (1, "file", "pieces"), (2, "verification", "pieces"):
            pieces = MetalinkPieces(type: element[attribute: "type"], length: element[attribute: "length"])
        case (1, "file", "url"), (2, "resources", "url"):
            // Version 4 counts priorities up from 1, version 3 preferences down from 100.
            let priority = element[attribute: "priority"].flatMap { decimalValue($0) }.flatMap {
                $0 > 0 ? Int($0) : nil
            }
            let preference = element[attribute: "preference"].flatMap { decimalValue($0) }
            rank = priority ?? preference.map { -Int($0) }
            let country = element[attribute: "location"].flatMap { CountryCode(xmlTrimmed($0[...])) }
            isNear = country.map(context.locations.contains) ?? false
            kind = element[attribute: "type"].map { String(decoding: asciiLowercase($0), as: UTF8.self) } ?? ""
        default: break
        }
    }

    mutating func end(
        _ name: String, text: ArraySlice<UInt8>, at place: XMLPlace, into items: inout [ManifestItem]
    ) throws(ManifestError) {
        let value = xmlTrimmed(text)
        switch (place.depth - fileDepth, place.parent, name) {
        case (1, "file", "size"): file?.size = decimalValue(value)
        case (1, "file", "hash"), (2, "verification", "hash"): takeDigest(value)
        case (_, "pieces", "hash"):
            pieces?.take(value)
            if let count = pieces?.byteCount, count > Self.mostPieceBytes {
                throw ManifestError(
                    "\(context.sourceName) has more than \(Self.mostPieceBytes) bytes of pieces' digests on line "
                        + "\(place.line)")
            }
        case (1, "file", "pieces"), (2, "verification", "pieces"):
            if let list = pieces?.list { file?.pieces.append(list) }
            pieces = nil
        case (1, "file", "signature"), (2, "verification", "signature"): file?.isSigned = true
        case (1, "file", "metaurl"): file?.hasTorrent = true
        case (1, "file", "url"), (2, "resources", "url"): takeURL(value)
        case (_, "metalink", "file"), (_, "files", "file"):
            if let file { items.append(file.item(context)) }
            file = nil
        default: break
        }
    }

    mutating func finish(into items: inout [ManifestItem]) throws(ManifestError) {
        guard fileCount > 0 else { throw ManifestError("\(context.sourceName) is a Metalink document without a file") }
    }

    private mutating func takeDigest(_ value: ArraySlice<UInt8>) {
        guard let hashType, let algorithm = DigestAlgorithm(name: String(decoding: hashType, as: UTF8.self)),
            let digest = Digest(algorithm, hex: String(decoding: value, as: UTF8.self))
        else { return }
        file?.digests.append(digest)
    }

    private mutating func takeURL(_ value: ArraySlice<UInt8>) {
        guard !value.isEmpty else { return }
        guard kind != "bittorrent" else {
            file?.hasTorrent = true
            return
        }
        if let scheme = practicalScheme(value), scheme != "http", scheme != "https" {
            file?.otherSchemes.append(scheme)
            return
        }
        guard let url = context.baseURL?.resolve(bytes: value) ?? WebURL(bytes: value) else {
            file?.badAddress = Array(value)
            return
        }
        file?.urls.append(MetalinkURL(url: url, rank: rank, isNear: isNear))
    }
}

/// An address of a file.
private struct MetalinkURL {
    var url: WebURL
    /// The lower the better; nil where the document gives none.
    var rank: Int?
    /// Whether it is in one of the countries that are preferred.
    var isNear: Bool
}

/// A file of a Metalink document while it is read.
private struct MetalinkFile {
    var name: [UInt8]?
    var line: Int
    var size: Int64?
    var digests: [Digest] = []
    var pieces: [PieceDigests] = []
    var urls: [MetalinkURL] = []
    var isSigned = false
    var hasTorrent = false
    var otherSchemes: [String] = []
    var badAddress: [UInt8]?

    init(name: [UInt8]?, line: Int) {
        self.name = name
        self.line = line
    }

    /// The file as an entry, or why it is none.
    func item(_ context: ManifestContext) -> ManifestItem {
        let origin = EntryOrigin(source: context.sourceName, line: line)
        func problem(_ message: String) -> ManifestItem {
            .problem(ManifestProblem(origin: origin, message: message))
        }
        guard let name, !name.isEmpty else { return problem("the file has no name") }
        guard Self.isSafe(name) else {
            return problem(
                "the file's name \(quoted(name)) leads out of the destination (RFC 5854, section 4.1.2.1); it is refused"
            )
        }
        let urls = orderedURLs
        guard !urls.isEmpty else { return problem("the file \(quoted(name)) \(missingAddress)") }
        return .entry(
            Entry(
                urls: urls, suggestedPath: context.placed(name), size: size.map { .exact($0) } ?? .unknown,
                digests: Self.unambiguous(digests), pieces: strongestPieces, isSigned: isSigned, origin: origin))
    }

    /// The addresses, each once, best first: those in the countries that the user prefers before the others, then by rank.
    /// What has no rank comes last; equal ones keep the document's order.
    private var orderedURLs: [WebURL] {
        var seen = Set<WebURL>()
        let ranked = urls.enumerated().sorted {
            ($0.element.isNear ? 0 : 1, $0.element.rank ?? .max, $0.offset)
                < ($1.element.isNear ? 0 : 1, $1.element.rank ?? .max, $1.offset)
        }
        return ranked.map(\.element.url).filter { seen.insert($0).inserted }
    }

    private var missingAddress: String {
        if let scheme = otherSchemes.first {
            return "has only addresses that are not fetched (\(scheme)); http and https are"
        }
        if hasTorrent { return "can only be had by a torrent or another Metalink, which are not fetched" }
        if let badAddress { return "has the address \(quoted(badAddress)), which is not valid" }
        return "has no address"
    }

    private var strongestPieces: PieceDigests? {
        pieces.filter { list in size.map { list.covers($0) } ?? true }.max { $0.algorithm < $1.algorithm }
    }

    /// Digests but those of which two of one algorithm differ: nobody knows which is right.
    private static func unambiguous(_ digests: [Digest]) -> [Digest] {
        var kept: [Digest] = []
        for digest in digests where !kept.contains(digest) {
            guard !digests.contains(where: { $0.algorithm == digest.algorithm && $0 != digest }) else { continue }
            kept.append(digest)
        }
        return kept
    }

    /// Whether no part of a name leads up or to a root, with slashes of either kind.
    private static func isSafe(_ name: [UInt8]) -> Bool {
        let parts = name.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return !name.contains(0)
            && parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual([0x2E]) && !$0.elementsEqual([0x2E, 0x2E]) }
    }
}

/// The digests of a file's pieces while they are read.
private struct MetalinkPieces {
    private let algorithm: DigestAlgorithm?
    private let length: Int64?
    private var bytes: [UInt8] = []
    private var isWhole = true

    init(type: [UInt8]?, length: [UInt8]?) {
        algorithm = type.flatMap { DigestAlgorithm(name: String(decoding: $0, as: UTF8.self)) }
        self.length = length.flatMap { decimalValue($0) }
    }

    var byteCount: Int { bytes.count }

    /// The list; nil where any of it cannot be used, since a gap would move all that follows.
    var list: PieceDigests? {
        guard let algorithm, let length, isWhole else { return nil }
        return PieceDigests(algorithm, length: length, bytes: bytes)
    }

    mutating func take(_ hex: ArraySlice<UInt8>) {
        guard isWhole, let algorithm, let digest = Digest(algorithm, hex: String(decoding: hex, as: UTF8.self)) else {
            isWhole = false
            bytes = []
            return
        }
        bytes += digest.bytes
    }
}
