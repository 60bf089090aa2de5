internal import CSystem
internal import Dispatch
internal import Glibc
internal import SyncCore

/// Reads a file or standard input piece by piece, away from every thread that must not wait.
final class FileBytes: Sendable {
    private static let pieceSize = 64 << 10
    private static let queue = DispatchQueue(label: "dlsync.sources", attributes: .concurrent)

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// Is written when nobody wants the rest any more: a pipe may keep its reader waiting for ever.
    private let stopEvent = eventfd(0, Int32(EFD_CLOEXEC))

    /// Opens a file.
    init(path: String) throws(Failure) {
        // A named pipe would else let nobody open it before it has a writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        name = path
        isOwned = true
        guard descriptor >= 0 else {
            throw Failure(.unreadable, "'\(path)' cannot be read: \(String(cString: strerror(errno)))")
        }
    }

    /// Takes standard input.
    init(standardInput: Void) {
        descriptor = STDIN_FILENO
        name = "standard input"
        isOwned = false
    }

    deinit {
        if stopEvent >= 0 { close(stopEvent) }
        if isOwned { close(descriptor) }
    }

    /// The next piece; nil at the end. It stops waiting when the task is cancelled.
    func next() async throws(Failure) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { [self] in continuation.resume(returning: readPiece()) }
            }
        } onCancel: {
            eventfd_write(stopEvent, 1)
        }
        return try result.get()
    }

    /// Waits until there is something to read, or its end; false where nobody wants it any more.
    private func waitForBytes() -> Bool {
        var polls = [descriptor, stopEvent].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polls, nfds_t(polls.count), -1) < 0, errno == EINTR {}
        return polls[1].revents == 0
    }

    private func readPiece() -> Result<[UInt8]?, Failure> {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            var got = -1
            repeat {
                guard waitForBytes() else {
                    failure = ECANCELED
                    return
                }
                got = read(descriptor, buffer.baseAddress, buffer.count)
            } while got < 0 && (errno == EINTR || errno == EAGAIN)
            if got < 0 { failure = errno }
            count = max(0, got)
        }
        guard failure != ECANCELED else { return .failure(Failure(.interrupted, "\(name) was not read to its end")) }
        guard failure == 0 else {
            return .failure(Failure(.unreadable, "\(name) cannot be read: \(String(cString: strerror(failure)))"))
        }
        return .success(bytes.isEmpty ? nil : bytes)
    }
}
