internal import CommandLineKit
internal import DLSync
internal import Glibc

/// The command line with the configuration files below it: `--config FILE`, and below that `DEST/.dlsync/config`.
struct LayeredArguments {
    /// All options, those that win first.
    let arguments: ParsedArguments
    /// The command line alone.
    let commandLine: ParsedArguments
    /// The files, those that win first.
    private var files: [(path: String, contents: ConfigurationFile)] = []

    /// Options of which one on the command line takes the place of any other in a file.
    static let exclusive: [[String]] = [["quiet", "verbose"], ["ipv4", "ipv6"]]

    /// Reads the files that a command line asks for.
    ///
    /// - Throws: A usage error that names the file and the line.
    init(_ commandLine: ParsedArguments) throws(UsageError) {
        self.commandLine = commandLine
        if let path = try commandLine.text("config") {
            guard let bytes = readSmallFile(Array(path.utf8)) else {
                throw .invalidValue(option: "--config", value: path, expected: "a file that can be read")
            }
            files.append((path, try Self.contents(bytes, path)))
        }
        if !commandLine.flag("list"), let destination = commandLine.positionals.last {
            let path = destination.bytes + Array("/\(Destination.stateDirectoryName)/config".utf8)
            let name = ArgumentValue(path).description
            if let bytes = try Self.ownFile(path, name) { files.append((name, try Self.contents(bytes, name))) }
        }
        var layered = commandLine
        for file in files { layered = Self.put(layered, over: file.contents.arguments) }
        arguments = layered
    }

    /// The error with the file and the line that it comes from, if it is about a value that stands in one.
    func located(_ error: UsageError) -> UsageError {
        guard case .invalidValue(let option, _, _) = error else { return error }
        let name = String(option.drop { $0 == "-" })
        guard commandLine.command.option(named: name) != nil, !commandLine.contains(name),
            let file = files.first(where: { $0.contents.lines[name] != nil })
        else { return error }
        return .configuration(file: file.path, line: file.contents.lines[name], message: error.message)
    }

    private static func put(_ upper: ParsedArguments, over lower: ParsedArguments) -> ParsedArguments {
        var lower = lower
        for group in exclusive where group.contains(where: upper.contains) {
            lower.occurrences.removeAll { group.contains($0.name) }
        }
        return upper.layered(over: lower)
    }

    private static func contents(_ bytes: [UInt8], _ path: String) throws(UsageError) -> ConfigurationFile {
        let modes = dlsyncCommand.options.filter { $0.section == Section.modes }.map(\.name)
        do {
            return try ConfigurationFile(bytes, of: dlsyncCommand, refusing: Set(modes))
        } catch {
            throw .configuration(file: path, line: error.line, message: error.error.message)
        }
    }

    /// The bytes of the destination's own file; nil where there is none. It may name commands that are run, so nobody
    /// else may be able to write it.
    private static func ownFile(_ path: [UInt8], _ name: String) throws(UsageError) -> [UInt8]? {
        var status = stat()
        let found = withCString(path) { stat($0, &status) }
        guard found == 0 else { return nil }
        let isOurs = status.st_uid == geteuid() || status.st_uid == 0
        guard status.st_mode & S_IFMT == S_IFREG, isOurs, status.st_mode & 0o022 == 0 else {
            throw .configuration(
                file: name, line: nil,
                message:
                    "This file may name commands to run, so it must be a plain file of yours or of root's that nobody "
                    + "else may write: chown it, and chmod go-w")
        }
        guard let bytes = readSmallFile(path) else {
            throw .configuration(file: name, line: nil, message: "This file cannot be read")
        }
        return bytes
    }
}

/// Calls something with a path as C has it.
func withCString<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("a text has its NUL") }
        return body(start)
    }
}

/// The bytes of a file of less than a mebibyte; nil where it cannot be read.
func readSmallFile(_ path: [UInt8]) -> [UInt8]? {
    let descriptor = withCString(path) { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count < 1 << 20 {
        let count = read(descriptor, &piece, piece.count)
        guard count > 0 else { return count == 0 ? bytes : nil }
        bytes += piece[..<count]
    }
    return nil
}
