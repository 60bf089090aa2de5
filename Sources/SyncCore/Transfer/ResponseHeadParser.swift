/// Reads response heads line by line, as libcurl hands them to `CURLOPT_HEADERFUNCTION`: status lines and fields of every
/// response in a chain, each head ended by an empty line, and trailers behind the body.
///
/// A status line begins a new head, whatever came before: an interim response (100, 103), a proxy's answer to `CONNECT`
/// or a redirect that libcurl follows. A caller that lets proxies' heads through takes a later head over an earlier one.
/// Fields that are not used cost a comparison of their names and no memory.
package struct ResponseHeadParser: Sendable {
    /// The time at which the head is read: what a date of change is believable against, and what RFC 850's years of two
    /// digits are read by. Without it the server's own `Date` serves for the first.
    package var now: HTTPDate?

    /// The status of the head that is being read; nil before a status line and behind a head's end, where lines are
    /// trailers.
    private var status: Int?
    /// Whether the present head's answer comes in frames of its own length: HTTP/2 and later.
    private var isFramed = false
    private var fields = Fields()
    /// The present field's value; kept so that its storage serves for every field.
    private var value: [UInt8] = []

    /// What the fields of the present head said so far.
    private struct Fields {
        var contentLength: Int64?
        var hasBadContentLength = false
        var contentRange: ContentRange?
        var entityTag: EntityTag?
        var lastModified: HTTPDate?
        var contentCodings: [UInt8] = []
        var hasTransferCoding = false
        var mediaType: String?
        var charset: String?
        var location: [UInt8]?
        var retryAfter: RetryAfter?
        var date: HTTPDate?
        var suggestedName: [UInt8]?
        var digests: [Digest] = []
        var contentMD5: Digest?
        var duplicates: [DuplicateLink] = []
        var refusesRanges = false
    }

    /// A parser before its first head.
    package init(now: HTTPDate? = nil) { self.now = now }

    /// Reads one line, with or without its line end.
    ///
    /// - Returns: The head that this line completes, unless its status is an interim one (1xx).
    package mutating func read(line: Span<UInt8>) -> ResponseHead? {
        var end = line.count
        while end > 0, isFieldBlank(line[end - 1]) { end -= 1 }
        guard end > 0 else { return finishHead() }
        // A line that starts with a blank continues a field (RFC 9112 §5.2). Nobody may send that any more, and libcurl
        // itself reads on as if it were not there.
        guard !isFieldBlank(line[0]) else { return nil }
        if let status = Self.status(of: line, end: end) {
            self.status = status
            isFramed = line[5] >= UInt8(ascii: "2")
            fields = Fields()
            return nil
        }
        guard status != nil else { return nil }
        var colon = 0
        while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < end, let field = Field(line, nameEnd: colon) else { return nil }
        var start = colon + 1
        while start < end, isFieldBlank(line[start]) { start += 1 }
        var value: [UInt8] = []
        swap(&value, &self.value)
        value.removeAll(keepingCapacity: true)
        while start < end {
            value.append(line[start])
            start += 1
        }
        take(field, value[...])
        swap(&value, &self.value)
        return nil
    }

    /// Reads one line, as ``read(line:)`` for a span.
    package mutating func read(line: ArraySlice<UInt8>) -> ResponseHead? { read(line: line.span) }

    /// The status of `HTTP/1.1 200 OK` or `HTTP/2 200`; nil for a line that is no status line.
    private static func status(of line: Span<UInt8>, end: Int) -> Int? {
        guard end > 5, line[0] == UInt8(ascii: "H"), line[1] == UInt8(ascii: "T"), line[2] == UInt8(ascii: "T"),
            line[3] == UInt8(ascii: "P"), line[4] == UInt8(ascii: "/")
        else { return nil }
        var index = 5
        while index < end, line[index] != UInt8(ascii: " ") { index += 1 }
        while index < end, line[index] == UInt8(ascii: " ") { index += 1 }
        var status = 0
        var digits = 0
        while index < end, digits < 3, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[index] {
            status = status * 10 + Int(line[index] & 15)
            digits += 1
            index += 1
        }
        guard digits == 3, index == end || line[index] == UInt8(ascii: " ") else { return nil }
        return status
    }

    private mutating func take(_ field: Field, _ value: ArraySlice<UInt8>) {
        switch field {
        case .contentLength: takeContentLength(value)
        case .contentRange: fields.contentRange = ContentRange(bytes: value)
        case .entityTag: fields.entityTag = EntityTag(bytes: value)
        case .lastModified: fields.lastModified = HTTPDate(bytes: value, now: now)
        case .date: fields.date = HTTPDate(bytes: value, now: now)
        case .contentEncoding:
            if !fields.contentCodings.isEmpty { fields.contentCodings.append(UInt8(ascii: ",")) }
            fields.contentCodings.append(contentsOf: value)
        case .transferEncoding: if !equalsIgnoringCase(value, "identity") { fields.hasTransferCoding = true }
        case .contentType: (fields.mediaType, fields.charset) = mediaTypeAndCharset(value)
        case .location: if fields.location == nil, !value.isEmpty { fields.location = Array(value) }
        case .retryAfter: fields.retryAfter = RetryAfter(bytes: value, now: now)
        case .contentDisposition: fields.suggestedName = fields.suggestedName ?? dispositionFileName(value)
        case .acceptRanges: fields.refusesRanges = equalsIgnoringCase(value, "none")
        case .digest: fields.digests.append(contentsOf: digestFieldValues(value))
        case .link:
            guard fields.duplicates.count < Self.mostDuplicates else { return }
            fields.duplicates += duplicateLinks(value)
        case .contentMD5: fields.contentMD5 = SyncCore.contentMD5(value)
        }
    }

    /// Of an answer with more links to the same file, the first ones are looked at.
    private static let mostDuplicates = 64

    /// Several lengths that are equal, in one field or more, count as one (RFC 9110 §8.6).
    private mutating func takeContentLength(_ value: ArraySlice<UInt8>) {
        if fields.contentLength == nil, let length = decimal(value) {
            fields.contentLength = length
            return
        }
        for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let length = decimal(trimmedField(part)),
                fields.contentLength == nil || fields.contentLength == length
            else {
                fields.hasBadContentLength = true
                return
            }
            fields.contentLength = length
        }
    }

    private mutating func finishHead() -> ResponseHead? {
        guard let status else { return nil }
        self.status = nil
        guard status >= 200 else { return nil }
        let isVoid = fields.hasBadContentLength || fields.hasTransferCoding
        let contentLength = isVoid ? nil : fields.contentLength
        let coding = contentCoding(fields.contentCodings[...])
        let isMultipart = fields.mediaType == "multipart/byteranges"
        var digests = fields.digests
        // RFC 1864's digest is of the body, which of a 206 is but a part.
        if status == 200, let digest = fields.contentMD5 { digests.append(digest) }
        let length: Int64? =
            switch status {
            case 206, 416: isMultipart ? nil : fields.contentRange?.completeLength
            case 200, 203: coding == nil ? contentLength : nil
            default: nil
            }
        let reference = now ?? fields.date
        let lastModified = fields.lastModified.flatMap { date in
            date.isBelievable(now: reference ?? date) ? date : nil
        }
        var head = ResponseHead(
            status: status, contentLength: contentLength, contentRange: fields.contentRange,
            representation: Representation(
                length: length, entityTag: fields.entityTag, lastModified: lastModified, contentCoding: coding,
                mediaType: fields.mediaType),
            charset: fields.charset, location: fields.location, retryAfter: fields.retryAfter, date: fields.date,
            suggestedName: fields.suggestedName, digests: digests, refusesRanges: fields.refusesRanges,
            isMultipart: isMultipart,
            endsWithConnection: [200, 203, 206].contains(status) && !isFramed && !isVoid
                && fields.contentLength == nil)
        if !fields.duplicates.isEmpty {
            let ranked = fields.duplicates.prefix(Self.mostDuplicates).enumerated().sorted {
                ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
            }
            head.duplicates = ranked.map(\.element.reference)
        }
        return head
    }
}

