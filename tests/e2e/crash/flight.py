#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder's archive is sound, holds the newest events and no gap, and says that it is not complete.

flight.py --tool libtracer.so --tracer tracer [--sections N] PROGRAM

TRACER_STRESS=50 makes it the 50 million events of a long run."""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import judge, run, traced  # noqa: E402


def check(options, directory, memory):
    output = pathlib.Path(directory, "trace")
    done = run([options.program, str(options.sections)], traced(options, output, TRACER_ON_FULL="newest", TRACER_MEMORY=memory), timeout=300)
    if done.returncode != 0 or done.stdout != f"sum {2 * options.sections + 2000}\n":
        yield f"ends with {done.returncode} and says {done.stdout!r} {done.stderr}"
    if "did not end by itself" in done.stderr:
        yield f"it did: {done.stderr}"
    if "events lost" not in done.stderr:
        yield f"the loss is not said: {done.stderr}"
    faults, contents = judge(output / "traces.otf2")
    yield from faults
    if contents and contents.enters["critical"] < 2000:
        yield f"{contents.enters['critical']} critical sections, the newest 2000 were to be kept"
    print(f"{memory}: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--sections", type=int, default=200000)
    parser.add_argument("program")
    options = parser.parse_args()
    options.sections *= int(os.environ.get("TRACER_STRESS", "1"))
    failures = 0
    for memory in ("1M", "2M") if options.sections < 1000000 else ("16M",):
        with tempfile.TemporaryDirectory() as directory:
            faults = list(check(options, directory, memory))
        print("\n".join(faults))
        failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
