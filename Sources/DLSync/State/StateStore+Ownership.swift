internal import SyncCore

/// What sources name which paths, as the state remembers it (docs/internals/deletion.md).
///
/// Everything that grows with the number of files stays in the database: a run marks what it was told of with its own
/// number, and what is gone is found by numbers that are lower.
extension StateStore {
    /// A listing of a source, as the database numbers it.
    struct KnownListing: Hashable, Sendable {
        var number: Int64
        var source: Int64
    }

    /// A path that no source names any more, as far as this run knows.
    struct GoneFile: Hashable, Sendable {
        var path: RelativePath
        /// In how many complete runs in a row it was missing, this one included.
        var missedRuns: Int
        /// The sources that named it.
        var sources: [Int64]
        var record: FileRecord?
    }

    /// The number of a listing, which is made known where it is new.
    func listing(of source: String, directory: [UInt8]) throws(StateError) -> KnownListing {
        try withDatabase { (database, _) throws(StateError) in
            try database.transaction { () throws(StateError) in
                let insertSource = try database.statement(
                    "INSERT OR IGNORE INTO sources (name, last_run) VALUES (?1, 0)")
                try insertSource.bind(1, source)
                try insertSource.run()
                let findSource = try database.statement("SELECT number FROM sources WHERE name = ?1")
                try findSource.bind(1, source)
                let number = try findSource.firstNumber() ?? 0
                let insert = try database.statement(
                    "INSERT OR IGNORE INTO listings (source, directory, known_run, row_count) VALUES (?1, ?2, 0, 0)")
                try insert.bind(1, number)
                try insert.bind(2, directory)
                try insert.run()
                let find = try database.statement("SELECT number FROM listings WHERE source = ?1 AND directory = ?2")
                try find.bind(1, number)
                try find.bind(2, directory)
                return KnownListing(number: try find.firstNumber() ?? 0, source: number)
            }
        }
    }

    /// Notes that a listing names paths in a run. Of those that the user does not want only what is known already is
    /// marked, so that it does not count as gone.
    func note(
        wanted: [RelativePath], unwanted: [RelativePath], namedBy listing: KnownListing, run: Int64
    ) throws(StateError) {
        guard !wanted.isEmpty || !unwanted.isEmpty else { return }
        try withDatabase { (database, _) throws(StateError) in
            try database.transaction { () throws(StateError) in
                let insert = try database.statement(
                    """
                    INSERT INTO owners (path, listing, since_run, seen_run, missed_runs) VALUES (?1, ?2, ?3, ?3, 0)
                    ON CONFLICT (path, listing) DO UPDATE SET seen_run = excluded.seen_run, missed_runs = 0
                    """)
                for path in wanted {
                    try insert.bind(1, path.bytes)
                    try insert.bind(2, listing.number)
                    try insert.bind(3, run)
                    try insert.run()
                }
                let update = try database.statement(
                    "UPDATE owners SET seen_run = ?3, missed_runs = 0 WHERE path = ?1 AND listing = ?2")
                for path in unwanted {
                    try update.bind(1, path.bytes)
                    try update.bind(2, listing.number)
                    try update.bind(3, run)
                    try update.run()
                }
            }
        }
    }

    /// What a run knows of a listing.
    struct ListingKnowledge: Hashable, Sendable {
        /// Whether everything is known: it was read to its end, or the listings above it were and do not name it any more.
        var isKnown: Bool
        /// How many rows it had; nil where it was not read to its end.
        var rows: Int?
    }

    /// A listing that had rows and has none now.
    struct EmptiedListing: Hashable, Sendable {
        var directory: [UInt8]
        /// How many rows it had the last time that it had any.
        var rows: Int
    }

