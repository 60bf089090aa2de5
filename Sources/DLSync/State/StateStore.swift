package import SyncCore
internal import Synchronization

/// What dlsync remembers of a destination between runs, in `.dlsync/state.db`.
///
/// It only saves work: whatever it lacks is found out again from the tree and the servers. All methods may be called
/// from any thread; each holds the database for one query or one transaction.
package final class StateStore: Sendable {
    private struct Contents {
        /// Nil after ``StateStore/close()``.
        var database: Database?
        var run: Int64?
        /// Whether a page was found to be damaged: the run is left without an end then, so that the next one checks.
        var isDamaged = false
    }

    private let contents: Mutex<Contents>
    private let bootID: String
    private let path: String
    /// Are told of each commit; nil of a copy, which belongs to no destination.
    private let calls: SystemCalls?

    init(_ database: sending Database, path: String, bootID: String, calls: SystemCalls? = nil) {
        contents = Mutex(Contents(database: database))
        self.bootID = bootID
        self.path = path
        self.calls = calls
    }

    func withDatabase<Result: Sendable>(
        _ body: (Database, _ run: inout Int64?) throws(StateError) -> Result
    ) throws(StateError) -> Result {
        try contents.withLock { (contents) throws(StateError) in
            guard let database = contents.database else {
                throw StateError(.other, "the state '\(path)' is closed already")
            }
            do throws(StateError) {
                return try body(database, &contents.run)
            } catch {
                if error.kind == .damaged { contents.isDamaged = true }
                throw error
            }
        }
    }

    // MARK: Reading

    /// The records of complete files, in the order of the paths; nil where there is none.
    package func records(for paths: [RelativePath]) throws(StateError) -> [FileRecord?] {
        try withDatabase { (database, _) throws(StateError) in
            var records: [FileRecord?] = []
            records.reserveCapacity(paths.count)
            for path in paths { records.append(try database.file(path)) }
            return records
        }
    }

    /// The records of the next complete files in the order of their paths' bytes, to go through all of them piece by
    /// piece.
    package func records(after path: RelativePath?, limit: Int) throws(StateError) -> [FileRecord] {
        try withDatabase { (database, _) throws(StateError) in try database.files(after: path, limit: limit) }
    }

    /// The digests of the blocks of a complete file; nil where there are none.
    package func blocks(of path: RelativePath) throws(StateError) -> PieceDigests? {
        try withDatabase { (database, _) throws(StateError) in try database.blocks(path) }
    }

    /// The records of partials, in the order of the paths; nil where there is none, or none that can be believed. After
    /// a crash of the machine only what was synced is in their extents.
    package func partials(for paths: [RelativePath]) throws(StateError) -> [PartialRecord?] {
        try withDatabase { (database, _) throws(StateError) in
            var records: [PartialRecord?] = []
            records.reserveCapacity(paths.count)
            for path in paths { records.append(try database.partial(path, bootID: bootID)) }
            return records
        }
    }

    /// The records of all partials, by path. A file in `partial/` whose id is not among them belongs to nobody.
    package func allPartials() throws(StateError) -> [PartialRecord] {
        try withDatabase { (database, _) throws(StateError) in try database.partials(bootID: bootID) }
    }

    /// What could not be brought up to date, by path: the first of it, where it is more than the limit.
    package func failures(limit: Int = .max) throws(StateError) -> [FailureRecord] {
        try withDatabase { (database, _) throws(StateError) in try database.failures(limit: limit) }
    }

    /// How many entries could not be brought up to date.
    package func failureCount() throws(StateError) -> Int64 {
        try withDatabase { (database, _) throws(StateError) in
            try database.number("SELECT count(*) FROM failures") ?? 0
        }
    }

    /// What could not be brought up to date, in the order of the paths; nil where nothing is wrong.
    package func failures(for paths: [RelativePath]) throws(StateError) -> [FailureRecord?] {
        try withDatabase { (database, _) throws(StateError) in
            var records: [FailureRecord?] = []
            records.reserveCapacity(paths.count)
            for path in paths { records.append(try database.failure(path)) }
            return records
        }
    }

    /// Whether any entry could not be brought up to date.
    package func hasFailures() throws(StateError) -> Bool {
        try withDatabase { (database, _) throws(StateError) in
            try database.number("SELECT 1 FROM failures LIMIT 1") != nil
        }
    }

    /// What was learnt of a host, by its origin.
    package func allHostFacts() throws(StateError) -> [HostFacts] {
        try withDatabase { (database, _) throws(StateError) in try database.hosts() }
    }

    /// What is known of one host.
    package func hostFacts(_ origin: String) throws(StateError) -> HostFacts? {
        try withDatabase { (database, _) throws(StateError) in try database.host(origin) }
    }

    /// When the last run ended that found or brought everything in sync; nil where none did, as far back as is known.
    package func lastSuccess() throws(StateError) -> HTTPDate? {
        try withDatabase { (database, _) throws(StateError) in
            try database.number("SELECT max(ended) FROM runs WHERE exit_status = 0")
                .map(HTTPDate.init(secondsSinceEpoch:))
        }
    }

    /// The last runs, the latest first.
    package func runs(limit: Int) throws(StateError) -> [RunRecord] {
        try withDatabase { (database, _) throws(StateError) in try database.runs(limit: limit) }
    }

    /// How many complete files are recorded, how many bytes they have, and how many of them have a digest.
    package func fileTotals() throws(StateError) -> (files: Int64, bytes: Int64, withDigest: Int64) {
        try withDatabase { (database, _) throws(StateError) in
            (
                files: try database.number("SELECT count(*) FROM files") ?? 0,
                bytes: try database.number("SELECT CAST(total(size) AS INTEGER) FROM files") ?? 0,
                withDigest: try database.number("SELECT count(digest) FROM files") ?? 0
            )
        }
    }

    /// The run with the highest number, this one included.
    package func lastRun() throws(StateError) -> RunRecord? {
        try withDatabase { (database, _) throws(StateError) in try database.lastRun() }
    }

    // MARK: Writing

    /// Begins a run and gives its number, which is on the disk when this returns: no later run gets it again, so that
    /// names made with it do not repeat as long as the state lives.
    package func beginRun(startedAt date: HTTPDate) throws(StateError) -> Int64 {
        try withDatabase { (database, run) throws(StateError) in
            try durably(database) { () throws(StateError) in
                let statement = try database.statement("INSERT INTO runs (started, boot) VALUES (?1, ?2)")
                try statement.bind(1, date.secondsSinceEpoch)
                try statement.bind(2, bootID)
                try statement.run()
                // Nobody asks for the history of years, but for the last runs.
                let oldest = database.lastInsertedRow - 100
                try database.execute("DELETE FROM runs WHERE number <= \(oldest)")
                // What no source named in a hundred runs is no failure of anything any more.
                try database.execute("DELETE FROM failures WHERE last_run <= \(oldest)")
            }
            let number = database.lastInsertedRow
            run = number
            calls?.note(.committed(durably: true), path)
            return number
        }
    }

    /// Ends a run. After damage was found this does nothing, so that the next run checks the whole state.
    package func endRun(_ number: Int64, exitStatus: Int32, at date: HTTPDate) throws(StateError) {
        guard !contents.withLock({ $0.isDamaged }) else { return }
        try withDatabase { (database, run) throws(StateError) in
            let statement = try database.statement("UPDATE runs SET ended = ?2, exit_status = ?3 WHERE number = ?1")
            try statement.bind(1, number)
            try statement.bind(2, date.secondsSinceEpoch)
            try statement.bind(3, Int64(exitStatus))
            try statement.run()
            run = nil
            calls?.note(.committed(durably: false), path)
        }
    }

    /// Applies changes in one transaction: all of them, or, where an error is thrown, none.
    ///
    /// - Parameter durably: Whether they outlast a crash of the machine when this returns. Otherwise they outlast one of
    ///   the process, and the machine's up to the last checkpoint. A record of a complete file may be committed only
    ///   after the file's data and name were synced, whichever way: records must never be ahead of the data.
    package func apply(_ changes: [StateChange], durably isDurable: Bool = false) throws(StateError) {
        guard !changes.isEmpty else { return }
        try withDatabase { (database, run) throws(StateError) in
            let current = run
            let work = { () throws(StateError) in
                for change in changes { try database.apply(change, bootID: self.bootID, run: current) }
            }
            if isDurable { try durably(database, work) } else { try database.transaction(work) }
            calls?.note(.committed(durably: isDurable), path)
        }
    }

    /// Closes the database, whose log is moved into it. Every later call throws.
    package func close() {
        contents.withLock { contents in
            guard contents.database != nil else { return }
            contents.database = nil
            calls?.note(.committed(durably: true), path)
        }
    }

    /// Runs one transaction whose commit waits for the disk. Everything that was committed before is on the disk then
    /// too, as it stands in the same log before it.
    private func durably(_ database: Database, _ body: () throws(StateError) -> Void) throws(StateError) {
        try database.execute("PRAGMA synchronous=FULL")
        do {
            try database.transaction(body)
        } catch {
            try? database.execute("PRAGMA synchronous=NORMAL")
            throw error
        }
        try database.execute("PRAGMA synchronous=NORMAL")
    }
}
