#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program whose malloc() uses OpenMP ends as alone, though the tool and the C library call it at each thread's first events, and
its archive is sound and has the program's threads only. own_malloc.py --tracer tracer"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
THREADS = 5


def faults(tracer, directory):
    program, trace = directory / "own_malloc", directory / "trace"
    subprocess.run(["gcc", "-fopenmp", "-O1", "-g", HERE / "own_malloc.c", "-o", program], check=True)
    alone = run([str(program)], clean())
    done = run(["timeout", "-s", "KILL", "60", tracer, "run", "-o", str(trace), "--", "timeout", "-s", "KILL", "50", str(program)], clean())
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode} and {alone.stdout!r}: {done.stderr}"
        return
    found, contents = judge(trace / "traces.otf2", tracer)
    yield from found
    if contents and len(contents.locations) != THREADS:
        yield f"{len(contents.locations)} threads instead of {THREADS}: {contents.locations}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    if os.environ.get("TRACER_TEST_LINK"):
        print("skipped: a sanitizer has its own malloc()")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        bad = list(faults(options.tracer, pathlib.Path(directory)))
    print("\n".join(bad) or "as alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
