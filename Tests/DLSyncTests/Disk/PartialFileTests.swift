import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

@Suite struct PartialFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(calls: SystemCalls = .live) throws -> Destination {
        try Destination(path: directory.path, access: .creating, calls: calls)
    }

    @Test func `Bytes are read where they were written, whatever the order`() throws {
        let partial = try open().createPartial("1-1")
        try write([4, 5, 6], to: partial, at: 3)
        try write([1, 2, 3], to: partial, at: 0)
        #expect(try read(partial, count: 100) == [1, 2, 3, 4, 5, 6])
        #expect(try read(partial, at: 4, count: 1) == [5])
        #expect(try read(partial, at: 6, count: 1) == [])
        #expect(try partial.status().size == 6)
    }

    @Test func `A partial is created once and opened again`() throws {
        let destination = try open()
        try write([1], to: destination.createPartial("1-1"))
        let error = #expect(throws: DiskError.self) { try destination.createPartial("1-1") }
        #expect(error?.code == EEXIST)
        #expect(try read(destination.openPartial("1-1"), count: 9) == [1])
        #expect(try destination.status(ofPartial: "1-1").isFile)
        #expect(try destination.status(ofPartial: "1-2") == .absent)
        let missing = #expect(throws: DiskError.self) { try destination.openPartial("1-2") }
        #expect(missing?.code == ENOENT)
        try destination.removePartial("1-1")
        try destination.removePartial("1-1")
        #expect(try destination.partialIDs() == [])
    }

    @Test(arguments: ["", "..", "a/b", "a.b", "\u{e9}", "a b", String(repeating: "1", count: 65)])
    func `A name that is no id is refused`(id: String) throws {
        let destination = try open()
        #expect(throws: DiskError.self) { try destination.createPartial(id) }
        #expect(throws: DiskError.self) { try destination.openPartial(id) }
        #expect(throws: DiskError.self) { try destination.removePartial(id) }
        #expect(directory.names() == [".dlsync"])
    }

    @Test func `The ids of all partials are listed, and nothing else`() throws {
        let destination = try open()
        for id in ["2-1", "1-2", "1-1"] { _ = try destination.createPartial(id) }
        try directory.write([1], to: ".dlsync/partial/note.txt")
        #expect(try destination.partialIDs() == ["1-1", "1-2", "2-1"])
    }

    @Test func `A symbolic link is not opened as a partial`() throws {
        let destination = try open()
        try directory.write([1], to: "victim")
        directory.makeLink(".dlsync/partial/1-1", to: directory.path("victim"))
        #expect(throws: DiskError.self) { try destination.openPartial("1-1") }
        #expect(throws: DiskError.self) { try destination.createPartial("1-1") }
    }

    @Test func `Preallocating takes the room and keeps what is there`() throws {
        let partial = try open().createPartial("1-1")
        try write([1, 2], to: partial)
        try partial.preallocate(1 << 20)
        #expect(try partial.status().size == 1 << 20)
        #expect(try read(partial, count: 3) == [1, 2, 0])
        try partial.preallocate(10)
        #expect(try partial.status().size == 1 << 20)
        try partial.truncate(to: 2)
        #expect(try read(partial, count: 3) == [1, 2])
    }

    @Test(arguments: [EOPNOTSUPP, EINVAL, ENOSYS])
    func `Where the file system cannot preallocate, the file is sparse`(code: Int32) throws {
        let calls = SystemCalls { operation, _ in operation == .allocate ? .failure(code) : nil }
        let partial = try open(calls: calls).createPartial("1-1")
        try partial.preallocate(1 << 20)
        #expect(try partial.status().size == 1 << 20)
        try partial.preallocate(10)
        #expect(try partial.status().size == 1 << 20)
    }

    @Test(arguments: [ENOSPC, EDQUOT])
    func `No room is a failure of the disk's own kind`(code: Int32) throws {
        let calls = SystemCalls { operation, _ in operation == .allocate ? .failure(code) : nil }
        let partial = try open(calls: calls).createPartial("1-1")
        let error = #expect(throws: DiskError.self) { try partial.preallocate(1 << 20) }
        #expect(error?.failure.code == .diskFull)
        #expect(try partial.status().size == 0)
    }

    @Test func `The time of last modification is kept to the second`() throws {
        let partial = try open().createPartial("1-1")
        for seconds in [Int64(0), 1_000_000_000, 4_000_000_000] {
            try partial.setModified(seconds: seconds)
            #expect(try partial.status().modified.secondsSinceEpoch == seconds)
            #expect(try partial.status().modifiedNanoseconds == seconds * 1_000_000_000)
        }
    }

    @Test func `A call after the close fails and does no harm`() throws {
        let partial = try open().createPartial("1-1")
        try write([1], to: partial)
        try partial.synchronizeData()
        try partial.close()
        try partial.close()
        let error = #expect(throws: DiskError.self) { try write([2], to: partial) }
        #expect(error?.code == EBADF)
    }

    @Test func `Short and interrupted calls are carried on until all is moved`() throws {
        let turn = Atomic(0)
        let calls = SystemCalls { operation, _ in
            guard operation == .write || operation == .read else { return nil }
            let turn = turn.wrappingAdd(1, ordering: .relaxed).newValue
            return turn % 3 == 0 ? .failure(EINTR) : .short(turn % 7 + 1)
        }
        let partial = try open(calls: calls).createPartial("1-1")
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try write(bytes, to: partial, at: 5)
        #expect(try read(partial, at: 5, count: 2000) == bytes)
    }

    @Test func `A write of nothing ends as an error, not in a loop`() throws {
        let calls = SystemCalls { operation, _ in operation == .write ? .short(0) : nil }
        let partial = try open(calls: calls).createPartial("1-1")
        let error = #expect(throws: DiskError.self) { try write([1], to: partial) }
        #expect(error?.code == EIO)
    }

    @Test(arguments: [0, 1, 2], [0, 1, 100, 300_000, 700_000, 800_000])
    func `A file is copied into a partial by every way that there is`(refusals: Int, length: Int64) throws {
        let refused = Mutex<Set<String>>([])
        // The copy by shared blocks and the one in the kernel are one operation: the first `refusals` are refused.
        let count = Atomic(0)
        let calls = SystemCalls { operation, path in
            guard operation == .copy else { return nil }
            refused.withLock { _ = $0.insert(path) }
            return count.wrappingAdd(1, ordering: .relaxed).oldValue < refusals ? .failure(EXDEV) : .short(123_457)
        }
        let destination = try open(calls: calls)
        var generator = SeededGenerator(seed: 7)
        let bytes = (0..<700_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try directory.write(bytes, to: "sub/file")
        let (partial, copied) = try destination.copyToPartial(RelativePath("sub/file"), id: "1-1", length: length)
        let expected = Array(bytes.prefix(Int(length)))
        #expect(copied == Int64(expected.count))
        #expect(try partial.status().size == copied)
        #expect(try read(partial, count: 800_000) == expected)
        #expect(directory.read("sub/file") == bytes)
    }

    @Test func `A copy that finds no room leaves no partial`() throws {
        let calls = SystemCalls { operation, _ in operation == .copy ? .failure(ENOSPC) : nil }
        let destination = try open(calls: calls)
        try directory.write([1, 2, 3], to: "file")
        #expect(throws: DiskError.self) { try destination.copyToPartial(RelativePath("file"), id: "1-1", length: 3) }
        #expect(try destination.partialIDs() == [])
    }

    @Test(arguments: [
        (ENOSPC, Failure.Code.diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly), (EACCES, .readOnly),
        (EPERM, .readOnly),
        (EIO, .disk), (EXDEV, .disk), (EMFILE, .disk), (ENOENT, .disk),
    ])
    func `Each errno becomes a failure that names the path`(code: Int32, expected: Failure.Code) {
        let failure = DiskError(code: code, operation: .write, path: "/srv/x").failure
        #expect(failure.code == expected)
        #expect(failure.message.contains("'/srv/x'"))
        #expect(!failure.message.hasSuffix("."))
    }
}
