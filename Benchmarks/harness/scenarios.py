"""The scenarios, in the order of the report."""

import shutil

from . import measure, tools
from .data import MIB
from .lab import wire_trouble
from .scenario import (ASIDE, LIMIT, SUBJECT, Contestant, Scenario, against, at_most, job_of, mebibytes, right, subject,
                       versus, versus_best, within_ideal)

GIB = 1024 * MIB


def peers(commands):
    """Contestants by name, whose first word is that of the tool."""
    return [Contestant(name, command) for name, command in commands.items()]


def asked_twice(size):
    return at_most("sent", size * 1.001, "at most 0.1 % of the bytes are asked for twice", mebibytes)


MEMORY_40 = at_most("memory", 40 * MIB, "≤ 40 MiB of memory", mebibytes)


# MARK: one file


def one_file():
    single = peers({"lftp": tools.lftp_file, "wget2": tools.wget2_file, "rclone": tools.rclone_file, "curl": tools.curl_file,
                   "aria2c": tools.aria2c_file})
    several = peers({"rclone": tools.rclone_file, "lftp pget": tools.lftp_file, "aria2c": tools.aria2c_file})
    null = Contestant("curl -o /dev/null", tools.curl_null, LIMIT)
    nulls = Contestant("N × curl -r to null", tools.curl_null_ranges, LIMIT)
    for place, where in (("memory", "to memory"), ("disk", "to the disk")):
        yield Scenario(
            f"big-1-{place}", f"One file of 2 GiB, 1 connection, {where}", [subject(tools.dlsync_file), *single, null],
            [versus_best(1.0), versus("curl -o /dev/null", 1.5), right()], job_of("big", connections=1), place, expected="big")
    for count in (4, 8):
        yield Scenario(
            f"big-{count}", f"One file of 2 GiB, {count} connections, to memory", [subject(tools.dlsync_file), *several, nulls],
            [versus_best(0.7), asked_twice(2 * GIB), MEMORY_40, right()], job_of("big", connections=count), expected="big")
    yield Scenario(
        "big-tls-1", "One file of 2 GiB over TLS, 1 connection, to memory", [subject(tools.dlsync_file), *single, null],
        [versus_best(0.9), right()], job_of("big", connections=1, tls=True), expected="big")
    yield Scenario(
        "big-tls-4", "One file of 2 GiB over TLS, 4 connections, to memory", [subject(tools.dlsync_file), *several, nulls],
        [versus_best(0.9), right()], job_of("big", connections=4, tls=True), expected="big")


def capped():
    contestants = [
        subject(tools.dlsync_file), subject(tools.dlsync_file_auto, "dlsync, left to itself", ASIDE),
        *peers({"rclone": tools.rclone_file, "axel": tools.axel_file, "aria2c": tools.aria2c_file, "lftp pget": tools.lftp_file})]
    null = Contestant("N × curl -r to null", tools.curl_null_ranges, LIMIT)
    ramp = at_most("ramp", 1.0, "all connections are in use within the first second", lambda value: f"{value:.2f} s")
    for count in (8, 16):
        yield Scenario(
            f"limited-{count}", f"64 MiB, a request gets 4 MiB/s (nginx's limit_rate), {count} connections",
            [*contestants, null], [versus("N × curl -r to null", 1.03), versus_best(1.03), ramp, right()],
            job_of("medium", "limited/medium", connections=count), expected="medium")
        ideal = 64 / (4 * count)
        yield Scenario(
            f"paced-{count}", f"64 MiB, a connection gets 4 MiB/s (the harness's relay), {count} connections, ideal {ideal:.2f} s",
            [*contestants, null], [within_ideal(1.03, ideal), ramp, right()], paced_job("medium", 4 * MIB, count),
            expected="medium")


def paced_job(data, rate, connections):
    """A Job behind a relay, which is started once."""
    relays = {}

    def job(lab, server, destination):
        if lab not in relays:
            relays[lab] = lab.relay(rate)
        return tools.Job(lab, server, data, data, destination, connections, base=relays[lab].base)

    return job


# MARK: many files


