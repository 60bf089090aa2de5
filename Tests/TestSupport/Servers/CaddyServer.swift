import Foundation

/// Runs Caddy for tests.
package enum CaddyServer {
    private static let program = "/usr/bin/caddy"

    /// Whether it is there.
    package static var isInstalled: Bool { exists(program) }

    /// Starts Caddy below a directory, with listings.
    package static func start(root: String) throws -> WebServer {
        try WebServer(
            WebServer.Software(
                name: "Caddy",
                command: { directory in
                    // It keeps its last configuration, not the person's.
                    [
                        "/usr/bin/env", "XDG_CONFIG_HOME=\(directory)", "XDG_DATA_HOME=\(directory)", program, "run",
                        "--adapter", "caddyfile", "--config", "\(directory)/server.conf", "--pidfile",
                        "\(directory)/pid",
                    ]
                },
                configuration: { directory, root, port in
                    """
                    {
                        admin off
                        auto_https off
                        log {
                            output file "\(directory)/error.log"
                            exclude http.log.access
                        }
                    }
                    http://127.0.0.1:\(port) {
                        bind 127.0.0.1
                        root * "\(root)"
                        file_server browse
                        log {
                            output file "\(directory)/access.log"
                            format json
                        }
                    }
                    """
                },
                gracefulSignal: SIGTERM, readLogLine: entry, scheme: "http"),
            root: root)
    }

    private static func entry(_ line: Substring) -> AccessLogEntry? {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { return nil }
        let header = { (name: String) in line.request.headers[name]?.first }
        return AccessLogEntry(
            method: line.request.method, target: line.request.uri, version: line.request.proto, status: line.status,
            // What a HEAD would have had is counted, too.
            bodyBytes: line.request.method == "HEAD" ? 0 : line.size, range: header("Range"),
            ifRange: header("If-Range"), ifNoneMatch: header("If-None-Match"))
    }

    private struct Line: Decodable {
        struct Request: Decodable {
            let method: String
            let uri: String
            let proto: String
            let headers: [String: [String]]
        }
        let request: Request
        let status: Int
        let size: Int64
    }
}
