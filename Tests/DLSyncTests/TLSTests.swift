import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

/// HTTPS and HTTP/2, on a real nginx with a certificate of the test's own.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    /// A served directory, a destination beside it, and a server over it.
    private struct World {
        let directory: TestSupport.TemporaryDirectory
        let server: WebServer
        let certificate: ServerCertificate

        init(files: Int, size: Int64, bytesPerSecond: Int? = nil, directives: String = "") async throws {
            directory = try TestSupport.TemporaryDirectory()
            certificate = try await ServerCertificate(in: directory.path)
            for number in 0..<files {
                try writePatternFile(
                    directory.appending("www/f\(number)"), seed: UInt64(number), count: size, modified: 1_700_000_000)
            }
            server = try NginxServer.start(
                root: directory.appending("www"), bytesPerSecond: bytesPerSecond, tls: certificate,
                directives: directives)
        }

        var destination: String { directory.appending("destination") }

        func list(_ files: Int) throws -> Source {
            let path = directory.appending("list.txt")
            try writeFile(path, (0..<files).map { server.url("/f\($0)") + "\n" }.joined())
            return .file(path)
        }

        var configuration: SyncConfiguration {
            var configuration = SyncConfiguration()
            configuration.access.certificateAuthorities = certificate.certificate
            return configuration
        }

        func sync(_ files: Int, _ configuration: SyncConfiguration) async throws -> [Outcome] {
            let list = try list(files)
            return try await withSyncSession(into: destination, configuration) { session in
                var outcomes: [Outcome] = []
                for await case .outcome(let outcome) in session.run([list]) { outcomes.append(outcome) }
                return outcomes
            }
        }

        func expectRight(_ files: Int, size: Int64) throws {
            for number in 0..<files {
                #expect(
                    try fileMatchesPattern(destination + "/f\(number)", seed: UInt64(number), count: size),
                    "f\(number)")
            }
        }
    }

    @Test("Small files come over few HTTP/2 connections, and the second run only asks")
    func smallFiles() async throws {
        let world = try await World(files: 300, size: 4096)
        let first = try await world.sync(300, world.configuration)
        #expect(first.allSatisfy { $0.status == .done && $0.requests == 1 })
        try world.expectRight(300, size: 4096)
        let second = try await world.sync(300, world.configuration)
        #expect(second.allSatisfy { $0.action == .upToDate && $0.requests == 1 })
        let log = try world.server.stopAndReadLog()
        #expect(log.filter { $0.method == "GET" }.count == 300)
        #expect(log.filter { $0.method == "HEAD" }.count == 300)
        #expect(log.allSatisfy { $0.version == "HTTP/2.0" })
        #expect(log.connections <= 2 * 8)
    }

    @Test("A permit of an HTTP/2 host carries many small transfers, over no more connections than there are permits")
    func riders() async throws {
        let world = try await World(files: 400, size: 2048)
        var configuration = world.configuration
        configuration.connections = 2
        let list = try world.list(400)
        let peak = Mutex((transfers: 0, permits: 0))
        let outcomes = try await withSyncSession(into: world.destination, configuration) { session in
            await session.loop.atTurnEnd { loop in
                peak.withLock { peak in
                    peak.transfers = max(peak.transfers, loop.transfers.count)
                    peak.permits = max(peak.permits, loop.limiter.running)
                }
            }
            var outcomes: [Outcome] = []
            for await case .outcome(let outcome) in session.run([list]) { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.count == 400 && outcomes.allSatisfy { $0.status == .done && $0.requests == 1 })
        try world.expectRight(400, size: 2048)
        let (transfers, permits) = peak.withLock { $0 }
        #expect(permits <= 2)
        #expect(transfers > 2 && transfers <= 2 * StreamBook.perConnection, "\(transfers)")
        #expect(try world.server.stopAndReadLog().connections <= 2)
    }

    @Test("HTTP/2 connections that the server ends again and again (GOAWAY) fail no file")
    func endedConnections() async throws {
        let world = try await World(files: 300, size: 2048, directives: "keepalive_requests 20;")
        let outcomes = try await world.sync(300, world.configuration)
        #expect(outcomes.count == 300)
        #expect(outcomes.allSatisfy { $0.status == .done })
        try world.expectRight(300, size: 2048)
    }

    @Test("A server that reads its configuration anew under load fails no file")
    func reload() async throws {
        let world = try await World(files: 400, size: 32 << 10)
        let list = try world.list(400)
        let outcomes = try await withSyncSession(into: world.destination, world.configuration) { session in
            var outcomes: [Outcome] = []
            for await case .outcome(let outcome) in session.run([list]) {
                outcomes.append(outcome)
                if outcomes.count.isMultiple(of: 100) { world.server.reload() }
            }
            return outcomes
        }
        #expect(outcomes.count == 400)
        #expect(outcomes.allSatisfy { $0.status == .done }, "\(outcomes.filter { $0.status != .done }.map(\.reason))")
        try world.expectRight(400, size: 32 << 10)
    }

    @Test("Ranges have connections of their own, over HTTP/1.1; an interrupted file is gone on with")
    func ranges() async throws {
        let size: Int64 = 24 << 20
        let world = try await World(files: 1, size: size, bytesPerSecond: 4 << 20)
        var configuration = world.configuration
        configuration.segments = .fixed(4)
        let list = try world.list(1)
        let interrupted = try await withSyncSession(into: world.destination, configuration) { session in
            async let outcome = { () -> Outcome? in
                for await case .outcome(let outcome) in session.run([list]) { return outcome }
                return nil
            }()
            while session.progress.bytesReceived < 6 << 20 { await Task.yield() }
            await session.interrupt()
            return await outcome
        }
        #expect(interrupted?.failure?.code == .interrupted)
        let resumed = try await world.sync(1, configuration)
        #expect(resumed.map(\.action) == [.resume])
        #expect(resumed.map(\.status) == [.done])
        try world.expectRight(1, size: size)
        let log = try world.server.stopAndReadLog()
        #expect(log.contains { $0.range != nil })
        #expect(
            log.filter { ($0.range?.isEmpty == false) && $0.bodyBytes > 2 << 20 }.allSatisfy {
                $0.version == "HTTP/1.1"
            })
        #expect(log.allSatisfy { $0.ifRange == nil || $0.ifRange?.hasPrefix("\"") == true })
    }

    @Test("A certificate that nobody vouches for is refused at once, without a retry, unless the user says otherwise")
    func unknownCertificate() async throws {
        let world = try await World(files: 1, size: 100)
        let refused = try await world.sync(1, SyncConfiguration())
        #expect(refused.map(\.failure?.code) == [.tls])
        #expect(refused.map(\.requests) == [1])
        var insecure = SyncConfiguration()
        insecure.access.isInsecure = true
        let taken = try await world.sync(1, insecure)
        #expect(taken.map(\.status) == [.done])
    }
}
