import SyncCore

extension Fault {
    /// Changes what is asked of which resource. Faults of the other kinds change nothing here.
    func apply(to evaluation: inout Evaluation, request: RecordedRequest) {
        switch self {
        case .from(let resource): evaluation.resource = resource
        case .newTagEachTime: evaluation.resource.etag = "\"answer-\(request.number)\""
        case .softNotFound:
            let page = "<!DOCTYPE html><html><head><title>Not found</title></head><body>Sorry.</body></html>\n"
            evaluation.resource = Resource(
                .text(page), etag: nil, lastModified: nil, contentType: "text/html", ranges: .none)
        case .gzip(let strongTag, let ranges):
            evaluation.resource.body = .bytes(gzipped(evaluation.resource.body.allBytes))
            evaluation.resource.fields.append(HeaderField(name: "Content-Encoding", value: "gzip"))
            evaluation.resource.ranges = ranges
            if !strongTag, let etag = evaluation.resource.etag, !etag.hasPrefix("W/") {
                evaluation.resource.etag = "W/\(etag)"
            }
        case .ignoreRange: evaluation.range = nil
        case .takeRangeAs(let value): evaluation.range = value
        case .ignoreIfRange: evaluation.ignoresIfRange = true
        case .refuseTagInIfRange: evaluation.refusesTagInIfRange = true
        case .ignoreConditions: evaluation.ignoresConditions = true
        case .multipart: evaluation.wrapsInMultipart = true
        default: break
        }
    }

    /// Changes the answer. Faults of the other kinds change nothing here.
    func apply(to answer: inout Answer, date: Int64) {
        switch self {
        case .from, .newTagEachTime, .softNotFound, .gzip, .ignoreRange, .takeRangeAs, .ignoreIfRange,
            .refuseTagInIfRange,
            .ignoreConditions, .multipart:
            break
        case .status(let status):
            if status >= 300 { answer.become(.page(status: status, date: date)) } else { answer.status = status }
        case .refusal(let status, let retryAfter):
            answer.become(.page(status: status, date: date))
            answer.setField("Retry-After", retryAfter)
        case .setField(let name, let value):
            if name.lowercased() == "content-length", let length = Int64(value) {
                answer.declaredLength = .exactly(length)
            } else {
                answer.setField(name, value)
            }
        case .addField(let name, let value): answer.fields.append(HeaderField(name: name, value: value))
        case .removeField(let name):
            if name.lowercased() == "content-length" { answer.declaredLength = .omitted }
            answer.removeField(name)
        case .shiftContentRange(let start, let end, let total):
            guard let range = answer.contentRange else { return }
            answer.setField(
                "Content-Range", "bytes \(range.start + start)-\(range.last + end)/\(range.total + total)")
        case .contentLength(let length): answer.declaredLength = .exactly(length)
        case .hugeFields(let count, let size):
            for index in 0..<count {
                answer.fields.append(HeaderField(name: "X-Huge-\(index)", value: String(repeating: "x", count: size)))
            }
        case .version(let version): answer.version = version
        case .redirect(let location, let status):
            answer.become(.page(status: status, date: date))
            answer.setField("Location", location)
        case .rangeNotSatisfiable(let total): answer.become(Evaluation.unsatisfiable(total: total, date: date))
        case .body(let body): answer.slices = [BodySlice(body)]
        case .chunked(let ending): answer.chunkedEnding = ending
        case .closeDelimited:
            answer.declaredLength = .omitted
            answer.chunkedEnding = nil
            answer.setField("Connection", "close")
        case .hold(let gate): answer.heldAt = gate
        case .cut(let position, let ending): answer.insert(.cut(ending), after: position)
        case .stall(let position, let gate): answer.insert(.gate(gate), after: position)
        case .drip(let bytes, let gate): answer.drip = (max(1, bytes), gate)
        case .raw(let bytes): answer.raw = bytes
        case .preface(let bytes): answer.preface += bytes
        case .closeQuietly: answer.closesQuietly = true
        }
    }
}

extension Answer {
    /// Takes the head and the body of another answer; how it is sent stays.
    fileprivate mutating func become(_ other: Answer) {
        status = other.status
        fields = other.fields
        slices = other.slices
        contentRange = nil
    }

    fileprivate mutating func insert(_ incident: Incident, after position: Int64) {
        let place = incidents.firstIndex { $0.after > position } ?? incidents.endIndex
        incidents.insert((position, incident), at: place)
    }
}