def many_files():
    plain = peers({"curl -Z": tools.curl_list, "wget2": tools.wget2_list, "aria2c": tools.aria2c_list,
                  "rclone no-head": tools.rclone_tree_no_head})
    for place, where in (("memory", "to memory"), ("disk", "to the disk")):
        yield Scenario(
            # aria2c takes many times as long on the disk, and what it deletes there slows the others down.
            f"small-{place}", f"10,000 files of 4 KiB, 16 connections, {where}",
            [subject(tools.dlsync_list), *(peer for peer in plain if place == "memory" or peer.name != "aria2c")],
            [versus_best(0.8), at_most("requests", 10_000, "10,000 requests"), right()], job_of("small"), place, expected="small")
    yield Scenario(
        "small-tls", "10,000 files of 4 KiB over TLS and HTTP/2, 16 connections",
        [subject(tools.dlsync_list),
         *peers({"curl -Z h2": tools.curl_list_http2, "curl -Z100 h2": tools.curl_list_streams, "curl -Z h1": tools.curl_list,
                "wget2": tools.wget2_list})],
        [versus_best(0.8), at_most("requests", 10_000, "10,000 requests"), right()], job_of("small", tls=True), expected="small")
    yield Scenario(
        "mixed", "2,000 files, 4 KiB to 64 MiB, 1.5 GiB, 16 connections",
        [subject(tools.dlsync_list), *peers({"wget2": tools.wget2_list, "curl -Z": tools.curl_list, "lftp": tools.lftp_tree,
                                            "aria2c": tools.aria2c_list}),
         Contestant("cp -r", tools.copy_tree, LIMIT)],
        [versus_best(0.9), right()], job_of("mixed"), expected="mixed")
    yield Scenario(
        "mixed-paced", "The same, a connection gets 8 MiB/s (the harness's relay), ideal 12.00 s",
        [subject(tools.dlsync_list), *peers({"lftp": tools.lftp_tree, "curl -Z": tools.curl_list, "wget2": tools.wget2_list})],
        [within_ideal(1.02, 1536 / (16 * 8)), at_most("at_once", 16, "never over 16 connections"), right()],
        paced_job("mixed", 8 * MIB, 16), expected="mixed", rounds=1)


def tree():
    yield Scenario(
        "tree", "A tree of 5,000 files by nginx's index pages, 50 odd names, 16 connections",
        [subject(tools.dlsync_index), *peers({"rclone no-head": tools.rclone_tree_no_head, "rclone": tools.rclone_tree, "lftp": tools.lftp_tree,
                                             "wget2": tools.wget2_tree})],
        [versus_best(0.7), at_most("requests", 5_000 + 131, "requests = files + pages (5,131)"), right()],
        job_of("html"), expected="html")


# MARK: what is up to date


def make_current(data):
    """Makes what is in a run's directory the set `data`: dlsync has to fetch it itself, as it remembers what it fetched."""

    def prepare(lab, server, contestant, job, directory):
        if contestant.role == LIMIT:
            return
        if contestant.name.startswith("dlsync"):
            command = tools.dlsync_index(job) if contestant.command is tools.dlsync_trusting else tools.dlsync_list(job)
            cost = measure.run(command, directory, lab.home, 300)
            if cost.status != 0:
                raise RuntimeError(f"dlsync ended with {cost.status} while it prepared: {(directory / 'output').read_text()}")
        else:
            shutil.copytree(lab.data.root / data, job.destination, dirs_exist_ok=True)

    return prepare


def make_stale(lab, server, contestant, job, directory):
    lab.data.show("now", "small")
    make_current("small")(lab, server, contestant, job, directory)
    lab.data.show("now", "changed")


def current():
    checkers = peers({"wget2 -N": tools.wget2_newer, "lftp": tools.lftp_tree, "rclone files-from": tools.rclone_list, "aria2c": tools.aria2c_newer})
    yield Scenario(
        "current", "10,000 files of 4 KiB up to date, 16 connections",
        [subject(tools.dlsync_list), subject(tools.dlsync_trusting, "dlsync --trust-listing"), *checkers],
        [versus_best(0.9), at_most("requests", 101, "by an exact listing: only its pages are asked for (101)",
                                   name="dlsync --trust-listing"), right()],
        job_of("small"), prepare=make_current("small"), expected="small", lasting=True)
    yield Scenario(
        "current-tls", "The same over TLS and HTTP/2",
        [subject(tools.dlsync_list), *checkers], [versus_best(0.9), right()],
        job_of("small", tls=True), prepare=make_current("small"), expected="small", lasting=True)
    yield Scenario(
        "changed", "100 of 10,000 files changed, of equal size", [subject(tools.dlsync_list), *checkers],
        [versus_best(0.9), right()], job_of("small", "now"), prepare=make_stale, expected="changed")
    yield Scenario(
        "current-100000", "100,000 files up to date, against 10,000 of them",
        [subject(tools.dlsync_list), Contestant("dlsync, 10,000", lambda job: tools.dlsync_list(part_of(job)), SUBJECT),
         *peers({"wget2 -N": tools.wget2_newer})],
        [versus("dlsync, 10,000", 10.5), versus_best(0.9), right()], job_of("huge"), prepare=make_current("huge"), expected="huge",
        lasting=True)


