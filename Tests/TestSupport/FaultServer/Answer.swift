package import SyncCore

/// A piece of an answer's body: a part of a body that is read when it is sent.
package struct BodySlice: Sendable {
    package let body: Body
    package let range: ByteRange

    /// A part of a body.
    package init(_ body: Body, _ range: ByteRange) {
        self.body = body
        self.range = range
    }
    /// The whole of a body.
    package init(_ body: Body) { self.init(body, ByteRange(0, body.count)) }
}

/// What a ``FaultServer`` sends, as a value.
package struct Answer: Sendable {
    /// The version of the status line.
    package var version = "HTTP/1.1"
    /// The status.
    package var status: Int
    /// The fields except `Content-Length` and `Transfer-Encoding`, which follow from the body.
    package var fields: [HeaderField]
    /// The body in its pieces. A HEAD has it too: its length is told.
    package var slices: [BodySlice]

    /// What `Content-Length` says.
    var declaredLength = DeclaredLength.actual
    /// The end of a chunked body; nil where the body is not chunked.
    var chunkedEnding: ChunkedEnding?
    /// What `Content-Range` says.
    var contentRange: (start: Int64, last: Int64, total: Int64)?
    /// The gate before everything.
    var heldAt: String?
    /// What happens at which byte of the body, in order.
    var incidents: [(after: Int64, what: Incident)] = []
    /// The pace of the body.
    var drip: (bytes: Int64, gate: String)?
    /// What is sent in place of the answer.
    var raw: [UInt8]?
    /// What is sent before the answer.
    var preface: [UInt8] = []
    /// Whether the connection closes behind it without a word.
    var closesQuietly = false

    enum DeclaredLength { case actual, omitted, exactly(Int64) }
    enum Incident { case gate(String?), cut(Ending) }

    /// An answer with just these fields.
    package init(status: Int = 200, fields: [HeaderField] = [], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        slices = [BodySlice(body)]
    }

    /// How many bytes the body has.
    var bodyCount: Int64 { slices.reduce(0) { $0 + $1.range.count } }

    /// Whether the status lets an answer have a body (RFC 9112 §6.3).
    var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// Whether the client can only tell the body's end by the connection's.
    var endsWithConnection: Bool {
        guard mayHaveBody else { return false }
        switch declaredLength {
        case .actual: return false
        case .omitted: return chunkedEnding == nil
        case .exactly(let length): return length != bodyCount
        }
    }

    func field(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    mutating func removeField(_ name: String) {
        let name = name.lowercased()
        fields.removeAll { $0.name.lowercased() == name }
    }

    /// Sets a field in the place of the first of its name.
    mutating func setField(_ name: String, _ value: String) {
        let lowercased = name.lowercased()
        let place = fields.firstIndex { $0.name.lowercased() == lowercased } ?? fields.endIndex
        removeField(name)
        fields.insert(HeaderField(name: name, value: value), at: min(place, fields.endIndex))
    }

    /// The status line and the fields.
    var head: [UInt8] {
        var head = "\(version) \(status) \(reasonPhrase(status))\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if mayHaveBody {
            if chunkedEnding != nil {
                head += "Transfer-Encoding: chunked\r\n"
            } else {
                switch declaredLength {
                case .actual: head += "Content-Length: \(bodyCount)\r\n"
                case .exactly(let length): head += "Content-Length: \(length)\r\n"
                case .omitted: break
                }
            }
        }
        return Array((head + "\r\n").utf8)
    }

    /// A page of an error or a redirect as nginx makes it, with none of a resource's fields.
    static func page(status: Int, date: Int64) -> Answer {
        let title = "\(status) \(reasonPhrase(status))"
        let page =
            "<html>\r\n<head><title>\(title)</title></head>\r\n<body>\r\n<center><h1>\(title)</h1></center>\r\n"
            + "</body>\r\n</html>\r\n"
        var answer = Answer(status: status, fields: commonFields(date: date), body: .text(page))
        answer.setField("Content-Type", "text/html")
        return answer
    }

    static func commonFields(date: Int64) -> [HeaderField] {
        [
            HeaderField(name: "Server", value: "FaultServer"),
            HeaderField(name: "Date", value: dateFieldValue(secondsSinceEpoch: date)),
        ]
    }
}

/// The reason phrase of a status, for people who read a trace.
func reasonPhrase(_ status: Int) -> String {
    let phrases: [Int: String] = [
        200: "OK", 204: "No Content", 206: "Partial Content", 207: "Multi-Status", 301: "Moved Permanently",
        302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable",
        425: "Too Early", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
    return phrases[status] ?? "Status"
}

/// A date as HTTP fields show it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package func dateFieldValue(secondsSinceEpoch seconds: Int64) -> String {
    let date = CivilDate(secondsSinceEpoch: seconds)
    return "\(date.weekdayName), \(twoDigits(date.day)) \(date.monthName) \(date.year) \(date.clock) GMT"
}
