import SyncCore

/// Which validators a simulated server sends.
enum Validators: CaseIterable {
    case strongTag
    case weakTag
    case date
    case tagAndDate
    case none
}

extension Representation {
    /// What a server says of the version of a file that has a number.
    static func numbered(_ number: Int, length: Int64?, _ validators: Validators = .strongTag) -> Representation {
        let tag: EntityTag? =
            switch validators {
            case .strongTag, .tagAndDate: EntityTag(opaque: "\"v\(number)\"", isWeak: false)
            case .weakTag: EntityTag(opaque: "\"v\(number)\"", isWeak: true)
            case .date, .none: nil
            }
        let hasDate = validators == .date || validators == .tagAndDate
        return Representation(
            length: length, entityTag: tag,
            lastModified: hasDate ? HTTPDate(secondsSinceEpoch: 1_700_000_000 + Int64(number)) : nil)
    }
}

extension ResponseHead {
    /// 200 with the whole of a representation.
    static func whole(_ representation: Representation) -> ResponseHead {
        ResponseHead(status: 200, contentLength: representation.length, representation: representation)
    }

    /// 206 with a range of a representation.
    static func part(_ range: ByteRange, of representation: Representation) -> ResponseHead {
        ResponseHead(
            status: 206, contentLength: range.count,
            contentRange: ContentRange(range: range, completeLength: representation.length),
            representation: representation)
    }

    /// 416, with the complete length where there is one.
    static func notSatisfiable(_ completeLength: Int64?) -> ResponseHead {
        ResponseHead(
            status: 416, contentRange: completeLength.map { ContentRange(range: nil, completeLength: $0) })
    }
}

/// One file on a server that misbehaves in chosen ways. Every version of it differs from every other in each byte, so
/// that a byte is told by its version's number and its place.
struct SimulatedServer {
    enum Ranges: CaseIterable {
        case honoured
        /// A range gets the whole.
        case ignored
        /// A range gets the whole when chance wants it.
        case ignoredSometimes
        /// A range gets another one.
        case wrong
        /// A range gets another one when chance wants it.
        case wrongSometimes
        /// A range gets only a part of what was asked for.
        case shortened
    }

    enum Conditions: CaseIterable {
        case understood
        /// `If-Range` with an entity tag gets the whole.
        case onlyDates
        /// `If-Range` always gets the whole.
        case refused
        /// A range is sent whatever `If-Range` says.
        case ignored
    }

    var ranges = Ranges.honoured
    var conditions = Conditions.understood
    var tellsLength = true
    /// Whether every answer has another entity tag, of the same bytes.
    var hasFickleTags = false
    /// How many transfers it serves at once.
    var mostConnections = Int.max
    /// The target that the source's URL redirects to; nil for none.
    var target: WebURL?
    /// How many more answers come before the target's URL expires.
    var answersToExpiry = Int.max
    /// What the versions are, by their number less one.
    var versions: [Representation] = []
    var current = 1
    /// How many more faults of the moment there will be: lost connections, errors, sometimes wrong answers.
    var faults = 0
    /// The first URLs of the file that never give it.
    var deadURLs: Set<WebURL> = []
    /// The URLs that give the right length of wrong bytes.
    var poisonedURLs: Set<WebURL> = []
    private var targetNumber = 0
    private var tagNumber = 0

    /// What wrong bytes count as.
    static let poison: UInt8 = 99

    struct Answer {
        var head: ResponseHead
        var url: WebURL
        var body: ByteRange
        var version: UInt8
        /// After how many bytes of the body the connection is lost.
        var lostAfter: Int64?
    }

    /// What happens to one request.
    mutating func answer(
        _ request: TransferRequest, others: Int, using random: inout SplitMix64
    ) -> Result<Answer, Failure> {
        if others >= mostConnections {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .failure(Failure(.couldNotConnect, "refused"))
            case 1: return .success(error(403, at: request.url))
            default: return .success(error(503, at: request.url))
            }
        }
        if deadURLs.contains(request.url) { return .success(error(404, at: request.url)) }
        var url = request.url
        if let target {
            if url.path == target.path {
                guard url.query == "token=\(targetNumber)" else { return .success(error(403, at: url)) }
            } else if let fresh = WebURL("\(target.string)?token=\(targetNumber)") {
                url = fresh
            }
            answersToExpiry -= 1
            if answersToExpiry <= 0 {
                targetNumber += 1
                answersToExpiry = Int.random(in: 1...6, using: &random)
            }
        }
        if isFault(1, of: 8, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .failure(Failure(.connectionLost, "lost before the answer"))
            case 1: return .success(error(500, at: url))
            case 2: return .success(error(503, at: url, retryAfter: .delay(.seconds(3))))
            default: return .success(error(502, at: url))
            }
        }
        var answer = content(for: request, at: url, using: &random)
        if isFault(1, of: 4, using: &random) {
            answer.lostAfter = Int64.random(in: 0...answer.body.count, using: &random)
        }
        return .success(answer)
    }

    private mutating func isFault(_ share: Int, of whole: Int, using random: inout SplitMix64) -> Bool {
        guard faults > 0, Int.random(in: 0..<whole, using: &random) < share else { return false }
        faults -= 1
        return true
    }

    private func error(_ status: Int, at url: WebURL, retryAfter: RetryAfter? = nil) -> Answer {
        Answer(
            head: ResponseHead(status: status, contentLength: 300, retryAfter: retryAfter), url: url,
            body: ByteRange(0, 300), version: Self.poison)
    }

    private mutating func content(
        for request: TransferRequest, at url: WebURL, using random: inout SplitMix64
    ) -> Answer {
        var now = versions[current - 1]
        let length = now.length ?? 0
        if hasFickleTags {
            tagNumber += 1
            now.entityTag = EntityTag(opaque: "\"t\(tagNumber)\"", isWeak: false)
        }
        if !tellsLength { now.length = nil }
        let version = poisonedURLs.contains(request.url) ? Self.poison : UInt8(current)
        let whole = Answer(head: .whole(now), url: url, body: ByteRange(0, length), version: version)
        guard let range = request.range, sendsRange(request, now, using: &random) else { return whole }
        guard range.start < length else {
            return Answer(head: .notSatisfiable(length), url: url, body: ByteRange(0, 0), version: version)
        }
        var sent = ByteRange(range.start, min(range.end, length))
        if ranges == .wrong || ranges == .wrongSometimes && isFault(1, of: 3, using: &random) {
            sent = sent.start > 0 ? ByteRange(0, sent.start) : ByteRange(0, length + 1)
        } else if ranges == .shortened {
            sent.end = Int64.random(in: (sent.start + 1)...sent.end, using: &random)
        }
        return Answer(head: .part(sent, of: now), url: url, body: sent, version: version)
    }

    private mutating func sendsRange(
        _ request: TransferRequest, _ now: Representation, using random: inout SplitMix64
    ) -> Bool {
        if ranges == .ignored { return false }
        if ranges == .ignoredSometimes, isFault(1, of: 3, using: &random) { return false }
        guard let condition = request.ifRange else { return true }
        switch conditions {
        case .understood:
            return condition == now.entityTag?.fieldValue || condition == now.lastModified?.fieldValue
        case .onlyDates:
            return condition == now.lastModified?.fieldValue
        case .refused:
            return false
        case .ignored:
            return true
        }
    }
}
