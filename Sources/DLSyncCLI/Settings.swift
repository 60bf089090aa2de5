internal import CommandLineKit
internal import DLSync

/// What the command line asks for, checked.
struct Settings: Hashable, Sendable {
    /// How progress is shown.
    enum Progress: String, CaseIterable {
        case auto
        case bar
        case plain
        case none
    }

    /// What is done.
    enum Mode {
        case sync
        case dryRun
        /// Entries that the sources yield are printed; there is no destination.
        case list
        /// What the links of a page are taken for is printed.
        case explain
    }

    private enum Adoption: String, CaseIterable {
        case auto
        case never
    }

    var sources: [Source]
    var destination: [UInt8]
    var configuration: SyncConfiguration
    var mode: Mode
    var printsJSON: Bool
    var progress: Progress
    var isQuiet: Bool
    var isVerbose: Bool

    /// Reads parsed words.
    ///
    /// - Throws: A usage error that names the option and what it takes.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.requireAtMostOne(of: ["dry-run", "list", "explain-listing"])
        let explained = arguments.value("explain-listing")
        mode =
            arguments.flag("dry-run")
            ? .dryRun : arguments.flag("list") ? .list : explained == nil ? .sync : .explain
        if let explained {
            _ = try arguments.positionals(named: [], atLeast: 0, atMost: 0)
            sources = try Self.sources([explained])
            destination = []
        } else if mode == .list {
            sources = try Self.sources(try arguments.positionals(named: ["SOURCE"], atLeast: 1))
            destination = []
        } else {
            let words = try arguments.positionals(named: ["SOURCE", "DEST"], atLeast: 2)
            destination = try Self.destination(words[words.count - 1])
            sources = try Self.sources(words.dropLast())
        }
        if mode == .sync { try arguments.require("dry-run", with: "json") }
        try arguments.requireAtMostOne(of: ["quiet", "verbose"])
        printsJSON = arguments.flag("json")
        isQuiet = arguments.flag("quiet")
        isVerbose = arguments.flag("verbose")
        progress = try arguments.choice("progress", of: Progress.self) ?? .auto
        var configuration = SyncConfiguration()
        configuration.isReadOnly = mode != .sync
        try Self.readSources(arguments, &configuration)
        try Self.readTransfers(arguments, &configuration)
        configuration.lockWait = try Self.duration(arguments, "lock-wait", atLeast: .zero) ?? configuration.lockWait
        try Self.readAccess(arguments, sources: sources, &configuration)
        self.configuration = configuration
    }

    private static func sources(_ words: some Sequence<ArgumentValue>) throws(UsageError) -> [Source] {
        var sources: [Source] = []
        for word in words {
            let source = Source(argument: word.text ?? word.description)
            var isUsable = !word.bytes.isEmpty
            switch source {
            case .url(let url): isUsable = url.scheme == "http" || url.scheme == "https"
            case .file: isUsable = isUsable && !looksLikeURL(word)
            case .standardInput where sources.contains(.standardInput):
                throw .invalidArgument(name: "SOURCE", value: "-", expected: "standard input once at most")
            case .standardInput: break
            }
            guard isUsable else {
                throw .invalidArgument(
                    name: "SOURCE", value: word.description, expected: "a file, '-', or an http or https URL")
            }
            sources.append(source)
        }
        return sources
    }

    private static func destination(_ word: ArgumentValue) throws(UsageError) -> [UInt8] {
        guard !word.bytes.isEmpty, !looksLikeURL(word) else {
            throw .invalidArgument(name: "DEST", value: word.description, expected: "the path of a directory")
        }
        return word.bytes
    }

    /// Whether a word begins as URLs do. A path that does can be written with `./` before it.
    private static func looksLikeURL(_ word: ArgumentValue) -> Bool {
        let scheme = word.bytes.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = scheme.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        return !scheme.isEmpty && isScheme && word.bytes.dropFirst(scheme.count).starts(with: "://".utf8)
    }

    private static func readSources(
        _ arguments: ParsedArguments, _ configuration: inout SyncConfiguration
    ) throws(UsageError) {
        configuration.format = try arguments.parsed("format", expecting: knownFormats.joined(separator: " or ")) {
            knownFormats.contains($0) ? $0 : nil
        }
        configuration.baseURL = try arguments.parsed("base-url", expecting: "an absolute URL", by: WebURL.init)
        configuration.depth = try arguments.integer("depth", in: 0...64)
        configuration.placement.layout = try arguments.choice("layout", of: Placement.Layout.self) ?? .tree
        configuration.placement.directoriesToCut = try arguments.integer("cut-dirs", in: 0...64) ?? 0
        configuration.digests = try arguments.allParsed("digests", expecting: "a file, or an http or https URL") {
            text in
            switch Source(argument: text) {
            case .url(let url) where url.scheme == "http" || url.scheme == "https": .url(url)
            case .file(let path) where !path.isEmpty && !looksLikeURL(ArgumentValue(Array(text.utf8))): .file(path)
            case .url, .file, .standardInput: nil
            }
        }
        configuration.trustsListings = arguments.flag("trust-listing")
        configuration.adoptsForeignPartials = try arguments.choice("adopt", of: Adoption.self) != .never
    }

    private static func readTransfers(
        _ arguments: ParsedArguments, _ configuration: inout SyncConfiguration
    ) throws(UsageError) {
        let connections = 1...256
        configuration.connections = try arguments.integer("connections", in: connections) ?? configuration.connections
        configuration.connectionsPerHost =
            try arguments.integer("per-host", in: connections)
            ?? configuration.connectionsPerHost
        let segments = try arguments.parsed("segments", expecting: "auto, or a number from 1 to 256") { text in
            text == "auto" ? SegmentLimit.auto : Int(text).flatMap { connections.contains($0) ? .fixed($0) : nil }
        }
        configuration.segments = segments ?? .auto
        configuration.minimumSegment =
            try size(arguments, "min-segment", SizeText.parse) ?? configuration.minimumSegment
        configuration.rateLimit = try size(arguments, "limit-rate", SizeText.parseRate)
        configuration.retries = try arguments.integer("retries", in: 0...1000) ?? configuration.retries
        configuration.longestRetryWait = try duration(arguments, "retry-max-wait") ?? configuration.longestRetryWait
        configuration.longestRetryAfter = try duration(arguments, "max-retry-after") ?? configuration.longestRetryAfter
        configuration.statusClasses =
            try arguments.parsed("retry-status", expecting: "statuses from 400 to 599, as in 404,!500") {
                StatusClasses($0)
            } ?? configuration.statusClasses
        configuration.connectTimeout = try duration(arguments, "connect-timeout") ?? configuration.connectTimeout
        configuration.stallTimeout = try duration(arguments, "stall-timeout") ?? configuration.stallTimeout
        configuration.requiresRanges = arguments.flag("require-ranges")
        configuration.onlyHTTP11 = arguments.flag("http1.1")
        try arguments.requireAtMostOne(of: ["ipv4", "ipv6"])
        configuration.addressFamily = arguments.flag("ipv4") ? .ipv4 : arguments.flag("ipv6") ? .ipv6 : .any
        configuration.userAgent = try arguments.text("user-agent") ?? configuration.userAgent
    }

    private static func size(
        _ arguments: ParsedArguments, _ name: String, _ parse: (String) -> Int64?
    ) throws(UsageError) -> Int64? {
        try arguments.parsed(name, expecting: "a number of bytes of at least 1, as in 500k or 2M") { text in
            parse(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    private static func duration(
        _ arguments: ParsedArguments, _ name: String, atLeast least: Duration = .seconds(1)
    ) throws(UsageError) -> Duration? {
        let bounds = least == .zero ? "of up to a day" : "between 1 second and a day"
        return try arguments.parsed(name, expecting: "a time \(bounds), as in 30s or 5m") { text in
            DurationText.parse(text).flatMap { (least ... .seconds(86400)).contains($0) ? $0 : nil }
        }
    }
}
