/// What is known of hosts from earlier runs and from this one, and how much of it still counts.
///
/// A fact is only a hint for where to start: a host that takes more connections again, or has learnt to give ranges, is
/// found out, because old facts are tried anew.
package struct HostMemory: Hashable, Sendable {
    /// For so long the traits of a host are believed, in seconds.
    package static let traitsCount: Int64 = 7 * 86400
    /// After each such time without a complaint, twice as many transfers are tried, in seconds.
    package static let permitsDouble: Int64 = 86400
    /// So many downloads have to see a host's tags differ before they are taken to mean nothing: one may have met a
    /// file that was just being written.
    package static let unsteadyFiles = 3

    private var facts: [String: HostFacts] = [:]
    private var changed: Set<String> = []
    private var unsteadyFiles: [String: Int] = [:]
    private let now: HTTPDate

    /// The memory at the start of a run.
    package init(_ facts: [HostFacts] = [], now: HTTPDate) {
        self.now = now
        for var fact in facts {
            let age = now.secondsSinceEpoch - fact.traitsLearnt.secondsSinceEpoch
            if !(0..<Self.traitsCount).contains(age) { fact.traits = HostTraits() }
            if fact.permitsLearnt > now { fact.permits = nil }
            self.facts[fact.origin] = fact
        }
    }

    /// How many transfers at once to start with, for each host that complained in an earlier run and not long ago.
    ///
    /// - Parameter perHost: The number that is allowed anyway; a fact that has aged up to it says nothing more.
    package func permits(perHost: Int) -> [String: Int] {
        var permits: [String: Int] = [:]
        for fact in facts.values {
            guard let learnt = fact.permits, learnt > 0 else { continue }
            let doublings = min(16, (now.secondsSinceEpoch - fact.permitsLearnt.secondsSinceEpoch) / Self.permitsDouble)
            let aged = min(learnt, 1 << 16) << doublings
            if aged < perHost { permits[fact.origin] = aged }
        }
        return permits
    }

    /// What to expect of a host.
    package func traits(of origin: String) -> HostTraits { facts[origin]?.traits ?? HostTraits() }

    /// Notes what a download showed of a host.
    package mutating func note(_ finding: HostFinding, of origin: String) {
        var traits = traits(of: origin)
        switch finding {
        case .rangesAreRefused: traits.refusesRanges = true
        case .rangesAreGiven: traits.refusesRanges = false
        case .understandsIfRange(let form): traits.ifRange = form
        case .tagsDiffer:
            unsteadyFiles[origin, default: 0] += 1
            if unsteadyFiles[origin] ?? 0 >= Self.unsteadyFiles { traits.hasUnsteadyTags = true }
        }
        guard traits != self.traits(of: origin) else { return }
        change(origin) { fact, now in
            fact.traits = traits
            fact.traitsLearnt = now
        }
    }

    /// Takes the caps that the limiter has lowered, and gives all facts that are new or no longer hold.
    package mutating func learnt(loweredCaps: [String: Int]) -> [HostFacts] {
        for (origin, cap) in loweredCaps { notePermits(cap, of: origin) }
        for (origin, fact) in facts where fact.permits != nil && loweredCaps[origin] == nil && changed.contains(origin)
        {
            notePermits(nil, of: origin)
        }
        return changed.sorted().compactMap { facts[$0] }
    }

    /// Notes that a host was used in this run, so that a cap which is no longer lowered is forgotten.
    package mutating func used(_ origin: String) {
        guard facts[origin]?.permits != nil else { return }
        changed.insert(origin)
    }

    private mutating func notePermits(_ permits: Int?, of origin: String) {
        change(origin) { fact, now in
            fact.permits = permits
            fact.permitsLearnt = now
        }
    }

    private mutating func change(_ origin: String, _ body: (inout HostFacts, HTTPDate) -> Void) {
        var fact = facts[origin] ?? HostFacts(origin: origin, learnt: now)
        body(&fact, now)
        facts[origin] = fact
        changed.insert(origin)
    }
}
