import SyncCore
import Testing

/// Walks of the download machine through a world of servers, faults and orders of events that chance decides.
@Suite struct DownloadMachineWalkTests {
    /// A world of a seed.
    private struct World {
        var random: SplitMix64
        var server = SimulatedServer()
        var policy: TransferPolicy
        var urls: [WebURL]
        var length: Int64

        init(seed: Int) throws {
            random = SplitMix64(seed: UInt64(seed))
            policy = TransferPolicy(
                segments: Bool.random(using: &random) ? .auto : .fixed(Int.random(in: 1...6, using: &random)),
                mostSegments: Int.random(in: 1...6, using: &random),
                minimumSegment: Int64.random(in: 1...20, using: &random))
            urls = [try #require(WebURL("https://one.test/file"))]
            length = Int.random(in: 0..<8, using: &random) == 0 ? 0 : Int64.random(in: 1...300, using: &random)
            let validators = try #require(Validators.allCases.randomElement(using: &random))
            server.versions = (1...4).map { number in
                // Without validators only the length tells one version from the other.
                let differs = validators == .none || Bool.random(using: &random)
                return .numbered(number, length: length + (differs ? Int64(number) : 0), validators)
            }
            server.ranges = try #require(SimulatedServer.Ranges.allCases.randomElement(using: &random))
            server.conditions = try #require(SimulatedServer.Conditions.allCases.randomElement(using: &random))
            server.faults = Int.random(in: 0...5, using: &random)
            if Int.random(in: 0..<6, using: &random) == 0 { server.tellsLength = false }
            if Int.random(in: 0..<4, using: &random) == 0 {
                server.mostConnections = Int.random(in: 1...3, using: &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                server.target = WebURL("https://cdn.test/signed")
                server.answersToExpiry = Int.random(in: 1...8, using: &random)
            }
        }

        mutating func loop(
            start: DownloadTask.Start = .nothing, partial: [UInt8] = [], announced: Representation? = nil,
            digest: Digest? = nil
        ) throws -> SimulatedLoop {
            try SimulatedLoop(
                DownloadTask(urls: urls, announced: announced, digest: digest, start: start), policy: policy,
                server: server, partial: partial, seed: random.next())
        }
    }

    /// More steps than any walk of some hundred bytes needs.
    private static let mostSteps = 20_000

    private static func expectComplete(
        _ loop: borrowing SimulatedLoop, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .complete = loop.outcome else {
            let end = loop.outcome.map { "\($0)" } ?? "no end"
            Issue.record("\(end) after \(loop.requests.count) requests", sourceLocation: sourceLocation)
            return
        }
        #expect(loop.machine.demand == 0, sourceLocation: sourceLocation)
        #expect(loop.machine.splittable == 0, sourceLocation: sourceLocation)
        #expect(loop.machine.activeTransfers == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: 0..<16)
    func `every file of one version ends whole, and no byte of it is fetched twice`(block: Int) throws {
        for seed in (block * 100)..<(block * 100 + 100) {
            var world = try World(seed: seed)
            var loop = try world.loop()
            do {
                try loop.run(steps: Self.mostSteps)
            } catch {
                Issue.record("seed \(seed): \(error)")
                continue
            }
            guard case .complete = loop.outcome else {
                Issue.record("seed \(seed): \(loop.outcome.map { "\($0)" } ?? "no end")")
                continue
            }
            Self.expectComplete(loop)
            let isFickle = world.server.ranges == .ignoredSometimes || world.server.ranges == .wrongSometimes
            if !isFickle, loop.overwritten > 0 { Issue.record("seed \(seed): \(loop.overwritten) bytes came twice") }
        }
    }

    @Test(arguments: 0..<8)
    func `a file that changes while it is fetched ends as one of its versions`(block: Int) throws {
        for seed in (block * 100)..<(block * 100 + 100) {
            var world = try World(seed: 100_000 + seed)
            var loop = try world.loop()
            loop.changes = Int.random(in: 1...3, using: &world.random)
            do {
                try loop.run(steps: Self.mostSteps)
            } catch {
                Issue.record("seed \(seed): \(error)")
                continue
            }
            guard case .complete = loop.outcome else {
                Issue.record("seed \(seed): \(loop.outcome.map { "\($0)" } ?? "no end")")
                continue
            }
            Self.expectComplete(loop)
        }
    }

    @Test(arguments: 0..<6)
    func `tags that differ from answer to answer end in one stream, never in a mixture`(block: Int) throws {
        for seed in (block * 50)..<(block * 50 + 50) {
            var world = try World(seed: 200_000 + seed)
            world.server.hasFickleTags = true
            var loop = try world.loop()
            do {
                try loop.run(steps: Self.mostSteps)
            } catch {
                Issue.record("seed \(seed): \(error)")
                continue
            }
            guard case .complete = loop.outcome else {
                Issue.record("seed \(seed): \(loop.outcome.map { "\($0)" } ?? "no end")")
                continue
            }
        }
    }

    @Test(arguments: 0..<6)
    func `a server that never gets well is given up after a bounded number of requests`(block: Int) throws {
        for seed in (block * 50)..<(block * 50 + 50) {
            var world = try World(seed: 300_000 + seed)
            world.server.faults = .max
            var loop = try world.loop()
            loop.changes = .max
            world.server.versions = (1...4).map { .numbered($0, length: world.length + Int64($0)) }
            do {
                try loop.run(steps: Self.mostSteps)
            } catch {
                Issue.record("seed \(seed): \(error)")
                continue
            }
            if loop.outcome == nil { Issue.record("seed \(seed): no end after \(loop.requests.count) requests") }
        }
    }

    @Test(arguments: 0..<8)
    func `a run that is killed at any moment is gone on with and ends whole`(block: Int) throws {
        for seed in (block * 100)..<(block * 100 + 100) {
            var world = try World(seed: 400_000 + seed)
            world.server.faults = 2
            do {
                var start = DownloadTask.Start.nothing
                var partial: [UInt8] = []
                for _ in 0..<Int.random(in: 1...3, using: &world.random) {
                    var loop = try world.loop(start: start, partial: partial)
                    try loop.run(steps: Int.random(in: 0...60, using: &world.random))
                    guard loop.outcome == nil else { break }
                    (start, partial) = loop.killed()
                    if Int.random(in: 0..<4, using: &world.random) == 0, world.server.current < 4 {
                        world.server.current += 1
                    }
                }
                var loop = try world.loop(start: start, partial: partial)
                try loop.run(steps: Self.mostSteps)
                guard case .complete = loop.outcome else {
                    Issue.record("seed \(seed): \(loop.outcome.map { "\($0)" } ?? "no end")")
                    continue
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `another tool's first bytes are kept if they are right, and never if they are wrong`(areRight: Bool) throws {
        for seed in 0..<200 {
            var world = try World(seed: 500_000 + seed)
            world.length = Int64.random(in: 2...300, using: &world.random)
            world.server.versions = [.numbered(1, length: world.length)]
            world.server.ranges = .honoured
            world.server.conditions = .understood
            world.server.tellsLength = true
            world.server.faults = 0
            let count = Int.random(in: 1..<Int(world.length), using: &world.random)
            do {
                var loop = try world.loop(
                    start: .adopted(length: Int64(count)),
                    partial: [UInt8](repeating: areRight ? 1 : 7, count: count),
                    announced: world.server.versions[0])
                try loop.run(steps: Self.mostSteps)
                Self.expectComplete(loop)
                #expect(loop.fetched == world.length - (areRight ? Int64(count) : 0))
                #expect(loop.discards == (areRight ? 0 : 1))
                #expect(loop.overwritten == 0)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test(arguments: 0..<6)
    func `what one mirror does not give, or gives wrong, the next one gives`(block: Int) throws {
        let digest = try #require(Digest(.md5, bytes: [UInt8](repeating: 1, count: 16)))
        for seed in (block * 100)..<(block * 100 + 100) {
            var world = try World(seed: 600_000 + seed)
            world.urls.append(try #require(WebURL("https://two.test/file")))
            world.urls.append(try #require(WebURL("https://three.test/file")))
            world.server.target = nil
            let hasDigest = Bool.random(using: &world.random)
            if Bool.random(using: &world.random) { world.server.deadURLs.insert(world.urls[0]) }
            if Bool.random(using: &world.random) { world.server.deadURLs.insert(world.urls[1]) }
            if hasDigest, Bool.random(using: &world.random) { world.server.poisonedURLs.insert(world.urls[0]) }
            do {
                var loop = try world.loop(digest: hasDigest ? digest : nil)
                if hasDigest { loop.wanted = 1 }
                try loop.run(steps: Self.mostSteps)
                Self.expectComplete(loop)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}
