#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counters that are read with samples, against what the program says of itself; and what is said of those that the
machine has not. Hardware counters are a preloaded kernel's, so that machines without any can try. Status 77 where the
kernel lets nobody sample."""
import argparse
import errno
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from failing import fail  # noqa: E402
from machine import unless_stolen  # noqa: E402
from samples_file import SamplesFile  # noqa: E402

STANDSTILL = 20_000_000  # nanoseconds
POINTS = 2.0  # by how many per cent of all a function's share may be off, as in check_samples.py


class Check:
    def __init__(self, options):
        self.options = options

    def run(self, scratch, counters, unit="20", **variables):
        """The trace's directory, what the program burnt by function, and what was said on standard error."""
        trace = pathlib.Path(scratch, "trace")
        environment = {**os.environ, "OMP_TOOL_LIBRARIES": self.options.tool, "TRACER_OUTPUT": str(trace), "TRACER_COUNTERS": counters,
                       "OMP_WAIT_POLICY": "passive", **variables}
        ran = subprocess.run([self.options.program, unit], env=environment, capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            fail(f"the program ended with {ran.returncode}: {ran.stderr}")
        burnt = {name: int(ns) for name, ns in (line.split() for line in ran.stdout.splitlines()[1:])}
        return trace, burnt, [line for line in ran.stderr.splitlines() if " events, " not in line]

    def report(self, trace):
        shown = subprocess.run([self.options.tracer, "samples", "--form", "json", trace], capture_output=True, text=True)
        if shown.returncode != 0:
            fail("tracer samples: " + shown.stderr)
        return json.loads(shown.stdout)

    def processor_time(self):
        """The kernel's clock as a counter: what it says of the functions is what they burnt, and of a thread no more than passed."""
        with tempfile.TemporaryDirectory() as scratch:
            trace, burnt, said = self.run(scratch, "task-clock,page-faults", "60")
            if said:
                print("skipped:", *said)
                return False
            report = self.report(trace)
            names = [row["name"] for row in report["counters"]]
            if names != ["task-clock", "page-faults"] or report["counters"][0]["unit"] != "ns":
                fail(f"the counters are {report['counters']}")
            inside = {row["name"]: row["counted_inside"][0] for row in report["functions"]}
            total, of_burners = sum(burnt.values()), sum(inside.get(name, 0) for name in burnt)
            print(f"task-clock in the functions: {of_burners / 1e6:.1f} ms, burnt: {total / 1e6:.1f} ms")
            if not 0.9 * total < of_burners < 1.1 * total:
                fail("that is not the processor time")
            for name, ns in burnt.items():
                shown, true = 100 * inside.get(name, 0) / of_burners, 100 * ns / total
                print(f"{name}: {shown:.1f} % of task-clock, {true:.1f} % of the processor time")
                if abs(shown - true) > POINTS:
                    fail(f"{name} is {shown:.1f} %, should be {true:.1f} %")
            file = SamplesFile(trace / "samples.bin")
            for _, rows in itertools.groupby(zip(file.samples, file.values), key=lambda row: row[0].thread):
                self.check_steps(list(rows))
            if subprocess.run([self.options.tracer, "check", trace], capture_output=True).returncode != 0:
                fail("tracer check finds the trace wrong")
        return True

    def check_steps(self, rows):
        """Of one thread: task-clock, which passes no faster than time, and page faults, which only rise."""
        first = rows[0]
        for before, after in zip(rows, rows[1:]):
            if after[1][0] - first[1][0] > 1.01 * (after[0].time - first[0].time) + STANDSTILL:
                fail(f"task-clock rose by {after[1][0] - first[1][0]} ns in all of {after[0].time - first[0].time} ns")
            rise, passed = after[1][0] - before[1][0], after[0].time - before[0].time
            # The clock is read behind the sample's time: a machine that stands still between them adds to one and takes from the next.
            if not 0 <= rise <= 1.01 * passed + STANDSTILL or after[1][1] < before[1][1]:
                fail(f"task-clock rose by {rise} ns in {passed} ns, page faults from {before[1][1]} to {after[1][1]}")

    def hardware(self, kind, counters, counted, said):
        """said: parts of the one line; none: nothing is said."""
        with tempfile.TemporaryDirectory() as scratch:
            trace, _, lines = self.run(scratch, counters, "5", LD_PRELOAD=self.options.fake, TRACER_TEST_PERF=kind, TRACER_SAMPLE_SOURCE="perf")
            print(f"{kind} {counters}: {lines}")
            if len(lines) != bool(said) or any(part not in lines[0] for part in said):
                fail(f"expected is {said}")
            report = self.report(trace)
            if [row["name"] for row in report["counters"]] != counted:
                fail(f"{kind}: the counters are {report['counters']}")
            if not report["samples"]:
                fail(f"{kind}: no samples")
            return report

    def complaint(self, counters, parts, **variables):
        with tempfile.TemporaryDirectory() as scratch:
            _, _, lines = self.run(scratch, counters, "2", **variables)
            print(f"{counters}: {lines}")
            if len(lines) != 1 or any(part not in lines[0] for part in parts):
                fail(f"expected is {parts}")

    def by_command(self):
        with tempfile.TemporaryDirectory() as scratch:
            trace = pathlib.Path(scratch, "trace")
            ran = subprocess.run([self.options.tracer, "run", "-q", "--counters", "task-clock", "-o", trace, "--", self.options.program, "5"],
                                 env={**os.environ, "TRACER_LIBRARY": self.options.tool}, capture_output=True, text=True, timeout=120)
            report = self.report(trace) if ran.returncode == 0 else None
            if report is None or report["period_ns"] != 1_000_000 or report["counters"][0]["total"] == 0:
                fail(f"tracer run --counters: {ran.returncode} {ran.stderr} {report and report['counters']}")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer", "--fake"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("program")
    check = Check(arguments.parse_args())
    # A virtual machine's processor that the host has taken goes on counting.
    if not unless_stolen(check.processor_time):
        return 77
    # Both are the same clock there: one instruction per cycle.
    report = check.hardware("hardware:0", "instructions,cycles,cache-misses", ["instructions", "cycles", "cache-misses"], ())
    instructions, cycles, _ = (row["total"] for row in report["counters"])
    if not 0.98 < instructions / cycles < 1.02:
        fail(f"{instructions} instructions, {cycles} cycles")
    check.hardware(f"hardware:{errno.ENOENT}", "instructions,page-faults,cycles", ["page-faults"],
                   ("not counted: instructions, cycles (this machine has no such counters)",))
    check.hardware(f"hardware:{errno.EINVAL}:3", "instructions,cycles,branches,branch-misses", ["instructions", "cycles"],
                   ("not counted: branches, branch-misses (the processor has no room for so many at once)",))
    check.hardware(f"kernel:{errno.EACCES}", "context-switches,task-clock", ["task-clock"],
                   ("not counted: context-switches (", "perf_event_paranoid is 1 or less"))
    # Locked memory ends: in the trial of both counters, and behind the trial and the first thread.
    check.hardware(f"page:{errno.EPERM}", "task-clock,page-faults", [], ("not counted: task-clock, page-faults (no locked memory is left",))
    check.hardware(f"page:{errno.EPERM}:3", "task-clock", ["task-clock"], ("samples: some threads lack counters: no locked memory is left",))
    check.complaint("instructions,no-such-counter", ("TRACER_COUNTERS=instructions,no-such-counter", "cycles, instructions, ", "page-faults"))
    check.complaint("task-clock", ("no counters are read: signals do not",), TRACER_SAMPLE_SOURCE="signal")
    check.by_command()
    return 0


if __name__ == "__main__":
    sys.exit(main())
