package import SyncCore

/// One change of the state; many are applied together.
package enum StateChange: Hashable, Sendable {
    /// A file is complete in its place. Its partial and its failure are forgotten.
    case complete(FileRecord)
    /// A partial was begun, or its extents grew.
    case partial(PartialRecord)
    /// A partial's data is gone.
    case forgetPartial(RelativePath)
    /// An entry could not be brought up to date: the first date stays, the runs are counted.
    case failed(RelativePath, resource: String, message: String, at: HTTPDate)
    /// An entry's failure does not count any more, though no file was completed.
    case forgetFailure(RelativePath)
    /// A file was deleted or is not ours any more: its record, its partial and its failure are forgotten, and that sources
    /// named it.
    case forget(RelativePath)
    /// dlsync made a directory.
    case madeDirectory(RelativePath)
    /// A directory that dlsync made is gone.
    case forgetDirectory(RelativePath)
    /// Something was learnt of a host.
    case host(HostFacts)
}

extension Database {
    /// Applies a change; to be called in a transaction.
    func apply(_ change: StateChange, bootID: String, run: Int64?) throws(StateError) {
        switch change {
        case .complete(let record):
            try replaceBlocks(of: record)
            try insert(record)
            try delete(record.path, from: "partials")
            try delete(record.path, from: "failures")
        case .partial(let record): try insert(record, bootID: bootID)
        case .forgetPartial(let path): try delete(path, from: "partials")
        case .failed(let path, let resource, let message, let date):
            try insertFailure(path, resource: resource, message: message, at: date, run: run)
        case .forgetFailure(let path): try delete(path, from: "failures")
        case .forget(let path):
            try delete(path, from: "files")
            try delete(path, from: "blocks")
            try delete(path, from: "partials")
            try delete(path, from: "failures")
            try delete(path, from: "owners")
        case .madeDirectory(let path):
            let statement = try statement("INSERT OR IGNORE INTO directories (path) VALUES (?1)")
            try statement.bind(1, path.bytes)
            try statement.run()
        case .forgetDirectory(let path): try delete(path, from: "directories")
        case .host(let facts): try insert(facts)
        }
    }

    /// Writes the digests of a file's blocks, or forgets those of another file that was there. A record that is only noted
    /// anew of the same file keeps them.
    private func replaceBlocks(of record: FileRecord) throws(StateError) {
        guard let blocks = record.blocks else {
            let forget = try statement(
                """
                DELETE FROM blocks WHERE path = ?1 AND NOT EXISTS (
                SELECT 1 FROM files WHERE path = ?1 AND size = ?2 AND mtime_ns = ?3 AND inode = ?4)
                """)
            try forget.bind(1, record.path.bytes)
            try forget.bind(2, record.file.size)
            try forget.bind(3, record.file.modifiedNanoseconds)
            try forget.bind(4, Int64(bitPattern: record.file.inode))
            return try forget.run()
        }
        let statement = try statement(
            "INSERT OR REPLACE INTO blocks (path, algorithm, length, digests) VALUES (?1, ?2, ?3, ?4)")
        try statement.bind(1, record.path.bytes)
        try statement.bind(2, blocks.algorithm.rawValue)
        try statement.bind(3, blocks.length)
        try statement.bind(4, blocks.bytes)
        try statement.run()
    }

    private func insert(_ record: FileRecord) throws(StateError) {
        let statement = try statement(
            """
            INSERT OR REPLACE INTO files
            (path, \(StateSchema.identityColumns), size, mtime_ns, inode, digest_algorithm, digest, listed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """)
        try statement.bind(1, record.path.bytes)
        try statement.bind(2, record.identity)
        try statement.bind(9, record.file.size)
        try statement.bind(10, record.file.modifiedNanoseconds)
        try statement.bind(11, Int64(bitPattern: record.file.inode))
        try statement.bind(12, record.digest?.algorithm.rawValue)
        try statement.bind(13, record.digest?.bytes)
        try statement.bind(14, record.listed)
        try statement.run()
    }

    private func insert(_ record: PartialRecord, bootID: String) throws(StateError) {
        let statement = try statement(
            """
            INSERT OR REPLACE INTO partials (path, \(StateSchema.identityColumns), id, extents, synced_extents, boot)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """)
        try statement.bind(1, record.path.bytes)
        try statement.bind(2, record.identity)
        try statement.bind(9, record.id)
        try statement.bind(10, record.extents.encoded)
        try statement.bind(11, record.syncedExtents.encoded)
        try statement.bind(12, bootID)
        try statement.run()
    }

    private func insertFailure(
        _ path: RelativePath, resource: String, message: String, at date: HTTPDate, run: Int64?
    ) throws(StateError) {
        let statement = try statement(
            """
            INSERT INTO failures (path, resource, message, first_date, last_date, runs, last_run)
            VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5)
            ON CONFLICT (path) DO UPDATE SET
            resource = excluded.resource, message = excluded.message, last_date = excluded.last_date,
            runs = runs + (last_run IS NOT excluded.last_run), last_run = excluded.last_run
            """)
        try statement.bind(1, path.bytes)
        try statement.bind(2, resource)
        try statement.bind(3, message)
        try statement.bind(4, date.secondsSinceEpoch)
        try statement.bind(5, run)
        try statement.run()
    }

    private func insert(_ facts: HostFacts) throws(StateError) {
        let statement = try statement(
            """
            INSERT OR REPLACE INTO hosts
            (origin, refuses_ranges, if_range, unsteady_tags, traits_learnt, permits, permits_learnt)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        try statement.bind(1, facts.origin)
        try statement.bind(2, facts.traits.refusesRanges ? 1 : 0)
        try statement.bind(3, facts.traits.ifRange.rawValue)
        try statement.bind(4, facts.traits.hasUnsteadyTags ? 1 : 0)
        try statement.bind(5, facts.traitsLearnt.secondsSinceEpoch)
        try statement.bind(6, facts.permits.map(Int64.init))
        try statement.bind(7, facts.permitsLearnt.secondsSinceEpoch)
        try statement.run()
    }

    private func delete(_ path: RelativePath, from table: StaticString) throws(StateError) {
        let statement = try statement("DELETE FROM \(table) WHERE path = ?1")
        try statement.bind(1, path.bytes)
        try statement.run()
    }
}

extension Statement {
    /// Binds an identity to seven parameters in the order of ``StateSchema/identityColumns``.
    fileprivate func bind(_ index: Int32, _ identity: Identity) throws(StateError) {
        let representation = identity.representation
        try bind(index, identity.resource)
        try bind(index + 1, representation.length)
        try bind(index + 2, representation.entityTag?.opaque)
        try bind(index + 3, representation.entityTag.map { $0.isWeak ? 1 : 0 })
        try bind(index + 4, representation.lastModified?.secondsSinceEpoch)
        try bind(index + 5, representation.contentCoding)
        try bind(index + 6, representation.mediaType)
    }
}
