internal import Curl
internal import SyncCore

/// One request and its answer on its way through libcurl: what arrives is judged at the head, and written, kept, handed
/// on or dropped from then on, without a question to anybody for each buffer.
///
/// Belongs to the loop's thread. Redirects to another host give it another permit, never another number.
final class Transfer: TransferReceiver {
    /// What becomes of the body.
    enum Sink {
        case undecided
        /// It is gathered in the buffer, and written to the partial each time that is full; without a partial it all stays
        /// there, for a file that fits.
        case write(PartialFile?, RunningDigest?)
        case keep(most: Int)
        case deliver(ListingChannel)
        case drop
    }

    /// What the transfer has of connections.
    enum Seat {
        /// A permit, and a connection that nobody shares.
        case ownConnection
        /// A permit, and a connection that others may share where the host carries streams.
        case carrier
        /// No permit: it is a stream on a connection of others.
        case rider
    }

    /// Why a body is held back.
    struct Holds: OptionSet {
        let rawValue: Int
        /// It has had its share of the rate.
        static let rate = Holds(rawValue: 1)
        /// Its reader does not follow.
        static let reader = Holds(rawValue: 2)
    }

    /// Bytes of a body that is of no use are read up to here, so that the connection can be used again.
    static let mostDropped = 64 << 10

    let id: TransferID
    let job: JobID
    let easy: EasyHandle
    unowned let loop: TransferLoop
    var request: TransferRequest
    var route: Route

    private var parser = ResponseHeadParser(now: currentDate())
    private(set) var head: ResponseHead?
    private(set) var redirect: [UInt8]?
    /// Where redirects on the way named the same file, and its digests: servers that choose a mirror for each request tell
    /// of the others there (RFC 6249 §1).
    private var mirrors: [[UInt8]] = []
    private var digestsOfMirrors: [Digest] = []
    var sink = Sink.undecided
    /// Where the next byte of the body belongs.
    private(set) var position: Int64 = 0
    /// Where the first byte belongs that is in the buffer, or will be: all before it was given to the disk.
    private var bufferStart: Int64 = 0
    private let account = WriteAccount()
    private var reported: Int64 = 0
    var limit: Int64?
    /// Where the answer's body ends, as far as its head tells.
    private var end: Int64?
    /// Where it sits; how its host counts it.
    var seat = Seat.carrier
    /// Whether the request holds something that a server could refuse.
    var carriesSecrets = false
    private(set) var kept: [UInt8] = []
    private var dropped = 0
    private(set) var wasCut = false
    private var isAbandoned = false
    /// All body bytes of this transfer.
    private(set) var total: Int64 = 0
    private(set) var failure: Failure?
    private var holds: Holds = []
    /// How many bytes may come before the transfer is held back; nil where no rate is limited.
    var allowance: Int64?

    /// Body bytes since the loop last looked.
    private var arrived: Int64 = 0
    /// Body bytes that the rate's bucket was not told of.
    private var unbooked: Int64 = 0
    private var hasMoved = false
    var watch: StallWatch
    private(set) var speed: TransferSpeed
    /// The addresses that a connection was tried to, in order.
    private(set) var triedAddresses: [String] = []
    private var hasLeftOutAddress = false
    private(set) var buffer: WriteBuffer
    private var buffered = 0

    init(
        id: TransferID, job: JobID, request: TransferRequest, route: Route, easy: EasyHandle, loop: TransferLoop,
        buffer: WriteBuffer, now: MonotonicTime
    ) {
        self.id = id
        self.job = job
        self.request = request
        self.route = route
        self.easy = easy
        self.loop = loop
        self.buffer = buffer
        watch = StallWatch(startedAt: now)
        speed = TransferSpeed(startedAt: now)
    }

    // MARK: What arrives

