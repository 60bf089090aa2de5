/// What is to become of an entry.
public enum Action: String, Hashable, Sendable, CaseIterable {
    /// The file is here and current.
    case upToDate = "up-to-date"
    /// Nothing of it is here.
    case fetch
    /// Some of it is here and current; the rest is fetched.
    case resume
    /// Unfinished data is of something else; all is fetched.
    case restart
    /// The file is here, but not this one; all is fetched.
    case replace
    /// The bytes are right; only time or records change.
    case relabel
    /// It is gone from the source and is taken away here.
    case delete
    /// Nothing is done, by a rule that the user gave or because there is nothing to be had.
    case skip
    /// It cannot be put where it belongs.
    case conflict
    /// The server did not tell; the file is kept as it is.
    case unknown
}

/// All that is known of an entry here, before the server is asked.
public struct EntryFacts: Hashable, Sendable {
    /// The entry.
    public var entry: Entry
    /// Its place below the destination.
    public var path: RelativePath
    /// What stands there.
    public var local: LocalState
    /// What the state remembers of it.
    public var record: FileRecord?
    /// Its unfinished data.
    public var partial: PartialRecord?
    /// The digest of the file that stands there, where it was computed.
    public var localDigest: Digest?
    /// What the state remembers of earlier runs that could not bring it up to date.
    public var failure: FailureRecord?
    /// The listing that names it; nil where no source does.
    package var listing: ListingPlace?

    /// Facts of an entry.
    public init(
        entry: Entry, path: RelativePath, local: LocalState = .absent, record: FileRecord? = nil,
        partial: PartialRecord? = nil, localDigest: Digest? = nil
    ) {
        self.entry = entry
        self.path = path
        self.local = local
        self.record = record
        self.partial = partial
        self.localDigest = localDigest
    }

    /// What identifies the file between runs: its first URL without volatile parts.
    package var resource: String { entry.urls[0].resourceIdentity }

    /// The size that the source promises exactly.
    package var promisedSize: Int64? {
        guard case .exact(let size) = entry.size else { return nil }
        return size
    }
}

/// What the server said when it was asked about an entry.
package enum ServerKnowledge: Hashable, Sendable {
    case notAsked
    case answered(Representation)
    /// It says that there is no such file.
    case missing(Failure)
    /// It could not be asked, or gave no usable answer.
    case unknown(Failure)
}

/// What is to be done about an entry, and why.
public struct Decision: Hashable, Sendable {
    /// The work that stands behind the action.
    package enum Work: Hashable, Sendable {
        case none
        /// Put into the state what was proven: the file as it is now, of this representation.
        case record(LocalFile, Representation, Digest?)
        case download(DownloadTask.Start)
        /// Copy the local file's bytes into a partial, compare, and go on behind them.
        case adopt(LocalFile)
        /// Nothing can be done; it counts as failed.
        case failed(Failure)
    }

    /// The action, for people and programs.
    public var action: Action
    /// Why, in words that complete "because …", without a full stop.
    public var reason: String
    /// How many bytes are here that need not be fetched.
    public var have: Int64
    /// How many bytes are to be fetched; nil where nobody knows.
    public var fetch: Int64?
    /// The size of the file; nil where nobody knows.
    public var size: Int64?
    package var work: Work
    /// What the server said, if it was asked.
    package var announced: Representation?

    package init(
        action: Action, reason: String, have: Int64, fetch: Int64?, size: Int64?, work: Work,
        announced: Representation? = nil
    ) {
        self.action = action
        self.reason = reason
        self.have = have
        self.fetch = fetch
        self.size = size
        self.work = work
        self.announced = announced
    }
}

/// What the planner says of an entry.
package enum Verdict: Hashable, Sendable {
    /// The server is to be asked first.
    case ask
    /// The local file's digest is to be computed first.
    case hashLocalFile(DigestAlgorithm)
    case decided(Decision)
}

