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
    /// But of a slow transfer a range as short as this may be, in bytes.
    public var minimumShare: Int64 = 64 << 10
    /// Bytes per second over all transfers, by the time of the day.
    public var rates = RateTimetable()
    /// Bytes per second over all transfers at all times that `rates` has no rows for; nil for no limit.
    public var rateLimit: Int64? {
        get { rates.otherwise }
        set { rates.otherwise = newValue }
    }
    /// When a session has to end its work, as an interruption would: after a while, or at a time of the day.
    public var curfew = Curfew()
    /// How often a transfer that brings nothing is tried again.
    public var retries = 5
    /// The longest wait before a retry, unless a server asks for more.
    public var longestRetryWait: Duration = .seconds(60)
    /// How long to wait for another run to end that holds the destination.
    public var lockWait: Duration = .zero
    /// How long a server may ask to be left alone, in all, between one progress of a transfer and the next.
    public var longestRetryAfter: Duration = .seconds(3600)
    /// Which statuses pass by themselves, where the default is not right.
    public var statusClasses = StatusClasses()
    /// How long a connection may take to be made.
    public var connectTimeout: Duration = .seconds(30)
    /// How long a transfer may bring nothing at all.
    public var stallTimeout: Duration = .seconds(30)
    /// Whether files of `minimumSegment` bytes and more are fetched only from servers that can go on in their middle.
    public var requiresRanges = false
    /// HTTP/1.1 and nothing later.
    public var onlyHTTP11 = false
    /// Which addresses of a host are used.
    public var addressFamily = AddressFamily.any
    /// What requests say of who sends them.
    public var userAgent = "dlsync/\(dlsyncVersion)"
    /// What the person gave to be let in, and whom it is for.
    public var access = Access()
    /// Whether a shorter file of another tool may be gone on with, once its bytes were compared with the server's.
    public var adoptsForeignPartials = true
    /// Whether a file is left alone without a question to the server if its source says the same of it as when it was last
    /// proven.
    public var trustsListings = false
    /// Whether a SHA-256 digest is recorded of every file that is fetched, even where none was given to prove it by.
    public var recordsDigests = false
    /// How entries are laid out below the destination.
    public var placement = Placement()
    /// How many listings deep a listing is followed; nil for all.
    public var depth: Int?
    /// Which entries are wanted.
    public var filter = EntryFilter()
    /// The most entries that one source may name; nil for no limit.
    public var mostEntries: Int?
    /// Files that are put in place only when everything else is in sync.
    public var publishLast: [PathPattern] = []
    /// Bytes that stay free at the destination: no file is begun that would leave less.
    public var minimumFree: Int64 = 0
    /// Which files that no source names any more are deleted.
    public var deletion = Deletion()
    /// The format of the sources; nil to recognise it by their content.
    public var format: String?
    /// What relative names in files and on standard input are resolved against.
    public var baseURL: WebURL?
    /// The countries whose mirrors are asked before all others, where a source tells where its mirrors are.
    public var locations: Set<CountryCode> = []
    /// Lists of which only the digests are taken: they are read first, and what they say of an entry counts in the place of
    /// what its source says.
    public var digests: [Source] = []
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

    /// Which files are deleted that no source names any more, and what keeps a run from deleting any.
    public struct Deletion: Hashable, Sendable {
        /// Whose files are deleted.
        public enum Scope: Hashable, Sendable {
            /// None.
            case none
            /// Files that dlsync brought, and that nobody touched since.
            case owned
            /// All that lie where sources that were read to their end say what is to be there.
            case all
        }

        /// Whose files are deleted.
        public var scope = Scope.none
        /// The most files that one run deletes; where there are more, it deletes none.
        public var limit = DeletionLimit.percent(50)
        /// In how many complete runs in a row a file must be gone.
        public var afterRuns = 1
        /// Whether a listing is believed that had rows in an earlier run and has none now.
        public var acceptsEmpty = false
        /// The directory that files are moved to rather than deleted or replaced, as bytes; nil for none.
        public var backupDirectory: [UInt8]?

        /// Nothing is deleted.
        public init() {}
    }

    /// What requests carry to be let in, and how connections are made.
    public struct Access: Hashable, Sendable {
        /// The origins that `login`, `cookies` and `fields` are sent to, as URLs of which only scheme, host and port count.
        /// They are sent to no other origin, whatever a manifest or a redirect says.
        public var origins: [WebURL] = []
        /// A user name and a password.
        public var login: (user: [UInt8], password: [UInt8])? {
            get { secretLogin.map { ($0.user, $0.password) } }
            set { secretLogin = newValue.map { Login(user: $0.user, password: $0.password) } }
        }
        /// The value of a `Cookie` field.
        public var cookies: String?
        /// Further request fields.
        public var fields: [HeaderField] = []
        /// The bytes of a netrc file: logins, each for the host that it names. Its `default` is for `origins` alone.
        public var netrc: [UInt8]?
        /// A proxy for all requests; nil for what the environment says.
        public var proxy: String?
        /// A file of certificate authorities, instead of the system's.
        public var certificateAuthorities: String?
        /// A file with a client certificate.
        public var clientCertificate: String?
        /// A file with the key of the client certificate.
        public var clientKey: String?
        /// Whether servers' certificates are not checked.
        public var isInsecure = false
        /// Addresses for hosts, as in `host:port:address`.
        public var resolve: [String] = []

        private var secretLogin: Login?

        /// Nothing to be let in by.
        public init() {}

        var secrets: Secrets {
            var secrets = Secrets()
            secrets.origins = Set(origins.map(\.origin))
            secrets.login = secretLogin
            secrets.cookies = cookies
            secrets.fields = fields
            secrets.netrc = netrc.map(Netrc.init)
            return secrets
        }
    }

    /// The command line's defaults.
    public init() {}

    var loop: LoopConfiguration {
        var loop = LoopConfiguration()
        loop.connections = connections
        loop.perHost = connectionsPerHost
        loop.transfer = TransferPolicy(
            segments: segments, mostSegments: min(connections, connectionsPerHost), minimumSegment: minimumSegment,
            minimumShare: minimumShare,
            retry: RetryPolicy(
                retries: retries, maxWait: longestRetryWait, maxRetryAfter: longestRetryAfter, statuses: statusClasses),
            requiresRanges: requiresRanges)
        loop.rates = rates
        loop.curfew = curfew
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
        loop.secrets = access.secrets
        loop.proxy = access.proxy
        loop.certificateAuthorities = access.certificateAuthorities
        loop.clientCertificate = access.clientCertificate
        loop.clientKey = access.clientKey
        loop.isInsecure = access.isInsecure
        loop.resolve = access.resolve
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
