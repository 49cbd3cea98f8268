#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder that is flushed while the program runs, by a signal or by omp_control_tool, leaves a sound archive: of each
thread several stretches, with gaps of different lengths between them. A handler of the program's for the signal is called as the
program installed it.

flushed.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import judge, run, traced  # noqa: E402

ROUNDS = 60


def check(options, directory, how, memory):
    output = pathlib.Path(directory, "trace")
    environment = traced(options, output, TRACER_ON_FULL="newest", TRACER_MEMORY=memory, TRACER_FLUSH_SIGNAL="USR1")
    done = run([options.program, str(ROUNDS), how], environment, timeout=180)
    if done.returncode != 0 or done.stdout != f"sum {ROUNDS * (1000 + 4 * 300)}\n":
        yield f"ends with {done.returncode} and says {done.stdout!r} {done.stderr}"
    faults, contents = judge(output / "traces.otf2", options.tracer)
    yield from faults
    # More than what fits into the memory at the end: the flushes' stretches are there as well.
    if contents and contents.enters["critical"] < 2 * 300:
        yield f"{contents.enters['critical']} critical sections: what was flushed is not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    failures = 0
    for _ in range(int(os.environ.get("TRACER_STRESS", "1"))):
        for how in ("signal", "handler", "once", "outside", "inside"):
            for memory in ("256K", "1M"):
                with tempfile.TemporaryDirectory() as directory:
                    faults = list(check(options, directory, how, memory))
                if faults:
                    print(f"{how}, {memory}:", *faults, sep="\n")
                failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
