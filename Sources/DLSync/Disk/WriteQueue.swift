internal import Dispatch
internal import SyncCore
internal import Synchronization

/// Writes full buffers of large files while the loop's thread goes on receiving: half of the time of a quick transfer is
/// the kernel's copying into its page cache.
///
/// Few buffers are on their way at once; whoever has one more to write waits until the first of them is written, so that a
/// slow disk holds the network back, and memory is bounded.
final class WriteQueue: Sendable {
    /// How many buffers may wait for the disk, of all transfers together.
    private static let mostWaiting = 8

    private let queue = DispatchQueue(label: "dlsync.write")
    private let room = DispatchSemaphore(value: mostWaiting)
    private let idle = Mutex<[WriteBuffer]>([])

    /// A buffer for a transfer; it is the caller's until it is given back or written.
    func takeBuffer() -> WriteBuffer { idle.withLock { $0.popLast() } ?? WriteBuffer() }

    /// Takes a buffer back that is of no more use.
    func giveBack(_ buffer: WriteBuffer) { idle.withLock { $0.append(buffer) } }

    /// Writes what is in a buffer, which is the queue's from now on. Writes are done in the order in which they come.
    ///
    /// - Parameter account: Told what is written; what comes after a write that failed is not written any more, as nothing
    ///   may stand behind a gap.
    func write(
        _ buffer: WriteBuffer, count: Int, at offset: Int64, to partial: PartialFile,
        _ digest: RunningDigest?, account: WriteAccount
    ) {
        room.wait()
        queue.async { [self] in
            account.write(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), at: offset, to: partial, digest)
            giveBack(buffer)
            room.signal()
        }
    }

    /// Waits until all is written that came before.
    func drain() { queue.sync {} }
}

/// How far the writes of one transfer have come.
final class WriteAccount: Sendable {
    private struct State {
        var end: Int64 = 0
        var failure: Failure?
    }

    private let state = Mutex(State())

    /// Every byte of the transfer before this offset is in the partial.
    var end: Int64 { state.withLock { $0.end } }

    /// Why writing stopped.
    var failure: Failure? { state.withLock { $0.failure } }

    /// Begins anew at an offset.
    func begin(at offset: Int64) { state.withLock { $0 = State(end: offset) } }

    /// Writes bytes to a partial and notes it, unless an earlier write failed. They follow those of the write before.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, to partial: PartialFile, _ digest: RunningDigest?) {
        guard failure == nil else { return }
        do {
            try partial.write(bytes, at: offset)
        } catch {
            state.withLock { $0.failure = error.failure }
            return
        }
        digest?.update(bytes, at: offset)
        state.withLock { $0.end = offset + Int64(bytes.count) }
    }
}

/// The memory in which a transfer gathers what it writes at once; used for one transfer after the other.
///
/// Whoever passes it on does not touch it again, so that it has one user at a time.
final class WriteBuffer: @unchecked Sendable {
    /// In bytes: what the page cache takes best, and what stays in a core's own cache.
    static let size = 256 << 10

    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4096)

    deinit { bytes.deallocate() }
}
