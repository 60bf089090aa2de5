import Glibc
import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

@Suite struct DestinationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ access: Destination.Access = .creating, calls: SystemCalls = .live) throws -> Destination {
        try Destination(path: directory.path("dest"), access: access, calls: calls)
    }

    /// Writes a partial and puts it in its place.
    private func publish(_ bytes: [UInt8], as path: RelativePath, in destination: Destination) throws {
        let id = "1-\(path.bytes.count)"
        let partial = try destination.createPartial(id)
        try write(bytes, to: partial)
        try destination.publish(partial: id, as: path)
    }

    @Test func `Creating makes the destination, its parents and the layout in it`() throws {
        let destination = try Destination(path: directory.path("a/b//dest/"), access: .creating)
        #expect(directory.names(in: "a/b/dest") == [".dlsync"])
        #expect(directory.names(in: "a/b/dest/.dlsync") == ["partial"])
        #expect(destination.exists)
        _ = try Destination(path: directory.path("a/b/dest"), access: .creating)
    }

    @Test func `An existing destination has to exist`() throws {
        let error = #expect(throws: DiskError.self) { try open(.existing) }
        #expect(error?.code == ENOENT)
        #expect(!directory.exists("dest"))
    }

    @Test func `A read-only destination creates nothing and finds everything absent where it is missing`() throws {
        let destination = try Destination(path: directory.path("no/such/dest"), access: .readOnly)
        #expect(try destination.status(of: RelativePath("a/b")) == .absent)
        #expect(try destination.partialIDs() == [])
        #expect(try destination.freeSpace() > 0)
        #expect(directory.names().isEmpty)
        #expect(throws: DiskError.self) { try destination.createPartial("1-1") }
        #expect(throws: DiskError.self) { try destination.publish(partial: "1-1", as: RelativePath("a")) }
    }

    @Test func `A read-only destination reads what is there and writes nothing`() throws {
        try directory.write([1, 2, 3], to: "dest/sub/file")
        let destination = try open(.readOnly)
        #expect(try destination.status(of: RelativePath("sub/file")).isFile)
        #expect(throws: DiskError.self) { try destination.createPartial("1-1") }
        #expect(directory.names(in: "dest") == ["sub"])
    }

    @Test func `A file in the place of the destination is an error`() throws {
        try directory.write([1], to: "dest")
        for access in [Destination.Access.creating, .existing, .readOnly] {
            #expect(throws: DiskError.self) { try open(access) }
        }
    }

    @Test func `dlsync's own directory is never a symbolic link`() throws {
        directory.makeDirectory("dest")
        directory.makeDirectory("elsewhere")
        directory.makeLink("dest/.dlsync", to: directory.path("elsewhere"))
        let error = #expect(throws: DiskError.self) { try open() }
        #expect(error?.failure.code == .unsafePath)
        #expect(directory.names(in: "elsewhere").isEmpty)
    }

    @Test func `The status of a file is its size, time and inode`() throws {
        let destination = try open()
        try directory.write([1, 2, 3], to: "dest/a/b/file")
        let path = try RelativePath("a/b/file")
        try destination.setModified(path, seconds: 1_700_000_000)
        var status = stat()
        #expect(stat(directory.path("dest/a/b/file"), &status) == 0)
        let expected = LocalFile(
            size: 3, modifiedNanoseconds: 1_700_000_000_000_000_000, inode: UInt64(status.st_ino))
        #expect(try destination.status(of: path) == .file(expected))
    }

    @Test(arguments: [
        ("link", "is a symbolic link"), ("dangling", "is a symbolic link"), ("dir", "is a directory"),
        ("pipe", "is a device, a socket or a pipe"), ("link-to-dir/file", "leads through a symbolic link"),
        ("dir/up/outside/file", "leads through a symbolic link"), ("file/below", "leads through a file"),
        ("file/below/deeper", "leads through a file"), (".dlsync/state.db", "lies in dlsync's own directory"),
        (".dlsync", "lies in dlsync's own directory"),
    ])
    func `What is in the way is told and never followed`(path: String, words: String) throws {
        let destination = try open()
        try directory.write([1], to: "outside/file")
        try directory.write([1], to: "dest/file")
        try directory.write([1], to: "dest/dir/file")
        directory.makeLink("dest/link", to: "file")
        directory.makeLink("dest/dangling", to: "nowhere")
        directory.makeLink("dest/link-to-dir", to: directory.path("outside"))
        directory.makeLink("dest/dir/up", to: "../..")
        #expect(mkfifo(directory.path("dest/pipe"), 0o600) == 0)
        let relative = try RelativePath(path)
        #expect(try destination.status(of: relative).obstacle == words)
        #expect(throws: DiskError.self) { try destination.openForReading(relative) }
        if path.contains("/") {
            #expect(throws: DiskError.self) { try publish([9], as: relative, in: destination) }
            #expect(throws: DiskError.self) { try destination.makeParents(of: relative) }
        }
        #expect(directory.names(in: "outside") == ["file"])
        #expect(directory.read("outside/file") == [1])
    }

    @Test func `Names that only look like dlsync's own are free`() throws {
        let destination = try open()
        for name in [".dlsyncx/file", ".dlsyn", "a/.dlsync/file"] {
            let path = try RelativePath(name)
            try publish([7], as: path, in: destination)
            #expect(try destination.status(of: path).isFile)
        }
    }

    @Test(arguments: [
        [UInt8](repeating: UInt8(ascii: "x"), count: 255), [0xFF, 0xFE, UInt8(ascii: "a")], Array("e\u{301}".utf8),
        Array("\u{e9}".utf8), Array(" -\n\t\\'\"*".utf8), [0x01],
    ])
    func `Names are bytes`(name: [UInt8]) throws {
        let destination = try open()
        let path = try RelativePath(bytes: name + [UInt8(ascii: "/")] + name)
        #expect(try destination.status(of: path) == .absent)
        try publish([1, 2], as: path, in: destination)
        #expect(directory.read(Array("dest/".utf8) + path.bytes) == [1, 2])
        #expect(try destination.status(of: path).isFile)
        try destination.remove(path)
        try destination.removeEmptyParents(of: path)
        #expect(directory.names(in: "dest") == [".dlsync"])
    }

    @Test func `Two names that look alike are two files`() throws {
        let destination = try open()
        try publish([1], as: RelativePath("e\u{301}"), in: destination)
        try publish([2], as: RelativePath("\u{e9}"), in: destination)
        #expect(directory.read("dest/e\u{301}") == [1])
        #expect(directory.read("dest/\u{e9}") == [2])
    }

    @Test func `The longest path can be published and seen`() throws {
        let destination = try open()
        let deep = Array(repeating: String(repeating: "d", count: 199), count: 20).joined(separator: "/")
        let path = try RelativePath(deep)
        try publish([5], as: path, in: destination)
        #expect(try destination.status(of: path).isFile)
        try destination.syncDirectory(of: path)
        try destination.remove(path)
        try destination.removeEmptyParents(of: path)
        #expect(directory.names(in: "dest") == [".dlsync"])
    }

    @Test func `Publishing replaces the old file by a new inode and leaves no partial`() throws {
        let destination = try open()
        let path = try RelativePath("sub/file")
        try publish([1], as: path, in: destination)
        let reader = try destination.openForReading(path)
        let before = try reader.status()
        try publish([2, 2], as: path, in: destination)
        #expect(try read(reader, count: 10) == [1])
        #expect(directory.read("dest/sub/file") == [2, 2])
        guard case .file(let after) = try destination.status(of: path) else {
            Issue.record("the file is missing")
            return
        }
        #expect(after.inode != before.inode)
        #expect(try destination.partialIDs() == [])
    }

    @Test func `Publishing over a directory is refused and keeps the partial`() throws {
        let destination = try open()
        directory.makeDirectory("dest/dir")
        let error = #expect(throws: DiskError.self) {
            try publish([1], as: RelativePath("dir"), in: destination)
        }
        #expect(error?.code == EISDIR)
        #expect(try destination.partialIDs().count == 1)
    }

    @Test func `A directory that was removed since it was opened is made anew`() throws {
        let destination = try open()
        let path = try RelativePath("a/b/file")
        try publish([1], as: path, in: destination)
        try destination.remove(path)
        try destination.removeEmptyParents(of: path)
        #expect(!directory.exists("dest/a"))
        #expect(try destination.status(of: path) == .absent)
        try publish([2], as: path, in: destination)
        #expect(directory.read("dest/a/b/file") == [2])
    }

    @Test func `A directory above that was removed since it was opened is made anew`() throws {
        let destination = try open()
        try publish([1], as: RelativePath("a/file"), in: destination)
        #expect(unlink(directory.path("dest/a/file")) == 0)
        #expect(rmdir(directory.path("dest/a")) == 0)
        #expect(try destination.status(of: RelativePath("a/b/c")) == .absent)
        try publish([1], as: RelativePath("a/file"), in: destination)
        #expect(unlink(directory.path("dest/a/file")) == 0)
        #expect(rmdir(directory.path("dest/a")) == 0)
        try publish([2], as: RelativePath("a/b/c"), in: destination)
        #expect(directory.read("dest/a/b/c") == [2])
    }

    @Test func `Files of one directory cost one walk, whether they are there or not`() throws {
        let opened = Atomic(0)
        let calls = SystemCalls { operation, _ in
            if operation == .open { opened.add(1, ordering: .relaxed) }
            return nil
        }
        let destination = try open(calls: calls)
        try directory.write([1], to: "dest/a/b/file")
        opened.store(0, ordering: .relaxed)
        for number in 0..<10 {
            #expect(try destination.status(of: RelativePath("a/b/file")).isFile)
            #expect(try destination.status(of: RelativePath("a/b/none\(number)")) == .absent)
        }
        #expect(opened.load(ordering: .relaxed) == 2)
    }

    @Test(arguments: 1...10)
    func `Whatever call fails, a published file is the whole old one or the whole new one`(seed: Int) throws {
        let generator = Mutex(SeededGenerator(seed: UInt64(seed)))
        let isFaulty = Atomic(false)
        let calls = SystemCalls { _, _ in
            guard isFaulty.load(ordering: .relaxed) else { return nil }
            return generator.withLock { generator in
                switch UInt8.random(in: 0..<24, using: &generator) {
                case 0: .failure(EIO)
                case 1: .failure(ENOSPC)
                case 2: .failure(EACCES)
                case 3: .failure(EINTR)
                case 4: .short(Int.random(in: 1...9, using: &generator))
                default: nil
                }
            }
        }
        let destination = try open(calls: calls)
        let path = try RelativePath("a/b/file")
        var published: [UInt8]?
        for version in 0..<30 {
            let new = [UInt8](repeating: UInt8(version), count: 100 + version)
            isFaulty.store(true, ordering: .relaxed)
            var isDone = false
            do {
                try destination.removePartial("1-1")
                let partial = try destination.createPartial("1-1")
                try partial.preallocate(Int64(new.count))
                try write(new, to: partial)
                try partial.setModified(seconds: Int64(version))
                try partial.synchronizeData()
                try destination.publish(partial: "1-1", as: path)
                isDone = true
                try destination.syncDirectory(of: path)
            } catch let error as DiskError {
                #expect([EIO, ENOSPC, EACCES].contains(error.code))
            }
            isFaulty.store(false, ordering: .relaxed)
            if isDone { published = new }
            #expect(directory.read("dest/a/b/file") == published)
            try destination.removePartial("1-1")
        }
        #expect(published != nil)
        destination.forgetDirectories()
        #expect(directory.openDescriptors() == 3)
    }

    @Test func `A directory that was replaced is found where it is now`() throws {
        let destination = try open()
        try publish([1], as: RelativePath("a/one"), in: destination)
        #expect(unlink(directory.path("dest/a/one")) == 0)
        #expect(rmdir(directory.path("dest/a")) == 0)
        try directory.write([5, 5], to: "dest/a/two")
        #expect(try destination.status(of: RelativePath("a/two")).isFile)
    }

    @Test func `Many directories are walked though few are kept open`() throws {
        let destination = try open()
        for round in 0..<2 {
            for number in 0..<100 {
                let path = try RelativePath("d\(number % 10)/e\(number)/file")
                if round == 0 { try publish([UInt8(number)], as: path, in: destination) }
                #expect(try destination.status(of: path).isFile)
            }
        }
        // Those that are kept open, the destination, its two own ones, and the one that lists them here.
        #expect(directory.openDescriptors() <= 32 + 3)
    }

    @Test func `The cache lets go of what was used longest ago`() throws {
        var cache = DirectoryCache(capacity: 2)
        let calls = SystemCalls.live
        let paths = try (1...3).map { try RelativePath("d\($0)") }
        func opened() throws -> Descriptor {
            let number = try calls.open(
                in: SystemCalls.workingDirectory, Array("/".utf8), flags: O_RDONLY, path: "/")
            return Descriptor(number, calls: calls, path: "/")
        }
        cache.insert(try opened(), for: paths[0])
        cache.insert(try opened(), for: paths[1])
        #expect(cache.directory(for: paths[0]) != nil)
        cache.insert(try opened(), for: paths[2])
        #expect(cache.directory(for: paths[0]) != nil)
        #expect(cache.directory(for: paths[1]) == nil)
        #expect(cache.directory(for: paths[2]) != nil)
        #expect(cache.count == 2)
    }

    @Test func `Syncing a file's directory also syncs those in which one was created`() throws {
        let log = Mutex<[String]>([])
        let calls = SystemCalls { operation, path in
            if operation == .sync { log.withLock { $0.append(path) } }
            return nil
        }
        let destination = try open(calls: calls)
        let root = directory.path("dest")
        let path = try RelativePath("a/b/file")
        try publish([1], as: path, in: destination)
        log.withLock { $0 = [] }
        try destination.syncDirectory(of: path)
        #expect(log.withLock { $0 } == ["\(root)/a/b", "\(root)/a", root])
        log.withLock { $0 = [] }
        try destination.syncDirectory(of: path)
        #expect(log.withLock { $0 } == ["\(root)/a/b"])
        try destination.makeParents(of: RelativePath("x/y/file"))
        try destination.syncFileSystem()
        log.withLock { $0 = [] }
        try destination.syncDirectory(of: RelativePath("x/y/file"))
        #expect(log.withLock { $0 } == ["\(root)/x/y"])
    }

    @Test func `A sync that failed is owed again`() throws {
        let fails = Atomic(false)
        let log = Mutex<[String]>([])
        let calls = SystemCalls { operation, path in
            guard operation == .sync else { return nil }
            log.withLock { $0.append(path) }
            return fails.load(ordering: .relaxed) ? .failure(EIO) : nil
        }
        let destination = try open(calls: calls)
        let path = try RelativePath("a/file")
        try destination.makeParents(of: path)
        fails.store(true, ordering: .relaxed)
        #expect(throws: DiskError.self) { try destination.syncFileSystem() }
        #expect(throws: DiskError.self) { try destination.syncDirectory(of: path) }
        fails.store(false, ordering: .relaxed)
        log.withLock { $0 = [] }
        try destination.syncDirectory(of: path)
        #expect(log.withLock { $0 } == [directory.path("dest/a"), directory.path("dest")])
    }

    @Test func `Moving and removing touch only what they name`() throws {
        let destination = try open()
        try publish([1], as: RelativePath("a/one"), in: destination)
        try publish([2], as: RelativePath("a/second"), in: destination)
        try destination.move(RelativePath("a/one"), to: RelativePath("backup/a/one"))
        #expect(directory.read("dest/backup/a/one") == [1])
        try destination.remove(RelativePath("a/one"))
        try destination.removeEmptyParents(of: RelativePath("a/one"))
        #expect(directory.read("dest/a/second") == [2])
        try destination.remove(RelativePath("no/such/file"))
    }

    @Test func `Threads may share a destination`() async throws {
        let destination = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<50 {
                        let path = try RelativePath("d\(number % 7)/e\(number % 3)/w\(worker)-\(number)")
                        let id = "\(worker)-\(number)"
                        let partial = try destination.createPartial(id)
                        try write([UInt8(number)], to: partial)
                        try destination.publish(partial: id, as: path)
                        guard try destination.status(of: path).isFile else { throw ManifestError("\(path) is missing") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try destination.partialIDs() == [])
    }
}
