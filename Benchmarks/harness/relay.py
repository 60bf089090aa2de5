"""Passes TCP connections on, and gives each of them so many bytes a second and no more.

    relay.py LISTEN-PORT ADDRESS PORT BYTES-PER-SECOND COUNTER-FILE

A server's own limit (as nginx's limit_rate) holds for each request, and gives the first second's worth at once. This one holds
for a connection, whatever is asked on it. The counter is the number of bytes that went to clients, as 8 bytes, little-endian.
"""

import mmap
import select
import socket
import struct
import sys
import time

TICK = 0.005
PIECE = 256 * 1024


class Pair:
    """A client's connection and the server's behind it."""

    def __init__(self, client, server, rate):
        self.client, self.server, self.rate = client, server, rate
        self.most = max(32768, rate * 2 * TICK)
        self.tokens = self.most
        self.filled = time.monotonic()
        self.waiting = b""
        self.reads = True

    def fill(self, now):
        self.tokens = min(self.most, self.tokens + (now - self.filled) * self.rate)
        self.filled = now


class Relay:
    def __init__(self, listener, upstream, rate, counter):
        self.listener, self.upstream, self.rate, self.counter = listener, upstream, rate, counter
        self.poll = select.epoll()
        self.poll.register(listener.fileno(), select.EPOLLIN)
        self.sides = {}
        self.pairs = set()
        self.total = 0

    def run(self):
        ticked = time.monotonic()
        while True:
            held = any(not pair.reads for pair in self.pairs)
            for descriptor, events in self.poll.poll(TICK if held else 1):
                if descriptor == self.listener.fileno():
                    self.accept()
                elif descriptor in self.sides:
                    self.serve(descriptor, events)
            now = time.monotonic()
            if now - ticked >= TICK:
                ticked = now
                for pair in list(self.pairs):
                    if not pair.reads and not pair.waiting:
                        pair.reads = True
                        self.poll.modify(pair.server.fileno(), select.EPOLLIN)

    def accept(self):
        client, _ = self.listener.accept()
        server = socket.socket()
        # What the server has sent but the client has not got should stay small.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        server.connect(self.upstream)
        for side in (client, server):
            side.setblocking(False)
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = Pair(client, server, self.rate)
        self.pairs.add(pair)
        for side in (client, server):
            self.sides[side.fileno()] = pair
            self.poll.register(side.fileno(), select.EPOLLIN)

    def serve(self, descriptor, events):
        pair = self.sides[descriptor]
        try:
            if descriptor == pair.client.fileno():
                if events & select.EPOLLOUT:
                    self.send(pair)
                if events & ~select.EPOLLOUT:
                    request = pair.client.recv(65536)
                    if not request:
                        return self.close(pair)
                    pair.server.sendall(request)
            else:
                self.receive(pair)
        except BlockingIOError:
            pass
        except OSError:
            self.close(pair)
        return None

    def receive(self, pair):
        pair.fill(time.monotonic())
        if pair.tokens < 4096 or pair.waiting:
            pair.reads = False
            self.poll.modify(pair.server.fileno(), 0)
            return
        pair.waiting = pair.server.recv(min(PIECE, int(pair.tokens)))
        if not pair.waiting:
            self.close(pair)
            return
        pair.tokens -= len(pair.waiting)
        self.send(pair)

    def send(self, pair):
        sent = 0
        try:
            sent = pair.client.send(pair.waiting)
        except BlockingIOError:
            pass
        self.total += sent
        struct.pack_into("<Q", self.counter, 0, self.total)
        pair.waiting = pair.waiting[sent:]
        self.poll.modify(pair.client.fileno(), select.EPOLLIN | (select.EPOLLOUT if pair.waiting else 0))

    def close(self, pair):
        self.pairs.discard(pair)
        for side in (pair.client, pair.server):
            self.sides.pop(side.fileno(), None)
            side.close()


def main():
    port, address, upstream_port, rate, path = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=256)
    with open(path, "w+b") as file:
        file.write(bytes(8))
        file.flush()
        counter = mmap.mmap(file.fileno(), 8)
    print("ready", flush=True)
    Relay(listener, (address, int(upstream_port)), float(rate), counter).run()


main()
