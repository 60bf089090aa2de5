import Testing

@testable import SyncCore

/// A download machine and the few things that a test says to it, by the number of the transfer.
struct ToldMachine: ~Copyable {
    var machine: DownloadMachine
    let url: WebURL
    let mirror: WebURL

    init(
        start: DownloadTask.Start = .nothing, promisedSize: Int64? = nil, announced: Representation? = nil,
        digest: Digest? = nil, mirrors: Int = 0, segments: SegmentLimit = .auto, minimum: Int64 = 10,
        headers: [HeaderField] = [], traits: HostTraits = HostTraits()
    ) throws {
        let url = try #require(WebURL("https://example.org/file"))
        let mirror = try #require(WebURL("https://mirror.test/file"))
        (self.url, self.mirror) = (url, mirror)
        machine = DownloadMachine(
            DownloadTask(
                urls: [url] + [WebURL](repeating: mirror, count: mirrors), headers: headers,
                promisedSize: promisedSize, announced: announced, digest: digest, traits: traits, start: start),
            policy: TransferPolicy(segments: segments, minimumSegment: minimum), seed: 1)
    }

    mutating func ask(_ id: Int) throws -> TransferRequest {
        let request = machine.request(for: TransferID(id))
        return try #require(request)
    }

    mutating func head(_ id: Int, _ head: ResponseHead, from other: WebURL? = nil) -> (
        actions: [DownloadMachine.Action], body: BodyVerdict
    ) {
        machine.received(head, from: other ?? machine.url, for: TransferID(id))
    }

    mutating func progress(_ id: Int, _ position: Int64) { machine.progressed(TransferID(id), to: position) }

    mutating func end(_ id: Int, _ end: TransferEnd = .finished, matches: Bool? = nil) -> [DownloadMachine.Action] {
        machine.ended(TransferID(id), end, matches: matches)
    }

    /// Tells of a refusal, whose body was of no use and has ended.
    mutating func refused(_ id: Int, _ status: Int, retryAfter: RetryAfter? = nil, from other: WebURL? = nil)
        -> [DownloadMachine.Action]
    {
        _ = head(id, ResponseHead(status: status, retryAfter: retryAfter), from: other)
        return end(id)
    }
}

/// The end of a transfer whose connection was lost.
let lostConnection = TransferEnd.failed(Failure(.connectionLost, "lost"))

/// What a server says of a version of the file: 100 bytes, unless it is said otherwise.
func tagged(_ number: Int, _ length: Int64? = 100, _ validators: Validators = .tagAndDate) -> Representation {
    .numbered(number, length: length, validators)
}

/// A beginning of so many bytes of a version.
func partialStart(_ representation: Representation, _ end: Int64 = 40) -> DownloadTask.Start {
    .partial(representation, held: ByteRangeSet([ByteRange(0, end)]))
}

extension [DownloadMachine.Action] {
    /// The failure that they end with.
    var endingFailure: Failure.Code? {
        guard case .fail(let failure) = last else { return nil }
        return failure.code
    }

    var endWithWait: Bool {
        guard case .wait = last else { return false }
        return true
    }
}

extension DownloadMachine {
    /// The longest rest of a transfer that may be split, in bytes; 0 for none.
    var splittable: Int64 {
        guard let longest, canSplit(longest.id, least: policy.minimumSegment) else { return 0 }
        return longest.rest.count
    }

    /// Splits the longest rest, as the loop does where all transfers have the same speed.
    mutating func split() -> [Action] {
        longest.map { split($0.id, least: policy.minimumSegment) } ?? []
    }

    private var longest: SegmentMap.Segment? { map?.active.max { $0.rest.count < $1.rest.count } }
}
