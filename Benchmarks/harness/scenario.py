"""What a scenario is: contestants that do the same work in turn, and goals for what was measured."""

import os
import shutil
import statistics
from dataclasses import asdict, dataclass, field
from typing import Callable, Optional

from . import measure, tools
from .data import MIB, verdict
from .server import Traffic

# What a contestant is: the subject, a peer that the subject is compared with, a physical limit, or told for information.
SUBJECT, PEER, LIMIT, ASIDE = "subject", "peer", "limit", "aside"


# How often a run is made at most while others use the machine.
ATTEMPTS = 3


@dataclass
class Contestant:
    name: str
    command: Callable
    role: str = PEER


def subject(command, name="dlsync", role=SUBJECT):
    return Contestant(name, command, role)


@dataclass
class Goal:
    """A text, and what gives what was reached, as text, and whether that is enough (None: cannot be said)."""

    text: str
    judge: Callable


@dataclass
class Outcome:
    """One run of one contestant."""

    cost: measure.Cost
    traffic: Traffic
    verdict: str
    extra: dict = field(default_factory=dict)

    @property
    def disturbed(self):
        """Whether others used so much of the machine meanwhile that the times mean little."""
        return self.cost.others > 0.1 + 0.1 * self.cost.wall


class Results:
    """All runs of a scenario, by contestant."""

    def __init__(self, contestants):
        self.contestants = contestants
        self.outcomes = {contestant.name: [] for contestant in contestants}
        self.notes = {}

    def runs(self, name):
        return self.outcomes.get(name, [])

    def median(self, name, figure):
        """The median of a figure: wall, cpu, memory, requests, heads, sent, connections, at_once, ramp, or an extra one."""
        values = [self.figure(outcome, figure) for outcome in self.runs(name)]
        values = [value for value in values if value is not None]
        return statistics.median(values) if values else None

    @staticmethod
    def figure(outcome, figure):
        for place in (outcome.cost, outcome.traffic):
            if hasattr(place, figure):
                return getattr(place, figure)
        return outcome.extra.get(figure)

    def fault(self, name):
        """What was wrong in a round, or nothing."""
        for outcome in self.runs(name):
            if outcome.cost.timed_out:
                return "did not end"
            if outcome.cost.status != 0:
                return f"exit status {outcome.cost.status}" + ("" if outcome.verdict in ("ok", "") else f", {outcome.verdict}")
            if outcome.verdict not in ("ok", ""):
                return outcome.verdict
        return None

    def best_peer(self, figure="wall"):
        """The peer with the least median among those whose result was right in every round."""
        right = [contestant.name for contestant in self.contestants
                 if contestant.role == PEER and self.runs(contestant.name) and not self.fault(contestant.name)]
        return min(right, key=lambda name: self.median(name, figure), default=None)

    def values(self):
        """As values for JSON."""
        return {contestant.name: {"role": contestant.role, "note": self.notes.get(contestant.name),
                                  "runs": [asdict(outcome) for outcome in self.runs(contestant.name)]}
                for contestant in self.contestants}

    @classmethod
    def of(cls, values):
        """What `values` gave."""
        results = cls([Contestant(name, None, value["role"]) for name, value in values.items()])
        for name, value in values.items():
            if value["note"]:
                results.notes[name] = value["note"]
            results.outcomes[name] = [
                Outcome(measure.Cost(**run["cost"]), Traffic(**run["traffic"]), run["verdict"], run["extra"]) for run in value["runs"]]
        return results


# MARK: goals


def against(figure, limit, reference, text, name="dlsync"):
    """The subject's figure is at most `limit` times that of what `reference` names in the results."""

    def judge(results):
        other = reference(results)
        mine, theirs = results.median(name, figure), other and results.median(other, figure)
        if mine is None or not theirs or results.fault(name):
            return "cannot be said", None
        return f"{mine / theirs:.2f} × {other}", mine <= limit * theirs

    return Goal(text, judge)


def versus_best(limit, name="dlsync"):
    whose = "" if name == "dlsync" else f"{name}: "
    return against("wall", limit, Results.best_peer, f"{whose}time ≤ {limit} × the best peer", name)


def versus(other, limit, name="dlsync"):
    return against("wall", limit, lambda results: other, f"time ≤ {limit} × {other}", name)


def within_ideal(limit, ideal, name="dlsync"):
    def judge(results):
        mine = results.median(name, "wall")
        if mine is None or results.fault(name):
            return "cannot be said", None
        return f"{mine / ideal:.3f} × {ideal:.2f} s", mine <= limit * ideal

    return Goal(f"time ≤ {limit} × the ideal", judge)


