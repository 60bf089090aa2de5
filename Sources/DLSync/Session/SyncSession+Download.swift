public import SyncCore

/// What a server says of a file before it is fetched.
public struct RemoteFile: Hashable, Sendable {
    /// What the URL names now.
    public var representation: Representation
    /// The name that the server suggests (`Content-Disposition`, RFC 6266), or else that of the URL: a single name
    /// without directories, safe to create a file by.
    public var path: RelativePath
}

extension SyncSession {
    /// A download of one file.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - path: Its path below the destination; nil for the name that the server suggests, or else that of the URL.
    ///   - options: What it does besides fetching.
    public func download(_ url: WebURL, to path: RelativePath? = nil, options: Download.Options = .init()) -> Download {
        Download(url, to: path, options: options, session: self)
    }

    /// A download that goes on from what an earlier launch was given at a pause.
    ///
    /// - Parameters:
    ///   - data: What ``Download/pause()`` returned. A digest in it counts as if it were in the options.
    ///   - options: What it does besides fetching.
    public func download(resuming data: ResumeData, options: Download.Options = .init()) -> Download {
        var options = options
        options.digest = options.digest ?? data.digest
        return Download(data.url, to: data.path, options: options, session: self)
    }

    /// Asks a server about a file, without fetching it.
    ///
    /// - Throws: ``Failure`` where it has none, or did not tell.
    public func inquire(_ url: WebURL, headers: [HeaderField] = []) async throws(Failure) -> RemoteFile {
        let (knowledge, suggestion) = await loop.inquire(url, headers: headers)
        switch knowledge {
        case .answered(let representation):
            return RemoteFile(representation: representation, path: Self.safeName(suggestion, url))
        case .missing(let failure), .unknown(let failure):
            throw failure
        case .notAsked:
            throw Failure(.interrupted, "\(url.redacted) was not asked: the session is closed")
        }
    }

    /// The last component of a suggestion, if it can be a file's name; else the URL's own, else a plain word.
    static func safeName(_ suggestion: [UInt8]?, _ url: WebURL) -> RelativePath {
        for candidate in [suggestion, url.lastPathSegment, Array("download".utf8)] {
            guard
                let last = candidate?.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
                    .last
            else { continue }
            let printable = last.filter { $0 >= 0x20 && $0 != 0x7F }
            let entry = Entry(urls: [url], suggestedPath: printable, origin: EntryOrigin(source: url.redacted))
            if let path = try? Placement(layout: .tree).path(of: entry) { return path }
        }
        preconditionFailure("a plain word is a safe name")
    }
}

extension TransferLoop {
    /// Asks what a URL names, and what name the server suggests for it.
    func inquire(_ url: WebURL, headers: [HeaderField]) async -> (ServerKnowledge, suggestedName: [UInt8]?) {
        await withCheckedContinuation { continuation in
            add(
                InquiryJob(
                    id: newJobID(),
                    machine: InquiryMachine(
                        urls: [url], headers: headers, policy: configuration.transfer.retry, seed: newSeed()),
                    answer: { continuation.resume(returning: ($0, $1)) }))
        }
    }

    /// Takes a job on for one entry, and tells its number before anything else happens to it.
    func run(_ facts: EntryFacts, context: RunContext, begun: (JobID) -> Void) {
        let id = newJobID()
        begun(id)
        begin(EntryJob(id: id, facts: facts, context: context))
    }

    /// Stops one job: what it has is recorded, and its outcome told.
    func interrupt(_ id: JobID) {
        guard let job = job(id) else { return }
        for transfer in transfers(of: id) {
            transfer.flush()
            job.progressed(transfer)
        }
        job.interrupt(in: self)
        for transfer in transfers(of: id) { cancel(transfer.id) }
    }
}
