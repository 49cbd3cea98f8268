#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples by signals: shares of functions, the functions around them, and the constructs around those, with frame pointers
and without."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from failing import fail  # noqa: E402
from machine import unless_stolen  # noqa: E402
from samples_file import SamplesFile  # noqa: E402

POINTS = 2.0
CONSTRUCTS = {"in_loop": ["parallel"], "in_task": ["parallel", "task"], "in_nested": ["parallel", "parallel"]}
SIGNAL, UNKNOWN = 1, 0xffff


def share(right, total, what):
    print(f"{what}: {right} of {total}")
    if right < 0.99 * total:
        fail(f"{what}: {total - right} of {total} samples are wrong")


def check_pairs(file):
    """In each stack the caller of a burner is one of the functions that call them, and is called by the program's code."""
    right = total = 0
    for sample in file.samples:
        own = [file.frames[frame] for frame in file.stacks[sample.stack]]
        names = [frame.function for frame in own if frame.origin == 0]
        at = next((i for i, name in enumerate(names) if name.startswith("burn_")), None)
        if at is None:
            continue
        total += 1
        right += at >= 2 and names[at - 1] in CONSTRUCTS
    share(right, total, "burners are called by what calls them")


def check_paths(report):
    right = total = 0
    for row in report["paths"]:
        path = [frame.split(" ")[0] for frame in row["path"]]
        if not any(name.startswith("burn_") for name in path):
            continue
        total += row["samples"]
        caller = next((name for name in CONSTRUCTS if name in path), None)
        constructs = [name for name in path if name in ("parallel", "task")]
        good = caller is not None and constructs == CONSTRUCTS[caller] and path.index(caller) > path.index(constructs[-1])
        right += row["samples"] if good else 0
        if not good:
            print("wrong path:", row["path"], row["samples"])
    share(right, total, "burners are in the constructs that they are in")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("--tracer", required=True)
    arguments.add_argument("--refuse", help="runs the program where perf_event_open is denied")
    arguments.add_argument("program")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace")
        environment = {**os.environ, "OMP_TOOL_LIBRARIES": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "1000",
                       "TRACER_SAMPLE_SOURCE": "signal", "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"}
        before = [options.refuse, "1"] if options.refuse else []
        ran = subprocess.run([*before, options.program, "40"], env=environment, capture_output=True, text=True, timeout=200)
        if ran.returncode == 77:
            print(ran.stderr)
            return 77
        if ran.returncode != 0:
            fail(f"the program ended with {ran.returncode}: {ran.stderr}")
        checked = subprocess.run([options.tracer, "check", trace], capture_output=True, text=True)
        if checked.returncode != 0:
            fail("tracer check: " + checked.stdout + checked.stderr)
        file = SamplesFile(trace / "samples.bin")
        shown = subprocess.run([options.tracer, "samples", "--form", "json", trace], capture_output=True, text=True)
        if shown.returncode != 0:
            fail("tracer samples: " + shown.stderr)
    if any(sample.source != SIGNAL for sample in file.samples):
        fail("there are samples of another source")
    known = sum(sample.state != UNKNOWN for sample in file.samples)
    share(known, len(file.samples), "samples whose state the runtime told")
    burnt = {line.split()[0]: int(line.split()[1]) for line in ran.stdout.splitlines()[1:]}
    counts = {name: sum(file.functions(sample)[-1] == name for sample in file.samples) for name in burnt}
    inside = {name: sum(name in file.functions(sample) for sample in file.samples) for name in burnt}
    total, of_burners = sum(burnt.values()), sum(inside.values())
    print(f"{len(file.samples)} samples, one for each {file.period / 1e6} ms; {file.lost} lost; innermost {counts}")
    if of_burners * file.period < 0.8 * total:
        fail(f"{of_burners} samples for {total / 1e6:.0f} ms of work")
    for name, ns in burnt.items():
        said, true = 100 * inside[name] / of_burners, 100 * ns / total
        print(f"{name}: {said:.1f} % of the samples, {true:.1f} % of the processor time")
        # Timers give as many samples as there are ticks, which on a busy virtual machine are few: four deviations then.
        bound = max(POINTS, 400 * math.sqrt(true / 100 * (1 - true / 100) / of_burners))
        if abs(said - true) > bound:
            fail(f"{name} is {said:.1f} %, should be {true:.1f} %")
    check_pairs(file)
    check_paths(json.loads(shown.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(unless_stolen(main))