def at_most(figure, limit, text, show=lambda value: f"{value:g}", name="dlsync"):
    """In every round."""

    def judge(results):
        values = [results.figure(outcome, figure) for outcome in results.runs(name)]
        if not values:
            return "cannot be said", None
        return show(max(values)), max(values) <= limit

    return Goal(text, judge)


def right(name="dlsync"):
    def judge(results):
        if not results.runs(name):
            return "cannot be said", None
        fault = results.fault(name)
        return fault or "right in every round", fault is None

    return Goal("the result is right", judge)


def mebibytes(value):
    return f"{value / MIB:.1f} MiB"


# MARK: scenarios


@dataclass
class Scenario:
    """One kind of work. `job` makes a run's Job for a destination; `prepare` does what is not measured before it."""

    name: str
    title: str
    contestants: list
    goals: list
    job: Callable
    place: str = "memory"
    prepare: Optional[Callable] = None
    # The set that the result must be, by its name.
    expected: Optional[str] = None
    prefix: Callable = lambda lab: ()
    server: Callable = lambda lab: lab.server()
    trouble: Callable = lambda lab: None
    timeout: float = 120
    # One directory for all rounds of a contestant: for work that finds everything up to date.
    lasting: bool = False
    # The most rounds, for work that takes long and always as long.
    rounds: Optional[int] = None

    def measure(self, lab, rounds, wanted):
        """Lets the contestants take turns, each round beginning with another one."""
        chosen = [contestant for contestant in self.contestants
                  if contestant.role != PEER or wanted is None or contestant.name.split()[0] in wanted]
        results = Results(chosen)
        server = self.server(lab)
        lab.data.get(self.expected)
        lasting = {}
        for number in range(min(rounds, self.rounds or rounds)):
            turn = number % len(chosen)
            for contestant in chosen[turn:] + chosen[:turn]:
                if contestant.name not in results.notes:
                    self.take_turn(lab, server, contestant, results, lasting)
        for directory in lasting.values():
            lab.discard(directory)
        return results

    def take_turn(self, lab, server, contestant, results, lasting):
        """Runs a contestant until nobody else uses the machine, and notes the run with the least disturbance. A result that is
        wrong is noted whatever else ran."""
        outcomes = []
        for _ in range(ATTEMPTS):
            outcome = self.attempt(lab, server, contestant, results, lasting)
            if outcome is None:
                return
            outcomes.append(outcome)
            self.tell(contestant, outcome)
            if outcome.cost.status != 0 or outcome.verdict not in ("ok", "") or not outcome.disturbed:
                outcomes = [outcome]
                break
            measure.calm()
        results.outcomes[contestant.name].append(min(outcomes, key=lambda outcome: outcome.cost.others / outcome.cost.wall))

    def attempt(self, lab, server, contestant, results, lasting):
        """One run; nothing where there can be none, of which a note is made."""
        directory = lasting.get(contestant.name)
        new = directory is None
        if new:
            directory = lab.fresh(self.place)
            (directory / "result").mkdir()
        job = self.job(lab, server, directory / "result")
        command = [str(part) for part in contestant.command(job)]
        if contestant.role != SUBJECT and not shutil.which(command[0]):
            results.notes[contestant.name] = "not installed"
            return None
        if "--trust-listing" in command and not lab.knows("--trust-listing"):
            results.notes[contestant.name] = "not available yet: --trust-listing"
            return None
        if self.lasting:
            lasting[contestant.name] = directory
        if self.prepare and new:
            self.prepare(lab, server, contestant, job, directory)
        if self.place == "disk":
            os.sync()
        measure.warm(512 * MIB + lab.data.size(self.expected) * 5 // 4)
        server.begin()
        others = measure.Others()
        cost = measure.run(command, directory, lab.home, self.timeout, self.prefix(lab))
        cost.others = others.used()
        traffic = server.traffic()
        said = "" if contestant.role == LIMIT else verdict(job.destination, lab.data.get(self.expected))
        if cost.status != 0 and os.environ.get("BENCH_DEBUG"):
            print((directory / "output").read_text(errors="replace")[-2000:])
        if not self.lasting:
            lab.discard(directory)
        return Outcome(cost, traffic, said)

    def tell(self, contestant, outcome):
        wrong = "" if outcome.verdict in ("ok", "") else f", {outcome.verdict}"
        status = f", exit status {outcome.cost.status}" if outcome.cost.status else ""
        others = f" (others used a processor for {outcome.cost.others:.2f} s)" if outcome.disturbed else ""
        print(f"  {contestant.name}: {outcome.cost.wall:.3f} s{status}{wrong}{others}", flush=True)


def job_of(data, path=None, **options):
    """What makes a Job on the set `data`, at the address `path`."""
    return lambda lab, server, destination: tools.Job(lab, server, data, path or data, destination, **options)
