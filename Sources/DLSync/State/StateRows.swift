internal import SyncCore

/// Reading rows. Whatever does not read as the value that was written counts as not there: a record saves work, and a
/// wrong one could cost data.
extension Database {
    private static let fileColumns =
        "SELECT path, \(StateSchema.identityColumns), size, mtime_ns, inode, digest_algorithm, digest, listed"
        + " FROM files"
    private static let partialColumns =
        "SELECT path, \(StateSchema.identityColumns), id, extents, synced_extents, boot FROM partials"

    private static let failureColumns =
        "SELECT path, resource, message, first_date, last_date, runs FROM failures"

    func file(_ path: RelativePath) throws(StateError) -> FileRecord? {
        let statement = try statement(Self.fileColumns + " WHERE path = ?1")
        try statement.bind(1, path.bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.file() : nil
    }

    /// The digests of the blocks of a file.
    func blocks(_ path: RelativePath) throws(StateError) -> PieceDigests? {
        let statement = try statement("SELECT algorithm, length, digests FROM blocks WHERE path = ?1")
        try statement.bind(1, path.bytes)
        defer { statement.reset() }
        guard try statement.step(), let algorithm = statement.text(0).flatMap(DigestAlgorithm.init(rawValue:)),
            let length = statement.number(1), let bytes = statement.bytes(2)
        else { return nil }
        return PieceDigests(algorithm, length: length, bytes: bytes)
    }

    /// The records of the next paths in the order of their bytes.
    func files(after path: RelativePath?, limit: Int) throws(StateError) -> [FileRecord] {
        let statement = try statement(Self.fileColumns + " WHERE path > ?1 ORDER BY path LIMIT ?2")
        try statement.bind(1, path?.bytes ?? [])
        try statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var records: [FileRecord] = []
        while try statement.step() {
            if let record = statement.file() { records.append(record) }
        }
        return records
    }

    func partial(_ path: RelativePath, bootID: String) throws(StateError) -> PartialRecord? {
        let statement = try statement(Self.partialColumns + " WHERE path = ?1")
        try statement.bind(1, path.bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.partial(bootID: bootID) : nil
    }

    func partials(bootID: String) throws(StateError) -> [PartialRecord] {
        let statement = try statement(Self.partialColumns + " ORDER BY path")
        defer { statement.reset() }
        var records: [PartialRecord] = []
        while try statement.step() {
            if let record = statement.partial(bootID: bootID) { records.append(record) }
        }
        return records
    }

    func failures(limit: Int) throws(StateError) -> [FailureRecord] {
        let statement = try statement(Self.failureColumns + " ORDER BY path LIMIT ?1")
        try statement.bind(1, Int64(limit))
        defer { statement.reset() }
        var records: [FailureRecord] = []
        while try statement.step() {
            if let record = statement.failure() { records.append(record) }
        }
        return records
    }

    func failure(_ path: RelativePath) throws(StateError) -> FailureRecord? {
        let statement = try statement(Self.failureColumns + " WHERE path = ?1")
        try statement.bind(1, path.bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.failure() : nil
    }

    func hosts() throws(StateError) -> [HostFacts] {
        let statement = try statement("SELECT origin FROM hosts ORDER BY origin")
        var origins: [String] = []
        defer { statement.reset() }
        while try statement.step() {
            if let origin = statement.text(0) { origins.append(origin) }
        }
        var facts: [HostFacts] = []
        for origin in origins {
            if let fact = try host(origin) { facts.append(fact) }
        }
        return facts
    }

    func host(_ origin: String) throws(StateError) -> HostFacts? {
        let statement = try statement(
            """
            SELECT refuses_ranges, if_range, unsteady_tags, traits_learnt, permits, permits_learnt
            FROM hosts WHERE origin = ?1
            """)
        try statement.bind(1, origin)
        defer { statement.reset() }
        guard try statement.step(), let refuses = statement.number(0), let form = statement.text(1),
            let unsteady = statement.number(2), let traitsLearnt = statement.date(3),
            let permitsLearnt = statement.date(5)
        else { return nil }
        var facts = HostFacts(
            origin: origin,
            traits: HostTraits(
                refusesRanges: refuses != 0, ifRange: IfRangeForm(rawValue: form) ?? .entityTag,
                hasUnsteadyTags: unsteady != 0),
            permits: statement.number(4).map(Int.init(clamping:)), learnt: traitsLearnt)
        facts.permitsLearnt = permitsLearnt
        return facts
    }

    func lastRun() throws(StateError) -> RunRecord? { try runs(limit: 1).first }

    /// The last runs, the latest first.
    func runs(limit: Int) throws(StateError) -> [RunRecord] {
        let statement = try statement(
            "SELECT number, started, ended, exit_status FROM runs ORDER BY number DESC LIMIT ?1")
        try statement.bind(1, Int64(limit))
        defer { statement.reset() }
        var records: [RunRecord] = []
        while try statement.step() {
            guard let number = statement.number(0), let started = statement.date(1) else { continue }
            records.append(
                RunRecord(
                    number: number, started: started, ended: statement.date(2),
                    exitStatus: statement.number(3).map(Int32.init(clamping:))))
        }
        return records
    }
}

extension Statement {
    fileprivate func path() -> RelativePath? { bytes(0).flatMap { try? RelativePath(bytes: $0) } }

    fileprivate func date(_ column: Int32) -> HTTPDate? { number(column).map(HTTPDate.init(secondsSinceEpoch:)) }

    /// The identity in columns 1 to 7.
    private func identity() -> Identity? {
        guard let resource = text(1) else { return nil }
        let length = number(2)
        if let length, length < 0 { return nil }
        return Identity(
            resource: resource,
            representation: Representation(
                length: length, entityTag: text(3).map { EntityTag(opaque: $0, isWeak: number(4) != 0) },
                lastModified: date(5), contentCoding: text(6), mediaType: text(7)))
    }

    fileprivate func failure() -> FailureRecord? {
        guard let path = path(), let resource = text(1), let message = text(2), let first = date(3),
            let last = date(4), let runs = number(5)
        else { return nil }
        return FailureRecord(
            path: path, resource: resource, message: message, firstDate: first, lastDate: last, runs: runs)
    }

    fileprivate func file() -> FileRecord? {
        guard let path = path(), let identity = identity(), let size = number(8), size >= 0,
            let modified = number(9), let inode = number(10)
        else { return nil }
        let digest = text(11).flatMap(DigestAlgorithm.init(rawValue:)).flatMap { algorithm in
            bytes(12).flatMap { Digest(algorithm, bytes: $0) }
        }
        var record = FileRecord(
            path: path, identity: identity,
            file: LocalFile(size: size, modifiedNanoseconds: modified, inode: UInt64(bitPattern: inode)),
            digest: digest)
        record.listed = text(13)
        return record
    }

    /// The partial; one that was recorded in another boot of the machine holds only what was synced.
    fileprivate func partial(bootID: String) -> PartialRecord? {
        guard let path = path(), let identity = identity(), let id = text(8), Destination.isPartialID(id),
            let extents = text(9).flatMap({ ByteRangeSet(encoded: $0) }),
            let synced = text(10).flatMap({ ByteRangeSet(encoded: $0) }), let boot = text(11)
        else { return nil }
        let isSameBoot = !bootID.isEmpty && boot == bootID
        return PartialRecord(
            id: id, path: path, identity: identity, extents: isSameBoot ? extents : synced, syncedExtents: synced)
    }
}
