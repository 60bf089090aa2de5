import Glibc

/// A built program was not found.
package struct MissingProduct: Error, CustomStringConvertible {
    package let name: String
    package let directories: [String]
    /// The message.
    package var description: String { "there is no \(name) in \(directories): build it first" }
}

/// The path of a program that the package builds: it lies beside the program or the bundle that runs the tests.
/// - Throws: ``MissingProduct``.
package func builtProduct(_ name: String) throws -> String {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &target, target.count)
    let executable = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Where another program loads the tests, their bundle is named by an argument.
    let candidates = [executable] + CommandLine.arguments.filter { $0.contains(".xctest") }
    var directories: [String] = []
    for candidate in candidates {
        // A bundle is a file on Linux; where it is a directory, the product lies beside the directory.
        var parts = candidate.split(separator: "/", omittingEmptySubsequences: false)
        if let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) { parts.removeSubrange((bundle + 1)...) }
        let directory = parts.dropLast().joined(separator: "/")
        let path = directory.isEmpty ? name : "\(directory)/\(name)"
        if access(path, X_OK) == 0 { return path }
        directories.append(directory)
    }
    throw MissingProduct(name: name, directories: directories)
}
