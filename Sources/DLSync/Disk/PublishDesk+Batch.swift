internal import Glibc
internal import SyncCore
internal import Synchronization

/// What the publishing queue does with a batch: written, verified, synced, renamed into place, directories synced, recorded.
extension PublishDesk {
    /// Carries a batch out; gives what became of each item. Runs on the publishing queue.
    func carryOut(_ batch: Waiting) -> [(JobID, Result)] {
        var results: [(JobID, Result)] = []
        var changes = lasting(synced(batch.changes, batch.syncs))
        var ready: [Item] = []
        for var item in batch.items {
            do throws(DiskError) { try writeBytes(of: &item) } catch {
                results.append((item.job, .lost(error.failure)))
                continue
            }
            if item.isChecked {
                ready.append(item)
            } else if let problem = verify(&item) {
                results.append((item.job, problem))
            } else {
                ready.append(item)
            }
        }
        var placed: [(item: Item, record: FileRecord)] = []
        let unkept = keepReplaced(ready)
        for (item, failure) in syncData(of: ready) {
            if let failure {
                results.append((item.job, .lost(failure)))
                continue
            }
            if item.comesLast, !item.isChecked {
                var item = item
                (item.bytes, item.running, item.isChecked) = (nil, nil, true)
                results.append((item.job, .held(item)))
                continue
            }
            if let failure = unkept[item.path] {
                results.append((item.job, .failed(failure)))
                continue
            }
            do {
                placed.append((item, try place(item)))
            } catch {
                results.append((item.job, .failed(error.failure)))
            }
        }
        let failures = syncDirectories(of: placed.map(\.item.path))
        for (item, record) in placed {
            if let failure = failures[item.path.parent] {
                results.append((item.job, .failed(failure)))
            } else {
                changes.append(.complete(record))
                results.append((item.job, .published(record)))
            }
        }
        write(changes + destination.takeMadeDirectories().map(StateChange.madeDirectory))
        for id in batch.removals { try? destination.removePartial(id) }
        syncedExtents.withLock { synced in
            for id in batch.removals + placed.map(\.item.partialID) { synced[id] = nil }
        }
        return results
    }

    /// Keeps what stands in the places of items; gives those whose files could not be kept, and are not replaced.
    private func keepReplaced(_ items: [Item]) -> [RelativePath: Failure] {
        guard let backup else { return [:] }
        var failures: [RelativePath: Failure] = [:]
        var kept: [RelativePath?: [(path: RelativePath, backup: RelativePath)]] = [:]
        for item in items where !item.comesLast || item.isChecked {
            do throws(DiskError) {
                guard let name = try backup.keep(item.path) else { continue }
                kept[name.parent, default: []].append((item.path, name))
            } catch {
                failures[item.path] = error.failure
            }
        }
        for files in kept.values {
            guard let first = files.first else { continue }
            do throws(DiskError) { try backup.synchronize(first.backup) } catch {
                for file in files { failures[file.path] = error.failure }
            }
        }
        return failures
    }

