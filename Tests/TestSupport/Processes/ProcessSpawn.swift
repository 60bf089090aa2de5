import CSystem
import Glibc

/// How a process is to be started.
struct ProcessSpawn {
    let program: String
    let arguments: [String]
    let environment: [String: String]?
    let input: [UInt8]?
    let directory: String?
    let terminal: Terminal?

    /// A process that runs, with the descriptors from which its streams are read.
    struct Started: Sendable {
        let processID: pid_t
        let streams: [(stream: OutputStream, descriptor: Int32)]
        let stopEvent: Int32
    }

    func start() throws -> Started {
        var ours: [(stream: OutputStream, descriptor: Int32)] = []
        var theirs: [OutputStream: Int32] = [:]
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        do {
            let standardInput = try inputDescriptor()
            opened.append(standardInput)
            for stream in [OutputStream.output, .error] {
                let (reading, writing) =
                    terminal?.streams.contains(stream) == true
                    ? try openTerminal(columns: terminal?.columns ?? 80) : try openPipe()
                ours.append((stream, reading))
                opened.append(writing)
                theirs[stream] = writing
            }
            let stopEvent = try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) }
            do {
                let processID = try spawn(
                    [standardInput, theirs[.output] ?? standardInput, theirs[.error] ?? standardInput])
                return Started(processID: processID, streams: ours, stopEvent: stopEvent)
            } catch {
                close(stopEvent)
                throw error
            }
        } catch {
            for (_, descriptor) in ours { close(descriptor) }
            throw error
        }
    }

    private func spawn(_ descriptors: [Int32]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSessionFlag)

        var processID: pid_t = 0
        let variables = (environment ?? currentEnvironment()).map { "\($0.key)=\($0.value)" }.sorted()
        let code = withCStrings([program] + arguments) { arguments in
            withCStrings(variables) { variables in
                posix_spawnp(&processID, program, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw SystemError(code: code, call: "posix_spawn \(program)") }
        return processID
    }

    /// The input stands in a file without a name, so nobody has to write while the process runs.
    private func inputDescriptor() throws -> Int32 {
        guard let input else { return try checked("open /dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) } }
        let directory = try TemporaryDirectory()
        let path = directory.appending("input")
        try writeFile(path, input)
        return try checked("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
    }
}

/// POSIX_SPAWN_SETSID, which the Glibc module does not show.
private let newSessionFlag: Int16 = 0x80

/// The variables of this process.
package func currentEnvironment() -> [String: String] {
    var result: [String: String] = [:]
    guard var variable = dlsync_environment() else { return result }
    while let text = variable.pointee {
        let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
        variable += 1
    }
    return result
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}

private func openPipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try checked("pipe") { pipe(&ends) }
    for end in ends { dlsync_set_close_on_exec(end) }
    dlsync_set_nonblocking(ends[0])
    return (ends[0], ends[1])
}

private func openTerminal(columns: UInt16) throws -> (reading: Int32, writing: Int32) {
    let main = try checked("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) }
    do {
        try checked("grantpt") { grantpt(main) }
        try checked("unlockpt") { unlockpt(main) }
        var name = [CChar](repeating: 0, count: 128)
        guard ptsname_r(main, &name, name.count) == 0 else { throw SystemError.last("ptsname_r") }
        let other = try checked("open a terminal") { open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) }
        var settings = termios()
        tcgetattr(other, &settings)
        settings.c_oflag &= ~tcflag_t(OPOST)
        tcsetattr(other, TCSANOW, &settings)
        dlsync_set_terminal_size(other, columns, 24)
        dlsync_set_nonblocking(main)
        return (main, other)
    } catch {
        close(main)
        throw error
    }
}

/// Reads both streams until they end, or until the process has ended and nothing more is there: a child that it left
/// behind may hold them open for ever.
func readStreams(_ streams: [(stream: OutputStream, descriptor: Int32)], into core: ProcessCore) {
    var open = streams
    var hasEnded = false
    while !open.isEmpty {
        var polls = open.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        if !hasEnded { polls.append(pollfd(fd: core.stopEvent, events: Int16(POLLIN), revents: 0)) }
        let ready = poll(&polls, nfds_t(polls.count), hasEnded ? 0 : -1)
        if ready == -1 && errno == EINTR { continue }
        if ready == 0 { break }
        if !hasEnded, polls[open.count].revents != 0 { hasEnded = true }
        for (index, (stream, descriptor)) in open.enumerated().reversed() where polls[index].revents != 0 {
            let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, 65536))
            }
            if bytes.isEmpty {
                // The end of a pipe, or EIO: the last holder of the terminal has closed it.
                close(descriptor)
                open.remove(at: index)
            } else {
                core.monitor.update { $0.written[stream, default: []] += bytes }
            }
        }
    }
    for (_, descriptor) in open { close(descriptor) }
    core.monitor.update { $0.isRead = true }
}
