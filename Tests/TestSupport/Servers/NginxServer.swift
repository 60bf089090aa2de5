import Glibc

/// Runs nginx for tests.
package enum NginxServer {
    /// The form of nginx's listings.
    package enum Listing: String, Sendable { case html, json, xml }

    /// Starts nginx below a directory, with listings, ranges and validators as it has them by default.
    /// - Parameter exactSizes: whether listings show bytes; else `1.2M`.
    /// - Parameter bytesPerSecond: how fast each connection may be (`limit_rate`).
    /// - Parameter mostActive: how many requests may be answered at once, the others get 503 (`limit_conn`).
    /// - Parameter tls: a certificate, for HTTPS instead of plain HTTP.
    /// - Parameter http2: whether HTTPS offers HTTP/2.
    /// - Parameter directives: further directives of the server block.
    package static func start(
        root: String, listing: Listing = .html, exactSizes: Bool = true, bytesPerSecond: Int? = nil,
        mostActive: Int? = nil, tls: ServerCertificate? = nil, http2: Bool = true,
        directives: String = ""
    ) throws -> WebServer {
        try WebServer(
            WebServer.Software(
                name: "nginx",
                command: { ["/usr/sbin/nginx", "-e", "\($0)/error.log", "-p", $0, "-c", "\($0)/server.conf"] },
                configuration: { directory, root, port in
                    """
                    \(geteuid() == 0 ? "user root;" : "")
                    daemon off;
                    worker_processes 1;
                    pid \(directory)/pid;
                    events { worker_connections 1024; }
                    http {
                        types { text/html html htm; text/plain txt; application/xml xml; application/gzip gz; }
                        default_type application/octet-stream;
                        log_format traced escape=none '$request\\t$status\\t$body_bytes_sent\\t$http_range\\t$http_if_range\\t$http_if_none_match\\t$connection_requests';
                        access_log \(directory)/access.log traced;
                        client_body_temp_path \(directory)/body;
                        proxy_temp_path \(directory)/proxy;
                        fastcgi_temp_path \(directory)/fastcgi;
                        uwsgi_temp_path \(directory)/uwsgi;
                        scgi_temp_path \(directory)/scgi;
                        limit_conn_zone $server_name zone=active:1m;
                        server {
                            listen 127.0.0.1:\(port)\(tls == nil ? "" : http2 ? " ssl http2" : " ssl");
                            \(tls.map { "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);" } ?? "")
                            server_name localhost;
                            root "\(root)";
                            autoindex on;
                            autoindex_format \(listing.rawValue);
                            autoindex_exact_size \(exactSizes ? "on" : "off");
                            \(bytesPerSecond.map { "limit_rate \($0);" } ?? "")
                            \(mostActive.map { "limit_conn active \($0);" } ?? "")
                            \(directives)
                        }
                    }
                    """
                },
                gracefulSignal: SIGQUIT, readLogLine: { AccessLogEntry(line: $0, firstNumber: 1) },
                scheme: tls == nil ? "http" : "https"),
            root: root)
    }

    /// Starts nginx over TLS in front of a scripted server, which gets every request and whose answers are handed on as
    /// they come. What ends early there ends early here: by a reset of the stream over HTTP/2, else by a close.
    /// - Parameter directives: further directives of the server block.
    package static func start(
        inFrontOf server: FaultServer, tls: ServerCertificate, http2: Bool = true, directives: String = ""
    ) throws -> WebServer {
        try start(
            root: "/var/empty", tls: tls, http2: http2,
            directives: """
                location / {
                    proxy_pass \(server.origin);
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_set_header Host $http_host;
                    proxy_buffering off;
                    proxy_next_upstream off;
                }
                \(directives)
                """)
    }

    /// Runs nginx below a directory for the length of `body`. More is set by ``start(root:listing:exactSizes:bytesPerSecond:mostActive:tls:http2:directives:)``.
    package static func run<Result>(
        root: String, _ body: (WebServer) async throws -> Result
    ) async throws -> Result {
        let server = try start(root: root)
        defer { server.stop() }
        return try await body(server)
    }
}
