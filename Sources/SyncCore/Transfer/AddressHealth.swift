/// Which addresses of a host are not worth trying: one that refused, stalled or was lost is left out for the rest of the
/// run, as long as another of that host can be connected to (RFC 8305 §9.2 has clients keep such a history).
package struct AddressHealth: Hashable, Sendable {
    private var avoided: [String: Set<String>] = [:]

    /// Nothing is known yet.
    package init() {}

    /// Whether a connection to an address of a host may be tried.
    ///
    /// - Parameters:
    ///   - address: As text; each has one form.
    ///   - origin: The host, as in `https://example.org:443`.
    package func mayTry(_ address: String, of origin: String) -> Bool { avoided[origin]?.contains(address) != true }

    /// A connection to an address failed, or brought nothing.
    package mutating func failed(_ address: String, of origin: String) {
        avoided[origin, default: []].insert(address)
    }

    /// All addresses of a host are left out: each is as good as the others again.
    package mutating func noneLeft(of origin: String) { avoided[origin] = nil }
}
