import Glibc

/// Runs Apache for tests.
package enum ApacheServer {
    /// The form of mod_autoindex's listings.
    package enum Listing: String, Sendable, CaseIterable {
        /// A list of names alone.
        case plain = "IndexOptions None"
        /// Columns in `<pre>`.
        case fancy = "IndexOptions FancyIndexing"
        /// Columns in a table.
        case table = "IndexOptions FancyIndexing HTMLTable"
    }

    /// Starts Apache below a directory, with listings. Where the tests run as root, Apache serves as `www-data`: the
    /// directory and those above it must be readable for everyone.
    /// - Parameter directives: further directives for the directory.
    package static func start(root: String, listing: Listing = .fancy, directives: String = "") throws -> WebServer {
        try WebServer(
            WebServer.Software(
                name: "Apache",
                command: { ["/usr/sbin/apache2", "-DFOREGROUND", "-f", "\($0)/server.conf"] },
                configuration: { directory, root, port in
                    let modules = ["mpm_event", "authz_core", "dir", "autoindex", "mime", "dav", "dav_fs"]
                    let loading = modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
                    return """
                        \(loading.joined(separator: "\n"))
                        ServerName localhost
                        Listen 127.0.0.1:\(port)
                        \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
                        PidFile "\(directory)/pid"
                        DefaultRuntimeDir "\(directory)"
                        ErrorLog "\(directory)/error.log"
                        LogFormat "%r\\t%>s\\t%B\\t%{Range}i\\t%{If-Range}i\\t%{If-None-Match}i\\t%k" traced
                        CustomLog "\(directory)/access.log" traced
                        StartServers 1
                        GracefulShutdownTimeout 5
                        TypesConfig /dev/null
                        AddType text/html .html .htm
                        AddType text/plain .txt
                        DavLockDB "\(directory)/locks"
                        DocumentRoot "\(root)"
                        <Directory "\(root)">
                            Options Indexes FollowSymLinks
                            AllowOverride None
                            Require all granted
                            \(listing.rawValue)
                            \(directives)
                        </Directory>
                        """
                },
                gracefulSignal: SIGWINCH, readLogLine: { AccessLogEntry(line: $0, firstNumber: 0) }, scheme: "http"),
            root: root)
    }

    /// Runs Apache below a directory for the length of `body`.
    package static func run<Result>(
        root: String, listing: Listing = .fancy, _ body: (WebServer) async throws -> Result
    ) async throws -> Result {
        let server = try start(root: root, listing: listing)
        defer { server.stop() }
        return try await body(server)
    }
}
