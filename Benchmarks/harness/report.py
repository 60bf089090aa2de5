"""Writes what was measured as Markdown and JSON."""

import json
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from .data import MIB
from .scenario import LIMIT, Results

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
        disturbed = sum(outcome.disturbed for outcome in runs)
        if disturbed:
            result += f" (others ran during {disturbed} of {len(runs)})"
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


def commit():
    """What of the sources was measured."""
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return said.stdout.strip() or "unknown"


class Report:
    """The results of one name. It is written after each scenario; one that was measured before is replaced, the others stay."""

    def __init__(self, directory, name, dlsync, order):
        directory.mkdir(parents=True, exist_ok=True)
        self.markdown, self.data = directory / f"{name}.md", directory / f"{name}.json"
        self.order, self.commit = order, commit()
        self.scenarios = json.loads(self.data.read_text(encoding="utf-8"))["scenarios"] if self.data.exists() else {}
        self.facts = {"machine": machine(), "versions": versions(dlsync)}

    def add(self, scenario, results):
        goals = [{"goal": text, "reached": reached, "met": met} for text, reached, met in judged(scenario, results)]
        rounds = max((len(results.runs(contestant.name)) for contestant in results.contestants), default=0)
        self.scenarios[scenario.name] = {
            "title": scenario.title, "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "commit": self.commit,
            "rounds": rounds, "goals": goals, "contestants": results.values()}
        self.write()

    def skip(self, scenario, why):
        self.scenarios.setdefault(scenario.name, {"title": scenario.title, "skipped": why})
        self.write()

    def write(self):
        known = [name for name in self.order if name in self.scenarios]
        names = known + [name for name in self.scenarios if name not in known]
        goals, parts = [], []
        for name in names:
            scenario = self.scenarios[name]
            if "skipped" in scenario:
                goals.append(f"| {name} | | {scenario['skipped']} | — |")
                continue
            goals += [f"| {name} | {goal['goal']} | {goal['reached']} | {MARKS[goal['met']]} |" for goal in scenario["goals"]]
            rounds = "1 round" if scenario["rounds"] == 1 else f"{scenario['rounds']} rounds"
            parts.append(f"### {name}\n\n{scenario['title']}. {rounds}, {scenario['date']}, commit {scenario['commit']}.\n\n"
                         + "\n".join(table(Results.of(scenario["contestants"]))) + "\n")
        versions_text = "\n".join(f"- {tool}: {said}" for tool, said in self.facts["versions"].items())
        self.markdown.write_text(
            f"# Benchmarks: {self.markdown.stem}\n\n{self.facts['machine']}. How to read this is said in [the README](../README.md).\n\n"
            f"{versions_text}\n\n## Goals\n\n| scenario | goal | reached | |\n|---|---|---|---|\n" + "\n".join(goals)
            + "\n\n## Scenarios\n\n" + "\n".join(parts), encoding="utf-8")
        # A line for each scenario, so that two versions of the file can be compared.
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(self.scenarios[name], ensure_ascii=False)}" for name in names)
        facts = json.dumps(self.facts, ensure_ascii=False, indent=1)[:-2]
        self.data.write_text(f'{facts},\n "scenarios": {{\n{lines}\n}}}}\n', encoding="utf-8")
