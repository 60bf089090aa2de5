import SyncCore
import Testing

@Suite struct HostMemoryTests {
    private static let now = HTTPDate(secondsSinceEpoch: 1_800_000_000)
    private static func daysAgo(_ days: Int64) -> HTTPDate {
        HTTPDate(secondsSinceEpoch: now.secondsSinceEpoch - days * 86400)
    }

    @Test(
        "A learnt cap is tried anew, twice as high after each day",
        arguments: [(0, 1, 1), (0, 4, 4), (1, 1, 2), (2, 1, 4), (2, 2, nil), (3, 1, nil), (400, 1, nil), (-1, 1, nil)]
            as [(Int64, Int, Int?)])
    func permits(days: Int64, learnt: Int, expected: Int?) {
        let memory = HostMemory(
            [HostFacts(origin: "http://a:80", permits: learnt, learnt: Self.daysAgo(days))], now: Self.now)
        #expect(memory.permits(perHost: 8)["http://a:80"] == expected)
    }

    @Test(
        "The traits of a host count for a week",
        arguments: [(0, true), (6, true), (7, false), (-1, false)] as [(Int64, Bool)])
    func ranges(days: Int64, expected: Bool) {
        let traits = HostTraits(refusesRanges: true, ifRange: .date, hasUnsteadyTags: true)
        let memory = HostMemory([HostFacts(origin: "a", traits: traits, learnt: Self.daysAgo(days))], now: Self.now)
        #expect(memory.traits(of: "a") == (expected ? traits : HostTraits()))
        #expect(memory.traits(of: "b") == HostTraits())
    }

    @Test("Only what changed is told, and what a used host no longer shows is taken back")
    func changes() {
        var memory = HostMemory(
            [
                HostFacts(origin: "better", permits: 1, learnt: Self.daysAgo(0)),
                HostFacts(origin: "unused", permits: 1, learnt: Self.daysAgo(0)),
                HostFacts(origin: "known", traits: HostTraits(refusesRanges: true), learnt: Self.daysAgo(2)),
            ], now: Self.now)
        memory.used("better")
        memory.used("never heard of")
        memory.note(.rangesAreRefused, of: "known")
        memory.note(.rangesAreRefused, of: "new")
        memory.note(.rangesAreGiven, of: "fine")
        let learnt = memory.learnt(loweredCaps: ["worse": 2])
        #expect(learnt.map(\.origin) == ["better", "new", "worse"])
        #expect(learnt.map(\.permits) == [nil, nil, 2])
        #expect(learnt.map(\.traits.refusesRanges) == [false, true, false])
        #expect(learnt.map { max($0.traitsLearnt, $0.permitsLearnt) } == [Self.now, Self.now, Self.now])
    }

    @Test("A host that gives ranges after all is believed")
    func rangesAgain() {
        let known = HostFacts(origin: "a", traits: HostTraits(refusesRanges: true), learnt: Self.daysAgo(2))
        var memory = HostMemory([known], now: Self.now)
        memory.note(.rangesAreGiven, of: "a")
        #expect(memory.learnt(loweredCaps: [:]).map(\.traits.refusesRanges) == [false])
    }
}

@Suite struct StallWatchSampleTests {
    private static func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(sinceStart: .seconds(seconds)) }

    @Test(
        "A trickle is no progress; what is held back, young, or quick enough is",
        arguments: [
            (true, nil, false, true), (true, 1e6, false, true), (true, 99, false, false), (false, 1e6, false, false),
            (false, nil, false, false), (false, 0, true, true), (true, 5, true, true),
        ] as [(Bool, Double?, Bool, Bool)])
    func trickle(moved: Bool, rate: Double?, isHeld: Bool, isProgress: Bool) {
        var watch = StallWatch(startedAt: Self.at(0))
        watch.sample(moved: moved, rate: rate, isHeld: isHeld, at: Self.at(30))
        #expect(watch.isStalled(now: Self.at(30), timeout: .seconds(30)) == !isProgress)
    }
}

@Suite struct FoldingRegistryTests {
    private static func path(_ text: String) throws -> RelativePath { try RelativePath(text) }

    @Test(
        "On a file system that folds names, those that only look different collide",
        arguments: [
            ("a", "A", true), ("dir/File", "DIR/file", true), ("cafe\u{301}", "caf\u{e9}", true), ("a", "b", false),
            ("straße", "STRASSE", false), ("x/y", "x/z", false),
        ])
    func folds(first: String, second: String, collide: Bool) throws {
        var registry = PathRegistry(folds: true)
        #expect(!registry.isClaimed(try Self.path(second)))
        #expect(registry.claim(try Self.path(first), for: "one") == .new)
        #expect(try registry.isClaimed(Self.path(first)) && registry.isClaimed(Self.path(second)) == collide)
        #expect(registry.claim(try Self.path(second), for: "two") == (collide ? .taken : .new))
        var exact = PathRegistry()
        #expect(exact.claim(try Self.path(first), for: "one") == .new)
        #expect(exact.claim(try Self.path(second), for: "two") == .new)
    }

    @Test("A file and a directory collide by folded names too") func directories() throws {
        var registry = PathRegistry(folds: true)
        #expect(registry.claim(try Self.path("Data/one"), for: 1) == .new)
        #expect(registry.claim(try Self.path("data"), for: 2) == .isDirectory)
        #expect(registry.claim(try Self.path("file"), for: 3) == .new)
        #expect(registry.claim(try Self.path("FILE/two"), for: 4) == .leadsThroughFile(try Self.path("FILE")))
    }
}
