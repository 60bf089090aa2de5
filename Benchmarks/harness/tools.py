"""How each tool is told to do a kind of work, as well as it can."""

import shlex
from pathlib import Path

LFTP = "set cmd:fail-exit yes; set net:max-retries 3; "


class Job:
    """One run: what is fetched, where to, and with how many connections."""

    def __init__(self, lab, server, data, path, destination, connections=16, tls=False, base=None):
        self.lab, self.data, self.path, self.destination = lab, data, path, Path(destination)
        self.connections, self.tls = connections, tls
        self.base = base or server.url(tls)
        self.certificate = server.certificate

    @property
    def url(self):
        """The address of the directory, with a slash at its end."""
        return f"{self.base}/{self.path}/"

    @property
    def file(self):
        """The name of the only file of the set."""
        return next(iter(self.digests))

    @property
    def digests(self):
        return self.lab.data.get(self.data)

    def list(self, form):
        """A list of the files, written once for each address."""
        return self.lab.list(self.url, sorted(self.digests), form, self.destination)

    @property
    def levels(self):
        """How many directories there are above the set on the server."""
        return self.path.count("/") + 1


# MARK: dlsync


def dlsync(job, *options, transfers=None):
    transfers = str(transfers or job.connections)
    return [job.lab.dlsync, "-q", "--progress", "none", "-j", transfers, "--per-host", transfers,
            *(["--cacert", job.certificate] if job.tls else []), *options]


def dlsync_file(job):
    return [*dlsync(job, "-s", str(job.connections)), job.list("aria2"), job.destination]


def dlsync_file_auto(job):
    """With all that is left to it: how many segments, and when."""
    return [*dlsync(job), job.list("aria2"), job.destination]


def dlsync_list(job):
    return [*dlsync(job), job.list("aria2"), job.destination]


def dlsync_index(job):
    return [*dlsync(job), job.url, job.destination]


def dlsync_trusting(job):
    return [*dlsync(job, "--trust-listing"), job.url, job.destination]


# MARK: one file


def curl_null(job):
    """The limit: one connection whose bytes go nowhere."""
    return ["curl", "-sS", "-f", "-o", "/dev/null", *(["--cacert", job.certificate] if job.tls else []), job.url + job.file]


def curl_null_ranges(job):
    """The limit: as many connections, each with its share of the bytes, which go nowhere."""
    size = (job.lab.data.root / job.data / job.file).stat().st_size
    share = size // job.connections
    trust = f"--cacert {shlex.quote(str(job.certificate))} " if job.tls else ""
    parts = [f"curl -sS -f {trust}-r {number * share}-{size - 1 if number == job.connections - 1 else (number + 1) * share - 1} "
             f"-o /dev/null {job.url}{job.file}" for number in range(job.connections)]
    return ["sh", "-c", " & ".join(parts) + " & wait"]


def curl_file(job):
    return ["curl", "-sS", "-f", "-R", *(["--cacert", job.certificate] if job.tls else []),
            "-o", job.destination / job.file, job.url + job.file]


def curl_resume(job):
    return [*curl_file(job)[:4], "-C", "-", *curl_file(job)[4:]]


def wget_file(job):
    return ["wget", "-q", *([f"--ca-certificate={job.certificate}"] if job.tls else []),
            "-O", job.destination / job.file, job.url + job.file]


def wget_resume(job):
    return [*wget_file(job)[:2], "-c", *wget_file(job)[2:]]


def wget2_file(job):
    return ["wget2", "-q", *([f"--ca-certificate={job.certificate}"] if job.tls else []),
            "-O", job.destination / job.file, job.url + job.file]


def lftp(job, command):
    trust = f"set ssl:ca-file {job.certificate}; " if job.tls else ""
    return ["lftp", "-c", LFTP + trust + command]


def lftp_file(job):
    verb = f"pget -n {job.connections}" if job.connections > 1 else "get"
    return lftp(job, f"{verb} {job.url}{job.file} -o {job.destination / job.file}")


def aria2c(job, *options):
    return ["aria2c", "--no-conf", "-q", "--file-allocation=none", "-R",
            *([f"--ca-certificate={job.certificate}"] if job.tls else []), *options]


def aria2c_file(job):
    count = job.connections
    return aria2c(job, "--allow-overwrite=false", f"-x{count}", f"-s{count}", "-k1M", "-d", job.destination,
                  "-o", job.file, job.url + job.file)


def aria2c_resume(job):
    return [*aria2c_file(job)[:3], "-c", "--auto-save-interval=1", *aria2c_file(job)[3:]]


def axel_file(job):
    return ["axel", "-q", *(["-k"] if job.tls else []), f"-n{job.connections}", "-o", job.destination / job.file,
            job.url + job.file]


def rclone(job, path, *options):
    return ["rclone", "copy", f":http:{path}", job.destination, "--http-url", job.url, "-q",
            *(["--ca-cert", job.certificate] if job.tls else []), *options]


def rclone_file(job):
    return rclone(job, job.file, "--multi-thread-streams", job.connections, "--multi-thread-cutoff", "1M")


# MARK: many files


def curl_many(job, *options):
    return ["curl", "-sS", "-f", "-Z", *(["--cacert", job.certificate] if job.tls else []), "--create-dirs", "-R", *options,
            "-K", job.list("curl")]


def curl_list(job):
    return curl_many(job, "--http1.1", "--parallel-max", job.connections)


def curl_list_http2(job):
    return curl_many(job, "--http2", "--parallel-max", job.connections)


def curl_list_streams(job):
    return curl_many(job, "--http2", "--parallel-max", "100")


def wget2_many(job, *options):
    return ["wget2", "-q", *([f"--ca-certificate={job.certificate}"] if job.tls else []), *options, "-x", "-nH",
            f"--cut-dirs={job.levels}", "-P", job.destination, f"--max-threads={job.connections}", "-i", job.list("urls")]


def wget2_list(job):
    return wget2_many(job)


def wget2_newer(job):
    return wget2_many(job, "-N")


def aria2c_list(job):
    return aria2c(job, "--allow-overwrite=false", f"-j{job.connections}", "-x1", "-s1", "-d", job.destination,
                  "-i", job.list("aria2"))


def aria2c_newer(job):
    return aria2c(job, "--conditional-get=true", "--allow-overwrite=true", f"-j{job.connections}", "-x1", "-s1",
                  "-d", job.destination, "-i", job.list("aria2"))


def rclone_tree(job):
    return rclone(job, "", "--transfers", job.connections, "--checkers", job.connections)


def rclone_tree_no_head(job):
    return [*rclone_tree(job), "--http-no-head"]


def rclone_list(job):
    return [*rclone_tree(job), "--no-traverse", "--files-from", job.list("names")]


def lftp_tree(job):
    return lftp(job, f"set net:connection-limit {job.connections}; mirror --parallel={job.connections} {job.url} {job.destination}")


def wget2_tree(job):
    return ["wget2", "-q", *([f"--ca-certificate={job.certificate}"] if job.tls else []), "-m", "-np", "-nH",
            f"--cut-dirs={job.levels}", "--robots=off", f"--max-threads={job.connections}", "-P", job.destination, job.url]


def copy_tree(job):
    return ["cp", "-r", job.lab.data.root / job.data, job.destination / "copy"]
