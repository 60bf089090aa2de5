"""The place of one run of the benchmarks: its directories, data, servers, and what is to be stopped at the end."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from . import data, server

HARNESS = Path(__file__).parent


class Lab:
    """All that a run of the benchmarks has; `close` stops and removes it."""

    def __init__(self, dlsync):
        self.dlsync = dlsync
        self.memory = Path(tempfile.mkdtemp(prefix="dlsync-bench.", dir="/dev/shm"))
        self.disk = Path(tempfile.mkdtemp(prefix="dlsync-bench."))
        self.home = self.memory / "home"
        self.home.mkdir()
        self.data = data.Data(self.memory / "data")
        self.lists = {}
        self.count = 0
        self.help = None
        self.local = None
        self.wires = {}
        self.started = []

    def close(self, keep):
        for thing in reversed(self.started):
            thing.stop()
        self.started = []
        if keep:
            print(f"bench: kept {self.memory} and {self.disk}")
        else:
            shutil.rmtree(self.memory, ignore_errors=True)
            shutil.rmtree(self.disk, ignore_errors=True)

    def knows(self, option):
        """Whether dlsync has an option."""
        if self.help is None:
            self.help = subprocess.run([self.dlsync, "--help"], capture_output=True, text=True, check=False).stdout
        return option in self.help

    def fresh(self, place):
        """A new directory in memory or on the disk: one that was emptied just now can be slower."""
        self.count += 1
        directory = getattr(self, place) / f"run{self.count:04}"
        directory.mkdir()
        return directory

    def discard(self, directory):
        """Removes a run's directory, unless that would slow the next runs down: on the disk only few inodes are freed at a time."""
        directory = Path(directory)
        if directory.is_relative_to(self.disk) and sum(len(files) for _, _, files in os.walk(directory)) > 200:
            return
        shutil.rmtree(directory)

    def list(self, base, names, form, destination):
        """A file that lists these names below an address. The lists of curl name the destination; the others are made once."""
        key = (base, len(names), form, destination if form == "curl" else None)
        if key not in self.lists:
            self.count += 1
            path = self.memory / f"list{self.count:04}.{form}"
            with open(path, "w", encoding="utf-8") as file:
                for name in names:
                    url = base + quote(name)
                    if form == "urls":
                        file.write(f"{url}\n")
                    elif form == "aria2":
                        file.write(f"{url}\n out={name}\n")
                    elif form == "curl":
                        file.write(f'url = "{url}"\noutput = "{destination}/{name}"\n')
                    else:
                        file.write(f"{name}\n")
            self.lists[key] = path
        return self.lists[key]

    def forget_lists(self, base):
        """Removes the lists of an address."""
        for key in [key for key in self.lists if key[0] == base]:
            self.lists.pop(key).unlink()

    def server(self):
        """The server on this machine."""
        if self.local is None:
            self.local = server.Server(self.memory / "server", self.data.root)
            self.started.append(self.local)
        return self.local

    def relay(self, rate):
        """A way to the server that gives each connection so many bytes a second."""
        relay = Relay(self.memory, self.server(), rate)
        self.started.append(relay)
        return relay

    def wire(self, loss):
        """A server behind a long and lossy wire."""
        if loss not in self.wires:
            wire = Wire(self.memory / f"wire{loss}", self.data.root, loss)
            self.started.append(wire)
            self.wires[loss] = wire
        return self.wires[loss]


class Program:
    """A program of the harness, which says a line when it is ready."""

    def __init__(self, name, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-I", HARNESS / name, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.said = self.process.stdout.readline().decode().strip()
        if not self.said:
            self.process.wait()
            raise RuntimeError(f"{name} does not start")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.process.stdout.close()


class Relay(Program):
    """relay.py before the plain port of a server."""

    def __init__(self, directory, behind, rate):
        port = server.free_port()
        self.counter = Path(directory) / f"counter{port}"
        super().__init__("relay.py", port, behind.address, behind.plain_port, rate, self.counter)
        self.base = f"http://127.0.0.1:{port}"

    @property
    def sent(self):
        """How many bytes went to clients."""
        return int.from_bytes(self.counter.read_bytes(), "little")


class Wire(Program):
    """wire.py, and a server at its far end."""

    RTT, RATE = 40, 200

    def __init__(self, directory, root, loss):
        super().__init__("wire.py", self.RTT, self.RATE, loss)
        pid, server_space, client_space = self.said.split()
        enter = shutil.which("nsenter") or "nsenter"
        self.prefix = (enter, f"--net=/proc/{pid}/fd/{client_space}", "--")
        try:
            self.server = server.Server(
                directory, root, "10.77.0.1", (enter, f"--net=/proc/{pid}/fd/{server_space}", "--"))
        except BaseException:
            super().stop()
            raise

    def stop(self):
        self.server.stop()
        super().stop()


def wire_trouble():
    """Why there can be no wire here, or nothing."""
    if os.geteuid() != 0:
        return "needs root, for network namespaces"
    if not os.path.exists("/dev/net/tun"):
        return "needs /dev/net/tun"
    if not shutil.which("nsenter") or not shutil.which("ip"):
        return "needs nsenter and ip"
    return None
