# SPDX-License-Identifier: BSD-3-Clause
"""What is run: each group measures all tools once per round, so that the tools take turns."""
import json
import os
import re
import subprocess
from dataclasses import dataclass

from driver import process


@dataclass
class Plan:
    """How much of everything; the short set takes about five minutes."""
    rounds: int
    seconds: float  # per construct
    threads: tuple
    programs: dict  # name -> arguments
    program_rounds: int
    volume: tuple  # numbers of events
    volume_rounds: int
    starts: int  # runs of the empty program per round
    many_threads: tuple
    lock_pairs: int


PROGRAMS = {"fib": ["27"], "nqueens": ["12", "6"], "sort": ["4000000", "128"], "stencil": ["256", "4000"]}
PLANS = {
    "smoke": Plan(1, 0.01, (1, 2), {"fib": ["12"], "nqueens": ["6", "3"], "sort": ["10000", "64"], "stencil": ["32", "20"]},
                  1, (100_000,), 1, 1, (1, 4), 4000),
    "short": Plan(7, 0.04, (1, 2), PROGRAMS, 7, (20_000_000,), 3, 5, (1, 2, 4, 8, 16, 64, 256, 512), 500_000),
    "full": Plan(15, 0.15, (1, 2), PROGRAMS, 9, (50_000_000, 200_000_000), 3, 10,
                 (1, 2, 4, 8, 16, 32, 64, 128, 256, 512), 2_000_000),
}


