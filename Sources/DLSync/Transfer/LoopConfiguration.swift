package import SyncCore

/// How the loop drives its transfers.
package struct LoopConfiguration: Hashable, Sendable {
    package var connections = 16
    package var perHost = 8
    package var transfer = TransferPolicy()
    /// Bytes per second over all transfers.
    package var rates = RateTimetable()
    /// When all work has to end.
    package var curfew = Curfew()
    package var connectTimeout: Duration = .seconds(30)
    package var stallTimeout: Duration = .seconds(30)
    package var userAgent = "dlsync"
    /// HTTP/1.1 and nothing later.
    package var onlyHTTP11 = false
    package var addressFamily: AddressFamily = .any
    /// What earlier runs learnt of hosts.
    package var hostFacts: [HostFacts] = []
    /// What the person gave to be let in, and whom it is for.
    package var secrets = Secrets()
    /// A proxy for all requests; nil for what the environment says.
    package var proxy: String?
    /// A file of certificates of authorities, instead of the system's.
    package var certificateAuthorities: String?
    package var clientCertificate: String?
    package var clientKey: String?
    /// Whether servers' certificates are not checked.
    package var isInsecure = false
    /// Addresses for hosts, as in `host:port:address`.
    package var resolve: [String] = []
    /// Where chance starts, so that a test can repeat it.
    package var seed: UInt64 = 1

    package enum AddressFamily: Hashable, Sendable {
        case any
        case ipv4
        case ipv6
    }

    /// How long nothing at all may move: longer than any one transfer may stand still.
    package var watchdogTimeout: Duration { connectTimeout + stallTimeout * 4 }

    package init() {}
}
