/// Which files may be deleted.
package struct DeletionPolicy: Hashable, Sendable {
    /// Whether files go too that dlsync did not bring (`--delete-unowned`).
    package var deletesUnowned = false
    /// In how many complete runs in a row a file must be gone (`--delete-after-runs`).
    package var runs = 1
    /// What the user wants; everything else is none of a run's business and stays.
    package var filter = EntryFilter()

    package init() {}
}

/// What the sources that named a file say of it now. Only what is gone may be deleted: what is unknown is not gone.
package enum SourceKnowledge: Hashable, Sendable {
    /// At least one names it.
    case present
    /// One of them was not read, or not to its end, or belongs to an earlier run.
    case unknown
    /// All were read to their end, in so many runs in a row, and none names it.
    case gone(runs: Int)
    /// None ever named it.
    case unowned(isCovered: Bool)
}

/// All that is known of a file that may have to go.
package struct DeletionFacts: Hashable, Sendable {
    package var path: RelativePath
    package var sources: SourceKnowledge
    package var record: FileRecord?
    package var local: LocalState

    package init(path: RelativePath, sources: SourceKnowledge, record: FileRecord?, local: LocalState) {
        self.path = path
        self.sources = sources
        self.record = record
        self.local = local
    }
}

/// What becomes of a file that may have to go.
package enum DeletionVerdict: Hashable, Sendable {
    /// It goes.
    case delete(LocalFile, reason: String)
    /// It stays, and nobody need be told.
    case leave
    /// It stays though no source names it, and that is told, with the reason.
    case keep(reason: String)
    /// Nothing is there any more; only records remain.
    case forget
}

/// Decides whether a file goes, from facts alone.
package struct DeletionPlanner: Sendable {
    package var policy: DeletionPolicy

    package init(policy: DeletionPolicy) { self.policy = policy }

    /// The verdict on a file.
    package func verdict(on facts: DeletionFacts) -> DeletionVerdict {
        let isOwned: Bool
        switch facts.sources {
        case .present, .unknown, .unowned(isCovered: false): return .leave
        case .unowned(isCovered: true):
            guard policy.deletesUnowned else { return .leave }
            isOwned = false
        case .gone(let runs):
            guard runs >= policy.runs else {
                return facts.local == .absent
                    ? .leave : .keep(reason: "no source names it in \(runs) of \(policy.runs) runs in a row")
            }
            isOwned = true
        }
        guard !liesInState(facts.path), policy.filter.wants(facts.path) else { return .leave }
        switch facts.local {
        case .absent: return isOwned ? .forget : .leave
        case .blocked(let why): return isOwned && facts.record != nil ? .keep(reason: "its path \(why)") : .leave
        case .unreadable(let failure): return .keep(reason: failure.message)
        case .file(let file):
            guard policy.filter.objection(to: file.size) == nil else { return .leave }
            return verdict(on: file, isOwned: isOwned, facts.record)
        }
    }

    private func verdict(on file: LocalFile, isOwned: Bool, _ record: FileRecord?) -> DeletionVerdict {
        if isOwned, record?.file == file { return .delete(file, reason: "no source names it any more") }
        if policy.deletesUnowned { return .delete(file, reason: "no source names it") }
        guard record != nil else { return .leave }
        return .keep(reason: "no source names it any more, but somebody changed it since dlsync brought it")
    }

    private func liesInState(_ path: RelativePath) -> Bool {
        path.components.first?.elementsEqual(".dlsync".utf8) { asciiLowercased($0) == $1 } ?? true
    }
}

/// The most files that one run may delete.
public enum DeletionLimit: Hashable, Sendable {
    /// So many, over all sources.
    case count(Int)
    /// So many of a hundred that a source owns; of files that no source owns, of a hundred that are here.
    case percent(Int)
}

/// What a run is about to delete, counted before the first file goes.
package struct DeletionTally: Hashable, Sendable {
    /// Files that are due, and out of how many.
    package struct Share: Hashable, Sendable {
        package var deletions = 0
        package var files = 0

        package init(deletions: Int = 0, files: Int = 0) {
            self.deletions = deletions
            self.files = files
        }
    }

    /// By the source's number in the state.
    package var sources: [Int64: Share] = [:]
    /// Files that no source owns, out of all that are here.
    package var unowned = Share()
    /// All files that are due.
    package var deletions = 0

    package init() {}

    /// Why so much may not be deleted, in words that complete "because …"; nil where it may.
    package func objection(_ limit: DeletionLimit) -> String? {
        switch limit {
        case .count(let most):
            return deletions > most ? "--max-delete allows \(most)" : nil
        case .percent(let percent):
            // The worst one is told.
            let worst = ([unowned] + sources.values).filter { exceeds($0, percent) }.max { left, right in
                (left.deletions, left.files) < (right.deletions, right.files)
            }
            return worst.map {
                "that is more than the \(percent) % of \($0.files) files that --max-delete allows"
            }
        }
    }

    private func exceeds(_ share: Share, _ percent: Int) -> Bool {
        guard share.deletions > 0 else { return false }
        let deletions = share.deletions.multipliedFullWidth(by: 100)
        let allowed = max(share.files, 0).multipliedFullWidth(by: max(percent, 0))
        return (deletions.high, deletions.low) > (allowed.high, allowed.low)
    }
}
