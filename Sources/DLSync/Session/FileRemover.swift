internal import SyncCore

/// Takes files away that no source names any more, and tells what became of each.
struct FileRemover: Sendable {
    let destination: Destination
    let state: StateStore
    let desk: PublishDesk
    let backup: Backup?

    /// Takes those of some files away that are to go. Records are forgotten once what was done lasts: a file that came
    /// back after a crash of the machine would be nobody's without its record.
    func remove(_ files: [(facts: DeletionFacts, verdict: DeletionVerdict)]) -> [SyncEvent] {
        var events: [SyncEvent] = []
        var changes: [StateChange] = []
        var isChanged = false
        for (facts, verdict) in files {
            switch verdict {
            case .leave: break
            case .forget: changes.append(.forget(facts.path))
            case .keep(let reason): events.append(.outcome(outcome(facts, .kept, reason)))
            case .delete(let file, let reason):
                do throws(DiskError) {
                    // Whoever touched it since it was looked at keeps it.
                    guard try destination.status(of: facts.path) == .file(file) else { continue }
                    try remove(facts.path)
                    isChanged = true
                    changes.append(.forget(facts.path))
                    var done = outcome(facts, .done, reason)
                    done.size = file.size
                    events.append(.outcome(done))
                    changes += removeParents(of: facts.path)
                } catch {
                    var failed = outcome(facts, .failed, error.failure.message)
                    failed.failure = error.failure
                    events.append(.outcome(failed))
                }
            }
        }
        if isChanged, (try? destination.syncFileSystem()) == nil { return events }
        for change in changes { desk.note(change) }
        return events
    }

    private func remove(_ path: RelativePath) throws(DiskError) {
        if let backup { try backup.take(path) } else { try destination.remove(path) }
    }

    /// Removes the directories that dlsync made for a file, as far as they are empty.
    private func removeParents(of path: RelativePath) -> [StateChange] {
        var changes: [StateChange] = []
        var next = path.parent
        while let directory = next, (try? state.madeDirectory(directory)) == true,
            (try? destination.removeDirectory(directory)) == true
        {
            changes.append(.forgetDirectory(directory))
            next = directory.parent
        }
        return changes
    }

    private func outcome(_ facts: DeletionFacts, _ status: Outcome.Status, _ reason: String) -> Outcome {
        Outcome(
            path: facts.path, url: facts.record?.identity.resource ?? "", action: .delete, status: status,
            reason: reason)
    }
}
