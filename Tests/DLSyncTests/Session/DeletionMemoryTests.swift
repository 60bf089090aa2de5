import Glibc
import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// A number of kilobytes in `/proc/self/status`, in bytes.
private func memory(_ field: String) throws -> Int {
    let line = try readText("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(field) }
    return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}

/// Makes so many empty files that an earlier run has brought, a hundred in each directory, and lists one other file. Gives
/// the list.
private func makeMirror(_ bench: Bench, files: Int, url: String) throws -> Source {
    let list = try bench.list([url])
    let destination = try Destination(path: bench.destination, access: .creating)
    let (state, _) = try StateStore.open(in: destination, bootID: "boot")
    defer { state.close() }
    let run = try state.beginRun(startedAt: HTTPDate(secondsSinceEpoch: 0))
    let ownership = Ownership(sources: [list], state: state, run: run)
    for start in stride(from: 0, to: files, by: 100) {
        let directory = bench.path("directory-\(start)")
        try makeDirectories(directory)
        var paths: [RelativePath] = []
        for number in start..<start + 100 {
            let path = try RelativePath("directory-\(start)/a-file-with-a-longer-name-\(number).tar.gz")
            try writeFile(bench.path(path.description), "")
            paths.append(path)
        }
        let changes = try paths.map { path in
            guard case .file(let file) = try destination.status(of: path) else { throw CancellationError() }
            return StateChange.complete(
                FileRecord(
                    path: path, identity: Identity(resource: url, representation: Representation(length: 0)), file: file
                ))
        }
        try state.apply(changes + [.madeDirectory(RelativePath("directory-\(start)"))])
        ownership.note(wanted: paths, unwanted: [], by: ListingPlace(source: 0))
    }
    ownership.read(ListingPlace(source: 0), rows: files)
    _ = try ownership.settle(acceptsEmpty: false)
    try state.endRun(run, exitStatus: 0, at: HTTPDate(secondsSinceEpoch: 1))
    return list
}

/// Deletes that mirror; gives how many files went.
private func deleteMirror(_ bench: Bench, _ list: Source) async throws -> Int {
    try await bench.session({
        $0.deletion.scope = .owned
        $0.deletion.limit = .percent(100)
    }) { session in
        var count = 0
        for await event in session.run([list]) {
            if case .outcome(let outcome) = event, outcome.action == .delete, outcome.status == .done { count += 1 }
        }
        return count
    }
}

@Suite(.timeLimit(.minutes(5))) struct DeletionMemoryTests {
    /// In a process of its own, since what other tests take would be counted too.
    @Test("case 127: a hundred thousand files are deleted one by one, are all told, and take no memory")
    func manyDeletions() async {
        await #expect(processExitsWith: .success) {
            try await FaultServer.run { server in
                server.serve("/one", Resource(.pattern(seed: 1, count: 10)))
                // What is needed once is needed by now.
                let small = try Bench(isInMemory: true)
                let first = try await deleteMirror(small, makeMirror(small, files: 5000, url: server.url("/one")))
                let big = try Bench(isInMemory: true)
                let list = try makeMirror(big, files: 100_000, url: server.url("/one"))
                let before = try memory("VmRSS:")
                // From here on the peak is counted.
                try writeFile("/proc/self/clear_refs", "5")
                let rest = try await deleteMirror(big, list)
                let grown = try memory("VmHWM:") - before
                #expect(first == 5000 && rest == 100_000, "\(first), \(rest)")
                #expect(try big.tree() == ["one"])
                #expect(before > 0 && grown < 64 << 20, "\(grown) bytes")
            }
        }
    }
}
