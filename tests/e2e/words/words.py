#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What programs say through NVTX, ITT, Kokkos Tools and ROCTx is in the archive, every range that they count:
words.py --tool libtracer.so --tracer tracer speak"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

import otf2
from otf2.events import Enter, Leave, Metric

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402

PARTS = {
    "nested ranges": ["nested"],
    "nested ranges of a program with OpenMP": ["openmp", "nested", "openmp"],
    "ranges that overlap": ["overlapping"],
    "ranges that end in another thread": ["threads"],
    "ranges that do not nest with OpenMP's regions": ["strays"],
    "words that are wrong": ["wrong"],
    "ITT": ["itt"],
    "Kokkos": ["kokkos"],
    "ROCTx": ["roctx"],
    "all": ["nested", "overlapping", "threads", "strays", "itt", "kokkos", "roctx", "wrong"],
}


class Words:
    """Regions of the paradigm USER: how often entered, where, how long; metrics by name."""

    def __init__(self, anchor):
        self.enters, self.locations = collections.Counter(), collections.defaultdict(set)
        self.longest, self.counters, self.attributes = {}, collections.Counter(), {}
        opened = collections.defaultdict(list)
        with otf2.reader.open(str(anchor)) as trace:
            resolution = trace.timer_resolution
            for location, event in trace.events:
                if isinstance(event, Metric):
                    for value in event.values if hasattr(event, "values") else [None]:
                        self.counters[event.member.name] += 1
                if not isinstance(event, (Enter, Leave)) or event.region.paradigm != otf2.Paradigm.USER:
                    continue
                key = (location.name, event.region.name)
                if isinstance(event, Enter):
                    self.enters[event.region.name] += 1
                    self.locations[event.region.name].add(location.name)
                    opened[key].append(event.time)
                    if event.attributes:
                        self.attributes[event.region.name] = {a.name: v for a, v in event.attributes.items()}
                else:
                    seconds = (event.time - opened[key].pop()) / resolution
                    self.longest[event.region.name] = max(seconds, self.longest.get(event.region.name, 0))


def report_of(options, archive):
    return json.loads(run([options.tracer, "report", "--json", str(archive)], clean()).stdout)


def traced(options, parts, archive, *flags):
    return run([options.tracer, "run", "-o", str(archive), "--annotations", "nvtx,itt,kokkos,roctx", *flags, "--", options.program, *parts],
               clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))


def check(options, title, directory):
    parts = PARTS[title]
    archive = pathlib.Path(directory, "trace")
    without = run([options.program, *parts], clean())
    done = traced(options, parts, archive)
    if (done.returncode, done.stdout) != (without.returncode, without.stdout):
        return (yield f"ends with {done.returncode} instead of {without.returncode}: {done.stdout}{done.stderr}")
    if "error" in done.stderr or "warning" in done.stderr:
        yield done.stderr
    faults, contents = judge(archive / "traces.otf2", options.tracer)
    yield from faults
    if contents is None:
        return
    words = Words(archive / "traces.otf2")
    for line in done.stdout.splitlines():
        what, _, rest = line.partition(" ")
        name, _, count = rest.rpartition(" ")
        found = (words.enters if what == "range" else words.counters)[name]
        if found != int(count):
            yield f"{what} {name}: {found} times instead of {count}"
    properties = report_of(options, archive)["trace"]["properties"]
    repaired = {name.rpartition("::")[2]: int(count) for name, count in properties.items() if "::REPAIRED::" in name}
    yield from look_closer(parts, words, repaired)


def look_closer(parts, words, repaired):
    virtual = {name for places in words.locations.values() for name in places if name.startswith(("NVTX", "ITT"))}
    if "wrong" not in parts and repaired:
        yield f"something was repaired: {repaired}"
    if "nested" in parts:
        if words.longest["20 ms"] < 0.02:
            yield f"20 ms took {words.longest['20 ms']} s"
        if {words.attributes["registered"].get(name) for name in ("CATEGORY", "COLOR", "PAYLOAD")} != {"numerics", 0xff00ff00, 42}:
            yield f"attributes: {words.attributes['registered']}"
        if parts == ["nested"] and virtual:
            yield f"nested ranges are on {virtual}"
    if "overlapping" in parts and words.longest["overlap b"] < 0.02:
        yield "overlap b is too short"
    if parts == ["overlapping"] and not {"NVTX", "NVTX (2)"} <= virtual:
        yield f"ranges that overlap are on {virtual}"
    if parts == ["threads"] and words.locations["in a thread"] != {f"Thread {n}" for n in range(1, 5)}:
        yield f"the threads are called {words.locations['in a thread']}"
    if "wrong" in parts:
        counted = sum(count for name, count in repaired.items() if "RANGE" in name.upper() or "range" in name)
        if counted < 5:  # an end and a stop too many, two pushes and a start without end
            yield f"not all that is wrong was counted: {repaired}"
        if max(len(name) for name in words.enters) < 60000:
            yield "the long name is missing"


def check_twice(options, directory):
    """libomp has ITT's hooks: with them bound, the archive is what it is without."""
    counts = []
    for chosen in ("none", "itt"):
        archive = pathlib.Path(directory, chosen)
        run([options.tracer, "run", "-q", "-o", str(archive), "--annotations", chosen, "--", options.program, "openmp"],
            clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))
        faults, contents = judge(archive / "traces.otf2", options.tracer)
        yield from faults
        if contents:
            counts.append(contents.enters)
    if len(counts) == 2 and counts[0] != counts[1]:
        yield f"ITT changes what is told: {counts[0]} without, {counts[1]} with"


def check_others(options, directory):
    """A variable that names another tool is kept, and that is said; a wrong list is refused."""
    archive = pathlib.Path(directory, "kept")
    done = run([options.tracer, "run", "-o", str(archive), "--", options.program, "openmp"],
               clean(TRACER_LIBRARY=options.tool, NVTX_INJECTION64_PATH="/nowhere/other.so"))
    if done.returncode != 0 or "NVTX_INJECTION64_PATH names another tool" not in done.stderr:
        yield f"another tool: {done.stderr}"
    done = run([options.tracer, "run", "--annotations", "nvtx,other", "--", options.program], clean())
    if done.returncode == 0 or "not 'other'" not in done.stderr:
        yield f"a wrong list: {done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    failed = False
    checks = [(title, lambda o, d, t=title: check(o, t, d)) for title in PARTS]
    for title, body in [*checks, ("nothing twice", check_twice), ("other tools", check_others)]:
        with tempfile.TemporaryDirectory() as directory:
            for fault in body(options, directory):
                print(f"{title}: {fault[:3000]}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
