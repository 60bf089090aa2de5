import Testing

@testable import DLSync

@Suite struct LockTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func lock(_ access: Destination.Access) throws -> RunLock? {
        switch try RunLock.acquire(in: Destination(path: directory.path("dest"), access: access)) {
        case .held(let lock): lock
        case .busy: nil
        }
    }

    @Test func `One run holds a destination, and the next has it when the lock is let go`() throws {
        do {
            let first = try #require(try lock(.creating))
            #expect(try lock(.creating) == nil)
            #expect(try lock(.readOnly) == nil)
            withExtendedLifetime(first) {}
        }
        #expect(directory.exists("dest/.dlsync/lock"))
        #expect(try lock(.existing) != nil)
    }

    @Test func `Dry runs share the lock and keep a run out`() throws {
        _ = try lock(.creating)
        let first = try #require(try lock(.readOnly))
        let second = try #require(try lock(.readOnly))
        #expect(try lock(.creating) == nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `A dry run creates no lock`() throws {
        #expect(try lock(.readOnly) != nil)
        #expect(directory.names().isEmpty)
        directory.makeDirectory("dest")
        directory.makeDirectory("dest/.dlsync")
        #expect(try lock(.readOnly) != nil)
        #expect(directory.names(in: "dest/.dlsync").isEmpty)
    }
}
