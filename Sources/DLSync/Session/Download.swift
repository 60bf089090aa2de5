public import SyncCore
internal import Synchronization

/// One file: started, paused, resumed, now or in a later launch.
///
/// A download keeps what it has in the session's destination, bound to the version of the file that the server had when
/// its first byte came. Whatever happens to the process, the next ``start()`` for the same URL and path goes on from
/// there; a file that changed on the server meanwhile is fetched anew and never mixed. The final name appears when the
/// file is complete.
///
/// ```swift
/// try await withSyncSession(into: "/srv/images") { session in
///     let download = session.download(url, to: "disk.img")
///     download.onProgress { print($0.have, $0.size ?? 0) }
///     download.start()
///     let file = try await download.finished()
/// }
/// ```
public final class Download: Sendable {
    /// What a download does besides fetching.
    public struct Options: Hashable, Sendable {
        /// How many transfers may bring the file at once. With `fixed(n)` the file is cut into n equal ranges.
        public var segments = SegmentLimit.auto
        /// No range shorter than this is split off, in bytes; of a slow transfer, none shorter than 64 KiB.
        public var minimumSegment: Int64 = 1 << 20
        /// What the finished file must match.
        public var digest: Digest?
        /// Further request fields; they are sent to the URL's own origin only.
        public var headers: [HeaderField] = []
        /// Whether a shorter file that stands under the final name may be the beginning of the wanted one, and is gone on
        /// with once its bytes were compared with the server's at several places.
        public var adoptsPartialFile = true

        /// One transfer to begin with, no digest, no further fields.
        public init() {}
    }

    /// A look at a download's progress.
    public struct Progress: Hashable, Sendable {
        /// How many bytes are here.
        public var have: Int64
        /// How many the file has; nil where nobody knows.
        public var size: Int64?
        /// How many transfers bring it.
        public var transfers: Int
    }

    /// A finished file.
    public struct File: Hashable, Sendable {
        /// Its path below the destination.
        public var path: RelativePath
        /// Its size in bytes.
        public var size: Int64
        /// How it came to be there: fetched, resumed, or current already.
        public var action: Action
        /// Body bytes that were received in this launch.
        public var bytesReceived: Int64
    }

    /// Where a download stands.
    public enum State: Hashable, Sendable {
        /// It was not started yet.
        case idle
        case running
        case paused
        case finished(File)
        case failed(Failure)
    }

    /// Where the file is.
    public let url: WebURL
    private let options: Options
    private let session: SyncSession
    private let wanted: RelativePath?
    private let contents = Mutex(Contents())

    private struct Contents {
        var state = State.idle
        var isPausing = false
        var path: RelativePath?
        var job: JobID?
        var handlers: [@Sendable (Progress) -> Void] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
        var attempt: Task<Void, Never>?
        var received: Int64 = 0
    }

    init(_ url: WebURL, to path: RelativePath?, options: Options, session: SyncSession) {
        self.url = url
        wanted = path
        self.options = options
        self.session = session
    }

    /// Where it stands now.
    public var state: State { contents.withLock { $0.state } }

    /// Has a handler called with the progress, ten times a second at most, and at the end of each transfer. It is called
    /// on a thread that must not be kept waiting.
    public func onProgress(_ handler: @escaping @Sendable (Progress) -> Void) {
        contents.withLock { $0.handlers.append(handler) }
    }

    /// Starts, or goes on: from the bytes that this or an earlier launch left, if they are still of the file that the
    /// server has. Does nothing while the download runs, or when it is finished.
    public func start() {
        contents.withLock { contents in
            switch contents.state {
            case .running, .finished: return
            case .idle, .paused, .failed: break
            }
            contents.state = .running
            contents.isPausing = false
            // The one bridge from a call that returns at once to the work: the session awaits it when it closes.
            contents.attempt = session.spawn { [self] in await attempt() }
        }
    }

    /// Goes on after a pause or a failure; the same as ``start()``.
    public func resume() { start() }

    /// Stops the transfers and writes down what is here.
    ///
    /// - Returns: What a later launch may be handed to go on from, see ``SyncSession/download(resuming:options:)``; nil
    ///   where nothing is here yet. The next ``start()`` for the same URL and path does not need it.
    @discardableResult
    public func pause() async -> ResumeData? {
        let (attempt, job) = contents.withLock { contents in
            contents.isPausing = contents.state == .running
            return (contents.attempt, contents.job)
        }
        if let job { await session.loop.interrupt(job) }
        await attempt?.value
        await session.desk.drain()
        guard case .paused = state, let path = contents.withLock({ $0.path }) else { return nil }
        return session.partial(at: path).map { ResumeData(url: url, record: $0, digest: options.digest) }
    }

    /// Waits until the file is complete.
    ///
    /// - Throws: ``Failure`` where it failed, and one of code ``Failure/Code/interrupted`` where it was paused.
    public func finished() async throws -> File {
        while true {
            switch state {
            case .finished(let file): return file
            case .failed(let failure): throw failure
            case .paused: throw Failure(.interrupted, "the download of \(url.redacted) is paused")
            case .idle, .running: await change()
            }
        }
    }

    /// Waits for the next change of the state.
    private func change() async {
        await withCheckedContinuation { continuation in
            let isOver = contents.withLock { contents in
                switch contents.state {
                case .idle, .running:
                    contents.waiters.append(continuation)
                    return false
                case .paused, .finished, .failed: return true
                }
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: One attempt

    private func attempt() async {
        do {
            let path = try await place()
            contents.withLock { $0.path = path }
            settle(await bring(to: path))
        } catch {
            settle(.failed(error))
        }
    }

    private func place() async throws(Failure) -> RelativePath {
        if let path = wanted ?? contents.withLock({ $0.path }) { return path }
        return try await session.inquire(url, headers: options.headers).path
    }

    private func bring(to path: RelativePath) async -> State {
        let entry = Entry(
            urls: [url], digests: options.digest.map { [$0] } ?? [], headers: options.headers,
            origin: EntryOrigin(source: url.redacted))
        let context = session.makeContext(options) { [weak self] progress in self?.show(progress) }
        let facts = await session.survey(EntryFacts(entry: entry, path: path))
        context.began(1)
        let isPausing = contents.withLock { $0.isPausing }
        guard !isPausing else { return .paused }
        await session.loop.run(facts, context: context) { [weak self] job in
            self?.contents.withLock { $0.job = job }
        }
        if contents.withLock({ $0.isPausing }), let job = contents.withLock({ $0.job }) {
            await session.loop.interrupt(job)
        }
        context.readAll()
        guard case .outcome(let outcome)? = await context.events.next() else {
            return .failed(Failure(.interrupted, "the session was closed"))
        }
        let received = contents.withLock { contents in
            contents.received += outcome.bytes
            return contents.received
        }
        guard let failure = outcome.failure else {
            return .finished(
                File(path: path, size: outcome.size ?? 0, action: outcome.action, bytesReceived: received))
        }
        return failure.code == .interrupted ? .paused : .failed(failure)
    }

    private func show(_ file: ProgressSnapshot.ActiveFile) {
        for handler in contents.withLock({ $0.handlers }) {
            handler(Progress(have: file.have, size: file.size, transfers: file.transfers))
        }
    }

    private func settle(_ state: State) {
        let waiters = contents.withLock { contents in
            contents.state = state
            contents.job = nil
            defer { contents.waiters.removeAll() }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
