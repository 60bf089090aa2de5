import Dispatch
import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

@Suite struct WriteQueueTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func partial(calls: SystemCalls = .live) throws -> PartialFile {
        try Destination(path: directory.path, access: .creating, calls: calls).createPartial("1-1")
    }

    /// Gives the queue a buffer full of one byte.
    private func send(
        _ byte: UInt8, count: Int = WriteBuffer.size, at offset: Int, to partial: PartialFile, of account: WriteAccount,
        through queue: WriteQueue
    ) {
        let buffer = queue.takeBuffer()
        buffer.bytes.initializeMemory(as: UInt8.self, repeating: byte)
        queue.write(buffer, count: count, at: Int64(offset), to: partial, nil, account: account)
    }

    @Test func `What is on its way does not count as written`() throws {
        let mayWrite = DispatchSemaphore(value: 0)
        let partial = try partial(
            calls: SystemCalls { operation, _ in
                if operation == .write { mayWrite.wait() }
                return nil
            })
        let (queue, account) = (WriteQueue(), WriteAccount())
        account.begin(at: 100)
        send(7, count: 10, at: 100, to: partial, of: account, through: queue)
        #expect(account.end == 100)
        mayWrite.signal()
        queue.drain()
        #expect(account.end == 110)
        #expect(try read(partial, at: 100, count: 20) == [UInt8](repeating: 7, count: 10))
    }

    @Test func `Nothing is written behind a gap that a failed write left`() throws {
        let writes = Mutex(0)
        let partial = try partial(
            calls: SystemCalls { operation, _ in
                guard operation == .write else { return nil }
                return writes.withLock {
                    $0 += 1; return $0 == 2
                } ? .failure(ENOSPC) : nil
            })
        let (queue, account) = (WriteQueue(), WriteAccount())
        for index in 0..<4 {
            send(UInt8(index + 1), count: 10, at: index * 10, to: partial, of: account, through: queue)
        }
        queue.drain()
        #expect(account.end == 10)
        #expect(account.failure?.code == .diskFull)
        #expect(writes.withLock { $0 } == 2)
        #expect(try partial.status().size == 10)
        // Another transfer of the file is not concerned.
        let other = WriteAccount()
        send(9, count: 10, at: 30, to: partial, of: other, through: queue)
        queue.drain()
        #expect(other.end == 40 && other.failure == nil)
        // Nor is the next answer that the same transfer takes.
        account.begin(at: 50)
        #expect(account.end == 50 && account.failure == nil)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Whatever comes in whatever order is written whole, through few buffers`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let partial = try partial()
        let queue = WriteQueue()
        var used: Set<ObjectIdentifier> = []
        let accounts = (0..<5).map { _ in WriteAccount() }
        let length = 16 * WriteBuffer.size
        for (index, account) in accounts.enumerated() { account.begin(at: Int64(index * length)) }
        var wanted = [UInt8](repeating: 0, count: accounts.count * 16)
        for block in 0..<16 {
            for index in accounts.indices.shuffled(using: &random) {
                let buffer = queue.takeBuffer()
                used.insert(ObjectIdentifier(buffer))
                let byte = UInt8.random(in: 1...255, using: &random)
                wanted[index * 16 + block] = byte
                buffer.bytes.initializeMemory(as: UInt8.self, repeating: byte)
                queue.write(
                    buffer, count: WriteBuffer.size, at: Int64(index * length + block * WriteBuffer.size), to: partial,
                    nil,
                    account: accounts[index])
            }
        }
        queue.drain()
        #expect(used.count <= 10)
        #expect(accounts.map(\.end) == accounts.indices.map { Int64(($0 + 1) * length) })
        for (block, byte) in wanted.enumerated() {
            let found = try read(partial, at: Int64(block * WriteBuffer.size), count: WriteBuffer.size)
            #expect(found.allSatisfy { $0 == byte } && found.count == WriteBuffer.size, "block \(block)")
        }
    }
}