/// How the planner compares, from the command line.
public struct ComparePolicy: Hashable, Sendable {
    /// Whether a shorter local file that dlsync did not bring may be another tool's partial (`--adopt`).
    public var adopts: Bool
    /// Which sizes are wanted; what the source does not tell exactly the server is asked for.
    public var filter: EntryFilter
    /// Whether the server is asked even where the download itself would tell all (a dry run, which wants sizes).
    public var alwaysAsks: Bool
    /// Whether a file needs no question to the server of which its source says what it said when the file was last proven
    /// (`--trust-listing`).
    public var trustsListings: Bool

    /// A way to compare.
    public init(
        adopts: Bool = true, alwaysAsks: Bool = false, trustsListings: Bool = false,
        filter: EntryFilter = EntryFilter()
    ) {
        self.adopts = adopts
        self.alwaysAsks = alwaysAsks
        self.trustsListings = trustsListings
        self.filter = filter
    }
}

/// Decides what becomes of an entry, from facts alone: the same facts give the same decision, in a dry run and in a real
/// one.
package struct Planner: Sendable {
    package var policy: ComparePolicy

    package init(policy: ComparePolicy = ComparePolicy()) { self.policy = policy }

    /// The verdict on an entry.
    package func verdict(on facts: EntryFacts, server: ServerKnowledge) -> Verdict {
        switch facts.local {
        case .blocked(let why):
            return .decided(
                conflict("the path \(why)", Failure(.collision, "\(facts.path) cannot be written: it \(why)")))
        case .unreadable(let failure):
            return .decided(
                Decision(
                    action: .unknown, reason: failure.message, have: 0, fetch: nil, size: nil, work: .failed(failure)))
        case .absent, .file:
            break
        }
        switch server {
        case .unknown(let failure):
            return .decided(
                Decision(
                    action: .unknown, reason: failure.message, have: localSize(facts), fetch: nil, size: nil,
                    work: .failed(failure)))
        case .missing(let failure):
            return .decided(
                Decision(
                    action: .skip, reason: failure.message, have: localSize(facts), fetch: 0, size: nil,
                    work: .failed(failure)))
        case .notAsked, .answered:
            break
        }
        switch policy.filter.verdict(on: facts.entry.size) {
        case .wanted, .unwanted: break
        case .undecided:
            guard case .answered(let now) = server else { return .ask }
            if let length = now.length, let objection = policy.filter.objection(to: length) {
                return .decided(
                    Decision(
                        action: .skip, reason: objection, have: localSize(facts), fetch: 0, size: length, work: .none,
                        announced: now))
            }
        }
        if case .answered(let now) = server, let failure = brokenPromise(facts, now) ?? softError(facts, now) {
            return .decided(
                Decision(
                    action: .unknown, reason: failure.message, have: localSize(facts), fetch: nil, size: now.length,
                    work: .failed(failure), announced: now))
        }
        guard case .file(let file) = facts.local else { return withoutLocalFile(facts, server) }
        if let record = facts.record, record.file == file, record.identity.resource == facts.resource {
            return recorded(facts, record, file, server)
        }
        return foreign(facts, file, server)
    }

    // MARK: Nothing under the final name

    private func withoutLocalFile(_ facts: EntryFacts, _ server: ServerKnowledge) -> Verdict {
        guard let partial = facts.partial else {
            if case .notAsked = server, policy.alwaysAsks { return .ask }
            return .decided(whole(.fetch, "it is not here", server))
        }
        guard partial.identity.resource == facts.resource else {
            if case .notAsked = server, policy.alwaysAsks { return .ask }
            return .decided(whole(.restart, "the unfinished data is of another URL", server))
        }
        let known = partial.identity.representation
        guard case .answered(let now) = server else {
            // The first answer to the resumed download tells whether it is current, unless no request is left to make.
            let isComplete = known.length.map { partial.extents.contains(ByteRange(0, $0)) } ?? true
            if policy.alwaysAsks || isComplete { return .ask }
            return .decided(resume(partial, known))
        }
        guard let partial = partialOf(now, facts) else {
            return .decided(whole(.restart, "the unfinished data is of an earlier version", server))
        }
        return .decided(resume(partial, known, announced: now))
    }

    /// The unfinished data, if it may be of what the server has now. Where no validator proves that, the download
    /// compares bytes before it adds any.
    private func partialOf(_ now: Representation, _ facts: EntryFacts) -> PartialRecord? {
        guard let partial = facts.partial, partial.identity.resource == facts.resource else { return nil }
        let known = partial.identity.representation
        return known.length != nil && known.length == now.length && known.agrees(with: now) ? partial : nil
    }

    private func resume(_ partial: PartialRecord, _ known: Representation, announced: Representation? = nil) -> Decision
    {
        let have = partial.extents.count
        return Decision(
            action: .resume, reason: "\(have) bytes are here already", have: have,
            fetch: known.length.map { $0 - have },
            size: known.length, work: .download(.partial(known, held: partial.extents)), announced: announced)
    }

    // MARK: A file that dlsync completed and nobody touched

    private func recorded(
        _ facts: EntryFacts, _ record: FileRecord, _ file: LocalFile, _ server: ServerKnowledge
    ) -> Verdict {
        if let promised = facts.promisedSize, promised != file.size {
            return replace("the source says \(promised) bytes, here are \(file.size)", facts, server)
        }
        if let wanted = facts.entry.strongestDigest {
            if let known = [record.digest, facts.localDigest].compactMap({ $0 }).first(where: {
                $0.algorithm == wanted.algorithm
            }) {
                let reason = "its \(wanted.algorithm.rawValue) digest is the wanted one"
                if known == wanted, record.digest != wanted {
                    // Noted, so that the next run need not read the file again.
                    return self.record(file, record.identity.representation, known, reason, announced: nil)
                }
                if known == wanted { return upToDate(file, reason) }
                return replace("its \(wanted.algorithm.rawValue) digest is not the wanted one", facts, server)
            }
            return .hashLocalFile(wanted.algorithm)
        }
        guard case .answered(let now) = server else {
            guard policy.trustsListings, let listed = ListedFacts(facts.entry), listed.text == record.listed else {
                return .ask
            }
            return upToDate(file, "its source says the same of it as when it was last proven")
        }
        let known = record.identity.representation
        if let difference = known.difference(from: now) { return replace(difference, facts, server) }
        let reason = known.isProvenSame(as: now) ? "nothing changed on the server" : "its size is the same"
        if let listed = ListedFacts(facts.entry), listed.text != record.listed, listed.areOf(known) {
            // Noted, so that the next run may trust it.
            return self.record(file, known, record.digest, reason, announced: now)
        }
        return upToDate(file, reason)
    }

    // MARK: A file of unknown origin

    private func foreign(_ facts: EntryFacts, _ file: LocalFile, _ server: ServerKnowledge) -> Verdict {
        if let wanted = facts.entry.strongestDigest, facts.promisedSize.map({ $0 == file.size }) ?? true {
            guard let local = facts.localDigest, local.algorithm == wanted.algorithm else {
                return .hashLocalFile(wanted.algorithm)
            }
            if local == wanted {
                let reason = "its \(wanted.algorithm.rawValue) digest is the wanted one"
                // What the server says of another length is not of this file.
                guard case .answered(let now) = server, now.length == file.size else {
                    return record(file, Representation(length: file.size), local, reason, announced: nil)
                }
                return record(file, now, local, reason, announced: now)
            }
        }
        guard case .answered(let now) = server else { return .ask }
        guard let length = now.length else {
            return replace("nobody knows whether the file here is the server's", facts, server)
        }
        if length == file.size {
            if facts.entry.strongestDigest == nil, let date = now.lastModified, date == file.modified {
                return record(file, now, nil, "size and date are those of the server", announced: now)
            }
            if let likely = facts.entry.guessedDigest, facts.entry.strongestDigest == nil {
                guard let local = facts.localDigest, local.algorithm == likely.algorithm else {
                    return .hashLocalFile(likely.algorithm)
                }
                // Another one may be that of something else than the file's bytes.
                if local == likely {
                    let reason = "its size and \(likely.algorithm.rawValue) digest are those that the listing shows"
                    return record(file, now, local, reason, announced: now)
                }
            }
            return replace("the file here has the same size, but nothing proves that it is the same", facts, server)
        }
        // What dlsync once completed is an earlier version, even if somebody touched it since, and no beginning of this.
        if length > file.size, file.size > 0, policy.adopts, facts.record?.file.size != file.size {
            if let partial = partialOf(now, facts), partial.extents.count >= file.size {
                return .decided(resume(partial, partial.identity.representation, announced: now))
            }
            return .decided(
                Decision(
                    action: .resume, reason: "\(file.size) bytes of it may be here, from another tool",
                    have: file.size, fetch: length - file.size, size: length, work: .adopt(file), announced: now))
        }
        return replace("the server has \(length) bytes, here are \(file.size)", facts, server)
    }

    // MARK: Decisions

    private func whole(_ action: Action, _ reason: String, _ server: ServerKnowledge) -> Decision {
        var now: Representation?
        if case .answered(let answered) = server { now = answered }
        return Decision(
            action: action, reason: reason, have: 0, fetch: now?.length, size: now?.length,
            work: .download(.nothing), announced: now)
    }

    /// The file here is not the wanted one. A partial of the wanted one is gone on with; the file itself never is.
    private func replace(_ reason: String, _ facts: EntryFacts, _ server: ServerKnowledge) -> Verdict {
        guard case .answered(let now) = server else {
            // Whether unfinished data is of the wanted version only the server knows.
            let mayResume = facts.partial?.identity.resource == facts.resource
            return policy.alwaysAsks || mayResume ? .ask : .decided(whole(.replace, reason, server))
        }
        if let partial = partialOf(now, facts) {
            return .decided(resume(partial, partial.identity.representation, announced: now))
        }
        return .decided(whole(.replace, reason, server))
    }

    private func upToDate(_ file: LocalFile, _ reason: String) -> Verdict {
        .decided(
            Decision(
                action: .upToDate, reason: reason, have: file.size, fetch: 0, size: file.size, work: .none))
    }

    private func record(
        _ file: LocalFile, _ now: Representation, _ digest: Digest?, _ reason: String, announced: Representation?
    ) -> Verdict {
        .decided(
            Decision(
                action: .upToDate, reason: reason, have: file.size, fetch: 0, size: file.size,
                work: .record(file, now, digest), announced: announced))
    }

    private func conflict(_ reason: String, _ failure: Failure) -> Decision {
        Decision(action: .conflict, reason: reason, have: 0, fetch: 0, size: nil, work: .failed(failure))
    }

    private func localSize(_ facts: EntryFacts) -> Int64 {
        guard case .file(let file) = facts.local else { return 0 }
        return file.size
    }

    /// An error page with status 200, where neither size nor digest will tell.
    private func softError(_ facts: EntryFacts, _ now: Representation) -> Failure? {
        guard facts.promisedSize == nil, facts.entry.strongestDigest == nil else { return nil }
        let known = [facts.record?.identity, facts.partial?.identity].compactMap { $0 }
            .first { $0.resource == facts.resource }
        return SoftError.failure(now, at: facts.entry.urls[0], known: known?.representation)
    }

    private func brokenPromise(_ facts: EntryFacts, _ now: Representation) -> Failure? {
        guard let promised = facts.promisedSize, let length = now.length, length != promised else { return nil }
        return Failure(
            .softError, "\(facts.entry.urls[0].redacted) has \(length) bytes where the source promises \(promised)")
    }
}

extension Representation {
    /// What tells this representation from a later answer, in words; nil where nothing does.
    package func difference(from now: Representation) -> String? {
        if let length, let theirs = now.length, length != theirs {
            return "the server has \(theirs) bytes, the file here was \(length)"
        }
        if let entityTag, let theirs = now.entityTag, entityTag.opaque != theirs.opaque {
            return "its entity tag is \(theirs.fieldValue) and was \(entityTag.fieldValue)"
        }
        if entityTag == nil || now.entityTag == nil, let lastModified, let theirs = now.lastModified,
            lastModified != theirs
        {
            return "the server changed it on \(theirs.fieldValue), the file here is of \(lastModified.fieldValue)"
        }
        if length == nil || now.length == nil, !isProvenSame(as: now) {
            return "the server tells too little to know that it is the same"
        }
        return nil
    }
}
