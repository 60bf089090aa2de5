import Glibc

/// Runs moto, a look-alike of Amazon's services, as an S3 of one bucket for tests.
package enum MotoServer {
    /// The bucket's name, which is the first directory of every URL.
    package static let bucket = "bucket"

    /// The interpreter of the virtual environment that scripts/bootstrap makes.
    private static var program: String? {
        func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        guard let cache = value("XDG_CACHE_HOME") ?? value("HOME").map({ $0 + "/.cache" }) else { return nil }
        // An installation that was interrupted has no such mark.
        return exists(cache + "/dlsync/moto/complete") ? cache + "/dlsync/moto/bin/python3" : nil
    }

    /// Whether it is there.
    package static var isInstalled: Bool { program != nil }

    /// Starts it with the files below a directory as objects, whose keys are their relative paths.
    package static func start(root: String) throws -> WebServer {
        let program = program ?? "python3 with moto"
        return try WebServer(
            WebServer.Software(
                name: "moto", command: { [program, "-I", "\($0)/server.conf"] }, configuration: script,
                gracefulSignal: SIGTERM, readLogLine: { AccessLogEntry(line: $0, firstNumber: 1) }, scheme: "http"),
            root: root)
    }

    private static func script(_ directory: String, _ root: String, _ port: UInt16) -> String {
        #"""
        import os, signal, sys, threading
        # Nothing of the person's own account is looked at.
        os.environ.update(
            AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1", AWS_CONFIG_FILE=os.devnull,
            AWS_SHARED_CREDENTIALS_FILE=os.devnull, AWS_EC2_METADATA_DISABLED="true")
        import boto3
        from moto import mock_aws
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        log = open("\#(directory)/access.log", "a", encoding="ascii", errors="backslashreplace")
        lock = threading.Lock()

        class Handler(WSGIRequestHandler):
            def log(self, *arguments):
                pass

        def traced(application):
            def answer(environ, start_response):
                status = []

                def start(line, headers, exc_info=None):
                    status.append(line.split(" ")[0])
                    return start_response(line, headers, exc_info)

                body = application(environ, start)
                pieces = list(body)
                if hasattr(body, "close"):
                    body.close()
                length = 0 if environ["REQUEST_METHOD"] == "HEAD" else sum(map(len, pieces))
                request = " ".join([environ["REQUEST_METHOD"], environ["RAW_URI"], environ["SERVER_PROTOCOL"]])
                fields = [environ.get("HTTP_" + name, "") for name in ("RANGE", "IF_RANGE", "IF_NONE_MATCH")]
                with lock:
                    print("\t".join([request, status[-1], str(length), *fields, "1"]), file=log, flush=True)
                return pieces

            return answer

        mock = mock_aws()
        mock.start()
        client = boto3.client("s3")
        client.create_bucket(Bucket="\#(bucket)")
        top = b"\#(root)"
        for place, _, names in os.walk(top):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    client.put_object(
                        Bucket="\#(bucket)", Key=os.path.relpath(path, top).decode(), Body=file.read(), ACL="public-read")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        application = traced(DomainDispatcherApplication(create_backend_app))
        server = make_server("127.0.0.1", \#(port), application, threaded=True, request_handler=Handler)
        with open("\#(directory)/pid", "w") as file:
            file.write(str(os.getpid()))
        server.serve_forever()
        """#
    }
}
