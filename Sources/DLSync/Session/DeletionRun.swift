internal import Dispatch
internal import SyncCore
internal import Synchronization

/// The end of a run: finds out which files no source names any more, and deletes them, or says what would be deleted.
///
/// It goes through them twice, piece by piece: first to count, so that a guard can refuse before the first file is gone,
/// then to do it. Each time every file is looked at anew. Nothing grows with the number of files.
struct DeletionRun: Sendable {
    let configuration: SyncConfiguration
    let ownership: Ownership
    let intake: Intake
    let state: StateStore
    let context: RunContext
    let loop: TransferLoop
    let backup: Backup?

    /// So many files are looked at, and deleted, at once.
    static let pageSize = 500
    private static let queue = DispatchQueue(label: "dlsync.delete", attributes: .concurrent)

    private var scope: SyncConfiguration.Deletion.Scope { configuration.deletion.scope }
    private var destination: Destination { context.desk.destination }

    private var planner: DeletionPlanner {
        var policy = DeletionPolicy()
        policy.deletesUnowned = scope == .all
        policy.runs = configuration.deletion.afterRuns
        policy.filter = configuration.filter
        return DeletionPlanner(policy: policy)
    }

    /// Does the whole; to be called when everything else of the run is done.
    func perform() async {
        // What is here must be in the records before they are believed.
        await context.desk.writeRecords()
        guard await !isStopped, context.desk.stateFailure == nil else { return }
        do throws(Failure) {
            let acceptsEmpty = configuration.deletion.acceptsEmpty
            let account = try await onQueue { [ownership] () throws(Failure) in
                try ownership.settle(acceptsEmpty: acceptsEmpty)
            }
            guard scope != .none else { return }
            try await perform(account)
        } catch {
            // A full disk is told by what did not fit. A damaged state has to be told, or nobody would look into it.
            if error.code == .state { context.desk.noteStateFailure(error) }
            guard scope != .none else { return }
            keep(0, "nothing is deleted: \(error.message)", isRefused: true)
        }
    }

    private func perform(_ account: Ownership.Account) async throws(Failure) {
        tellUnknown(account)
        if let emptied = account.emptied.first {
            let others = account.emptied.count > 1 ? ", as have \(account.emptied.count - 1) others" : ""
            let rows = account.emptied.reduce(0) { $0 + $1.rows }
            return keep(
                rows,
                "nothing is deleted: \(emptied.name) had \(emptied.rows) rows and has none now\(others); give"
                    + " --allow-empty if that is right", isRefused: true)
        }
        try await onState { [state, ownership] () throws(StateError) in try state.countMissed(run: ownership.run) }
        let tree = UnownedTree(
            destination: destination, backup: backup, shielded: account.shielded,
            isTree: configuration.placement == Placement())
        let tally = try await counted(tree)
        guard await !isStopped else { return }
        if let objection = tally.objection(configuration.deletion.limit) {
            let files = tally.deletions == 1 ? "1 file is" : "\(tally.deletions) files are"
            return keep(
                tally.deletions,
                "nothing is deleted: \(files) named no more, and \(objection)", isRefused: true)
        }
        let remover = FileRemover(destination: destination, state: state, desk: context.desk, backup: backup)
        try await forEachPage(tree) { page in
            let told = context.purpose == .plan ? plan(page) : remover.remove(page.map { ($0.facts, $0.verdict) })
            for event in told { context.tell(event) }
        }
        guard context.purpose == .run, tally.deletions > 0 else { return }
        try await onState { [state, ownership] () throws(StateError) in
            try state.forgetEmptyListings(run: ownership.run)
        }
    }

    private func tellUnknown(_ account: Ownership.Account) {
        guard account.unknown > 0, account.hasFailed else { return }
        keep(
            account.unknown,
            "\(account.unknown) \(account.unknown == 1 ? "file stays" : "files stay") undeleted, as not all of the sources"
                + " could be read that named them", isRefused: false)
    }

    private func keep(_ count: Int, _ reason: String, isRefused: Bool) {
        context.tell(.deletionsKept(KeptDeletions(count: count, reason: reason, isRefused: isRefused)))
    }

    private var isStopped: Bool {
        get async { await loop.isInterrupted || Task.isCancelled }
    }

    // MARK: Going through

    /// A file that may have to go, and what is decided of it.
    struct Judged: Sendable {
        var facts: DeletionFacts
        var owners: [Int64]
        var verdict: DeletionVerdict
    }

