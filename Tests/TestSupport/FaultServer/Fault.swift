/// How a connection ends before its time.
package enum Ending: Sendable {
    /// FIN: the socket is closed in order.
    case close
    /// RST, after everything that was sent has arrived.
    case reset
}

/// How a chunked body ends (RFC 9112 §7.1).
package enum ChunkedEnding: Sendable {
    /// With the last chunk, as it should.
    case proper
    /// All data is sent, then the connection closes where the last chunk should come.
    case withoutLastChunk
    /// The first chunk says a size that no 64-bit number holds; the data follows, then the connection closes.
    case oversizedChunk
}

/// One change of an otherwise right answer. Of a step, those that choose what is sent come first; each kind is applied in
/// the order that the step has.
package enum Fault: Sendable {
    // What is chosen to be sent.

    /// The answer is made from this resource in place of the path's own.
    case from(Resource)
    /// Every answer bears another entity tag, `"answer-N"`, so that no condition ever matches.
    case newTagEachTime
    /// A soft error: 200 and a page of HTML, whatever is asked.
    case softNotFound
    /// The representation is really gzip-coded, though nobody asked for it. `strongTag` keeps the entity tag of the plain
    /// bytes; else it becomes weak.
    case gzip(strongTag: Bool = false, ranges: RangeSupport = .none)
    /// 200 with everything, whatever `Range` says; `Accept-Ranges` stays as it is.
    case ignoreRange
    /// `Range` is taken as if it had this value: the answer is right, but to another question.
    case takeRangeAs(String)
    /// `If-Range` is not looked at.
    case ignoreIfRange
    /// An entity tag in `If-Range` never matches, though a date may.
    case refuseTagInIfRange
    /// `If-None-Match`, `If-Modified-Since` and kin are not looked at.
    case ignoreConditions
    /// A single range comes as `multipart/byteranges` of one part.
    case multipart

    // The head.

    /// Another status. From 300 on the answer becomes a small page of the error, without the fields of the resource.
    case status(Int)
    /// An error with `Retry-After`, in seconds or as a date.
    case refusal(Int, retryAfter: String)
    /// A field gets this value, in place of all of its name.
    case setField(String, String)
    /// A field more.
    case addField(String, String)
    /// A field less. Without `Content-Length` the body ends with the connection.
    case removeField(String)
    /// The numbers in `Content-Range` are off by these; the bytes are those that were asked for.
    case shiftContentRange(start: Int64 = 0, end: Int64 = 0, total: Int64 = 0)
    /// `Content-Length` says this, whatever is sent. The connection closes after the body.
    case contentLength(Int64)
    /// This many fields of this size more.
    case hugeFields(count: Int, size: Int)
    /// The version in the status line, `HTTP/1.0` for example (the connection then closes after the answer).
    case version(String)
    /// 3xx with this `Location`, relative or absolute.
    case redirect(String, status: Int = 302)
    /// 416 with `Content-Range: bytes */N`, or without it for nil.
    case rangeNotSatisfiable(total: Int64?)

    // The body.

    /// Other bytes for the body; `Content-Length` agrees with them.
    case body(Body)
    /// Chunked transfer coding.
    case chunked(ChunkedEnding = .proper)
    /// No `Content-Length`; the body ends with the connection.
    case closeDelimited

    // How it is sent.

    /// Nothing is sent before the gate lets it.
    case hold(String)
    /// After this many bytes of the body the connection ends.
    case cut(after: Int64, by: Ending = .close)
    /// After this many bytes of the body the answer waits at a gate; without a gate, until the client goes away.
    case stall(after: Int64, gate: String? = nil)
    /// The gate is passed for each `bytes` of the body.
    case drip(bytes: Int64, gate: String)
    /// These bytes in place of the whole answer, then the connection closes. No bytes are an empty answer.
    case raw([UInt8])
    /// These bytes before the status line: an interim answer, for example.
    case preface([UInt8])
    /// The connection closes after the answer, which does not say so.
    case closeQuietly

    /// An answer of HTTP/0.9: no head at all.
    package static let headless = Fault.raw(Array("This is not HTTP.\n".utf8))
}

/// A line of a path's script: which requests it is for, for how many of them, and what goes wrong then.
///
/// A request takes the first step that is for it and not used up, and uses it once. With steps that are all `.once`, the
/// k-th step is therefore for the k-th request. What no step is for is answered in order.
package struct Step: Sendable {
    package let filter: RequestFilter
    package internal(set) var usesLeft: Int?
    package let faults: [Fault]

    /// For the next request that `filter` matches.
    package static func once(on filter: RequestFilter = .any, _ faults: Fault...) -> Step {
        Step(filter: filter, usesLeft: 1, faults: faults)
    }
    /// For the next request that `filter` matches.
    package static func once(on filter: RequestFilter = .any, _ faults: [Fault]) -> Step {
        Step(filter: filter, usesLeft: 1, faults: faults)
    }
    /// For the next `count` requests that `filter` matches.
    package static func times(_ count: Int, on filter: RequestFilter = .any, _ faults: Fault...) -> Step {
        Step(filter: filter, usesLeft: count, faults: faults)
    }
    /// For the next `count` requests that `filter` matches.
    package static func times(_ count: Int, on filter: RequestFilter = .any, _ faults: [Fault]) -> Step {
        Step(filter: filter, usesLeft: count, faults: faults)
    }
    /// For all requests that `filter` matches.
    package static func always(on filter: RequestFilter = .any, _ faults: Fault...) -> Step {
        Step(filter: filter, usesLeft: nil, faults: faults)
    }
    /// For all requests that `filter` matches.
    package static func always(on filter: RequestFilter = .any, _ faults: [Fault]) -> Step {
        Step(filter: filter, usesLeft: nil, faults: faults)
    }
    /// The next request that `filter` matches is answered in order.
    package static func pass(on filter: RequestFilter = .any) -> Step { Step(filter: filter, usesLeft: 1, faults: []) }
}
