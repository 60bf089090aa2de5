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
        /// Files are compared with their digests.
        case verify
        /// As `verify`, and what is bad is fetched again.
        case repair
        /// What the destination remembers is printed.
        case status
        /// The destination forgets a source.
        case forgetSource

        /// Whether files are brought, or proven: what reports are written of.
        var isRun: Bool { self == .sync || self == .verify || self == .repair }
    }

    private enum Adoption: String, CaseIterable {
        case auto
        case never
    }

    var sources: [Source]
    /// The source that is to be forgotten, as it was named.
    var forgottenSource: String?
    var destination: [UInt8]
    var configuration: SyncConfiguration
    var mode: Mode
    var printsJSON: Bool
    var progress: Progress
    var isQuiet: Bool
    var isVerbose: Bool
    var files: OutputFiles
    var hooks: Hooks

    /// Reads parsed words.
    ///
    /// - Parameters:
    ///   - arguments: All options.
    ///   - commandLine: Those of the command line alone. What stands in a configuration file for all runs does not hinder
    ///     a mode that has no use for it; who names it by hand is told.
    /// - Throws: A usage error that names the option and what it takes.
    init(_ arguments: ParsedArguments, commandLine: ParsedArguments? = nil) throws(UsageError) {
        mode = try Self.mode(arguments)
        let words: [ArgumentValue]
        switch mode {
        case .list:
            sources = try Self.sources(try arguments.positionals(named: ["SOURCE"], atLeast: 1))
            words = []
        case .explain:
            _ = try arguments.positionals(named: [], atLeast: 0, atMost: 0)
            sources = try Self.sources([arguments.value("explain-listing")].compactMap { $0 })
            words = []
        case .verify, .repair:
            words = try arguments.positionals(named: ["DEST"], atLeast: 1)
            sources = try Self.sources(words.dropLast())
        case .status, .forgetSource:
            words = try arguments.positionals(named: ["DEST"], atLeast: 1, atMost: 1)
            sources = []
        case .sync, .dryRun:
            words = try arguments.positionals(named: ["SOURCE", "DEST"], atLeast: 2)
            sources = try Self.sources(words.dropLast())
        }
        destination = try words.last.map { word throws(UsageError) in try Self.destination(word) } ?? []
        forgottenSource = try arguments.parsed("forget-source", expecting: "a source, as --status names it") {
            $0.isEmpty ? nil : $0
        }
        if mode == .sync || mode == .forgetSource { try arguments.require("dry-run", with: "json") }
        for group in LayeredArguments.exclusive { try arguments.requireAtMostOne(of: group) }
        printsJSON = arguments.flag("json")
        isQuiet = arguments.flag("quiet")
        isVerbose = arguments.flag("verbose")
        progress = try arguments.choice("progress", of: Progress.self) ?? .auto
        var configuration = SyncConfiguration()
        configuration.isReadOnly = mode != .sync && mode != .repair
        configuration.recordsDigests = arguments.flag("record-digests")
        try Self.readSources(arguments, &configuration)
        try Self.readFilter(arguments, &configuration)
        try Self.readMirroring(arguments, &configuration)
        try Self.readTransfers(arguments, &configuration)
        configuration.lockWait = try Self.duration(arguments, "lock-wait", atLeast: .zero) ?? configuration.lockWait
        try Self.readAccess(arguments, sources: sources, &configuration)
        self.configuration = configuration
        files = OutputFiles()
        hooks = Hooks()
        try readReports(arguments, commandLine: commandLine ?? arguments)
    }

    private static func mode(_ arguments: ParsedArguments) throws(UsageError) -> Mode {
        let modes = ["dry-run", "list", "explain-listing", "verify", "status", "forget-source"]
        try arguments.requireAtMostOne(of: modes)
        try arguments.require("verify", with: "repair")
        switch modes.first(where: { arguments.flag($0) }) {
        case "dry-run": return .dryRun
        case "list": return .list
        case "explain-listing": return .explain
        case "verify": return arguments.flag("repair") ? .repair : .verify
        case "status": return .status
        case "forget-source": return .forgetSource
        default: return .sync
        }
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
        configuration.locations =
            try arguments.parsed(
                "location", expecting: "countries by their two letters, as in de or de,at", by: CountryCode.list) ?? []
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
        // Who names the default's own value has the default.
        if let least = try size(arguments, "min-segment", SizeText.parse), least != configuration.minimumSegment {
            configuration.minimumSegment = least
            configuration.minimumShare = least
        }
        configuration.rates =
            try arguments.parsed(
                "limit-rate",
                expecting: "a rate of at least 1, as in 500k or 2M, or rates by the time of the day, as in "
                    + "08:00-18:00=1M,none"
            ) { RateTimetable(parsing: $0) } ?? configuration.rates
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
        configuration.addressFamily = arguments.flag("ipv4") ? .ipv4 : arguments.flag("ipv6") ? .ipv6 : .any
        configuration.userAgent = try arguments.text("user-agent") ?? configuration.userAgent
    }

    static func size(
        _ arguments: ParsedArguments, _ name: String, _ parse: (String) -> Int64?
    ) throws(UsageError) -> Int64? {
        try arguments.parsed(name, expecting: "a number of bytes of at least 1, as in 500k or 2M") { text in
            parse(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    static func duration(
        _ arguments: ParsedArguments, _ name: String, atLeast least: Duration = .seconds(1)
    ) throws(UsageError) -> Duration? {
        let bounds = least == .zero ? "of up to a day" : "between 1 second and a day"
        return try arguments.parsed(name, expecting: "a time \(bounds), as in 30s or 5m") { text in
            DurationText.parse(text).flatMap { (least ... .seconds(86400)).contains($0) ? $0 : nil }
        }
    }
}
