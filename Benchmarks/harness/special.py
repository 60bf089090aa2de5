"""Scenarios that are not a run from beginning to end: one that is killed, and lists of very many lines."""

import selectors
import socket
import threading
import time

from . import measure, tools
from .data import MIB, verdict
from .scenario import PEER, SUBJECT, Contestant, Outcome, Results, Scenario, at_most, right, subject, versus
from .server import Traffic

GIB = 1024 * MIB


def turns(scenario, rounds, wanted):
    """The contestants that are wanted, and each run's contestant in turn."""
    chosen = [contestant for contestant in scenario.contestants
              if contestant.role != PEER or wanted is None or contestant.name.split()[0] in wanted]
    order = [contestant for number in range(rounds)
             for contestant in chosen[number % len(chosen):] + chosen[:number % len(chosen)]]
    return Results(chosen), order


class Killed(Scenario):
    """One file; the command is killed when half of it was sent, and given again. `changed`: the file is another one by then."""

    def __init__(self, connections, changed):
        several = connections > 1
        peers = ([Contestant("aria2c", tools.aria2c_resume)] if several else
                 [Contestant("curl -C -", tools.curl_resume), Contestant("wget -c", tools.wget_resume),
                  Contestant("aria2c", tools.aria2c_resume)])
        what = ", changed on the server in between" if changed else ""
        goal = (at_most("MiB fetched", 1024.5, "fetched whole", lambda value: f"{value:.1f} MiB") if changed else
                at_most("MiB again", 10.24, "≤ 1 % is fetched again", lambda value: f"{value:.1f} MiB"))
        super().__init__(
            f"killed-{connections}" + ("-changed" if changed else ""),
            f"1 GiB, {connections} connection{'s' if several else ''}, killed (SIGKILL) at half{what}; the second run",
            [subject(tools.dlsync_file), *peers], [goal, right()], job=None)
        self.connections, self.changed = connections, changed

    def measure(self, lab, rounds, wanted):
        results, order = turns(self, min(rounds, 1), wanted)
        lab.data.get("half")
        lab.data.get("half2")
        server = lab.server()
        # Slow enough that what is on its way at the kill is little.
        relay = lab.relay(128 * MIB // self.connections)
        for contestant in order:
            measure.warm(2 * GIB)
            lab.data.show("resumed", "half")
            directory = lab.fresh("memory")
            (directory / "result").mkdir()
            job = tools.Job(lab, server, "half", "resumed", directory / "result", self.connections, base=relay.base)
            command = contestant.command(job)
            before = relay.sent
            running = measure.Running(command, directory, lab.home)
            while relay.sent - before < GIB // 2 and not running.ended(0.002):
                pass
            running.kill()
            running.cost()
            server.settle()
            first = relay.sent - before
            lab.data.show("resumed", "half2" if self.changed else "half")
            server.begin()
            cost = measure.run(command, directory, lab.home, self.timeout)
            traffic = server.traffic()
            second = relay.sent - before - first
            # What the file's size is without the heads of the answers cannot be told by the relay, but these are small.
            extra = {"MiB fetched": second / MIB}
            if not self.changed:
                extra["MiB again"] = max(0, first + second - GIB) / MIB
            outcome = Outcome(cost, traffic, verdict(job.destination, lab.data.get("half2" if self.changed else "half")), extra)
            results.outcomes[contestant.name].append(outcome)
            self.tell(contestant, outcome)
            lab.discard(directory)
        return results


class Silence:
    """A server that takes requests, answers none, and knows when the first one came."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.first = threading.Event()
        self.at = None
        self.ending, self.end = socket.socketpair()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        with selectors.DefaultSelector() as ready:
            ready.register(self.listener, selectors.EVENT_READ)
            ready.register(self.ending, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is self.ending:
                        for other in list(ready.get_map().values()):
                            other.fileobj.close()
                        return
                    if key.fileobj is self.listener:
                        ready.register(self.listener.accept()[0], selectors.EVENT_READ)
                        continue
                    try:
                        there = key.fileobj.recv(65536)
                    except OSError:
                        there = b""
                    if there and self.at is None:
                        self.at = time.monotonic()
                        self.first.set()
                    if not there:
                        ready.unregister(key.fileobj)
                        key.fileobj.close()

    def stop(self):
        self.end.close()
        self.thread.join()


def names(count):
    return [f"d{number // 1000:05}/file{number:08}.bin" for number in range(count)]


class Lines(Scenario):
    """Lists of `few` and of `many` lines. What counts is what a line more costs."""

    few = 1_000

    def commands(self, lab, base, destination, connections=16):
        """How each tool reads the list, by the form of its list."""

        def command(tool, form, *arguments):
            return lambda count: [tool, *arguments, lab.list(base, names(count), form, destination)]

        def dlsync(count):
            return [lab.dlsync, "-q", "--progress", "none", "-j", connections, "--per-host", connections, "--layout", "host",
                    lab.list(base, names(count), "urls", None), destination]

        def rclone(count):
            return ["rclone", "copy", ":http:", destination, "--http-url", base, "-q", "--no-traverse", "--transfers", connections,
                    "--checkers", connections, "--files-from", lab.list(base, names(count), "names", None)]

        aria2c = ("--no-conf", "-q", "--file-allocation=none", f"-j{connections}", "-x1", "-s1", "-d", destination)
        return {
            "dlsync": dlsync,
            "wget": command("wget", "urls", "-q", "-x", "-nH", "-P", destination, "-i"),
            "wget2": command("wget2", "urls", "-q", "-x", "-nH", "-P", destination, f"--max-threads={connections}", "-i"),
            "curl -Z": command("curl", "curl", "-sS", "-f", "-Z", "--parallel-max", connections, "--create-dirs", "-K"),
            "aria2c": command("aria2c", "aria2", *aria2c, "-i"),
            "aria2c deferred": command("aria2c", "aria2", *aria2c, "--deferred-input=true", "-i"),
            "rclone files-from": rclone,
        }

    def contestants_of(self, *tools_named):
        return [Contestant(name, None, SUBJECT if name == "dlsync" else PEER) for name in tools_named]


class FirstRequest(Lines):
    """How long it takes until the first request, and how much memory is taken while the server does not answer."""

    many = 1_000_000

    def __init__(self):
        super().__init__(
            "lines-first", "A list of 1,000,000 lines: when the first request comes (wall), with a server that never answers",
            self.contestants_of("dlsync", "wget", "wget2", "curl -Z", "rclone files-from", "aria2c deferred"),
            [versus("wget", 1.0), at_most("bytes a line", 128, "≤ 128 bytes of memory a line, while nothing is answered",
                                          lambda value: f"{value:.1f}")], job=None)

    def measure(self, lab, rounds, wanted):
        results, order = turns(self, rounds, wanted)
        for contestant in order:
            base = self.once(lab, contestant.name, self.few)
            outcome = self.once(lab, contestant.name, self.many)
            outcome.extra["bytes a line"] = max(0, outcome.cost.memory - base.cost.memory) / (self.many - self.few)
            results.outcomes[contestant.name].append(outcome)
            self.tell(contestant, outcome)
        return results

    def once(self, lab, name, count):
        silence = Silence()
        directory = lab.fresh("memory")
        try:
            base = f"http://127.0.0.1:{silence.port}/"
            # Only the address differs from run to run, so a list is written for each and removed.
            command = self.commands(lab, base, directory / "result")[name](count)
            running = measure.Running(command, directory, lab.home)
            try:
                came = silence.first.wait(90)
                # Some read on behind the first request.
                ended = running.ended(2 if came else 0)
                memory = running.peak_memory()
            finally:
                running.kill()
                cost = running.cost()
            cost.wall = silence.at - running.started if came else 90.0
            cost.memory, cost.status, cost.timed_out = memory or cost.memory, cost.status if ended else 0, not came
            return Outcome(cost, Traffic(), "")
        finally:
            silence.stop()
            lab.forget_lists(base)
            lab.discard(directory)


class EveryLine(Lines):
    """How much memory a line costs when every line is worked on, to the end. All files are empty."""

    many = 100_000

    def __init__(self):
        super().__init__(
            "lines-all", "A list of 100,000 lines, all fetched; the files are empty",
            self.contestants_of("dlsync", "wget2", "curl -Z", "aria2c deferred"),
            [at_most("bytes a line", 128, "≤ 128 bytes of memory a line", lambda value: f"{value:.1f}"),
             at_most("requests", 100_000, "a request a line")], job=None)

    def measure(self, lab, rounds, wanted):
        results, order = turns(self, min(rounds, 1), wanted)
        for contestant in order:
            base = self.once(lab, contestant.name, self.few)
            outcome = self.once(lab, contestant.name, self.many)
            outcome.extra["bytes a line"] = max(0, outcome.cost.memory - base.cost.memory) / (self.many - self.few)
            results.outcomes[contestant.name].append(outcome)
            self.tell(contestant, outcome)
        return results

    def once(self, lab, name, count):
        directory = lab.fresh("memory")
        server = lab.server()
        command = self.commands(lab, server.url() + "/void/", directory / "result")[name](count)
        server.begin()
        cost = measure.run(command, directory, lab.home, self.timeout)
        outcome = Outcome(cost, server.traffic(), "")
        lab.discard(directory)
        return outcome


def scenarios():
    return [*(Killed(connections, changed) for connections in (1, 8) for changed in (False, True)), FirstRequest(), EveryLine()]
