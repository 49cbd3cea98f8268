#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A thread that waits for the value of `single copyprivate` runs tasks inside of the barrier in which it waits (copyprivate.c).
copyprivate.py --tracer tracer"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
ROUNDS = 3


def around_tasks(anchor):
    """The innermost region of its implicit task in which each task begins."""
    inside, stacks = [], {}
    with otf2.reader.open(str(anchor)) as trace:
        for location, event in trace.events:
            kind, stack = type(event).__name__, stacks.setdefault(location, [])
            if kind == "Enter":
                if event.region.name.startswith("!$omp task @"):
                    inside.append(stack[-1].split(" @")[0] if stack else "")
                stack.append(event.region.name)
            elif kind == "Leave":
                stack.pop()
    return inside


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        program, trace = os.path.join(name, "copyprivate"), os.path.join(name, "trace")
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", HERE / "copyprivate.c", "-o", program, *SANITIZED], check=True)
        done = run([options.tracer, "run", "-o", trace, "--", program], clean())
        found = judge(os.path.join(trace, "traces.otf2"), options.tracer)[0]
        if done.returncode != 0 or "repaired" in done.stderr:
            found.append(f"ends with {done.returncode}: {done.stdout}{done.stderr}")
        inside = around_tasks(os.path.join(trace, "traces.otf2"))
        if inside != ["!$omp implicit barrier wait"] * ROUNDS:
            found.append(f"tasks begin in {inside}")
    print("\n".join(found) or "each task is in the barrier")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
