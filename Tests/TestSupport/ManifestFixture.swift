package import Foundation
package import SyncCore

/// A document with what a reader must find in it: NAME, NAME.meta.json and NAME.expected.json side by side.
package struct ManifestFixture: Sendable, CustomStringConvertible {
    /// The document's name.
    package let name: String
    /// Its bytes.
    package let bytes: [UInt8]
    /// What the document came with.
    package let context: ManifestContext
    private let meta: Meta
    private let expected: [ExpectedEntry]

    package var description: String { name }

    /// Loads a document from a directory.
    package init(_ name: String, in directory: URL) throws {
        self.name = name
        let file = directory.appendingPathComponent(name)
        bytes = Array(try Data(contentsOf: file))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        meta = try decoder.decode(Meta.self, from: Data(contentsOf: file.appendingPathExtension("meta.json")))
        expected = try decoder.decode(
            [ExpectedEntry].self, from: Data(contentsOf: file.appendingPathExtension("expected.json")))
        let parts = (meta.contentType ?? "").lowercased().split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
        context = ManifestContext(
            sourceName: name, baseURL: WebURL(meta.listBase ?? meta.baseUrl), mediaType: parts.first,
            charset: charset.map(String.init))
    }

    /// The names of a directory's documents.
    package static func names(in directory: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".meta.json") }.map { String($0.dropLast(".meta.json".count)) }.sorted()
    }

    /// What a reading has wrong, one line each.
    package func differences(from reading: Reading) -> [String] {
        if let error = reading.error {
            return meta.mayRefuseDocument == true ? [] : ["not read: \(error.message)"]
        }
        var found: [String: Found] = [:]
        for entry in reading.entries {
            if let url = entry.urls.first { found[normalised(url.string)] = Found(entry) }
        }
        // A list of files may itself be one of the files.
        for listing in reading.listings where found[normalised(listing.url.string)] == nil {
            found[identity(listing)] = Found(listing)
        }
        var differences: [String] = []
        if reading.nextPages.map({ normalised($0.string) }) != [meta.nextPageUrl].compactMap({ $0.map(normalised) }) {
            differences.append("goes on at \(reading.nextPages), not at \(meta.nextPageUrl ?? "nothing")")
        }
        if reading.problems.count < meta.refused?.count ?? 0 {
            differences.append("\(reading.problems.count) problems, but more names are to be refused")
        }
        for wanted in expected {
            // Files that can only be had otherwise are told as problems.
            if let mirrors = wanted.mirrors, !mirrors.contains(where: \.isWeb) { continue }
            let address = wanted.mirrors?.first(where: \.isWeb)?.url ?? wanted.url
            // The address of a directory may lack the slash that its listing has.
            let keys = [normalised(address), normalised(address + "/"), wanted.path]
            guard let key = keys.first(where: { found[$0] != nil }), let item = found.removeValue(forKey: key) else {
                if wanted.debatable == nil { differences.append("missing: \(wanted.url)") }
                continue
            }
            for difference in item.differences(from: wanted) { differences.append("\(wanted.url): \(difference)") }
        }
        for (url, item) in found.sorted(by: { $0.key < $1.key }) {
            if let name = item.pathText, meta.namesWithBrokenLinks?.contains(name) == true { continue }
            differences.append("too much: \(url)")
        }
        return differences
    }

    /// What tells a listing from others: a bucket's by the path of its keys, another by its address.
    private func identity(_ listing: SubListing) -> String {
        let isOfBucket = listing.url.query?.contains("prefix=") == true
        return isOfBucket
            ? String(decoding: listing.path, as: UTF8.self) + "/" : normalised(listing.url.string)
    }

    private func normalised(_ url: String) -> String {
        // Comparable: every byte that need not be encoded is not, hexadecimal digits are in upper case.
        guard let parsed = WebURL(url) else { return url }
        let path = parsed.path.split(separator: "/", omittingEmptySubsequences: false).map {
            String(decoding: percentEncodedSegment(percentDecoded(Array($0.utf8))), as: UTF8.self)
        }
        return parsed.origin + path.joined(separator: "/") + (parsed.query.map { "?" + $0 } ?? "")
    }

    private struct Meta: Decodable {
        var baseUrl: String
        var contentType: String?
        var listBase: String?
        var namesWithBrokenLinks: [String]?
        var nextPageUrl: String?
        var mayRefuseDocument: Bool?
        var refused: [Refused]?

        /// A name, alone or with the reason.
        struct Refused: Decodable { init(from decoder: any Decoder) {} }
    }

    fileprivate struct ExpectedEntry: Decodable {
        var url: String
        var path: String
        var size: Int64?
        var sizeApprox: Double?
        var modified: String?
        var checksums: [String: String]
        var checksumsOptional: [String: String]?
        var pieces: [Pieces]?
        var signature: Bool?
        var kind: String
        var debatable: String?
        var debatablePath: Bool?
        var pathBytesHex: String?
        var dir: String?
        var headers: [String]?
        var mirrors: [Mirror]?
    }

    fileprivate struct Mirror: Decodable {
        var url: String
        var isWeb: Bool { url.hasPrefix("http:") || url.hasPrefix("https:") }
    }

    fileprivate struct Pieces: Decodable {
        var type: String
        var length: Int64
        var count: Int
        var first: String
        var last: String
    }
}

