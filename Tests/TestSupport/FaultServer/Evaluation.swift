import SyncCore

/// What a resource is asked, and which parts of the question the server is deaf to.
struct Evaluation {
    var resource: Resource
    var range: String?
    var ignoresIfRange = false
    var refusesTagInIfRange = false
    var ignoresConditions = false
    var wrapsInMultipart = false

    /// The answer as nginx gives it for a file (its not-modified and range filters, RFC 9110 §13 and §14).
    func answer(to request: RecordedRequest, date: Int64) -> Answer {
        guard request.method == "GET" || request.method == "HEAD" else {
            var refusal = Answer.page(status: 405, date: date)
            refusal.setField("Allow", "GET, HEAD")
            return refusal
        }
        if !ignoresConditions {
            if preconditionFails(request) { return .page(status: 412, date: date) }
            if isNotModified(request) { return notModified(date: date) }
        }
        switch rangeWanted(request) {
        case .whole: return whole(date: date)
        case .unsatisfiable: return Self.unsatisfiable(total: resource.body.count, date: date)
        case .ranges(let ranges): return partial(ranges, date: date)
        }
    }

    static func unsatisfiable(total: Int64?, date: Int64) -> Answer {
        var answer = Answer.page(status: 416, date: date)
        if let total { answer.setField("Content-Range", "bytes */\(total)") }
        return answer
    }

    private func preconditionFails(_ request: RecordedRequest) -> Bool {
        if let limit = request.field("If-Unmodified-Since").flatMap(secondsSinceEpoch(dateFieldValue:)),
            let modified = resource.lastModified, modified > limit
        {
            return true
        }
        if let wanted = request.field("If-Match"), wanted != "*" {
            return !tags(in: wanted).contains { !$0.hasPrefix("W/") && $0 == resource.etag }
        }
        return false
    }

    /// nginx wants both conditions to agree where both are sent, and compares the date for equality.
    private func isNotModified(_ request: RecordedRequest) -> Bool {
        let tag = request.field("If-None-Match")
        let date = request.field("If-Modified-Since")
        if tag == nil, date == nil { return false }
        if let date, resource.lastModified == nil || secondsSinceEpoch(dateFieldValue: date) != resource.lastModified {
            return false
        }
        if let tag, tag != "*" {
            guard let etag = resource.etag else { return false }
            return tags(in: tag).contains { opaque($0) == opaque(etag) }
        }
        return true
    }

    private func tags(in value: String) -> [String] {
        value.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    private func validatorFields() -> [HeaderField] {
        var fields: [HeaderField] = []
        if let date = resource.lastModified {
            fields.append(HeaderField(name: "Last-Modified", value: dateFieldValue(secondsSinceEpoch: date)))
        }
        if let etag = resource.etag { fields.append(HeaderField(name: "ETag", value: etag)) }
        return fields + resource.fields
    }

    private func notModified(date: Int64) -> Answer {
        Answer(status: 304, fields: Answer.commonFields(date: date) + validatorFields())
    }

    private func whole(date: Int64) -> Answer {
        var fields = Answer.commonFields(date: date)
        if let type = resource.contentType { fields.append(HeaderField(name: "Content-Type", value: type)) }
        fields += validatorFields()
        if resource.ranges != .none { fields.append(HeaderField(name: "Accept-Ranges", value: "bytes")) }
        return Answer(fields: fields, body: resource.body)
    }

    private func partial(_ ranges: [ByteRange], date: Int64) -> Answer {
        var answer = whole(date: date)
        answer.status = 206
        answer.removeField("Accept-Ranges")
        let total = resource.body.count
        if let range = ranges.first, ranges.count == 1, !wrapsInMultipart {
            answer.slices = [BodySlice(resource.body, range)]
            answer.contentRange = (range.start, range.end - 1, total)
            answer.setField("Content-Range", "bytes \(range.start)-\(range.end - 1)/\(total)")
            return answer
        }
        let boundary = "00000000000000000042"
        answer.slices = ranges.flatMap { range in
            let type = resource.contentType.map { "Content-Type: \($0)\r\n" } ?? ""
            let head =
                "\r\n--\(boundary)\r\n\(type)Content-Range: bytes \(range.start)-\(range.end - 1)/\(total)\r\n\r\n"
            return [BodySlice(.text(head)), BodySlice(resource.body, range)]
        }
        answer.slices.append(BodySlice(.text("\r\n--\(boundary)--\r\n")))
        answer.setField("Content-Type", "multipart/byteranges; boundary=\(boundary)")
        return answer
    }

    private enum RangeWanted { case whole, unsatisfiable, ranges([ByteRange]) }

    private func rangeWanted(_ request: RecordedRequest) -> RangeWanted {
        guard resource.ranges == .honoured, let range, range.lowercased().hasPrefix("bytes=") else { return .whole }
        if !ignoresIfRange, let condition = request.field("If-Range"), !ifRangeMatches(condition) { return .whole }
        let total = resource.body.count
        var ranges: [ByteRange] = []
        for part in range.dropFirst("bytes=".count).split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, ends.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return .unsatisfiable }
            let (start, end): (Int64, Int64)
            switch (Int64(ends[0]), Int64(ends[1])) {
            case (let first?, let last?): (start, end) = (first, last >= total ? total : last + 1)
            case (let first?, nil): (start, end) = (first, total)
            case (nil, let suffix?): (start, end) = (max(0, total - suffix), total)
            case (nil, nil): return .unsatisfiable
            }
            if start < end {
                ranges.append(ByteRange(start, end))
            } else if start == 0 {
                // nginx answers a range of an empty file with the file.
                return .whole
            }
        }
        if ranges.isEmpty { return .unsatisfiable }
        return ranges.reduce(0) { $0 + $1.count } > total ? .whole : .ranges(ranges)
    }

    /// The strong comparison for a tag, equality for a date (RFC 9110 §13.1.5).
    private func ifRangeMatches(_ condition: String) -> Bool {
        if condition.hasSuffix("\"") {
            return !refusesTagInIfRange && !condition.hasPrefix("W/") && condition == resource.etag
        }
        guard let date = secondsSinceEpoch(dateFieldValue: condition) else { return false }
        return date == resource.lastModified
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
