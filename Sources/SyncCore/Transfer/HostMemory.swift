/// What is known of hosts from earlier runs and from this one, and how much of it still counts.
///
/// A fact is only a hint for where to start: a host that takes more connections again, or has learnt to give ranges, is
/// found out, because old facts are tried anew.
package struct HostMemory: Hashable, Sendable {
    /// For so long a host that refused ranges is not asked for them again, in seconds.
    package static let rangesCount: Int64 = 7 * 86400
    /// After each such time without a complaint, twice as many transfers are tried, in seconds.
    package static let permitsDouble: Int64 = 86400

    private var facts: [String: HostFacts] = [:]
    private var changed: Set<String> = []
    private let now: HTTPDate

    /// The memory at the start of a run.
    package init(_ facts: [HostFacts] = [], now: HTTPDate) {
        self.now = now
        for fact in facts where fact.learnt <= now { self.facts[fact.origin] = fact }
    }

    /// How many transfers at once to start with, for each host that complained in an earlier run and not long ago.
    ///
    /// - Parameter perHost: The number that is allowed anyway; a fact that has aged up to it says nothing more.
    package func permits(perHost: Int) -> [String: Int] {
        var permits: [String: Int] = [:]
        for fact in facts.values {
            guard let learnt = fact.permits, learnt > 0 else { continue }
            let doublings = min(16, (now.secondsSinceEpoch - fact.learnt.secondsSinceEpoch) / Self.permitsDouble)
            let aged = min(learnt, 1 << 16) << doublings
            if aged < perHost { permits[fact.origin] = aged }
        }
        return permits
    }

    /// Whether ranges are not worth asking a host for.
    package func refusesRanges(_ origin: String) -> Bool {
        guard let fact = facts[origin], fact.refusesRanges else { return false }
        return now.secondsSinceEpoch - fact.learnt.secondsSinceEpoch < Self.rangesCount
    }

    /// Notes what an answer showed of a host's ranges.
    package mutating func noteRanges(_ origin: String, areRefused: Bool) {
        guard (facts[origin]?.refusesRanges ?? false) != areRefused else { return }
        change(origin) { $0.refusesRanges = areRefused }
    }

    /// Takes the caps that the limiter has lowered, and gives all facts that are new or no longer hold.
    package mutating func learnt(loweredCaps: [String: Int]) -> [HostFacts] {
        for (origin, cap) in loweredCaps { change(origin) { $0.permits = cap } }
        for (origin, fact) in facts where fact.permits != nil && loweredCaps[origin] == nil && changed.contains(origin)
        {
            change(origin) { $0.permits = nil }
        }
        return changed.sorted().compactMap { facts[$0] }
    }

    /// Notes that a host was used in this run, so that a cap which is no longer lowered is forgotten.
    package mutating func used(_ origin: String) {
        guard facts[origin]?.permits != nil else { return }
        changed.insert(origin)
    }

    private mutating func change(_ origin: String, _ body: (inout HostFacts) -> Void) {
        var fact = facts[origin] ?? HostFacts(origin: origin, learnt: now)
        body(&fact)
        fact.learnt = now
        facts[origin] = fact
        changed.insert(origin)
    }
}
