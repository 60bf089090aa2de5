package import CommandLineKit

/// Finds what must not be read off the list of processes.
package enum SecretWords {
    /// The options whose values are secret.
    private static let options = ["user", "header", "cookie", "proxy"]

    /// The secret parts of a command's words: values of options that let requests in, and logins in URLs.
    ///
    /// A command line that is wrong has none: it ends at once.
    package static func parts(of words: [ArgumentValue]) -> [[UInt8]] {
        guard let arguments = try? dlsyncCommand.parse(words) else { return [] }
        let values = options.flatMap { arguments.values($0) }.map(\.bytes)
        return (values + words.compactMap { login(in: $0.bytes) }).filter { !$0.isEmpty }
    }

    /// A word with the secret parts blotted out; nil for one that holds none.
    package static func blotted(_ word: [UInt8], hiding parts: [[UInt8]]) -> [UInt8]? {
        var result = word
        for part in parts {
            var start = 0
            while start + part.count <= result.count {
                if result[start..<(start + part.count)].elementsEqual(part) {
                    for index in start..<(start + part.count) { result[index] = UInt8(ascii: "*") }
                    start += part.count
                } else {
                    start += 1
                }
            }
        }
        return result == word ? nil : result
    }

    /// What stands between `//` and the last `@` of a URL's authority.
    private static func login(in word: [UInt8]) -> [UInt8]? {
        let slashes = Array("://".utf8)
        guard let scheme = word.indices.first(where: { word[$0...].starts(with: slashes) }) else { return nil }
        let authority = word[(scheme + 3)...].prefix { $0 != UInt8(ascii: "/") }
        return authority.lastIndex(of: UInt8(ascii: "@")).map { Array(authority[..<$0]) }
    }
}
