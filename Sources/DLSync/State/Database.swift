internal import CSQLite
internal import Glibc

/// An open SQLite database. Not Sendable: whoever holds it sees to it that one thread uses it at a time.
final class Database {
    private let handle: OpaquePointer
    /// The path for messages.
    let path: String
    /// The directory that the file's name starts from; it has to stay open as long as the database does.
    private let directory: Descriptor?
    private var statements: [String: Statement] = [:]

    /// Opens a database, and creates it where it is missing.
    ///
    /// - Parameters:
    ///   - name: The file's path as bytes; opened as it is, see ``UnresolvedPaths``.
    ///   - path: The path for messages.
    ///   - directory: The directory that `name` starts from.
    init(name: [UInt8], path: String, directory: Descriptor?) throws(StateError) {
        guard UnresolvedPaths.isRegistered else {
            throw StateError(.other, "the state '\(path)' could not be used: SQLite takes no file layer of ours")
        }
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(cString(name), &handle, flags, UnresolvedPaths.name)
        guard let handle, code == SQLITE_OK else {
            let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw StateError(code: code, text: text, path: path)
        }
        self.handle = handle
        self.path = path
        self.directory = directory
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs statements that give no rows, or whose rows do not matter.
    func execute(_ sql: String) throws(StateError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// A prepared statement, ready to be bound; it is kept, so that the same text is read once.
    func statement(_ sql: String) throws(StateError) -> Statement {
        if let kept = statements[sql] { return kept }
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard let pointer, code == SQLITE_OK else { throw error(code) }
        let statement = Statement(pointer, path: path)
        statements[sql] = statement
        return statement
    }

    /// The first column of the first row, as a number.
    func number(_ sql: String) throws(StateError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.number(0) : nil
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws(StateError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs `body` in one transaction: all of it lasts, or nothing.
    func transaction<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have rolled back already; what counts is the first error.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The row that was inserted last.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    private func error(_ code: Int32) -> StateError {
        StateError(code: code, text: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}

/// A prepared statement. Parameters are counted from 1, columns from 0, as SQLite does.
final class Statement {
    private let pointer: OpaquePointer
    private let path: String

    fileprivate init(_ pointer: OpaquePointer, path: String) {
        self.pointer = pointer
        self.path = path
    }

    deinit { sqlite3_finalize(pointer) }

    func bind(_ index: Int32, _ value: Int64?) throws(StateError) {
        try check(value.map { sqlite3_bind_int64(pointer, index, $0) } ?? sqlite3_bind_null(pointer, index))
    }

    func bind(_ index: Int32, _ value: String?) throws(StateError) {
        guard var value else { return try check(sqlite3_bind_null(pointer, index)) }
        let code = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                // A null pointer would bind NULL, which an empty text is not.
                text.baseAddress.map { dlsync_sqlite3_bind_text(pointer, index, $0, Int32(clamping: text.count)) }
                    ?? dlsync_sqlite3_bind_text(pointer, index, "", 0)
            }
        }
        try check(code)
    }

    func bind(_ index: Int32, _ value: [UInt8]?) throws(StateError) {
        guard let value else { return try check(sqlite3_bind_null(pointer, index)) }
        try check(dlsync_sqlite3_bind_blob(pointer, index, value, Int32(clamping: value.count)))
    }

    /// Goes to the next row; false at the end.
    func step() throws(StateError) -> Bool {
        let code = sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = self.error(code)
            sqlite3_reset(pointer)
            throw error
        }
    }

    /// Runs the statement to its end and makes it ready for the next use.
    func run() throws(StateError) {
        while try step() {}
        reset()
    }

    /// Ends the reading of rows, so that the statement holds no lock. Parameters stay bound.
    func reset() { sqlite3_reset(pointer) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func number(_ column: Int32) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(pointer, column)
    }

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(pointer, column) else { return nil }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8]? {
        guard !isNull(column) else { return nil }
        guard let start = sqlite3_column_blob(pointer, column) else { return [] }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func check(_ code: Int32) throws(StateError) {
        if code != SQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> StateError {
        let handle = sqlite3_db_handle(pointer)
        return StateError(code: code, text: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}
