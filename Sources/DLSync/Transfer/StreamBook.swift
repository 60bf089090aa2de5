internal import SyncCore

/// Which hosts carry several transfers on one connection (HTTP/2), and how many streams beside those that hold a permit they
/// may have now.
///
/// A permit stands for a connection. Where a connection carries streams, small transfers ride on those of others without a
/// permit of their own, so that a line with a long way is not empty while answers are awaited.
struct StreamBook {
    /// So many transfers share a connection, those with a permit included.
    static let perConnection = 32

    private struct Host {
        /// Transfers that hold a permit and whose connection others can share.
        var carriers = 0
        var riders = 0
    }

    private var hosts: [String: Host] = [:]

    /// The hosts that carry streams.
    var carrying: some Collection<String> { hosts.keys }

    /// Whether a host is known to carry streams.
    func isCarrying(_ host: String) -> Bool { hosts[host] != nil }

    /// A host was found to carry streams.
    mutating func found(_ host: String) {
        if hosts[host] == nil { hosts[host] = Host() }
    }

    /// A host is spoken to without streams from now on.
    mutating func forget(_ host: String) { hosts[host] = nil }

    /// Whether one more transfer may ride.
    func hasSeat(_ host: String) -> Bool {
        hosts[host].map { $0.riders < $0.carriers * (Self.perConnection - 1) } ?? false
    }

    /// Counts a transfer that begins, or one that has ended.
    mutating func count(_ seat: Transfer.Seat, at host: String, by number: Int) {
        guard var counted = hosts[host] else { return }
        switch seat {
        case .ownConnection: return
        case .carrier: counted.carriers = max(0, counted.carriers + number)
        case .rider: counted.riders = max(0, counted.riders + number)
        }
        hosts[host] = counted
    }
}