def part_of(job):
    """A tenth of a job."""
    part = tools.Job.__new__(tools.Job)
    part.__dict__.update(job.__dict__)
    part.list = lambda form: job.lab.list(job.url, sorted(job.digests)[::10], form, job.destination)
    return part


# MARK: far away


def far(loss, data, title, contestants, goals, name, connections=16, tls=False, prepare=None, lasting=False):
    lossy = f" and {loss} % loss" if loss else ""

    def job(lab, server, destination):
        return tools.Job(lab, server, data, data, destination, connections, tls)

    def prepare_far(lab, server, contestant, run, directory):
        # What dlsync remembers begins with the address.
        if contestant.name.startswith("dlsync"):
            command = tools.dlsync_index(run) if contestant.command is tools.dlsync_trusting else tools.dlsync_list(run)
            measure.run(command, directory, lab.home, 300, lab.wire(loss).prefix)
        else:
            shutil.copytree(lab.data.root / data, run.destination, dirs_exist_ok=True)

    return Scenario(
        name + ("-loss" if loss else ""), f"40 ms round trip, 200 Mbit/s{lossy}: {title}", contestants, goals, job,
        expected=data, prefix=lambda lab: lab.wire(loss).prefix, server=lambda lab: lab.wire(loss).server,
        trouble=lambda lab: wire_trouble(), prepare=prepare_far if prepare else None, lasting=lasting, rounds=1)


def far_away():
    for loss in (0, 0.5):
        yield far(loss, "far", "2,000 files of 4 KiB, HTTP/1.1, 16 connections",
                  [subject(tools.dlsync_list), *peers({"wget2": tools.wget2_list, "curl -Z": tools.curl_list, "aria2c": tools.aria2c_list})],
                  [versus_best(1.0), right()], "far-small")
        yield far(loss, "far", "2,000 files of 4 KiB, TLS and HTTP/2",
                  [subject(tools.dlsync_list),
                   *peers({"wget2": tools.wget2_list, "curl -Z100 h2": tools.curl_list_streams})],
                  [versus_best(0.9), right()], "far-small-tls", tls=True)
        yield far(loss, "far", "2,000 files up to date, HTTP/1.1, 16 connections",
                  [subject(tools.dlsync_trusting, "dlsync --trust-listing"), subject(tools.dlsync_list, "dlsync, HEADs", ASIDE),
                   *peers({"lftp": tools.lftp_tree, "wget2 -N": tools.wget2_newer})],
                  [against("wall", 0.9, lambda results: "lftp", "by the listing's rows: time ≤ 0.9 × lftp", "dlsync --trust-listing"),
                   right("dlsync --trust-listing")],
                  "far-current", prepare=True, lasting=True)
        yield far(loss, "far", "2,000 files up to date, TLS and HTTP/2",
                  [subject(tools.dlsync_list),
                   *peers({"wget2 -N": tools.wget2_newer})],
                  [versus_best(0.9), right()], "far-current-tls", tls=True, prepare=True, lasting=True)
        size = "lossy" if loss else "medium"
        yield far(loss, size, f"one file of {16 if loss else 64} MiB, 8 connections",
                  [subject(tools.dlsync_file), subject(tools.dlsync_file_auto, "dlsync, left to itself", ASIDE),
                   *peers({"axel": tools.axel_file, "rclone": tools.rclone_file, "aria2c": tools.aria2c_file})],
                  [versus_best(1.0), right()], "far-one", connections=8)


def scenarios():
    """All of them."""
    from . import special

    return [*one_file(), *capped(), *many_files(), *tree(), *current(), *far_away(), *special.scenarios()]
