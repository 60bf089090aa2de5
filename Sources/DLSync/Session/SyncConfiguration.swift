internal import Markup
public import SyncCore

/// How a session compares and fetches. Every value has the command line's default.
public struct SyncConfiguration: Hashable, Sendable {
    /// The most transfers at once, over all hosts; listings and inquiries count.
    public var connections = 16
    /// The most transfers at once to one host.
    public var connectionsPerHost = 8
    /// How many transfers may bring one file at once.
    public var segments = SegmentLimit.auto
    /// No range shorter than this is split off, in bytes.
    public var minimumSegment: Int64 = 1 << 20
    /// Bytes per second over all transfers; nil for no limit.
    public var rateLimit: Int64?
    /// How often a transfer that brings nothing is tried again.
    public var retries = 5
    /// The longest wait before a retry, unless a server asks for more.
    public var longestRetryWait: Duration = .seconds(60)
    /// How long a connection may take to be made.
    public var connectTimeout: Duration = .seconds(30)
    /// How long a transfer may bring nothing at all.
    public var stallTimeout: Duration = .seconds(30)
    /// HTTP/1.1 and nothing later.
    public var onlyHTTP11 = false
    /// Which addresses of a host are used.
    public var addressFamily = AddressFamily.any
    /// What requests say of who sends them.
    public var userAgent = "dlsync/\(dlsyncVersion)"
    /// Whether a shorter file of another tool may be gone on with, once its bytes were compared with the server's.
    public var adoptsForeignPartials = true
    /// How entries are laid out below the destination.
    public var placement = Placement()
    /// How many listings deep a listing is followed; nil for all.
    public var depth: Int?
    /// The format of the sources; nil to recognise it by their content.
    public var format: String?
    /// What relative names in files and on standard input are resolved against.
    public var baseURL: WebURL?
    /// Whether nothing at all is written below the destination. Such a session can only plan.
    public var isReadOnly = false

    /// Which addresses of a host are used.
    public enum AddressFamily: Hashable, Sendable {
        /// Both, whichever answers first.
        case any
        /// IPv4 alone.
        case ipv4
        /// IPv6 alone.
        case ipv6
    }

    /// The command line's defaults.
    public init() {}

    var loop: LoopConfiguration {
        var loop = LoopConfiguration()
        loop.connections = connections
        loop.perHost = connectionsPerHost
        loop.transfer = TransferPolicy(
            segments: segments, mostSegments: min(connections, connectionsPerHost), minimumSegment: minimumSegment,
            retry: RetryPolicy(retries: retries, maxWait: longestRetryWait))
        loop.rateLimit = rateLimit
        loop.connectTimeout = connectTimeout
        loop.stallTimeout = stallTimeout
        loop.userAgent = userAgent
        loop.onlyHTTP11 = onlyHTTP11
        loop.addressFamily =
            switch addressFamily {
            case .any: .any
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        loop.seed = UInt64.random(in: .min ... .max)
        return loop
    }
}

/// The version of dlsync.
public let dlsyncVersion = "0.1.0"

/// What names the wanted files.
public enum Source: Hashable, Sendable {
    /// A manifest in a file.
    case file(String)
    /// A manifest on standard input.
    case standardInput
    /// A manifest or an index page on a server.
    case url(WebURL)

    /// A source as the command line names it: `-`, a URL, or a path.
    public init(argument: String) {
        if argument == "-" {
            self = .standardInput
        } else if argument.contains("://"), let url = WebURL(argument) {
            self = .url(url)
        } else {
            self = .file(argument)
        }
    }

    /// The source's name in messages, without credentials.
    public var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .url(let url): url.redacted
        }
    }
}

/// The names of the formats that are read, as `format` takes them.
public var knownFormats: [String] { manifestFormats.map(\.name) }
