"""Writes what was measured as Markdown and JSON."""

import json
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from .data import MIB
from .scenario import LIMIT

VERSIONS = {
    "dlsync": "--version", "nginx": "-v", "curl": "--version", "wget": "--version", "wget2": "--version",
    "aria2c": "--version", "lftp": "--version", "axel": "--version", "rclone": "--version",
}


def versions(dlsync):
    """The first line that each tool says of itself."""
    found = {}
    for tool, option in VERSIONS.items():
        try:
            said = subprocess.run([dlsync if tool == "dlsync" else tool, option], capture_output=True, text=True, timeout=10, check=False,
                                  env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": "/nonexistent"})
        except OSError:
            continue
        lines = (said.stdout or said.stderr).strip().splitlines()
        if lines:
            found[tool] = lines[0]
    return found


def machine():
    """What was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return f"{os.cpu_count()} × {model}, {memory / 2**30:.0f} GiB, Linux {platform.release()}"


def number(value, form):
    return "" if value is None else form.format(value)


def table(results):
    """The contestants, the fastest first, limits last."""
    best = results.best_peer()
    base = best and results.median(best, "wall")
    extras = []
    for contestant in results.contestants:
        for outcome in results.runs(contestant.name):
            extras += [key for key in outcome.extra if key not in extras]
    yield ("| contestant | wall s | min to max | ÷ best peer | cpu s | memory MiB | requests | connections (at once) | sent MiB | "
           + "".join(f"{key} | " for key in extras) + "result |")
    yield "|---|" + "--:|" * (8 + len(extras)) + "---|"

    def order(contestant):
        wall = results.median(contestant.name, "wall")
        return (contestant.role == LIMIT, wall is None, wall or 0)

    for contestant in sorted(results.contestants, key=order):
        name = contestant.name
        shown = f"({name})" if contestant.role == LIMIT else f"**{name}**" if name.startswith("dlsync") else name
        runs = results.runs(name)
        if not runs:
            yield f"| {shown} |" + " |" * (8 + len(extras)) + f" {results.notes.get(name, 'not run')} |"
            continue
        walls = [outcome.cost.wall for outcome in runs]
        wall = results.median(name, "wall")
        result = "" if contestant.role == LIMIT else results.fault(name) or "right"
        if result not in ("", "right"):
            result = f"**wrong**: {result}"
        cells = [
            shown, number(wall, "{:.3f}"), f"{min(walls):.2f} to {max(walls):.2f}", number(wall / base if base else None, "{:.2f}"),
            number(results.median(name, "cpu"), "{:.2f}"), f"{results.median(name, 'memory') / MIB:.1f}",
            number(results.median(name, "requests"), "{:g}"),
            f"{results.median(name, 'connections'):g} ({results.median(name, 'at_once'):g})",
            f"{results.median(name, 'sent') / MIB:.1f}",
            *[str(number(results.median(name, key), "{:.4g}")) for key in extras], result]
        yield "| " + " | ".join(cells) + " |"


def judged(scenario, results):
    """Each goal with what was reached and whether that is enough."""
    return [(goal.text, *goal.judge(results)) for goal in scenario.goals]


MARKS = {True: "met", False: "**missed**", None: "—"}


class Report:
    """Grows by one scenario after the other, and is written after each."""

    def __init__(self, directory, name, dlsync, rounds):
        directory.mkdir(parents=True, exist_ok=True)
        self.markdown, self.data = directory / f"{name}.md", directory / f"{name}.json"
        self.facts = {"date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "machine": machine(), "rounds": rounds,
                      "versions": versions(dlsync), "scenarios": {}}
        self.goals, self.parts = [], []

    def add(self, scenario, results):
        goals = judged(scenario, results)
        for text, reached, met in goals:
            self.goals.append(f"| {scenario.name} | {text} | {reached} | {MARKS[met]} |")
        self.parts.append(f"### {scenario.name}\n\n{scenario.title}.\n\n" + "\n".join(table(results)) + "\n")
        self.facts["scenarios"][scenario.name] = {
            "title": scenario.title, "goals": [{"goal": text, "reached": reached, "met": met} for text, reached, met in goals],
            "contestants": results.json()}
        self.write()

    def skip(self, scenario, why):
        self.goals.append(f"| {scenario.name} | | {why} | — |")
        self.facts["scenarios"][scenario.name] = {"title": scenario.title, "skipped": why}
        self.write()

    def write(self):
        versions_text = "\n".join(f"- {tool}: {said}" for tool, said in self.facts["versions"].items())
        self.markdown.write_text(
            f"# Benchmarks of {self.facts['date']}\n\n{self.facts['machine']}. Medians of {self.facts['rounds']} rounds, unless a scenario "
            "says otherwise; how to read this is said in [the README](../README.md).\n\n"
            f"{versions_text}\n\n## Goals\n\n| scenario | goal | reached | |\n|---|---|---|---|\n" + "\n".join(self.goals)
            + "\n\n## Scenarios\n\n" + "\n".join(self.parts), encoding="utf-8")
        self.data.write_text(json.dumps(self.facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
