internal import CommandLineKit
internal import DLSyncCLI
internal import Glibc

/// The command line's entry: words in, exit status out.
@main
struct DLSyncTool {
    static func main() async {
        openClosedStreams()
        let words = words()
        hideSecrets(of: words)
        exit(await Tool().run(words).rawValue)
    }

    /// Blots passwords and their like out of the words that every user of the machine can read with ps(1).
    private static func hideSecrets(of words: [ArgumentValue]) {
        let parts = SecretWords.parts(of: words)
        guard !parts.isEmpty else { return }
        for index in 1..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index] else { continue }
            let bytes = Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
            guard let blotted = SecretWords.blotted(bytes, hiding: parts) else { continue }
            UnsafeMutableRawBufferPointer(start: word, count: bytes.count).copyBytes(from: blotted)
        }
    }

    /// Opens the standard streams that the caller closed, onto nothing: else the next file that is opened takes the number
    /// of one, and messages are written into it.
    private static func openClosedStreams() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is given out, and all below this one are in use.
            guard open("/dev/null", O_RDWR) == number else { exit(ExitStatus.failed.rawValue) }
        }
    }

    /// The words behind the command's name, as bytes: a path need not be UTF-8.
    private static func words() -> [ArgumentValue] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let word = CommandLine.unsafeArgv[index] else { return nil }
            return ArgumentValue(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
    }
}
