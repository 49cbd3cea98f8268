#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The samples of processes that a program makes: by fork, which runs on in a child with a trace of its own, and by fork, vfork and posix_spawn with
another program. Each has the time that it burnt. Status 77 where the kernel lets nobody sample."""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from failing import fail  # noqa: E402
from machine import unless_stolen  # noqa: E402

FORKED = ["fork", "fork_serial", "quick_exit", "killed", "killed_inside", "grandchild"]
REPLACED = ["fork_exec", "vfork_exec", "spawn"]
WITHOUT_OPENMP = ["exits"]
# What the kernel still held of two threads is lost with a process that nobody asks when it ends.
LATE_NS = {"quick_exit": 2 * 150_000_000, "killed": 2 * 150_000_000, "killed_inside": 2 * 150_000_000}
# Of what was burnt. Signals come at the kernel's ticks, of which a virtual machine misses some, in each process others: each has
# a period of its own, where the archive of all has one for all.
BOUNDS = {"perf": (0.8, 1.2), "signal": (0.3, 2.5)}


def samples_of(options, trace):
    return json.loads(subprocess.run([options.tracer, "samples", "--form", "json", trace], capture_output=True, text=True, check=True).stdout)


def run_and_check(options, source, scratch):
    trace = pathlib.Path(scratch, source)
    command = [options.program, *FORKED, *REPLACED, *WITHOUT_OPENMP]
    environment = dict(os.environ, TRACER_LIBRARY=options.tool, TRACER_SAMPLE_SOURCE=source, OMP_WAIT_POLICY="passive")
    # By a shell, which is a parent that starts no runtime.
    ran = subprocess.run([options.tracer, "run", "--sample", "--separate", "-o", trace, "--", "/bin/sh", "-c", '"$@"; exit $?', "sh", *command],
                         env=environment, capture_output=True, text=True, timeout=240)
    if ran.returncode != 0:
        fail(f"{source}: the program ended with {ran.returncode}: {ran.stderr}")
    if "no samples are taken" in ran.stderr:
        print(f"not tested: {source}: {ran.stderr.strip()}")
        return False
    functions = collections.Counter()
    for part in trace.rglob("traces.otf2"):
        report = samples_of(options, part.parent)
        functions.update({row["name"]: row["inside"] * report["period_ns"] for row in report["functions"]})
    merged = subprocess.run([options.tracer, "merge", trace], capture_output=True, text=True)
    if merged.returncode != 0:
        fail(f"{source}: tracer merge: {merged.stderr}")
    checked = subprocess.run([options.tracer, "check", trace], capture_output=True, text=True)
    if checked.returncode != 0:
        fail(f"{source}: tracer check: " + checked.stdout + checked.stderr)
    report = samples_of(options, trace)
    burnt = {name: int(ns) for name, ns in (line.split() for line in ran.stdout.splitlines())}
    faults = []
    for part in ["parent", *FORKED, *REPLACED]:
        name = "burn_" + part
        sampled, true = functions[name], burnt[name]
        print(f"{source}: {name}: samples of {sampled / 1e6:.0f} ms, burnt {true / 1e6:.0f} ms")
        least, most = BOUNDS[source]
        if not least * (true - LATE_NS.get(part, 0)) < sampled < most * true:
            faults.append(f"{source}: {name} has samples of {sampled / 1e6:.0f} ms instead of {true / 1e6:.0f}")
    whole = json.loads(subprocess.run([options.tracer, "report", "--json", trace], capture_output=True, text=True, check=True).stdout)
    if len(whole["processes"]) != 1 + len(FORKED) + len(REPLACED):
        faults.append(f"{source}: {len(whole['processes'])} processes are in the archive; those without OpenMP have no trace")
    if report["outside"] > 0.02 * report["samples"]:
        faults.append(f"{source}: {report['outside']} samples lie outside of the trace, {report['samples']} inside")
    if faults:
        fail("\n".join(faults))
    return True


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer", "program"):
        arguments.add_argument(name, **({"required": True} if name.startswith("--") else {}))
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        looked_at = [run_and_check(options, source, scratch) for source in ("perf", "signal")]
    if not any(looked_at):
        print("skipped: no samples here")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(unless_stolen(main))
