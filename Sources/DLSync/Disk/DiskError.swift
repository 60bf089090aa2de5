internal import Glibc
package import SyncCore

/// A system call that failed on a file or a directory of the destination.
package struct DiskError: Error, Hashable, Sendable {
    /// The `errno` that the call left.
    package var code: Int32
    /// The call that failed.
    package var operation: SystemCalls.Operation
    /// The path as a person would name it; for messages only.
    package var path: String
    /// Where not the call but the place was refused: words that complete "the path …", as in "leads through a symbolic
    /// link". Nil for a failed call.
    package var obstacle: String?

    package init(code: Int32, operation: SystemCalls.Operation, path: String, obstacle: String? = nil) {
        self.code = code
        self.operation = operation
        self.path = path
        self.obstacle = obstacle
    }

    /// The failure that an entry or a run reports: its kind decides the exit status.
    package var failure: Failure {
        if let obstacle {
            return Failure(.unsafePath, "the path '\(path)' \(obstacle)")
        }
        let what = "could not \(operation.rawValue) '\(path)': \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC:
            return Failure(.diskFull, what + "; free some space there")
        case EDQUOT:
            return Failure(.diskFull, what + "; free some space within the quota there")
        case EROFS:
            return Failure(.readOnly, what + "; choose a destination that can be written to")
        case EACCES, EPERM:
            return Failure(.readOnly, what + "; give this user the right to do so")
        case EXDEV:
            return Failure(
                .disk,
                what + "; a directory below the destination must not lie on another file system than the"
                    + " destination itself")
        case EFBIG:
            return Failure(.disk, what + "; the file system or a limit (ulimit -f) does not allow a file of that size")
        case EMFILE, ENFILE:
            return Failure(.disk, what + "; raise the limit of open files (ulimit -n) or lower the connections")
        case ENAMETOOLONG:
            return Failure(.disk, what + "; the file system does not take a name of that length")
        case EIO:
            return Failure(.disk, what + "; check the disk and the kernel's log")
        case ENOLCK:
            return Failure(.disk, what + "; the file system gives no locks, choose another destination")
        default:
            return Failure(.disk, what + "; check that the path exists and is as you left it")
        }
    }
}
