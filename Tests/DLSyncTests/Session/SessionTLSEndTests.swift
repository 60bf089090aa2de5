import SyncCore
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 200_000

/// How the connections of a file end, and what comes of it.
private struct Close: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var hasLength = false
    var ends: [RecordRelay.End]
    var asked: Int
    var isDone: Bool
}

private let closes: [Close] = [
    Close(testDescription: "no length, all as it should be", ends: [.faithfully], asked: 1, isDone: true),
    Close(
        testDescription: "no length, all data but no close_notify, once", ends: [.insteadOfAlert, .faithfully],
        asked: 2,
        isDone: true),
    Close(
        testDescription: "no length, all data but no close_notify, always", ends: [.insteadOfAlert], asked: 3,
        isDone: false),
    Close(
        testDescription: "no length, cut between two records, once", ends: [.afterData(50_000), .faithfully], asked: 2,
        isDone: true),
    Close(
        testDescription: "no length, cut between two records, always", ends: [.afterData(50_000)], asked: 3,
        isDone: false),
    Close(
        testDescription: "no length, cut behind the head", ends: [.afterData(1), .faithfully], asked: 2, isDone: true),
    Close(
        testDescription: "a length, and no close_notify behind all data", hasLength: true, ends: [.insteadOfAlert],
        asked: 1, isDone: true),
    Close(
        testDescription: "a length, cut between two records", hasLength: true, ends: [.afterData(50_000), .faithfully],
        asked: 2, isDone: true),
]

extension SessionTests {
    @Suite struct TLSEnd {
        @Test("case 150: a body whose end only TCP tells is never a finished file over TLS", arguments: closes)
        private func ends(close: Close) async throws {
            let bench = try Bench()
            let certificate = try await ServerCertificate(in: bench.directory.path)
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: size)),
                    script: close.hasLength ? [] : [.always(.closeDelimited)])
                let nginx = try NginxServer.start(
                    inFrontOf: server, tls: certificate, http2: false,
                    directives: "ssl_protocols TLSv1.2; chunked_transfer_encoding off; keepalive_timeout 0;")
                defer { nginx.stop() }
                let relay = try RecordRelay(to: nginx.port, ends: close.ends)
                defer { relay.stop() }
                let told = try await bench.run(["https://127.0.0.1:\(relay.port)/a"]) {
                    $0.access.certificateAuthorities = certificate.certificate
                    $0.retries = 2
                }
                let outcome = try #require(told.outcomes["a"])
                #expect(server.requests.count == close.asked, "\(server.asked("/a")) \(told.complaints)")
                guard close.isDone else {
                    #expect(outcome.failure?.code == .connectionLost, "\(told.complaints)")
                    #expect(try bench.tree().isEmpty)
                    #expect(bench.partials().isEmpty)
                    return
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(bench.holds("a", seed: 1, size))
                #expect(outcome.reason.contains("unverified") == !close.hasLength, "\(outcome.reason)")
                let start = server.requests.last?.asked?.start ?? 0
                #expect((start > 0) == (close.hasLength && close.asked > 1), "\(server.asked("/a"))")
            }
        }
    }
}