/// An item of a reading, in the words of the expected ones.
private struct Found {
    var kind: String
    var path: [UInt8]?
    var lastSegment: [UInt8] = []
    var size: SizeKnowledge = .unknown
    var modified: ListedDate?
    var digests: [Digest] = []
    var guessedDigest: Digest?
    var pieces: PieceDigests?
    var isSigned = false
    var headers: [HeaderField] = []
    var urls: [WebURL] = []

    init(_ entry: Entry) {
        kind = "file"
        path = entry.suggestedPath
        lastSegment = entry.urls.first?.lastPathSegment ?? []
        size = entry.size
        modified = entry.modified
        digests = entry.digests
        guessedDigest = entry.guessedDigest
        pieces = entry.pieces
        isSigned = entry.isSigned
        headers = entry.headers
        urls = entry.urls
    }

    init(_ listing: SubListing) {
        kind = "directory"
        path = listing.path + [UInt8(ascii: "/")]
    }

    /// The path without a last slash.
    var pathText: String? {
        path.map { String(decoding: $0.last == UInt8(ascii: "/") ? $0.dropLast() : $0[...], as: UTF8.self) }
    }

    func differences(from wanted: ManifestFixture.ExpectedEntry) -> [String] {
        var differences: [String] = []
        func check(_ holds: Bool, _ difference: @autoclosure () -> String) {
            if !holds { differences.append(difference()) }
        }
        let wantedKind = wanted.kind == "listing" ? "directory" : wanted.kind
        check(kind == wantedKind || wanted.debatable != nil, "is a \(kind)")
        checkPath(wanted, check)
        if kind == "directory" { return differences }
        switch (wanted.size, wanted.sizeApprox) {
        case (let exact?, _):
            check(size == .exact(exact) || size == .claimed(exact), "size \(size), not \(exact)")
        case (nil, let rough?):
            check(size != .unknown && size.allows(Int64(rough)), "size \(size), not about \(rough)")
            if case .within(let bounds) = size {
                let width = Double(bounds.upperBound - bounds.lowerBound)
                check(width <= max(rough * 0.7, 2049), "size \(size) is too rough for \(rough)")
            }
        case (nil, nil): check(size == .unknown || wanted.debatable != nil, "size \(size) out of nothing")
        }
        checkDate(wanted, check)
        // Sums that prove nothing are not kept.
        for (name, hex) in wanted.checksums where name != "crc32" && name != "adler32" {
            check(digests.contains { $0.algorithm.rawValue == name && $0.hex == hex }, "no \(name) digest")
        }
        for header in wanted.headers ?? [] {
            check(headers.contains { "\($0.name): \($0.value)" == header }, "no header \(header)")
        }
        check(digests.count <= wanted.checksums.count, "digests out of nothing")
        for (name, hex) in wanted.checksumsOptional ?? [:] {
            check(guessedDigest.map { $0.algorithm.rawValue == name && $0.hex == hex } ?? false, "guesses no \(name)")
        }
        check(guessedDigest == nil || wanted.checksumsOptional != nil, "guesses a digest")
        checkPieces(wanted, check)
        check(isSigned == (wanted.signature ?? false), isSigned ? "is signed" : "is not signed")
        for mirror in wanted.mirrors ?? [] where mirror.isWeb {
            check(urls.contains { $0.string == mirror.url }, "no mirror \(mirror.url)")
        }
        return differences
    }

    private func checkPieces(
        _ wanted: ManifestFixture.ExpectedEntry, _ check: (Bool, @autoclosure () -> String) -> Void
    ) {
        guard let lists = wanted.pieces else { return check(pieces == nil, "has pieces") }
        // A list that does not make up the file is none.
        let whole = lists.filter { list in wanted.size.map { $0 <= list.length * Int64(list.count) } ?? true }
        guard let pieces else { return check(whole.isEmpty, "has no pieces") }
        check(
            whole.contains {
                $0.type == pieces.algorithm.rawValue && $0.length == pieces.length && $0.count == pieces.count
                    && $0.first == pieces[0]?.hex && $0.last == pieces[pieces.count - 1]?.hex
            }, "has other pieces")
    }

    private func checkPath(_ wanted: ManifestFixture.ExpectedEntry, _ check: (Bool, @autoclosure () -> String) -> Void)
    {
        guard wanted.debatablePath == nil, !(wanted.kind == "listing" && wanted.debatable != nil) else { return }
        var bytes = Array(wanted.path.utf8)
        if let hex = wanted.pathBytesHex {
            let digits = Array(hex.utf8)
            bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
                (hexValue(digits[$0]) ?? 0) << 4 | (hexValue(digits[$0 + 1]) ?? 0)
            }
        }
        if let directory = wanted.dir { bytes = Array(directory.utf8) + [UInt8(ascii: "/")] + bytes }
        var own = path ?? lastSegment
        if wanted.kind == "listing", own.last == UInt8(ascii: "/") { own.removeLast() }
        check(
            own == bytes, "path \(String(decoding: own, as: UTF8.self)), not \(String(decoding: bytes, as: UTF8.self))")
    }

    private func checkDate(_ wanted: ManifestFixture.ExpectedEntry, _ check: (Bool, @autoclosure () -> String) -> Void)
    {
        guard let text = wanted.modified else {
            check(modified == nil || wanted.debatable != nil, "date out of nothing")
            return
        }
        check(modified?.text == text, "date \(modified?.text ?? "none"), not \(text)")
    }
}