    func received(headerLine: UnsafeRawBufferPointer) -> Bool {
        hasMoved = true
        // Trailers come when the body is over, and tell nothing that is used.
        guard head == nil else { return true }
        guard var head = parser.read(line: Span(_unsafeBytes: headerLine)) else { return true }
        if route.isRedirect(head) {
            self.head = head
            redirect = head.location
            sink = .drop
            noteMirrors(head)
            return true
        }
        head.duplicates += mirrors
        head.digests += digestsOfMirrors
        self.head = head
        let id = id
        let verdict = loop.assumeIsolated { $0.received(head, for: id) }
        guard !isAbandoned, apply(verdict) else { return false }
        return !isEndedByTLS(head) || (try? easy.watchForCloseNotify()) != nil
    }

    private func noteMirrors(_ head: ResponseHead) {
        guard !head.duplicates.isEmpty else { return }
        mirrors += head.duplicates.compactMap { reference in
            route.url.resolve(bytes: reference[...]).map { Array($0.string.utf8) }
        }
        digestsOfMirrors += head.digests
    }

    /// Whether only the end of a TLS connection tells where a wanted body ends.
    private func isEndedByTLS(_ head: ResponseHead) -> Bool {
        guard head.endsWithConnection, request.method == .get, route.url.scheme == "https" else { return false }
        if case .drop = sink { return false }
        return true
    }

    private func apply(_ verdict: BodyVerdict) -> Bool {
        switch verdict {
        case .write(let offset, let limit):
            position = offset
            bufferStart = offset
            account.begin(at: offset)
            reported = offset
            self.limit = limit
            end = head?.contentRange?.range?.end ?? head?.contentLength
        case .keep(let most):
            sink = .keep(most: most)
        case .deliver:
            break
        case .drop:
            sink = .drop
        case .cut:
            sink = .drop
            wasCut = true
            return false
        }
        return true
    }

    func received(body: UnsafeRawBufferPointer) -> BodyFlow {
        guard !isAbandoned else { return .abort }
        hasMoved = true
        arrived += Int64(body.count)
        total += Int64(body.count)
        unbooked += Int64(body.count)
        if let allowance { self.allowance = allowance - Int64(body.count) }
        let flow = take(body)
        guard case .proceed = flow else { return flow }
        if let allowance, allowance <= 0 {
            holds.insert(.rate)
            return .pauseAfterwards
        }
        return .proceed
    }

    func mayConnect(to address: String?) -> Bool {
        guard let address else { return true }
        let origin = route.origin
        guard loop.assumeIsolated({ $0.addresses.mayTry(address, of: origin) }) else {
            hasLeftOutAddress = true
            return false
        }
        triedAddresses.append(address)
        return true
    }

    func foundStreams() {
        let origin = route.origin
        loop.assumeIsolated { $0.foundStreams(origin) }
    }

    private func take(_ body: UnsafeRawBufferPointer) -> BodyFlow {
        switch sink {
        case .write(let partial, let digest):
            return write(body, to: partial, digest)
        case .keep(let most):
            kept.append(contentsOf: body.prefix(most - kept.count))
            guard kept.count < most else { return cutUnlessAtEnd() }
            return .proceed
        case .deliver(let channel):
            if channel.push(Array(body)) == .full {
                holds.insert(.reader)
                return .pauseAfterwards
            }
            return .proceed
        case .drop, .undecided:
            dropped += body.count
            guard dropped <= Self.mostDropped else {
                wasCut = true
                return .abort
            }
            return .proceed
        }
    }

    /// A sample is taken whole; what a server sends behind it is not wanted.
    private func cutUnlessAtEnd() -> BodyFlow {
        guard let length = head?.contentLength, length > Int64(kept.count) else { return .proceed }
        wasCut = true
        return .abort
    }

