import SyncCore
import Synchronization
import TestSupport
import Testing

@testable import DLSync

private let size: Int64 = 3 << 20

extension SessionTests {
    /// What a run learns of its hosts, and what the next run makes of it.
    @Suite struct Learning {
        @Test("case 17: the form of If-Range that a host understands is known to the next run")
        func ifRange() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                for name in ["/a", "/b"] {
                    server.serve(
                        name, Resource(.pattern(seed: 2, count: size)),
                        script: [.once(.cut(after: 1 << 20)), .always(.refuseTagInIfRange)])
                }
                let first = try await bench.run([server.url("/a")])
                #expect(first.isAllWell, "\(first.complaints)")
                // Refused with the tag, given with the date.
                #expect(server.asked("/a").count == 3)
                let second = try await bench.run([server.url("/b")])
                #expect(second.isAllWell, "\(second.complaints)")
                #expect(server.asked("/b").count == 2)
                #expect(server.requests(to: "/b").last?.field("If-Range")?.hasPrefix("\"") == false)
                #expect(bench.holds("b", seed: 2, size))
            }
        }

        @Test("case 18: a host whose tags mean nothing is compared by date, and its files are not fetched again")
        func unsteadyTags() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                let names = (0..<4).map { "/f\($0)" }
                for name in names {
                    server.serve(
                        name, Resource(.pattern(seed: 2, count: 1000)), script: [.always(.newTagEachTime)])
                }
                let lines = names.map(server.url)
                _ = try await bench.run(lines)
                // The second run finds the tags changed, asks again and sees that they change by themselves.
                let second = try await bench.run(lines) { $0.connections = 1 }
                #expect(second.isAllWell, "\(second.complaints)")
                let before = server.requests.count
                let third = try await bench.run(lines)
                #expect(third.summary.actions == [.upToDate: 4])
                #expect(server.requests.dropFirst(before).map(\.method) == ["HEAD", "HEAD", "HEAD", "HEAD"])
            }
        }

        @Test("case 142: a server that hangs over every range gives the whole in the end")
        func hangingRanges() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 2, count: size)),
                    script: [.once(.cut(after: 1 << 20)), .always(on: .with("Range"), .hold("never"))])
                let list = try bench.list([server.url("/a")])
                // The clock runs as fast as the machine lets it: what is seen of the speed says nothing.
                let told = try await bench.session({ $0.segments = .fixed(1) }, clock: clock) { session in
                    try await driving(clock, of: session, by: .milliseconds(20)) { await session.tell([list]) }
                }
                #expect(told.isAllWell, "\(told.complaints)")
                #expect(
                    server.asked("/a") == ["GET"] + Array(repeating: "GET \(1 << 20)-\(size - 1)", count: 2) + ["GET"])
                #expect(bench.holds("a", seed: 2, size))
            }
        }

        @Test("case 149: an address that takes requests and says nothing is not asked a second time")
        func silentAddress() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            let servers = try FaultServer.onOnePort(["127.0.0.2", "127.0.0.3"])
            defer { for server in servers { server.stop() } }
            let (silent, good) = (servers[0], servers[1])
            let names = (0..<6).map { "/f\($0)" }
            for name in names {
                silent.serve(name, Resource(.pattern(seed: 3, count: 1000)), script: [.always(.hold("never"))])
                good.serve(name, Resource(.pattern(seed: 3, count: 1000)), script: [.always(.closeQuietly)])
            }
            let list = try bench.list(names.map { "http://files.test:\(silent.port)\($0)" })
            let told = try await bench.session(
                {
                    $0.connections = 1
                    $0.access.resolve = ["files.test:\(silent.port):127.0.0.2,127.0.0.3"]
                }, clock: clock
            ) { session in
                try await driving(clock, of: session, by: .milliseconds(20)) { await session.tell([list]) }
            }
            #expect(told.isAllWell, "\(told.complaints)")
            #expect(silent.requests.count == 1)
            #expect(good.requests.count == 6)
        }

        @Test("case 21: how often a host asked for patience is told, and more than is allowed is left to the next run")
        func patience() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await FaultServer.run { server in
                server.serve(
                    "/a", Resource(.pattern(seed: 1, count: 10)), script: [.once(.refusal(429, retryAfter: "20"))])
                server.serve(
                    "/b", Resource(.pattern(seed: 1, count: 10)), script: [.always(.refusal(503, retryAfter: "61"))])
                let list = try bench.list([server.url("/a"), server.url("/b")])
                let (told, waits) = try await bench.session(
                    {
                        $0.connections = 1
                        $0.longestRetryAfter = .seconds(60)
                        $0.stallTimeout = .seconds(1_000_000)
                    }, clock: clock
                ) { session in
                    let told = try await driving(clock, of: session, by: .milliseconds(500)) {
                        await session.tell([list])
                    }
                    return (told, await session.hostWaits)
                }
                #expect(told.outcomes["a"]?.status == .done)
                #expect(told.outcomes["b"]?.failure?.code == .status(503))
                #expect(server.asked("/b").count == 1)
                #expect(waits.map(\.times) == [2])
                #expect(waits.first.map { $0.duration >= .seconds(20) } == true)
            }
        }

        @Test("case 22: a status that the user calls passing is tried again, and one that is called lasting is not")
        func statuses() async throws {
            let bench = try Bench()
            try await FaultServer.run { server in
                server.serve("/a", Resource(.pattern(seed: 1, count: 10)), script: [.once(.status(404))])
                server.serve("/b", Resource(.pattern(seed: 1, count: 10)), script: [.once(.status(500))])
                let told = try await bench.run([server.url("/a"), server.url("/b")]) {
                    $0.statusClasses = StatusClasses(passing: [404], lasting: [500])
                }
                #expect(told.outcomes["a"]?.status == .done)
                #expect(told.outcomes["b"]?.failure?.code == .status(500))
                #expect(server.asked("/b").count == 1)
            }
        }

        @Test("case 165: work that waits for nothing is ended with an account of it, and the run ends")
        func watchdog() async throws {
            let bench = try Bench()
            let clock = ManualClock()
            try await bench.session(clock: clock) { session in
                let failures = Mutex<[Failure]>([])
                await session.loop.addIdleJob { failure in failures.withLock { $0.append(failure) } }
                try await session.turn {
                    clock.advance(by: .milliseconds(200))
                    return failures.withLock { !$0.isEmpty }
                }
                let all = failures.withLock { $0 }
                #expect(all.map(\.code) == [.stalled])
                #expect(all.first?.message.contains("nothing moved for 150 seconds") == true)
                #expect(await session.loop.hasNoJobs)
            }
        }
    }
}

