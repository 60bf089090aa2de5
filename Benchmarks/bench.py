#!/usr/bin/env python3
"""Measures dlsync beside other tools on the same work. scripts/bench builds what is needed and calls this."""

import argparse
import fnmatch
import signal
import sys
from datetime import date
from pathlib import Path

from harness.lab import Lab
from harness.report import Report, judged
from harness.scenarios import scenarios


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures dlsync beside other tools on the same work.")
    parser.add_argument("scenario", nargs="*", help="names of scenarios, or patterns of them, as in 'small*'; all without one")
    parser.add_argument("--list", action="store_true", help="print the scenarios, and end")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each contestant has its turn (default: 3)")
    parser.add_argument("--peers", metavar="A,B", help="compare with these tools alone, as in 'curl,wget2'")
    parser.add_argument("--keep", action="store_true", help="leave the data and what was fetched, and say where")
    parser.add_argument("--name", default=date.today().isoformat(), help="the name of the results (default: the date)")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results", metavar="DIR", help="where results go")
    parser.add_argument("--dlsync", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def chosen(patterns):
    everything = scenarios()
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(scenario.name, pattern) for scenario in everything):
            raise SystemExit(f"bench: There is no scenario '{pattern}'; --list prints all.")
    return [scenario for scenario in everything
            if not patterns or any(fnmatch.fnmatchcase(scenario.name, pattern) for pattern in patterns)]


def main():
    options = arguments()
    if options.list:
        for scenario in scenarios():
            print(f"{scenario.name:20} {scenario.title}")
        return
    if options.rounds < 1:
        raise SystemExit("bench: --rounds is at least 1.")
    selected = chosen(options.scenario)
    wanted = options.peers.split(",") if options.peers else None
    # So that a signal ends all that was started.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    lab = Lab(options.dlsync)
    try:
        report = Report(options.results, options.name, options.dlsync, [scenario.name for scenario in scenarios()])
        for scenario in selected:
            trouble = scenario.trouble(lab)
            if trouble:
                print(f"bench: {scenario.name}: {trouble}")
                report.skip(scenario, trouble)
                continue
            print(f"bench: {scenario.name}: {scenario.title}", flush=True)
            results = scenario.measure(lab, options.rounds, wanted)
            report.add(scenario, results)
            for text, reached, met in judged(scenario, results):
                print(f"  {'met' if met else 'not said' if met is None else 'MISSED':8} {text}: {reached}", flush=True)
        print(f"bench: the results are in {report.markdown}")
    finally:
        lab.close(options.keep)


main()
