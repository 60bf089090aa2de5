internal import Glibc

/// The lock that keeps two runs from working on one destination: `flock(2)` on `.dlsync/lock`, a file that is never
/// removed. The kernel lets it go when the process ends, however it ends.
package final class RunLock: Sendable {
    /// What came of asking for the lock.
    package enum Outcome: Sendable {
        /// The lock is held as long as the value is.
        case held(RunLock)
        /// Another run holds the destination.
        case busy
    }

    /// Nil where a dry run found no lock file, and so no run.
    private let descriptor: Descriptor?

    private init(descriptor: Descriptor?) { self.descriptor = descriptor }

    deinit { release() }

    /// Lets the lock go now. Whoever still holds the value, as a task that is just ending does, holds nothing then; and
    /// neither does a child process that has not come to its `exec` yet.
    package func release() {
        guard let descriptor, descriptor.number >= 0 else { return }
        descriptor.calls.unlock(descriptor.number)
        try? descriptor.close()
    }

    /// Asks for the lock without waiting: alone for a run; together with other readers, and only if the file is there,
    /// where the destination is read-only.
    package static func acquire(in destination: Destination) throws(DiskError) -> Outcome {
        guard let directory = destination.stateDirectory else { return .held(RunLock(descriptor: nil)) }
        let calls = destination.calls
        let isReader = destination.access == .readOnly
        let path = "\(directory.path)/lock"
        let descriptor: Descriptor
        do {
            let number = try calls.open(
                in: directory.number, Array("lock".utf8),
                flags: (isReader ? O_RDONLY : O_RDWR | O_CREAT) | O_NOFOLLOW | O_NONBLOCK, mode: 0o666, path: path)
            descriptor = Descriptor(number, calls: calls, path: path)
        } catch {
            guard isReader, error.code == ENOENT else { throw error }
            return .held(RunLock(descriptor: nil))
        }
        guard try calls.lock(descriptor.number, exclusively: !isReader, path: path) else { return .busy }
        return .held(RunLock(descriptor: descriptor))
    }
}
