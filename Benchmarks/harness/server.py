"""Starts nginx with a configuration of its own, and reads what its log says of one run."""

import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

COLUMNS = r"$request_method\t$status\t$body_bytes_sent\t$connection\t$server_protocol\t$msec\t$request_time\t$request_uri"

CONFIGURATION = """
{user}
daemon off;
worker_processes 2;
worker_rlimit_nofile 20000;
pid "{prefix}/pid";
error_log "{prefix}/error.log" error;
events {{ worker_connections 4096; }}
http {{
    types {{ text/html html; }}
    default_type application/octet-stream;
    log_format columns escape=none '{columns}';
    access_log "{prefix}/access.log" columns;
    client_body_temp_path "{prefix}/body";
    proxy_temp_path "{prefix}/proxy";
    fastcgi_temp_path "{prefix}/fastcgi";
    uwsgi_temp_path "{prefix}/uwsgi";
    scgi_temp_path "{prefix}/scgi";
    sendfile on;
    tcp_nopush on;
    server {{
        listen {address}:{plain};
        listen {address}:{tls} ssl http2;
        ssl_certificate "{prefix}/certificate.pem";
        ssl_certificate_key "{prefix}/key.pem";
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:sessions:4m;
        root "{root}";
        autoindex on;
        autoindex_exact_size on;
        location /limited/ {{ alias "{root}/"; limit_rate 4m; }}
        location /void/ {{ return 200 ""; }}
    }}
}}
"""


@dataclass
class Traffic:
    """What the server's log says of one run."""

    requests: int = 0
    heads: int = 0
    sent: int = 0
    connections: int = 0
    at_once: int = 0
    ramp: float = 0.0
    protocols: str = ""


def free_port(address="127.0.0.1"):
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


class Server:
    """nginx, until `stop`. `prefix_command` puts it into another network namespace."""

    def __init__(self, directory, root, address="127.0.0.1", prefix_command=()):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True)
        self.address = address
        inside = bool(prefix_command)
        self.plain_port, self.tls_port = (8080, 8443) if inside else (free_port(), free_port())
        self.certificate = self.directory / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=benchmark", "-addext", f"subjectAltName=IP:{address}",
             "-keyout", self.directory / "key.pem", "-out", self.certificate],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # As root nginx would become another user, who may not read the data.
        configuration = CONFIGURATION.format(
            user="user root;" if shutil.os.geteuid() == 0 else "", prefix=self.directory, root=root, columns=COLUMNS,
            address=address, plain=self.plain_port, tls=self.tls_port)
        (self.directory / "nginx.conf").write_text(configuration)
        self.log = self.directory / "access.log"
        nginx = shutil.which("nginx", path=shutil.os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        if nginx is None:
            raise SystemExit("bench: There is no nginx here. Run scripts/bootstrap --with-benchmarks.")
        with open(self.directory / "output", "wb") as output:
            self.process = subprocess.Popen(
                [*prefix_command, nginx, "-e", self.directory / "error.log", "-p", self.directory,
                 "-c", self.directory / "nginx.conf"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        while not (self.directory / "pid").exists() or not (self.directory / "pid").read_text().strip():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise SystemExit("bench: nginx does not start: " + (self.directory / "output").read_text())
            time.sleep(0.02)
        self.offset = 0

    def stop(self):
        """Ends nginx, and waits for it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def url(self, tls=False):
        """The address without a path, and without a slash at its end."""
        return f"https://{self.address}:{self.tls_port}" if tls else f"http://{self.address}:{self.plain_port}"

    def begin(self):
        """What is in the log up to now belongs to nobody."""
        self.settle()
        self.offset = self.log.stat().st_size

    def settle(self):
        """Waits until nothing is added to the log. A line is written when its request ends."""
        size, quiet = -1, 0
        for _ in range(200):
            now = self.log.stat().st_size
            quiet = quiet + 1 if now == size else 0
            size = now
            if quiet >= 4:
                return
            time.sleep(0.03)

    def traffic(self):
        """What was asked since `begin`."""
        self.settle()
        with open(self.log, "rb") as log:
            log.seek(self.offset)
            lines = log.read().decode("utf-8", "replace").splitlines()
        return traffic_of(lines)


def traffic_of(lines):
    """Counts the lines of a log."""
    result = Traffic()
    spans, protocols, starts = {}, {}, []
    for line in lines:
        method, status, sent, connection, protocol, ended, took, _ = line.split("\t", 7)
        result.requests += 1
        result.heads += method == "HEAD"
        result.sent += int(sent)
        end = float(ended)
        start = end - float(took)
        first, last = spans.get(connection, (start, end))
        spans[connection] = (min(first, start), max(last, end))
        protocols[protocol] = protocols.get(protocol, 0) + 1
        starts.append(start)
    result.connections = len(spans)
    # The log's clock has milliseconds: where one connection ends as another begins, the end comes first.
    events = [(first, 1) for first, _ in spans.values()] + [(last, -1) for _, last in spans.values()]
    open_now = 0
    for _, change in sorted(events):
        open_now += change
        result.at_once = max(result.at_once, open_now)
    if spans:
        firsts = sorted(first for first, _ in spans.values())
        result.ramp = firsts[-1] - firsts[0]
    result.protocols = ",".join(sorted(protocols))
    return result