/// The fields that are read.
private enum Field {
    case acceptRanges
    case contentDisposition
    case contentEncoding
    case contentLength
    case contentMD5
    case contentRange
    case contentType
    case date
    case digest
    case entityTag
    case lastModified
    case link
    case location
    case retryAfter
    case transferEncoding

    /// The field of a line whose name ends at an offset; nil for one that is not read. The length tells most apart.
    init?(_ line: Span<UInt8>, nameEnd: Int) {
        func isNamed(_ name: String) -> Bool {
            let lower = name.utf8.span
            for index in 0..<nameEnd where asciiLowercased(line[index]) != lower[index] { return false }
            return true
        }
        switch nameEnd {
        case 4 where isNamed("etag"): self = .entityTag
        case 4 where isNamed("date"): self = .date
        case 4 where isNamed("link"): self = .link
        case 6 where isNamed("digest"): self = .digest
        case 8 where isNamed("location"): self = .location
        case 11 where isNamed("retry-after"): self = .retryAfter
        case 11 where isNamed("repr-digest"): self = .digest
        case 11 where isNamed("content-md5"): self = .contentMD5
        case 12 where isNamed("content-type"): self = .contentType
        case 13 where isNamed("accept-ranges"): self = .acceptRanges
        case 13 where isNamed("content-range"): self = .contentRange
        case 13 where isNamed("last-modified"): self = .lastModified
        case 14 where isNamed("content-length"): self = .contentLength
        case 16 where isNamed("content-encoding"): self = .contentEncoding
        case 17 where isNamed("transfer-encoding"): self = .transferEncoding
        case 19 where isNamed("content-disposition"): self = .contentDisposition
        default: return nil
        }
    }
}
