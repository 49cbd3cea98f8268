#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight recorder's archive is sound, holds the newest events and no gap, and says that it is not complete.

flight.py --tool libtracer.so --tracer tracer [--sections N] PROGRAM

TRACER_STRESS=50 makes it the 50 million events of a long run."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from archive import Archive, otf2_print  # noqa: E402


def check(options, directory, memory):
    output = pathlib.Path(directory, "trace")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    environment.update(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), TRACER_ON_FULL="newest", TRACER_MEMORY=memory)
    if options.preload:
        environment["LD_PRELOAD"] = options.preload
    done = subprocess.run([options.program, str(options.sections)], env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or done.stdout != f"sum {2 * options.sections + 2000}\n":
        yield f"ends with {done.returncode} and says {done.stdout!r} {done.stderr}"
    anchor = output / "traces.otf2"
    if not anchor.exists():
        yield f"no archive: {done.stderr}"
        return
    if "events lost" not in done.stderr:
        yield f"the loss is not said: {done.stderr}"
    noise = otf2_print(anchor)
    if noise:
        yield f"otf2-print: {noise[:500]}"
    contents = Archive(anchor)
    yield from contents.problems
    if contents.enters["critical"] < 2000:
        yield f"{contents.enters['critical']} critical sections, the newest 2000 were to be kept"
    print(f"{memory}: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--preload")
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
