#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses constructs of many kinds, raw, in several ways, and has mutate_records change the records.

check_records.py --tool libtracer.so --tracer tracer --mutate mutate_records PROGRAM [FIRST COUNT]"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from traced import clean  # noqa: E402

STRESS = int(os.environ.get("TRACER_STRESS", "1"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--mutate", required=True)
    parser.add_argument("program")
    parser.add_argument("numbers", nargs="*", type=int)
    options = parser.parse_args()
    first, count = options.numbers or (0, 40 * STRESS)
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        traces = []
        for what in ("loops", "tasks", "locks", "nested", "killed"):
            traces.append(top / what)
            # Without `tracer run`, which would recover the one that is killed.
            (top / "spool").mkdir(exist_ok=True)
            done = subprocess.run([options.program, what], capture_output=True, text=True, timeout=120,
                                  env=clean(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(traces[-1]), TRACER_CONVERT="later",
                                            TRACER_SPOOL=str(top / "spool"), OMP_NUM_THREADS="3"))
            if not (traces[-1] / "raw" / "journal").exists():
                print(f"{what}: no raw trace: {done.returncode} {done.stdout}{done.stderr}")
                return 1
        (top / "scratch").mkdir()
        return subprocess.run([options.mutate, str(top / "scratch"), str(first), str(count), *map(str, traces)], timeout=3600).returncode


if __name__ == "__main__":
    sys.exit(main())
