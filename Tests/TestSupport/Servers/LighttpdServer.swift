import Glibc

/// Runs lighttpd for tests.
package enum LighttpdServer {
    private static let program = "/usr/sbin/lighttpd"

    /// Whether it is there.
    package static var isInstalled: Bool { exists(program) }

    /// Starts lighttpd below a directory, with listings that hold hidden files, too.
    package static func start(root: String) throws -> WebServer {
        try WebServer(
            WebServer.Software(
                name: "lighttpd", command: { [program, "-D", "-f", "\($0)/server.conf"] },
                configuration: { directory, root, port in
                    """
                    server.modules = ( "mod_accesslog", "mod_dirlisting" )
                    server.document-root = "\(root)"
                    server.bind = "127.0.0.1"
                    server.port = \(port)
                    server.pid-file = "\(directory)/pid"
                    server.errorlog = "\(directory)/error.log"
                    accesslog.filename = "\(directory)/access.log"
                    accesslog.format = "%r\t%s\t%B\t%{Range}i\t%{If-Range}i\t%{If-None-Match}i\t%k"
                    dir-listing.activate = "enable"
                    dir-listing.hide-dotfiles = "disable"
                    dir-listing.encoding = "utf-8"
                    mimetype.assign = ( ".txt" => "text/plain", ".html" => "text/html", "" => "application/octet-stream" )
                    """
                },
                gracefulSignal: SIGINT, readLogLine: { AccessLogEntry(line: $0, firstNumber: 0) }, scheme: "http"),
            root: root)
    }
}
