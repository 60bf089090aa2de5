import Glibc

/// Runs Python's own `http.server` for tests.
package enum PythonServer {
    /// Debian's, which scripts/bootstrap installs.
    private static let program = "/usr/bin/python3"

    /// Whether it is there.
    package static var isInstalled: Bool { exists(program) }

    /// Starts it below a directory, as `python3 -m http.server` does, but with a log of its own.
    package static func start(root: String) throws -> WebServer {
        try WebServer(
            WebServer.Software(
                name: "Python's http.server", command: { [program, "-I", "\($0)/server.conf"] },
                configuration: script, gracefulSignal: SIGTERM,
                readLogLine: { AccessLogEntry(line: $0, firstNumber: 1) }, scheme: "http"),
            root: root)
    }

    private static func script(_ directory: String, _ root: String, _ port: UInt16) -> String {
        #"""
        import functools, http.server, os, signal, sys, threading

        log = open("\#(directory)/access.log", "a", encoding="ascii", errors="backslashreplace")
        lock = threading.Lock()

        class Handler(http.server.SimpleHTTPRequestHandler):
            status = 0
            length = 0

            def setup(self):
                super().setup()
                self.requests = 0

            def send_response(self, code, message=None):
                self.status, self.length = int(code), 0
                super().send_response(code, message)

            def send_header(self, name, value):
                if name == "Content-Length" and self.command == "GET":
                    self.length = int(value)
                super().send_header(name, value)

            def answer(self, method):
                method()
                self.requests += 1
                fields = [self.headers.get(name, "") for name in ("Range", "If-Range", "If-None-Match")]
                line = "\t".join([self.requestline, str(self.status), str(self.length), *fields, str(self.requests)])
                with lock:
                    print(line, file=log, flush=True)

            def do_GET(self):
                self.answer(super().do_GET)

            def do_HEAD(self):
                self.answer(super().do_HEAD)

            def log_message(self, *arguments):
                pass

        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        handler = functools.partial(Handler, directory="\#(root)")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", \#(port)), handler)
        with open("\#(directory)/pid", "w") as file:
            file.write(str(os.getpid()))
        server.serve_forever()
        """#
    }
}
