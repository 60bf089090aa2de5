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
    /// Readable once the reading was cancelled (eventfd(2)).
    private let cancellation = eventfd(0, Int32(EFD_CLOEXEC))

    /// Opens a file.
    init(path: String) throws(Failure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
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
        if isOwned { close(descriptor) }
        close(cancellation)
    }

    /// The next piece; nil at the end. A pipe or a terminal that gives nothing is left when the task is cancelled.
    func next() async throws(Failure) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async { [self] in continuation.resume(returning: readPiece()) }
            }
        } onCancel: {
            eventfd_write(cancellation, 1)
        }
        return try result.get()
    }

    private func readPiece() -> Result<[UInt8]?, Failure> {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waits, nfds_t(waits.count), -1) < 0, errno == EINTR {}
        guard waits[1].revents == 0 else { return .failure(Failure(.interrupted, "\(name) was not read to its end")) }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            var got = read(descriptor, buffer.baseAddress, buffer.count)
            while got < 0, errno == EINTR { got = read(descriptor, buffer.baseAddress, buffer.count) }
            if got < 0 { failure = errno }
            count = max(0, got)
        }
        guard failure == 0 else {
            return .failure(Failure(.unreadable, "\(name) cannot be read: \(String(cString: strerror(failure)))"))
        }
        return .success(bytes.isEmpty ? nil : bytes)
    }
}
