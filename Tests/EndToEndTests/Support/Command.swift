import TestSupport
import Testing

/// The built command, as a user runs it.
enum Command {
    /// A user's environment without proxies or settings of the machine that the tests run on.
    private static let environment = [
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/nonexistent", "LANG": "C.UTF-8",
    ]

    /// How long a server may be silent: on a busy machine a test that holds an answer back until other processes have
    /// ended holds it for longer than the half minute that dlsync waits of itself. A test of stalls says its own time,
    /// as the last one given counts.
    private static let patience = ["--stall-timeout", "10m"]

    /// Starts it.
    static func start(
        _ arguments: [String], input: [UInt8]? = nil, directory: String? = nil, terminal: Terminal? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            builtProduct("dlsync"), patience + arguments, environment: environment, input: input, directory: directory,
            terminal: terminal)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], input: [UInt8]? = nil, directory: String? = nil, terminal: Terminal? = nil
    ) async throws -> ProcessResult {
        try await start(arguments, input: input, directory: directory, terminal: terminal).wait()
    }

    /// Runs it to its end.
    static func run(_ arguments: String..., input: [UInt8]? = nil, directory: String? = nil) async throws
        -> ProcessResult
    {
        try await run(arguments, input: input, directory: directory)
    }

    /// Runs it to its end, which must be a good one without a word.
    static func runSilently(
        _ arguments: String..., input: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await runSilently(arguments, input: input, sourceLocation: sourceLocation)
    }

    /// Runs it to its end, which must be a good one without a word.
    static func runSilently(
        _ arguments: [String], input: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await run(arguments, input: input)
        #expect(result.wasSilent, "\(result)", sourceLocation: sourceLocation)
    }
}

extension ProcessResult {
    /// Whether it ended with this status.
    func exited(_ status: Int32) -> Bool { termination == .exited(status) }

    /// Whether it ended well and said nothing.
    var wasSilent: Bool { exited(0) && standardOutput.isEmpty && standardError.isEmpty }

    /// What it said on standard error, line by line.
    var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }
}
