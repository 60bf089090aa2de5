"""Runs one command and says what it cost."""

import mmap
import os
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cost:
    """What one run of a command cost. Seconds and bytes."""

    wall: float
    cpu: float
    memory: int
    status: int
    timed_out: bool
    # Seconds of a processor that others used meanwhile, where it was measured.
    others: float = 0.0


def gnu_time():
    """The path of GNU time. A child's peak memory starts with that of the process that forked it, so a small one must."""
    return shutil.which("time") or "/usr/bin/time"


def environment(home):
    """What the tools see: no configuration of the user's, no proxy, one language."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "no_proxy": "*",
    }


def warm(size):
    """Touches so much memory and frees it. In a virtual machine the first touch of a page can cost several times as much as any
    later one, and whoever comes first would pay for all."""
    mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()


TICKS = os.sysconf("SC_CLK_TCK")


def busy():
    """How many seconds all processors together were not idle since the machine started, and had to wait for its host."""
    values = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = values
    return (user + nice + system + interrupts + soft_interrupts + stolen) / TICKS


def used_by(root):
    """How many seconds of a processor a process, all that it started and all that these waited for have used."""
    children = {}
    used = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        used[int(entry.name)] = sum(int(field) for field in fields[11:15]) / TICKS
    total, waiting = 0.0, [root]
    while waiting:
        process = waiting.pop()
        total += used.get(process, 0)
        waiting += children.get(process, [])
    return total


class Others:
    """What else runs on this machine, from its making to `used`."""

    def __init__(self):
        self.before = busy() - used_by(os.getpid())

    def used(self):
        """How many seconds of a processor went to others, the host of a virtual machine among them."""
        return max(0.0, busy() - used_by(os.getpid()) - self.before)


def calm(patience=10):
    """Waits until others hardly use the machine, for at most so many seconds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        others = Others()
        time.sleep(0.5)
        if others.used() < 0.05:
            return


class Running:
    """A command that was started under GNU time, in a session of its own."""

    def __init__(self, command, directory, home, prefix=()):
        directory = Path(directory)
        self.report = directory / "memory"
        argv = [*prefix, gnu_time(), "-q", "-f", "%M", "-o", str(self.report), *map(str, command)]
        with open(directory / "output", "wb") as output:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=environment(home), cwd=directory, start_new_session=True)
        self.descriptor = os.pidfd_open(self.process.pid)

    def ended(self, timeout):
        """Whether the command ended within these seconds."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return bool(poll.poll(timeout * 1000))

    def child(self):
        """The process id of the command itself, or None once it is gone."""
        pid = self.process.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def peak_memory(self):
        """The highest resident memory of the command so far, in bytes; 0 once it is gone."""
        child = self.child()
        try:
            for line in Path(f"/proc/{child}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        except OSError:
            pass
        return 0

    def kill(self):
        """Ends the command and all that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def cost(self, timed_out=False):
        """Waits for the end."""
        _, status, usage = os.wait4(self.process.pid, 0)
        wall = time.monotonic() - self.started
        os.close(self.descriptor)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        try:
            memory = int(self.report.read_text().split()[-1]) * 1024
        except (OSError, ValueError, IndexError):
            memory = 0
        return Cost(wall, usage.ru_utime + usage.ru_stime, memory, self.process.returncode, timed_out)


def run(command, directory, home, timeout, prefix=()):
    """Runs a command to its end, or kills it after `timeout` seconds."""
    running = Running(command, directory, home, prefix)
    timed_out = False
    try:
        timed_out = not running.ended(timeout)
    finally:
        running.kill()
        cost = running.cost(timed_out)
    return cost
