#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder that is flushed while the program runs, by a signal or by omp_control_tool, leaves a sound archive: of each
thread several stretches, with gaps of different lengths between them.

flushed.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from archive import Archive, otf2_print  # noqa: E402

ROUNDS = 60


def check(options, directory, how, memory):
    output = pathlib.Path(directory, "trace")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    environment.update(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), TRACER_ON_FULL="newest", TRACER_MEMORY=memory,
                       TRACER_FLUSH_SIGNAL="USR1")
    if options.preload:
        environment["LD_PRELOAD"] = options.preload
    done = subprocess.run([options.program, str(ROUNDS), how], env=environment, capture_output=True, text=True, timeout=180)
    if done.returncode != 0 or done.stdout != f"sum {ROUNDS * (1000 + 4 * 300)}\n":
        yield f"ends with {done.returncode} and says {done.stdout!r} {done.stderr}"
    anchor = output / "traces.otf2"
    if not anchor.exists():
        yield f"no archive: {done.stderr}"
        return
    noise = otf2_print(anchor)
    if noise:
        yield f"otf2-print: {noise[:500]}"
    rules = subprocess.run([options.tracer, "check", str(output)], capture_output=True, text=True, timeout=180)
    if rules.returncode != 0:
        yield rules.stdout
    contents = Archive(anchor)  # its problems: tasks of a team whose begin is in a gap (CHANGELOG.md, known gaps)
    # More than what fits into the memory at the end: the flushes' stretches are there as well.
    if contents.enters["critical"] < 2 * 300:
        yield f"{contents.enters['critical']} critical sections: what was flushed is not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--preload")
    parser.add_argument("program")
    options = parser.parse_args()
    failures = 0
    for _ in range(int(os.environ.get("TRACER_STRESS", "1"))):
        for how in ("signal", "outside", "inside"):
            for memory in ("256K", "1M"):
                with tempfile.TemporaryDirectory() as directory:
                    faults = list(check(options, directory, how, memory))
                if faults:
                    print(f"{how}, {memory}:", *faults, sep="\n")
                failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
