internal import CSystem
internal import DLSync
internal import Dispatch
internal import Glibc

/// The commands that are run behind a run. What happened is told them in variables of the environment and in files, never
/// in words of the command: nothing that a name holds is read by a shell.
package enum HookEnvironment {
    /// The variables, as `NAME=value` in bytes, since paths need not be UTF-8. A NUL, which no path can hold, ends a value.
    package static func variables(
        _ report: RunReport, reportFile: [UInt8]?, failedFile: [UInt8]?, eventsFile: [UInt8]?
    ) -> [[UInt8]] {
        let summary = report.summary
        let numbers: [(String, Int64)] = [
            ("STATUS", Int64(report.status.rawValue)), ("CHANGED", Int64(summary.done)),
            ("DELETED", Int64(summary.actions[.delete] ?? 0)), ("FAILED", Int64(report.failed)),
            ("PROBLEMS", Int64(summary.problems)), ("SOURCES_FAILED", Int64(summary.sourcesFailed)),
            ("BYTES", summary.bytesReceived),
        ]
        var variables = numbers.map { Array("DLSYNC_\($0)=\($1)".utf8) }
        variables.append(Array("DLSYNC_MODE=\(report.mode)".utf8))
        variables.append(Array("DLSYNC_VERSION=\(dlsyncVersion)".utf8))
        let paths: [(String, [UInt8]?)] = [
            ("DEST", report.destination), ("REPORT", reportFile), ("FAILED_FILE", failedFile), ("EVENTS", eventsFile),
        ]
        for (name, path) in paths {
            if let path { variables.append(Array("DLSYNC_\(name)=".utf8) + path.prefix { $0 != 0 }) }
        }
        return variables
    }
}

/// One command for a shell.
struct HookProcess {
    /// The command, for `/bin/sh -c`.
    let command: [UInt8]
    /// What it gets besides dlsync's own environment.
    let variables: [[UInt8]]

    /// Runs it to its end; gives what went wrong, to complete "the command …".
    ///
    /// Its input is empty, and its output goes to standard error, since standard output belongs to results. Signals that
    /// ask for the end are passed on to it.
    func run() async -> String? {
        var processID: pid_t = 0
        let code = spawn(&processID)
        guard code == 0 else { return "could not be started: \(String(cString: strerror(code)))" }
        let signals = Signals { [processID] in kill(processID, SIGTERM) }
        defer { signals.stop() }
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [processID] in
                var status: Int32 = 0
                while waitpid(processID, &status, 0) == -1, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        let signal = status & 0x7F
        if signal != 0 { return "was ended by signal \(signal)" }
        let exitStatus = status >> 8 & 0xFF
        return exitStatus == 0 ? nil : "ended with exit status \(exitStatus)"
    }

    private func spawn(_ processID: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // dlsync ignores or handles some signals; the command is to begin as a shell would have it.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        let words = [Array("/bin/sh".utf8), Array("-c".utf8), command]
        return withCStrings(words) { words in
            withCStrings(inherited + variables) { variables in
                posix_spawn(&processID, "/bin/sh", &actions, &attributes, words, variables)
            }
        }
    }

    /// dlsync's own environment, without what an outer run told its command.
    private var inherited: [[UInt8]] {
        var result: [[UInt8]] = []
        guard var next = dlsync_environment() else { return [] }
        while let text = next.pointee {
            let bytes = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
            if !bytes.starts(with: "DLSYNC_".utf8) { result.append(bytes) }
            next += 1
        }
        return result
    }
}

/// Calls something with texts as C has a list of them.
private func withCStrings<Result>(
    _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { text in withCString(text) { strdup($0) } } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}
