#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Samples against what the program says of itself: shares of its functions, where the paths begin, times not running.
Status 77 where the kernel lets nobody sample."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from failing import fail  # noqa: E402
from machine import unless_stolen  # noqa: E402

POINTS = 2.0  # by how many per cent of all a function's share may be off: some 1,900 samples


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("--tracer", required=True)
    arguments.add_argument("program")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace")
        environment = dict(os.environ, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(trace), TRACER_SAMPLE="1000",
                           TRACER_SCHEDULE="on", OMP_WAIT_POLICY="passive")
        ran = subprocess.run([options.program, "60"], env=environment, capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            fail(f"the program ended with {ran.returncode}: {ran.stderr}")
        if "no samples are taken" in ran.stderr:
            print("skipped:", ran.stderr.strip())
            return 77
        checked = subprocess.run([options.tracer, "check", trace], capture_output=True, text=True)
        if checked.returncode != 0:
            fail("tracer check: " + checked.stdout + checked.stderr)
        shown = subprocess.run([options.tracer, "samples", "--form", "json", trace], capture_output=True, text=True)
        if shown.returncode != 0:
            fail("tracer samples: " + shown.stderr)
        report = json.loads(shown.stdout)
        burnt = {}
        for line in ran.stdout.splitlines()[1:]:
            name, ns = line.split()
            burnt[name] = int(ns)
        total = sum(burnt.values())
        inside = {row["name"]: row["inside"] for row in report["functions"]}
        of_burners = sum(inside.get(name, 0) for name in burnt)
        print("samples", report["samples"], "lost", report["lost"], "outside", report["outside"])
        if of_burners * report["period_ns"] < 0.8 * total:
            fail(f"{of_burners} samples for {total / 1e6:.0f} ms of work")
        for name, ns in burnt.items():
            said, true = 100 * inside.get(name, 0) / of_burners, 100 * ns / total
            print(f"{name}: {said:.1f} % of the samples, {true:.1f} % of the processor time")
            if abs(said - true) > POINTS:
                fail(f"{name} is {said:.1f} %, should be {true:.1f} %")
        right = wrong = 0
        for row in report["paths"]:
            path = row["path"]
            expected = {"burn_serial": [], "burn_loop_a": ["parallel"], "burn_loop_b": ["parallel"], "burn_task": ["parallel", "task"]}
            for name, constructs in expected.items():
                if name not in path:
                    continue
                words = [frame.split(" ")[0] for frame in path]
                at = [words.index(word) if word in words else -1 for word in constructs]
                good = -1 not in at and at == sorted(at) and (not constructs or max(at) < path.index(name))
                right += row["samples"] if good else 0
                wrong += 0 if good else row["samples"]
                if not good:
                    print("wrong path:", path)
        if right < 0.99 * (right + wrong):
            fail(f"{wrong} of {right + wrong} samples are on a wrong path")
        folded = subprocess.run([options.tracer, "samples", "--form", "folded", trace], capture_output=True, text=True).stdout
        if sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) != report["samples"]:
            fail("the folded stacks have another number of samples")
        speedscope = json.loads(subprocess.run([options.tracer, "samples", "--form", "speedscope", trace],
                                               capture_output=True, text=True).stdout)
        profile = speedscope["profiles"][0]
        if sum(profile["weights"]) != report["samples"] * report["period_ns"] or len(profile["samples"]) != len(profile["weights"]):
            fail("speedscope's weights are not the samples'")
        launched = pathlib.Path(scratch, "launched")
        ran = subprocess.run([options.tracer, "run", "-q", "--sample=500", "-o", launched, "--", options.program, "5"],
                             env={**os.environ, "TRACER_LIBRARY": options.tool}, capture_output=True, text=True, timeout=120)
        if ran.returncode != 0:
            fail(f"tracer run --sample: {ran.returncode} {ran.stderr}")
        shown = json.loads(subprocess.run([options.tracer, "samples", "--form", "json", launched], capture_output=True, text=True).stdout)
        if shown["period_ns"] != 2_000_000 or not any(row["pauses"] for row in shown["threads"]):
            fail(f"tracer run --sample=500: a period of {shown['period_ns']} ns, or no pauses")
        if not any(row["pauses"] for row in report["threads"]):
            fail("no thread ever stopped running")
    return 0


if __name__ == "__main__":
    sys.exit(unless_stolen(main))
