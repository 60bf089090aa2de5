/// The tables of the state, and how a database is known to be one.
///
/// Dates are whole seconds since 1970. Paths are blobs: names are bytes, and blobs compare byte by byte.
enum StateSchema {
    /// `PRAGMA application_id`: "dlsy".
    static let applicationID: Int64 = 0x646C_7379
    /// `PRAGMA user_version`. A change of the tables raises it and adds its step to ``Database/prepareState()``.
    static let version: Int64 = 2

    /// The columns in which files and partials keep an ``Identity``, in the order that ``Statement/identity(_:)`` reads.
    static let identityColumns = "resource, length, etag, etag_weak, last_modified, coding, media_type"

    /// The digests of the blocks of large files. They are in no row of `files`, which is read for each entry of a run.
    private static let blocks = """
        CREATE TABLE blocks (
            path BLOB PRIMARY KEY NOT NULL, algorithm TEXT NOT NULL, length INTEGER NOT NULL, digests BLOB NOT NULL
        );
        """

    /// What makes a state of each earlier version one of the next, that of version 1 first.
    static let steps = [blocks]

    static let tables = """
        CREATE TABLE files (
            path BLOB PRIMARY KEY NOT NULL,
            resource TEXT NOT NULL, length INTEGER, etag TEXT, etag_weak INTEGER, last_modified INTEGER,
            coding TEXT, media_type TEXT,
            size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
            digest_algorithm TEXT, digest BLOB, listed TEXT
        ) WITHOUT ROWID;
        \(blocks)
        CREATE TABLE partials (
            path BLOB PRIMARY KEY NOT NULL,
            resource TEXT NOT NULL, length INTEGER, etag TEXT, etag_weak INTEGER, last_modified INTEGER,
            coding TEXT, media_type TEXT,
            id TEXT UNIQUE NOT NULL, extents TEXT NOT NULL, synced_extents TEXT NOT NULL, boot TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE failures (
            path BLOB PRIMARY KEY NOT NULL,
            resource TEXT NOT NULL, message TEXT NOT NULL, first_date INTEGER NOT NULL, last_date INTEGER NOT NULL,
            runs INTEGER NOT NULL, last_run INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE sources (
            number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, last_run INTEGER NOT NULL
        );
        CREATE TABLE listings (
            number INTEGER PRIMARY KEY,
            source INTEGER NOT NULL, directory BLOB NOT NULL, known_run INTEGER NOT NULL, row_count INTEGER NOT NULL,
            UNIQUE (source, directory)
        );
        CREATE TABLE owners (
            path BLOB NOT NULL, listing INTEGER NOT NULL,
            since_run INTEGER NOT NULL, seen_run INTEGER NOT NULL, missed_runs INTEGER NOT NULL,
            PRIMARY KEY (path, listing)
        ) WITHOUT ROWID;
        CREATE TABLE directories (path BLOB PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE hosts (
            origin TEXT PRIMARY KEY NOT NULL,
            refuses_ranges INTEGER NOT NULL, if_range TEXT NOT NULL, unsteady_tags INTEGER NOT NULL,
            traits_learnt INTEGER NOT NULL, permits INTEGER, permits_learnt INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            started INTEGER NOT NULL, boot TEXT NOT NULL, ended INTEGER, exit_status INTEGER
        );
        """
}

extension Database {
    /// Finds out what the file is, creates the tables in an empty one, and checks one that a run left without ending.
    ///
    /// - Throws: ``StateError`` of kind `.newer` or `.damaged`, or what SQLite said.
    func prepareState() throws(StateError) {
        try execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY")
        let objects = try number("SELECT count(*) FROM sqlite_schema") ?? 0
        let application = try number("PRAGMA application_id") ?? 0
        let version = try number("PRAGMA user_version") ?? 0
        if objects == 0, application == 0, version == 0 { return try createTables() }
        guard application == StateSchema.applicationID else {
            throw StateError(.damaged, "the state '\(path)' is a database of another program")
        }
        guard version <= StateSchema.version else {
            throw StateError(
                .newer,
                "the state '\(path)' is of version \(version), this dlsync knows \(StateSchema.version): use the newer"
                    + " dlsync, or remove the file to build the state anew from the tree")
        }
        guard version >= 1 else {
            throw StateError(.damaged, "the state '\(path)' has no version that ever was")
        }
        try bringUpToDate(from: version)
        try checkTables()
    }

    /// Takes the steps from an earlier version to this one: all of them, or where the disk refuses none.
    private func bringUpToDate(from version: Int64) throws(StateError) {
        guard version < StateSchema.version else { return }
        do {
            try transaction { () throws(StateError) in
                for step in StateSchema.steps[Int(version - 1)...] { try execute(step) }
                try execute("PRAGMA user_version=\(StateSchema.version)")
            }
        } catch {
            // A table that is there before its time: no dlsync left it so.
            guard error.kind == .other else { throw error }
            throw StateError(.damaged, error.message)
        }
    }

    private func createTables() throws(StateError) {
        try transaction { () throws(StateError) in
            try execute(StateSchema.tables)
            try execute("PRAGMA application_id=\(StateSchema.applicationID)")
            try execute("PRAGMA user_version=\(StateSchema.version)")
        }
    }

    /// A row of each table shows whether the tables are as expected. Reading everything takes as long as the state is
    /// big, so it is done only after a run that did not end.
    private func checkTables() throws(StateError) {
        do {
            for table in ["files", "partials", "failures", "directories", "hosts", "runs"] {
                _ = try number("SELECT 1 FROM \(table) LIMIT 1")
            }
            for columns in [
                "\(StateSchema.identityColumns), digest FROM files", "id, boot FROM partials",
                "digests FROM blocks", "missed_runs FROM owners", "row_count FROM listings", "last_run FROM sources",
            ] {
                _ = try statement("SELECT \(columns)")
            }
        } catch {
            guard error.kind == .other else { throw error }
            throw StateError(.damaged, error.message)
        }
        let isUnended = try number("SELECT ended IS NULL FROM runs ORDER BY number DESC LIMIT 1") == 1
        guard isUnended else { return }
        let verdict = try text("PRAGMA quick_check(1)") ?? "no answer"
        // A headline may stand above what was found.
        let finding = verdict.split(separator: "\n").last ?? "no answer"
        guard finding == "ok" else { throw StateError(.damaged, "the state '\(path)' is damaged: \(finding)") }
    }
}
