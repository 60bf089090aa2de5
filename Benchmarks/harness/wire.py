"""A long, narrow and lossy wire between two network namespaces of its own, which end with it. Needs root.

    wire.py RTT-MS MBIT-PER-SECOND LOSS-PERCENT

Each end is a TUN device, and this program carries the packets: after a queue of the given rate and half of the round trip.
Packets from the server are lost by the given probability, and both ways once more than a round trip's worth is queued. It
prints its process id and the numbers of the descriptors of the server's and the client's namespace, for nsenter(1).
"""

import collections
import ctypes
import errno
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
SERVER, CLIENT = "10.77.0.1", "10.77.0.2"


def end(address, peer):
    """Enters a new namespace with one device; gives the descriptors of device and namespace."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNET) != 0:
        raise SystemExit("wire: " + os.strerror(ctypes.get_errno()))
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"wire", IFF_TUN | IFF_NO_PI))
    for command in ("link set lo up", f"addr add {address} peer {peer} dev wire", "link set wire up mtu 1500 txqueuelen 2000",
                    # As on most servers, whatever this machine prefers.
                    f"route replace {peer} dev wire congctl cubic"):
        subprocess.run(["ip", *command.split()], check=True)
    return device, os.open("/proc/self/ns/net", os.O_RDONLY)


class Direction:
    """Packets from one end to the other."""

    def __init__(self, source, target, delay, rate, loss, queue):
        self.source, self.target, self.delay, self.rate, self.loss, self.queue = source, target, delay, rate, loss, queue
        self.free = 0.0
        self.flying = collections.deque()
        self.generator = random.Random(1)

    def take(self, now):
        """Takes all packets that are there."""
        while True:
            try:
                packet = os.read(self.source, 65536)
            except BlockingIOError:
                return
            begin = max(now, self.free)
            if begin - now > self.queue or self.generator.random() < self.loss:
                continue
            self.free = begin + len(packet) / self.rate
            self.flying.append((self.free + self.delay, packet))

    def give(self, now):
        """Gives the packets whose time has come."""
        while self.flying and self.flying[0][0] <= now:
            _, packet = self.flying.popleft()
            try:
                os.write(self.target, packet)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EIO, errno.EINVAL):
                    raise


def main():
    rtt, rate, loss = float(sys.argv[1]) / 1000, float(sys.argv[2]) * 1e6 / 8, float(sys.argv[3]) / 100
    server, server_space = end(SERVER, CLIENT)
    client, client_space = end(CLIENT, SERVER)
    print(os.getpid(), server_space, client_space, flush=True)
    directions = [Direction(server, client, rtt / 2, rate, loss, rtt), Direction(client, server, rtt / 2, rate, 0, rtt)]
    while True:
        due = min((direction.flying[0][0] for direction in directions if direction.flying), default=None)
        wait = 1 if due is None else max(0, due - time.monotonic())
        select.select([server, client], [], [], wait)
        now = time.monotonic()
        for direction in directions:
            direction.take(now)
            direction.give(now)


main()
