import TestSupport
import Testing

/// Trees that are mirrored by the index pages of real servers.
@Suite(.timeLimit(.minutes(10))) struct IndexPageTests {
    /// A server and the form of its pages.
    enum Kind: CaseIterable {
        case nginx, nginxRounded, nginxXML, apachePlain, apacheFancy, apacheTable, lighttpd, caddy, python

        /// Those that are here: scripts/bootstrap installs what the release has.
        static var installed: [Kind] {
            allCases.filter { kind in
                switch kind {
                case .lighttpd: LighttpdServer.isInstalled
                case .caddy: CaddyServer.isInstalled
                case .python: PythonServer.isInstalled
                default: true
                }
            }
        }

        func start(root: String) throws -> WebServer {
            switch self {
            case .nginx: try NginxServer.start(root: root)
            case .nginxRounded: try NginxServer.start(root: root, exactSizes: false)
            case .nginxXML: try NginxServer.start(root: root, listing: .xml)
            case .apachePlain: try ApacheServer.start(root: root, listing: .plain)
            case .apacheFancy: try ApacheServer.start(root: root, listing: .fancy)
            case .apacheTable: try ApacheServer.start(root: root, listing: .table)
            case .lighttpd: try LighttpdServer.start(root: root)
            case .caddy: try CaddyServer.start(root: root)
            case .python: try PythonServer.start(root: root)
            }
        }

        /// Whether a file of that name can be had: nginx lists no hidden files, and lighttpd refuses to be asked for control
        /// characters.
        func lists(_ name: String) -> Bool {
            switch self {
            case .lighttpd: name.utf8.allSatisfy { $0 >= 0x20 }
            case .nginx, .nginxRounded, .nginxXML: !name.hasPrefix(".")
            default: true
            }
        }
    }

    @Test("A nested tree of odd names is mirrored whole, and then only asked about", arguments: Kind.installed)
    func mirrorsTree(kind: Kind) async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            let destination = directory.appending("here")
            var generator = SeededGenerator(seed: 7)
            var files = 0
            let directories = ["", "sub/", "odd & <dir>/", "odd & <dir>/deep ü#1/", "empty/", "100%/50%/"]
            for place in directories where place != "empty/" {
                for name in oddNames where kind.lists(name) {
                    try writePatternFile(
                        "\(root)/\(place)\(name)", seed: generator.next(),
                        count: Int64.random(in: 0...20000, using: &generator), modified: 1_650_000_000)
                    files += 1
                }
            }
            try makeDirectories("\(root)/empty")
            let server = try kind.start(root: root)

            let first = try await Command.run(server.url("/"), destination)
            #expect(first.wasSilent, "\(first)")
            removeTree("\(root)/empty")
            #expect(try treeDifferences(root, destination, skipping: [".dlsync"]) == [])
            try makeDirectories("\(root)/empty")

            let second = try await Command.run(server.url("/"), destination)
            #expect(second.wasSilent, "\(second)")
            let log = try server.stopAndReadLog()
            // lighttpd makes few listings at once, and asks to come again for more (503).
            let pages = log.filter { $0.target.hasSuffix("/") && ($0.status != 503 || kind != .lighttpd) }
            // The root, the five directories with files and the empty one, and the one that holds only a directory.
            #expect(pages.count == 2 * 7, "\(pages)")
            let others = log.filter { !$0.target.hasSuffix("/") }
            #expect(others.prefix(files).allSatisfy { $0.method == "GET" && $0.status == 200 })
            #expect(others.dropFirst(files).count == files)
            #expect(others.dropFirst(files).allSatisfy { $0.method == "HEAD" && $0.status == 200 })
        }
    }

    @Test("The depth of what is followed is the user's")
    func limitsDepth() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            for path in ["top", "one/file", "one/two/file"] { try writeFile("\(root)/\(path)", path) }
            try await NginxServer.run(root: root) { server in
                for (depth, expected) in [("0", ["top"]), ("1", ["one", "one/file", "top"])] {
                    let destination = directory.appending("depth-\(depth)")
                    let result = try await Command.run("--depth", depth, server.url("/"), destination)
                    #expect(result.wasSilent, "\(result)")
                    let paths = try treeListing(destination, skipping: [".dlsync"]).keys.sorted().map(\.description)
                    #expect(paths == expected)
                }
            }
        }
    }

    @Test("A directory is named by its page, so that only what lies below it comes")
    func staysBelow() async throws {
        try await withTemporaryDirectory { directory in
            let root = directory.appending("www")
            for path in ["outside", "wanted/in", "wanted/sub/in"] { try writeFile("\(root)/\(path)", path) }
            try await ApacheServer.run(root: root, listing: .table) { server in
                let destination = directory.appending("here")
                try await Command.runSilently(server.url("/wanted/"), destination)
                #expect(try treeDifferences("\(root)/wanted", destination, skipping: [".dlsync"]) == [])
            }
        }
    }
}