    /// Writes an item that was gathered in memory.
    private func writeBytes(of item: inout Item) throws(DiskError) {
        guard let bytes = item.bytes else { return }
        takeReserve()
        let partial = try destination.createPartial(item.partialID)
        var failure: DiskError?
        bytes.withUnsafeBytes { buffer in
            do throws(DiskError) { try partial.write(buffer, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        if let date = item.identity.representation.lastModified {
            try partial.setModified(seconds: date.secondsSinceEpoch)
        }
        item.file = try partial.status()
        try partial.close()
    }

    /// Nil where the data is what was wanted.
    private func verify(_ item: inout Item) -> Result? {
        if item.wanted == nil {
            let wrong = wrongPieces(of: item)
            guard wrong.isEmpty else {
                return .mismatch(
                    Failure(.digestMismatch, "\(wrong.count) of its pieces have other digests than the source gives"),
                    wrong: wrong)
            }
        }
        guard let algorithm = item.wanted?.algorithm ?? item.recorded else { return nil }
        do {
            let running: RunningDigest
            if let known = item.running, known.algorithm == algorithm,
                item.blockLength == nil || known.blockLength == item.blockLength
            {
                running = known
            } else {
                do {
                    running = try RunningDigest(algorithm, blockLength: item.blockLength)
                } catch {
                    return .failed(error.failure)
                }
            }
            let digest: Digest
            item.bytes?.withUnsafeBytes { running.update($0, at: 0) }
            if running.position < item.length || item.length == 0 {
                let file: PartialFile
                do { file = try destination.openPartial(item.partialID) } catch { return .failed(error.failure) }
                digest = try running.finish(file, length: item.length)
            } else {
                digest = try running.finish()
            }
            item.digest = digest
            item.blocks = running.blockDigests.flatMap { $0.covers(item.length) ? $0 : nil }
            guard let wanted = item.wanted, digest != wanted else { return nil }
            return .mismatch(
                Failure(
                    .digestMismatch,
                    "its \(wanted.algorithm.rawValue) digest is \(digest.hex), wanted is \(wanted.hex)"),
                wrong: wrongPieces(of: item))
        } catch {
            return .failed(error.failure)
        }
    }

    /// The parts of an item that have other digests than the source gives; none where it gives none, or where they cannot
    /// be read.
    private func wrongPieces(of item: Item) -> [ByteRange] {
        guard let pieces = item.pieces, pieces.covers(item.length),
            let file = try? destination.openPartial(item.partialID)
        else { return [] }
        var wrong: [ByteRange] = []
        for index in 0..<pieces.count {
            let range = pieces.range(index, of: item.length)
            guard let digest = try? file.digest(pieces.algorithm, of: range) else { return [] }
            if digest != pieces[index] { wrong.append(range) }
        }
        return wrong
    }

    /// Syncs the data of items; gives each with what the disk said of it.
    private func syncData(of items: [Item]) -> [(item: Item, failure: Failure?)] {
        if items.count > Self.fewItems, (try? destination.syncFileSystem()) != nil {
            return lost.withLock { lost in items.map { ($0, lost[$0.partialID]) } }
        }
        // Where the sync of all fails, each tells whether it is the one.
        return items.map { item in
            if let failure = lost.withLock({ $0[item.partialID] }) { return (item, failure) }
            do throws(DiskError) {
                // The time is part of the record, so it has to last as the data does.
                try destination.openPartial(item.partialID).synchronize()
                return (item, nil)
            } catch {
                return (item, error.failure)
            }
        }
    }

    private func place(_ item: Item) throws(DiskError) -> FileRecord {
        let file: LocalFile
        if let known = item.file { file = known } else { file = try statusOfPartial(item) }
        try destination.makeParents(of: item.path)
        try destination.publish(partial: item.partialID, as: item.path)
        var record = FileRecord(path: item.path, identity: item.identity, file: file, digest: item.digest)
        record.listed = item.listed
        record.blocks = item.blocks
        return record
    }

    private func statusOfPartial(_ item: Item) throws(DiskError) -> LocalFile {
        guard case .file(let file) = try destination.status(ofPartial: item.partialID) else {
            throw DiskError(code: ENOENT, operation: .open, path: item.partialID)
        }
        return file
    }

    /// Syncs the directories of paths, each once; gives those that could not be, by their own paths.
    private func syncDirectories(of paths: [RelativePath]) -> [RelativePath?: Failure] {
        var failures: [RelativePath?: Failure] = [:]
        var done: Set<RelativePath?> = []
        for path in paths where done.insert(path.parent).inserted {
            do throws(DiskError) {
                try destination.syncDirectory(of: path)
            } catch {
                failures[path.parent] = error.failure
            }
        }
        return failures
    }

    /// The changes without the records of files that were found in their place and could not be synced. Somebody else put
    /// them there, or a run that was killed before it came to that: a record ahead of such data would vouch for zeros
    /// after a crash of the machine, as size and time may last without the bytes.
    private func lasting(_ changes: [StateChange]) -> [StateChange] {
        let found = changes.count { change in if case .complete = change { true } else { false } }
        guard found > 0 else { return changes }
        if found > Self.fewItems, (try? destination.syncFileSystem()) != nil { return changes }
        return changes.filter { change in
            guard case .complete(let record) = change else { return true }
            do throws(DiskError) {
                try destination.openForReading(record.path).synchronize()
                try destination.syncDirectory(of: record.path)
                return true
            } catch {
                return false
            }
        }
    }

    /// Syncs the data and the names of partials whose records say so. In the other records what was synced before still
    /// counts: a partial only grows.
    private func synced(_ changes: [StateChange], _ syncs: Set<String>) -> [StateChange] {
        let namesLast = !syncs.isEmpty && (try? destination.syncPartialNames()) != nil
        return changes.map { change in
            guard case .partial(var record) = change else { return change }
            if namesLast, syncs.contains(record.id) {
                do throws(DiskError) {
                    try destination.openPartial(record.id).synchronizeData()
                    record.syncedExtents = record.extents
                    syncedExtents.withLock { $0[record.id] = record.extents }
                } catch {
                    // One that is missing was published or discarded meanwhile.
                    if error.operation == .sync { lost.withLock { $0[record.id] = error.failure } }
                }
            }
            if lost.withLock({ $0[record.id] }) != nil { return .forgetPartial(record.path) }
            if record.syncedExtents.isEmpty, let before = syncedExtents.withLock({ $0[record.id] }) {
                record.syncedExtents = before
            }
            return .partial(record)
        }
    }

    private func write(_ changes: [StateChange]) {
        guard let state, !changes.isEmpty else { return }
        do throws(StateError) {
            do throws(StateError) {
                try state.apply(changes)
            } catch {
                guard error.kind == .diskFull, giveBackReserve() else { throw error }
                try state.apply(changes)
            }
        } catch {
            waiting.withLock { $0.failure = $0.failure ?? error.failure }
        }
    }
}
