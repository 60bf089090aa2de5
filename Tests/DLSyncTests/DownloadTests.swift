import SyncCore
import TestSupport
import Testing

@testable import DLSync

/// One file: the four ways in which programs use a download.
@Suite(.timeLimit(.minutes(10))) struct DownloadTests {
    private static let size: Int64 = 6 << 20
    private static let seed: UInt64 = 77

    private static func serve(_ server: FaultServer, script: [Step] = []) throws -> WebURL {
        server.serve("/disk.img", Resource(.pattern(seed: seed, count: size), etag: "\"v1\""), script: script)
        return try #require(WebURL(server.url("/disk.img")))
    }

    /// The ranges of the GET requests that were answered with data, and what was sent of each.
    private static func ranges(_ server: FaultServer) -> [(range: String?, sent: Int64)] {
        server.requests.filter { $0.method == "GET" }.map { ($0.range, $0.bodyBytesSent) }
    }

    @Test("One stream is paused and resumed from what is on disk, in the same launch")
    func pauseAndResume() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server, script: [.once(on: .get, .stall(after: 2 << 20, gate: "half"))])
            try await withTemporaryDirectory { directory in
                try await withSyncSession(into: directory.path) { session in
                    var options = Download.Options()
                    options.segments = .fixed(1)
                    let download = session.download(url, options: options)
                    let (reached, hasReached) = AsyncStream<Void>.makeStream()
                    download.onProgress { if $0.have >= 2 << 20 { hasReached.finish() } }
                    download.start()
                    for await _ in reached {}
                    let data = try #require(await download.pause())
                    #expect(download.state == .paused)
                    #expect(data.have == 2 << 20)
                    #expect(data.size == Self.size)
                    await #expect(throws: Failure.self) { _ = try await download.finished() }
                    server.gate("half").open()

                    download.resume()
                    let file = try await download.finished()
                    #expect(file.size == Self.size)
                    #expect(file.action == .resume)
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: Self.seed, count: Self.size))
            }
            try await server.waitUntilIdle()
            #expect(Self.ranges(server).map(\.range) == [nil, "bytes=2097152-6291455"])
        }
    }

    @Test("A file is cut into equal ranges, fetched side by side into one file", arguments: [2, 3, 4, 6])
    func equalRanges(count: Int) async throws {
        try await FaultServer.run { server in
            // Every range is held until all of them have been asked for: they do run side by side.
            let url = try Self.serve(server, script: [.always(on: .ranged, .stall(after: 1, gate: "all"))])
            try await withTemporaryDirectory { directory in
                try await withSyncSession(into: directory.path) { session in
                    var options = Download.Options()
                    options.segments = .fixed(count)
                    let download = session.download(url, options: options)
                    download.start()
                    try await server.waitForRequests(count, .ranged)
                    try await server.gate("all").waitForArrivals(count)
                    server.gate("all").open()
                    _ = try await download.finished()
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: Self.seed, count: Self.size))
            }
            // Whoever is done first may take over a part of what a slower one has left: that comes later.
            let asked = server.requests.compactMap { $0.method == "GET" ? ByteRange(rangeField: $0.range) : nil }
                .prefix(count)
            #expect(asked.count == count)
            #expect(ByteRangeSet(asked) == ByteRangeSet([ByteRange(0, Self.size)]))
            #expect(asked.reduce(0) { $0 + $1.count } == Self.size)
            let lengths = asked.map(\.count)
            #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) <= Int64(count))
        }
    }

    @Test("The size of a local file alone is enough to go on behind it")
    func resumeByFileSize() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server)
            try await withTemporaryDirectory { directory in
                try writePatternFile(directory.appending("disk.img"), seed: Self.seed, count: 4 << 20)
                try await withSyncSession(into: directory.path) { session in
                    let download = session.download(url, to: try RelativePath("disk.img"))
                    download.start()
                    let file = try await download.finished()
                    #expect(file.action == .resume)
                    // The rest, and some samples of what was here.
                    #expect(file.bytesReceived >= 2 << 20)
                    #expect(file.bytesReceived < 3 << 20)
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: Self.seed, count: Self.size))
            }
        }
    }

    @Test("A local file that is no beginning of the wanted one is never mixed with it")
    func foreignFile() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server)
            try await withTemporaryDirectory { directory in
                try writePatternFile(directory.appending("disk.img"), seed: Self.seed + 1, count: 4 << 20)
                try await withSyncSession(into: directory.path) { session in
                    let download = session.download(url, to: try RelativePath("disk.img"))
                    download.start()
                    _ = try await download.finished()
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: Self.seed, count: Self.size))
            }
        }
    }

    @Test("Resume data of one launch, stored as text, is all that a later launch needs")
    func laterLaunch() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server, script: [.once(on: .get, .stall(after: 3 << 20, gate: "half"))])
            try await withTemporaryDirectory { directory in
                let text = try await withSyncSession(into: directory.path) { session in
                    let download = session.download(url)
                    let (reached, hasReached) = AsyncStream<Void>.makeStream()
                    download.onProgress { if $0.have >= 3 << 20 { hasReached.finish() } }
                    download.start()
                    for await _ in reached {}
                    return try #require(await download.pause()).text
                }
                server.gate("half").open()
                let data = try #require(ResumeData(text: text))
                #expect(data.have == 3 << 20)
                try await withSyncSession(into: directory.path) { session in
                    let download = session.download(resuming: data)
                    download.start()
                    let file = try await download.finished()
                    #expect(file.bytesReceived == 3 << 20)
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: Self.seed, count: Self.size))
            }
        }
    }

    @Test("A file that changed between two launches is fetched anew")
    func changedBetweenLaunches() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server, script: [.once(on: .get, .stall(after: 3 << 20, gate: "half"))])
            try await withTemporaryDirectory { directory in
                try await withSyncSession(into: directory.path) { session in
                    let download = session.download(url)
                    download.start()
                    try await server.gate("half").waitForArrivals()
                    await download.pause()
                }
                server.gate("half").open()
                server.replace("/disk.img", Resource(.pattern(seed: 5, count: Self.size), etag: "\"v2\""))
                try await withSyncSession(into: directory.path) { session in
                    let download = session.download(url)
                    download.start()
                    _ = try await download.finished()
                }
                #expect(try fileMatchesPattern(directory.appending("disk.img"), seed: 5, count: Self.size))
            }
        }
    }

    @Test("The server's suggestion names the file, as one safe name")
    func suggestedName() async throws {
        try await FaultServer.run { server in
            server.serve(
                "/get",
                Resource(
                    .bytes([1, 2, 3]),
                    fields: [
                        try #require(HeaderField(line: "Content-Disposition: attachment; filename=\"../../a b.bin\""))
                    ]))
            let url = try #require(WebURL(server.url("/get")))
            try await withTemporaryDirectory { directory in
                try await withSyncSession(into: directory.path) { session in
                    let remote = try await session.inquire(url)
                    #expect(remote.path.description == "a b.bin")
                    let download = session.download(url)
                    download.start()
                    let file = try await download.finished()
                    #expect(file.path.description == "a b.bin")
                }
                #expect(try readFile(directory.appending("a b.bin")) == [1, 2, 3])
            }
        }
    }

    @Test("A digest that does not match is a failure, and nothing appears under the final name")
    func wrongDigest() async throws {
        try await FaultServer.run { server in
            let url = try Self.serve(server)
            try await withTemporaryDirectory { directory in
                try await withSyncSession(into: directory.path) { session in
                    var options = Download.Options()
                    options.digest = Digest(.sha256, bytes: Array(repeating: 1, count: 32))
                    let download = session.download(url, options: options)
                    download.start()
                    do {
                        _ = try await download.finished()
                        Issue.record("a wrong digest was accepted")
                    } catch let failure as Failure {
                        #expect(failure.code == .digestMismatch)
                    }
                }
                #expect(!exists(directory.appending("disk.img")))
            }
        }
    }

    @Test("Damaged resume data is refused", arguments: ["", "dlsync resume data 2\n", "dlsync resume data 1\nurl x\n"])
    func damagedResumeData(text: String) { #expect(ResumeData(text: text) == nil) }
}

extension ByteRange {
    /// The range of a request's field, as in `bytes=0-9`.
    fileprivate init?(rangeField: String?) {
        guard let ends = rangeField?.dropFirst("bytes=".count).split(separator: "-"), ends.count == 2,
            let first = Int64(ends[0]), let last = Int64(ends[1])
        else { return nil }
        self.init(first, last + 1)
    }
}