    /// Notes what a run knows of the listings of a source.
    ///
    /// - Parameter acceptsEmpty: Whether one that had rows and has none now is believed.
    /// - Returns: Those that are not believed.
    func settle(
        source: Int64, run: Int64, acceptsEmpty: Bool, _ knowledge: @Sendable ([UInt8]) -> ListingKnowledge
    ) throws(StateError) -> [EmptiedListing] {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement("UPDATE sources SET last_run = ?2 WHERE number = ?1")
            try statement.bind(1, source)
            try statement.bind(2, run)
            try statement.run()
        }
        var emptied: [EmptiedListing] = []
        var last: Int64 = 0
        while true {
            let page = try listings(of: source, after: last)
            guard let end = page.last else { return emptied }
            last = end.number
            try withDatabase { (database, _) throws(StateError) in
                try database.transaction { () throws(StateError) in
                    let update = try database.statement(
                        "UPDATE listings SET known_run = ?2, row_count = coalesce(?3, row_count) WHERE number = ?1")
                    for row in page {
                        let known = knowledge(row.directory)
                        guard known.isKnown else { continue }
                        if known.rows == 0, row.rows > 0, !acceptsEmpty { continue }
                        try update.bind(1, row.number)
                        try update.bind(2, run)
                        try update.bind(3, known.rows.map(Int64.init))
                        try update.run()
                    }
                }
            }
            guard !acceptsEmpty else { continue }
            for row in page where row.rows > 0 && knowledge(row.directory) == ListingKnowledge(isKnown: true, rows: 0) {
                emptied.append(EmptiedListing(directory: row.directory, rows: row.rows))
            }
        }
    }

    private func listings(
        of source: Int64, after number: Int64
    ) throws(StateError) -> [(number: Int64, directory: [UInt8], rows: Int)] {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                """
                SELECT number, directory, row_count FROM listings
                WHERE number > ?1 AND source = ?2 ORDER BY number LIMIT 1000
                """)
            try statement.bind(1, number)
            try statement.bind(2, source)
            defer { statement.reset() }
            var page: [(number: Int64, directory: [UInt8], rows: Int)] = []
            while try statement.step() {
                page.append(
                    (statement.number(0) ?? 0, statement.bytes(1) ?? [], Int(clamping: statement.number(2) ?? 0)))
            }
            return page
        }
    }

    /// Counts a run in for everything that is gone in it.
    func countMissed(run: Int64) throws(StateError) {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                """
                UPDATE owners SET missed_runs = missed_runs + 1
                WHERE seen_run < ?1 AND listing IN (SELECT number FROM listings WHERE known_run = ?1)
                """)
            try statement.bind(1, run)
            try statement.run()
        }
    }

    /// How many files the sources of a run owned before it, by source.
    func ownedFiles(before run: Int64) throws(StateError) -> [Int64: Int] {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                """
                SELECT listings.source, count(*) FROM owners CROSS JOIN listings ON listings.number = owners.listing
                JOIN files ON files.path = owners.path WHERE owners.since_run < ?1 GROUP BY listings.source
                """)
            try statement.bind(1, run)
            defer { statement.reset() }
            var counts: [Int64: Int] = [:]
            while try statement.step() { counts[statement.number(0) ?? 0] = Int(clamping: statement.number(1) ?? 0) }
            return counts
        }
    }

    /// How many files of some sources were not named in a run, and may be there all the same, as not everything was read.
    func unknownFiles(of sources: [Int64], run: Int64) throws(StateError) -> Int {
        try withDatabase { (database, _) throws(StateError) in
            var count: Int64 = 0
            for source in Set(sources) {
                let statement = try database.statement(
                    """
                    SELECT count(*) FROM owners CROSS JOIN listings ON listings.number = owners.listing
                    WHERE owners.seen_run < ?1 AND listings.known_run < ?1 AND listings.source = ?2
                    """)
                try statement.bind(1, run)
                try statement.bind(2, source)
                count += try statement.firstNumber() ?? 0
            }
            return Int(clamping: count)
        }
    }

    /// The next paths that are gone in a run, in the order of their bytes. What named one was read in this run and names it
    /// no more; a source that is not of this run did not name it any more when it was read last.
    func goneFiles(after path: RelativePath?, run: Int64, limit: Int) throws(StateError) -> [GoneFile] {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                """
                SELECT owners.path, min(CASE WHEN listings.known_run = ?2 THEN owners.missed_runs END),
                min(listings.source), max(listings.source)
                FROM owners CROSS JOIN listings ON listings.number = owners.listing
                WHERE owners.path > ?1 GROUP BY owners.path
                HAVING max(owners.seen_run >= ?2 OR listings.known_run < ?2 AND (owners.missed_runs = 0
                OR listings.source IN (SELECT number FROM sources WHERE last_run = ?2))) = 0
                AND max(listings.known_run) = ?2
                ORDER BY owners.path LIMIT ?3
                """)
            try statement.bind(1, path?.bytes ?? [])
            try statement.bind(2, run)
            try statement.bind(3, Int64(limit))
            var gone: [GoneFile] = []
            do {
                defer { statement.reset() }
                while try statement.step() {
                    guard let path = statement.bytes(0).flatMap({ try? RelativePath(bytes: $0) }) else { continue }
                    let ends = [statement.number(2) ?? 0, statement.number(3) ?? 0]
                    gone.append(
                        GoneFile(path: path, missedRuns: Int(clamping: statement.number(1) ?? 0), sources: ends))
                }
            }
            for index in gone.indices {
                gone[index].record = try database.file(gone[index].path)
                gone[index].sources =
                    gone[index].sources[0] == gone[index].sources[1]
                    ? [gone[index].sources[0]] : try database.sources(naming: gone[index].path)
            }
            return gone
        }
    }

    /// The sources that ever named something, by name, and when each was of a run last.
    func sources() throws(StateError) -> [SourceRecord] {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                """
                SELECT sources.name, (SELECT count(DISTINCT path) FROM owners CROSS JOIN listings
                ON listings.number = owners.listing WHERE listings.source = sources.number), runs.started
                FROM sources LEFT JOIN runs ON runs.number = sources.last_run ORDER BY sources.name
                """)
            defer { statement.reset() }
            var sources: [SourceRecord] = []
            while try statement.step() {
                guard let name = statement.text(0) else { continue }
                sources.append(
                    SourceRecord(
                        name: name, files: statement.number(1) ?? 0,
                        lastRead: statement.number(2).map(HTTPDate.init(secondsSinceEpoch:))))
            }
            return sources
        }
    }

    /// Forgets a source, and all that it named: what no other source names is nobody's then.
    ///
    /// - Returns: How many files are nobody's by that.
    func forgetSource(_ name: String) throws(StateError) -> Int64 {
        try withDatabase { (database, _) throws(StateError) in
            try database.transaction { () throws(StateError) in
                let find = try database.statement("SELECT number FROM sources WHERE name = ?1")
                try find.bind(1, name)
                guard let number = try find.firstNumber() else { return 0 }
                let own = "listing IN (SELECT number FROM listings WHERE source = ?1)"
                let count = try database.statement(
                    """
                    SELECT count(DISTINCT path) FROM owners WHERE \(own) AND path NOT IN
                    (SELECT path FROM owners WHERE NOT \(own))
                    """)
                try count.bind(1, number)
                let files = try count.firstNumber() ?? 0
                for sql in [
                    "DELETE FROM owners WHERE \(own)", "DELETE FROM listings WHERE source = ?1",
                    "DELETE FROM sources WHERE number = ?1",
                ] {
                    let statement = try database.statement(sql)
                    try statement.bind(1, number)
                    try statement.run()
                }
                return files
            }
        }
    }

    /// Which paths any source names, of this run or an earlier one.
    func areOwned(_ paths: [RelativePath]) throws(StateError) -> [Bool] {
        try withDatabase { (database, _) throws(StateError) in
            var owned: [Bool] = []
            for path in paths { owned.append(try database.isThere(path, in: "owners")) }
            return owned
        }
    }

    /// Whether dlsync made a directory.
    func madeDirectory(_ path: RelativePath) throws(StateError) -> Bool {
        try withDatabase { (database, _) throws(StateError) in try database.isThere(path, in: "directories") }
    }

    /// Forgets listings whose files are all forgotten.
    func forgetEmptyListings(run: Int64) throws(StateError) {
        try withDatabase { (database, _) throws(StateError) in
            let statement = try database.statement(
                "DELETE FROM listings WHERE known_run = ?1 AND number NOT IN (SELECT listing FROM owners)")
            try statement.bind(1, run)
            try statement.run()
        }
    }
}

extension Database {
    fileprivate func isThere(_ path: RelativePath, in table: StaticString) throws(StateError) -> Bool {
        let statement = try statement("SELECT 1 FROM \(table) WHERE path = ?1 LIMIT 1")
        try statement.bind(1, path.bytes)
        return try statement.firstNumber() != nil
    }

    fileprivate func sources(naming path: RelativePath) throws(StateError) -> [Int64] {
        let statement = try statement(
            "SELECT DISTINCT listings.source FROM owners JOIN listings ON listings.number = owners.listing WHERE path = ?1"
        )
        try statement.bind(1, path.bytes)
        defer { statement.reset() }
        var sources: [Int64] = []
        while try statement.step() { sources.append(statement.number(0) ?? 0) }
        return sources
    }
}

extension Statement {
    /// The first column of the first row as a number; the statement is ready for its next use then.
    fileprivate func firstNumber() throws(StateError) -> Int64? {
        defer { reset() }
        return try step() ? number(0) : nil
    }
}
