internal import CommandLineKit
internal import DLSyncCLI
internal import Glibc

/// The command line's entry: words in, exit status out.
@main
struct DLSyncTool {
    static func main() async {
        exit(await Tool().run(words()).rawValue)
    }

    /// The words behind the command's name, as bytes: a path need not be UTF-8.
    private static func words() -> [ArgumentValue] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let word = CommandLine.unsafeArgv[index] else { return nil }
            return ArgumentValue(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
    }
}
