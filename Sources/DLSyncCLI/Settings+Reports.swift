internal import CommandLineKit
internal import DLSync

/// The files that tell of a run, by their paths.
struct OutputFiles: Hashable, Sendable {
    var log: [UInt8]?
    /// `-` is standard output.
    var events: [UInt8]?
    var report: [UInt8]?
    var failed: [UInt8]?
    var metrics: [UInt8]?

    /// What stands for standard output.
    static let standardOutput = Array("-".utf8)
}

/// The commands that are run at the end, for a shell.
struct Hooks: Hashable, Sendable {
    var onChange: [UInt8]?
    var onFailure: [UInt8]?
}

extension Settings {
    private static let reportOptions = [
        "log-file", "events", "report", "failed-file", "metrics-file", "on-change", "on-failure",
    ]

    /// Reads when a run ends, what tells of it, and what is run behind it.
    mutating func readReports(
        _ arguments: ParsedArguments, commandLine: ParsedArguments
    ) throws(UsageError) {
        let century: ClosedRange<Duration> = .seconds(1) ... .seconds(100 * 366 * 86400)
        configuration.curfew.maxDuration = try arguments.parsed(
            "max-duration", expecting: "a time of at least 1 second, as in 50m or 3h"
        ) { text in DurationText.parse(text).flatMap { century.contains($0) ? $0 : nil } }
        configuration.curfew.window = try arguments.parsed(
            "window", expecting: "two different times of the day, as in 22:00-06:00", by: DayWindow.init)
        guard mode.isRun else {
            if let given = Self.reportOptions.first(where: commandLine.contains) {
                throw .conflict("--\(given)", "--\(modeName)")
            }
            return
        }
        files = OutputFiles(
            log: try Self.path(arguments, "log-file"), events: try Self.path(arguments, "events"),
            report: try Self.path(arguments, "report"), failed: try Self.path(arguments, "failed-file"),
            metrics: try Self.path(arguments, "metrics-file"))
        if files.events == OutputFiles.standardOutput, printsJSON { throw .conflict("--events=-", "--json") }
        hooks = Hooks(
            onChange: arguments.value("on-change")?.bytes, onFailure: arguments.value("on-failure")?.bytes)
    }

    private var modeName: String {
        switch mode {
        case .dryRun: "dry-run"
        case .list: "list"
        case .explain: "explain-listing"
        case .status: "status"
        case .forgetSource: "forget-source"
        case .verify, .repair, .sync: "verify"
        }
    }

    private static func path(_ arguments: ParsedArguments, _ name: String) throws(UsageError) -> [UInt8]? {
        guard let value = arguments.value(name) else { return nil }
        guard !value.bytes.isEmpty else {
            throw .invalidValue(option: "--\(name)", value: "", expected: "the path of a file")
        }
        return value.bytes
    }
}
