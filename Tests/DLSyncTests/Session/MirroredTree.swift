import Synchronization
import TestSupport
import Testing

@testable import DLSync

/// A tree of index pages on a server from which files go: five listings, each with some files.
final class MirroredTree: Sendable {
    /// The directories, that of the tree itself first.
    static let directories = ["", "d1/", "d2/", "d3/", "d4/"]
    private let server: FaultServer
    private let names: Mutex<[String: [String]]>
    /// The names of the files by directory.
    private(set) var files: [String: [String]] {
        get { names.withLock { $0 } }
        set { names.withLock { $0 = newValue } }
    }

    init(_ server: FaultServer, filesEach: Int = 4) {
        self.server = server
        names = Mutex(
            Dictionary(
                uniqueKeysWithValues: Self.directories.map { directory in
                    (directory, (0..<filesEach).map { "f\($0)" })
                }))
        for path in paths { server.serve("/pub/\(path)", Resource(.pattern(seed: 1, count: 50))) }
        serve()
    }

    /// All paths below the tree, in order.
    var paths: [String] { files.flatMap { directory, names in names.map { directory + $0 } }.sorted() }

    /// The tree's source.
    var source: Source { Source(argument: server.url("/pub/")) }

    /// Serves the pages as the files are now.
    func serve() {
        for (directory, names) in files {
            let path = "/pub/\(directory)"
            let children =
                directory.isEmpty
                ? files.keys.filter { !$0.isEmpty && !$0.dropLast().contains("/") }.sorted().map { IndexRow($0) } : []
            server.serve(path, .html(nginxIndexPage(of: path, children + names.map { IndexRow($0, size: 50) })))
        }
    }

    /// Takes a file away.
    func remove(_ name: String, in directory: String) {
        files[directory]?.removeAll { $0 == name }
        server.remove("/pub/\(directory)\(name)")
        serve()
    }

    /// Adds a file.
    func add(_ name: String, in directory: String) {
        files[directory]?.append(name)
        if server.requests(to: "/pub/\(directory)\(name)").isEmpty {
            server.serve("/pub/\(directory)\(name)", Resource(.pattern(seed: 1, count: 50)))
        }
        serve()
    }

    /// Takes a file away in each directory.
    func removeEverywhere(_ name: String) { for directory in Self.directories { remove(name, in: directory) } }

    /// Takes a directory away with all that is in it.
    func remove(directory: String) {
        files[directory] = nil
        server.remove("/pub/\(directory)")
        serve()
    }

    /// Adds a directory with files.
    func add(directory: String, _ names: [String]) {
        files[directory] = []
        for name in names { add(name, in: directory) }
    }

    /// Serves an index page without rows.
    func empty(_ directory: String) {
        server.serve("/pub/\(directory)", .html(nginxIndexPage(of: "/pub/\(directory)", [])))
    }
}

/// A page that somebody else puts in the place of all pages until one logs in.
let portalPage = """
    <html><head><title>Welcome</title></head><body><form method="post" action="/login">
    <input name="user"><input type="password" name="password"><button>Log in</button></form></body></html>
    """
