#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The times in which threads did not run are those of the kernel's own account, per thread, within 1 %."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from failing import fail  # noqa: E402
from machine import stolen  # noqa: E402
from samples_file import SamplesFile  # noqa: E402


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("program")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace")
        environment = {**os.environ, "OMP_TOOL_LIBRARIES": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SCHEDULE": "on",
                       "OMP_DYNAMIC": "false"}
        before = stolen()
        ran = subprocess.run([options.program], env=environment, capture_output=True, text=True, timeout=120)
        taken = stolen() - before
        if ran.returncode == 77 or "no scheduling is recorded" in ran.stderr:
            print("skipped:", ran.stderr.strip() or "no schedstat")
            return 77
        if ran.returncode != 0:
            fail(f"the program ended with {ran.returncode}: {ran.stderr}")
        pauses = SamplesFile(trace / "samples.bin").pauses
    rows = [list(map(int, line.split()[1:])) for line in ran.stdout.splitlines() if line.startswith("thread ")]
    if len(rows) != 4:
        fail(f"{len(rows)} threads spoke")
    waited = 0
    for thread, begin, end, run, queued in rows:
        own = [p for p in pauses if p.thread == thread]
        said = sum(max(0, min(p.end, end) - max(p.begin, begin)) for p in own)
        true = end - begin - run
        waited += queued
        print(f"thread {thread}: not running {said / 1e6:.1f} ms, {true / 1e6:.1f} ms by the kernel's account, "
              f"{len(own)} times; {queued / 1e6:.1f} ms ready to run, {taken / 1e6:.1f} ms taken by the machine's host")
        if not -0.01 * true <= true - said <= 0.01 * true + taken:
            fail("they differ by more than 1 %")
        preempted = sum(max(0, min(p.end, end) - max(p.begin, begin)) for p in own if p.preempted)
        if preempted > 1.01 * queued + 1e6:
            fail(f"preempted for {preempted} ns, but ready to run for {queued} only")
    if waited < 0.5e9:
        fail("four threads on two processors hardly waited for one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