    private func counted(_ tree: UnownedTree) async throws(Failure) -> DeletionTally {
        let tally = Mutex(DeletionTally())
        let owned = try await onState { [state, ownership] () throws(StateError) in
            try state.ownedFiles(before: ownership.run)
        }
        try await forEachPage(tree) { page in
            tally.withLock { tally in
                for judged in page {
                    let isOwned = !judged.owners.isEmpty
                    if !isOwned { tally.unowned.files += 1 }
                    guard case .delete = judged.verdict else { continue }
                    tally.deletions += 1
                    if !isOwned { tally.unowned.deletions += 1 }
                    for source in judged.owners { tally.sources[source, default: .init()].deletions += 1 }
                }
            }
        }
        return tally.withLock { tally in
            for source in tally.sources.keys { tally.sources[source]?.files = owned[source] ?? 0 }
            tally.unowned.files += owned.values.reduce(0, +)
            return tally
        }
    }

    /// Gives all files that may have to go, judged, in pages; waits between them for whoever reads the events.
    private func forEachPage(
        _ tree: UnownedTree, _ body: @escaping @Sendable ([Judged]) -> Void
    ) async throws(Failure) {
        var last: RelativePath?
        while await !isStopped {
            let after = last
            let page = try await onQueue { () throws(Failure) in
                let page = try gonePage(after: after)
                body(page)
                return page.last?.facts.path
            }
            guard let page else { break }
            last = page
            await context.desk.writeRecords()
            await context.events.waitForRoom()
        }
        guard scope == .all else { return }
        var walk = tree.walk()
        while await !isStopped {
            let start = walk
            let (next, isOver) = try await onQueue { () throws(Failure) in
                var walk = start
                let files = walk.next(Self.pageSize)
                body(try unownedPage(files))
                return (walk, files.isEmpty)
            }
            guard !isOver else { return }
            walk = next
            await context.desk.writeRecords()
            await context.events.waitForRoom()
        }
    }

    private func gonePage(after path: RelativePath?) throws(Failure) -> [Judged] {
        do throws(StateError) {
            return try state.goneFiles(after: path, run: ownership.run, limit: Self.pageSize).map { gone in
                judge(
                    DeletionFacts(
                        path: gone.path, sources: .gone(runs: gone.missedRuns), record: gone.record,
                        local: destination.knownStatus(of: gone.path)), gone.sources)
            }
        } catch {
            throw error.failure
        }
    }

    private func unownedPage(_ files: [(path: RelativePath, isCovered: Bool)]) throws(Failure) -> [Judged] {
        do throws(StateError) {
            let paths = files.map(\.path)
            let owned = try state.areOwned(paths)
            return files.indices.filter { !owned[$0] }.map { index in
                judge(
                    DeletionFacts(
                        path: paths[index], sources: .unowned(isCovered: files[index].isCovered), record: nil,
                        local: destination.knownStatus(of: paths[index])), [])
            }
        } catch {
            throw error.failure
        }
    }

    private func judge(_ facts: DeletionFacts, _ owners: [Int64]) -> Judged {
        var facts = facts
        // Where names that differ in case are the same, the file of a new name may be found under the old one.
        if intake.isClaimed(facts.path) { facts.sources = .present }
        return Judged(facts: facts, owners: owners, verdict: planner.verdict(on: facts))
    }

    private func plan(_ page: [Judged]) -> [SyncEvent] {
        page.compactMap { judged in
            let size: Int64 = if case .file(let file) = judged.facts.local { file.size } else { 0 }
            let (isDeleted, reason): (Bool, String)
            switch judged.verdict {
            case .delete(_, let why): (isDeleted, reason) = (true, why)
            case .keep(let why): (isDeleted, reason) = (false, why)
            case .leave, .forget: return nil
            }
            return .plannedDeletion(
                PlannedDeletion(
                    path: judged.facts.path, url: judged.facts.record?.identity.resource, size: size,
                    isDeleted: isDeleted, reason: reason))
        }
    }

    // MARK: Where it is done

    private func onState<Result: Sendable>(
        _ work: @escaping @Sendable () throws(StateError) -> Result
    ) async throws(Failure) -> Result {
        try await onQueue { () throws(Failure) in
            do throws(StateError) { return try work() } catch { throw error.failure }
        }
    }

    /// Does something away from every thread that must not wait.
    private func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, Failure>, Never>) in
            Self.queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

extension Destination {
    /// What stands under a path; what the disk says of one that cannot be looked at is part of the answer.
    fileprivate func knownStatus(of path: RelativePath) -> LocalState {
        do throws(DiskError) { return try status(of: path) } catch { return .unreadable(error.failure) }
    }
}
