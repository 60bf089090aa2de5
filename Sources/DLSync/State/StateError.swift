internal import CSQLite
package import SyncCore

/// The state could not be read or written.
package struct StateError: Error, Hashable, Sendable {
    /// What is wrong, as far as something can be done about it.
    package enum Kind: Hashable, Sendable {
        /// A newer dlsync wrote it, in a form that this one does not know.
        case newer
        /// It is no database, or its pages contradict each other.
        case damaged
        /// Another program has it open.
        case busy
        case diskFull
        case readOnly
        /// Anything else that SQLite or the disk said.
        case other
    }

    package var kind: Kind
    /// One sentence without its full stop.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// A disk error on the way to the state.
    init(_ error: DiskError) {
        let failure = error.failure
        switch failure.code {
        case .diskFull: kind = .diskFull
        case .readOnly: kind = .readOnly
        default: kind = .other
        }
        message = failure.message
    }

    /// What SQLite answered (https://sqlite.org/rescode.html).
    init(code: Int32, text: String, path: String) {
        let what = "the state '\(path)' could not be used: \(text)"
        switch code & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self.init(.damaged, what)
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, what + "; another program has it open")
        case SQLITE_FULL: self.init(.diskFull, what + "; free some space there")
        case SQLITE_READONLY, SQLITE_PERM:
            self.init(.readOnly, what + "; give this user the right to write there")
        case SQLITE_CANTOPEN:
            self.init(.other, what + "; check that this user may read and write it and that it is a plain file")
        default: self.init(.other, what)
        }
    }

    /// The failure that a run reports.
    package var failure: Failure {
        switch kind {
        case .diskFull: Failure(.diskFull, message)
        case .readOnly: Failure(.readOnly, message)
        case .newer, .damaged, .busy, .other: Failure(.state, message)
        }
    }
}