class Runner:
    def __init__(self, build, tools, counting, plan, results, say, scratch=None):
        self.build, self.tools, self.counting, self.plan = build, tools, counting, plan
        self.results, self.say, self.scratch = results, say, scratch
        self.failed = []

    @property
    def measured(self):
        """Not the parked tracer, where nothing is to be learnt from it."""
        return [tool for tool in self.tools if tool.name != "parked"]

    def program(self, name):
        return os.path.join(self.build, "bench", "programs", "bench_" + name)

    def execute(self, command, tool, threads, **more):
        outcome = process.execute(self.program("spawn"), command, tool, threads, scratch=self.scratch, **more)
        if outcome.status != 0:
            self.failed.append(f"{os.path.basename(command[0])} with {tool.name}")
        return outcome

    # Constructs and the EPCC-like suite: one process measures all cases.
    def cases(self, group, program, threads):
        prefix = f"{group}/{threads}/"
        command = [self.program(program), "--seconds", str(self.plan.seconds)]
        if self.counting:
            counted = self.execute([self.program(program), "--count"], self.counting, threads)
            for case, number in counted.values.items():
                self.results.counts[prefix + case] = number
        for number in range(self.plan.rounds):
            self.say(f"{group}, {threads} threads: round {number + 1} of {self.plan.rounds}")
            for tool in self.tools:
                for case, ns in self.execute(command, tool, threads, record_only=True).values.items():
                    self.results.add(prefix + case, tool.name, ns, "ns")

    def constructs(self):
        for threads in self.plan.threads:
            self.cases("construct", "constructs", threads)

    def suite(self):
        for threads in self.plan.threads:
            self.cases("suite", "suite", threads)

    # Whole programs: the kernel's own time, and what the process used from start to end.
    def whole(self, benchmark, command, tool, threads, **more):
        costs = {}
        outcome = self.execute(command, tool, threads, keep=lambda directory, _: costs.update(self.costs_in(directory)), **more)
        if outcome.status == 0:
            for part, spent in costs.items():
                self.results.add(f"{benchmark}/tool-{part}", tool.name, spent, "ms")
            for name, value in (*outcome.values.items(), ("wall", outcome.wall), ("processor", outcome.cpu)):
                self.results.add(f"{benchmark}/{name}", tool.name, value * 1e3, "ms")
            self.results.add(f"{benchmark}/peak", tool.name, outcome.rss, "MiB")
            self.results.add(f"{benchmark}/faults", tool.name, outcome.faults, "")
            self.results.add(f"{benchmark}/disk", tool.name, outcome.trace_bytes / 2**20, "MiB")
            for part, spent in parts_said(outcome.errors).items():
                self.results.add(f"{benchmark}/tool-{part}", tool.name, spent, "ms")
            events = events_said(outcome.errors)
            if events:
                self.results.add(f"{benchmark}/events", tool.name, events, "")
        return outcome

    def costs_in(self, directory):
        """What the tool's own counters in its archive say: milliseconds of processor time by part."""
        program, archive = os.path.join(self.build, "bin", "tracer"), os.path.join(directory, "trace")
        if not os.path.exists(program) or not os.path.exists(os.path.join(archive, "traces.otf2")):
            return {}
        said = subprocess.run([program, "info", "--json", archive], capture_output=True)
        if said.returncode != 0:
            return {}
        properties = json.loads(said.stdout)["properties"]
        wanted = ("memory", "convert_cpu", "convert_kernel", "scan_cpu")
        found = {part: properties.get(f"TRACER::COUNTER::TOOL_{part.upper()}_NS") for part in wanted}
        return {part: float(ns) / 1e6 for part, ns in found.items() if ns is not None}

    def count(self, benchmark, command, threads):
        def keep(directory, outcome):
            with open(os.path.join(directory, "counts")) as f:
                self.results.counts[benchmark] = process.values_of(f.read()).get("total", 0)
        if self.counting:
            self.execute(command, self.counting, threads, keep=keep)

    def programs(self):
        for threads in self.plan.threads:
            for name, arguments in self.plan.programs.items():
                self.count(f"program/{threads}/{name}", [self.program(name), *arguments], threads)
            for number in range(self.plan.program_rounds):
                self.say(f"programs, {threads} threads: round {number + 1} of {self.plan.program_rounds}")
                for name, arguments in self.plan.programs.items():
                    for tool in self.tools:
                        self.whole(f"program/{threads}/{name}", [self.program(name), *arguments], tool, threads)

    # Many events: four callbacks per barrier on one thread.
    def volume(self):
        for events in self.plan.volume:
            name = f"volume/1/{events // 1_000_000}M" if events >= 1_000_000 else f"volume/1/{events // 1000}k"
            command = [self.program("volume"), str(events // 4)]
            self.count(name, command, 1)
            for number in range(self.plan.volume_rounds):
                self.say(f"{events} events: round {number + 1} of {self.plan.volume_rounds}")
                for tool in self.tools:
                    self.whole(name, command, tool, 1)

    def start(self):
        self.say("start-up")
        for _ in range(self.plan.rounds):
            for tool in self.measured:
                for _ in range(self.plan.starts):
                    outcome = self.execute([self.program("empty")], tool, 1)
                    self.results.add("start/1/empty", tool.name, outcome.wall * 1e3, "ms")
                    for part, spent in parts_said(outcome.errors).items():
                        self.results.add(f"start/1/tool-{part}", tool.name, spent, "ms")
                    outcome = self.execute([self.program("empty")], tool, 1, record_only=True)
                    self.results.add("start/1/record-only", tool.name, outcome.wall * 1e3, "ms")

    # CPU time per lock and unlock (three callbacks), in the threads and of the whole process, and memory per thread.
    def threads(self):
        for threads in self.plan.many_threads:
            self.say(f"{threads} threads")
            for _ in range(3):
                for tool in self.measured:
                    command = [self.program("threads"), str(self.plan.lock_pairs)]
                    costs = {}
                    outcome = self.execute(command, tool, threads, keep=lambda directory, _: costs.update(self.costs_in(directory)))
                    pairs = max(1, self.plan.lock_pairs // threads) * threads
                    costs |= {part: spent for part, spent in parts_said(outcome.errors).items() if part == "drain"}
                    for part in ("memory", "drain"):
                        if part in costs:
                            self.results.add(f"threads/{threads}/{part}", tool.name, costs[part] * 1e6 / pairs, "ns")
                    for what, value in (("lock", "cpu"), ("process", "process")):
                        self.results.add(f"threads/{threads}/{what}", tool.name, outcome.values.get(value, 0) * 1e9 / pairs, "ns")
                    idle = self.execute([self.program("threads"), "0"], tool, threads, record_only=True)
                    self.results.add(f"threads/{threads}/idle", tool.name, idle.rss * 1024, "KiB")


def parts_said(text):
    """What the tool's closing line says that the tool itself took: milliseconds by part."""
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
    found = re.findall(r"([\d.]+) (ns|us|ms|s) (start|drain|waited|conversion)\b", text)
    return {part: float(number) * scale[unit] for number, unit, part in found}


def events_said(text):
    """The number of events in a tool's closing line, when it says one."""
    found = re.search(r"([\d][\d,.']*)\s*(million|thousand|[kM])?\s*events", text)
    if not found:
        return None
    scale = {"million": 1e6, "M": 1e6, "thousand": 1e3, "k": 1e3}.get(found.group(2), 1)
    digits = re.sub(r"[,']", "", found.group(1)).rstrip(".")
    return float(digits) * scale


GROUPS = ("constructs", "suite", "programs", "volume", "start", "threads")