/// A job that a fault has made to wait for nothing.
private final class IdleJob: TransferJob {
    let id: JobID
    let name = "idle"
    let demand = 0
    let nextURL: WebURL
    let priority = Limiter.Priority.start
    private let ended: @Sendable (Failure) -> Void

    init(id: JobID, url: WebURL, ended: @escaping @Sendable (Failure) -> Void) {
        self.id = id
        nextURL = url
        self.ended = ended
    }

    func request(for id: TransferID) -> TransferRequest? { nil }
    func received(_ head: ResponseHead, for transfer: Transfer, in loop: isolated TransferLoop) -> BodyVerdict { .cut }
    func progressed(_ transfer: Transfer) {}
    func ended(_ transfer: Transfer, _ end: TransferEnd, in loop: isolated TransferLoop) {}
    func timerFired(in loop: isolated TransferLoop) {}
    func tick(in loop: isolated TransferLoop) {}
    func sample(in loop: isolated TransferLoop) {}

    func giveUp(_ failure: Failure, in loop: isolated TransferLoop) {
        ended(failure)
        loop.remove(self)
    }
}

extension TransferLoop {
    fileprivate var hasNoJobs: Bool { jobs.isEmpty }

    fileprivate func addIdleJob(_ ended: @escaping @Sendable (Failure) -> Void) {
        guard let url = WebURL("http://127.0.0.1/") else { return }
        add(IdleJob(id: newJobID(), url: url, ended: ended))
    }
}