    private func write(_ body: UnsafeRawBufferPointer, to partial: PartialFile?, _ digest: RunningDigest?) -> BodyFlow {
        let room = limit.map { max(0, $0 - position) } ?? .max
        var rest = UnsafeRawBufferPointer(rebasing: body.prefix(Int(min(room, Int64(body.count)))))
        position += Int64(rest.count)
        while !rest.isEmpty {
            // Writes end where a multiple of their size does, so that the page cache gets whole pages.
            let space = WriteBuffer.size - Int(bufferStart % Int64(WriteBuffer.size)) - buffered
            let count = min(space, rest.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[buffered..<(buffered + count)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            buffered += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if count == space, let partial, !sendBuffer(to: partial, digest) { return .abort }
        }
        // What lies behind the limit is not waited for: another transfer brings it.
        if let limit, position == limit, Int64(body.count) > room || end.map({ $0 > limit }) == true {
            wasCut = true
            return .abort
        }
        return .proceed
    }

    /// Gives a full buffer to the disk, and goes on with another one.
    private func sendBuffer(to partial: PartialFile, _ digest: RunningDigest?) -> Bool {
        noteFailure()
        guard failure == nil else { return false }
        loop.writes.write(buffer, count: buffered, at: bufferStart, to: partial, digest, account: account)
        buffer = loop.writes.takeBuffer()
        passBuffer()
        return true
    }

    /// Writes what is buffered and waits for what is on its way, so that all that arrived is in the partial. After a failure
    /// of the disk the transfer is over.
    func flush() {
        guard case .write(let partial?, let digest) = sink, failure == nil else { return }
        if account.end < bufferStart { loop.writes.drain() }
        if buffered > 0 {
            account.write(
                UnsafeRawBufferPointer(rebasing: buffer.bytes[..<buffered]), at: bufferStart, to: partial, digest)
            passBuffer()
        }
        noteFailure()
    }

    /// What was buffered is the disk's now.
    private func passBuffer() {
        let (job, count) = (job, buffered)
        loop.assumeIsolated { $0.unrecorded[job, default: 0] += count }
        bufferStart += Int64(buffered)
        buffered = 0
    }

    private func noteFailure() { failure = failure ?? account.failure }

    /// The bytes of a whole file that were gathered without a partial, if all of them have come.
    func takeGathered(length: Int64) -> [UInt8]? {
        guard case .write(nil, _) = sink, position == length, buffered == Int(length), failure == nil else {
            return nil
        }
        sink = .drop
        return Array(buffer.bytes[..<buffered])
    }

    // MARK: What the loop does to it

    /// Bytes and signs of life since the last look.
    func takeActivity(now: MonotonicTime) -> Int64 {
        if head != nil { speed.sample(bytes: arrived, now: now) }
        watch.sample(moved: hasMoved, rate: speed.rate, isHeld: !holds.isEmpty, at: now)
        hasMoved = false
        defer { arrived = 0 }
        return arrived
    }

    /// Whether no connection was tried because all addresses of the host are left out.
    var hadNoAddressLeft: Bool { hasLeftOutAddress && triedAddresses.isEmpty }

    /// Makes it ready to be sent once more as it is.
    func beginAgain() { follow(route, request: request) }

    /// Whether we hold its body back ourselves.
    var isHeld: Bool { !holds.isEmpty }

    /// How long its range will keep it busy, in seconds, where another transfer that takes half of it would save more than it
    /// costs; nil elsewhere.
    var timeWorthHelping: Double? { limit.flatMap { speed.timeWorthHelping(rest: $0 - position) } }

    /// Bytes that have arrived and that the job was not told of.
    var unreported: Int64 { position - reported }

    /// Tells how far the partial is written, and notes that the job was told.
    func reportWritten() -> Int64 {
        reported = account.end
        return reported
    }

    /// Body bytes since the last time that the rate's bucket was told.
    func takeUnbooked() -> Int64 {
        defer { unbooked = 0 }
        return unbooked
    }

    /// Takes nothing more: its job has no use for it any longer.
    func abandon() {
        sink = .drop
        isAbandoned = true
    }

    /// Lets a body come again as far as one of its holds is concerned.
    func resume(_ hold: Holds) {
        guard holds.contains(hold) else { return }
        holds.remove(hold)
        if holds.isEmpty { easy.setPaused(false) }
    }

    /// Makes it ready for the next request of its route.
    func follow(_ route: Route, request: TransferRequest) {
        self.route = route
        self.request = request
        parser = ResponseHeadParser(now: currentDate())
        head = nil
        redirect = nil
        sink = .undecided
        buffered = 0
        dropped = 0
        triedAddresses = []
        hasLeftOutAddress = false
        // The redirect's own page may have been longer than is worth reading.
        wasCut = false
    }
}
