#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lines of constructs of GCC's code, plain, optimised, linked as a whole, position-dependent and without a table of jumps, are those
of their pragmas (places.c). places.py --tracer tracer"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
WAYS = (["-O0"], ["-O2"], ["-O3", "-flto"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-fno-plt"], ["-O2", "-fcf-protection=full", "-Wl,-z,ibtplt"],
        ["-Os"])


def expected():
    for number, line in enumerate((HERE / "places.c").read_text().splitlines(), 1):
        if marked := re.search(r"#pragma omp .*// (.*)", line):
            for construct in marked[1].split(", "):
                yield construct, number


def faults(tracer, way, directory):
    program = directory / "places"
    subprocess.run(["gcc", "-g", "-fopenmp", *way, HERE / "places.c", "-o", program, *SANITIZED], check=True)
    trace = directory / "trace"
    done = run([tracer, "run", "-q", "-o", str(trace), "--", str(program)], clean())
    if done.returncode != 0:
        return (yield done.stderr)
    report = json.loads(run([tracer, "report", "--json", str(trace)], clean()).stdout)
    found = {row["name"] for row in report["constructs"]}
    version = int(run(["gcc", "-dumpversion"], clean()).stdout.split(".")[0])
    for construct, line in expected():
        construct, near, newest = construct.partition("~")
        if newest and version > int(newest):
            continue
        lines = range(line - 2, line + 3) if near else (line,)
        if not any(f"!$omp {construct} @places.c:{number}" in found for number in lines):
            yield f"no {construct} in line {line} among {sorted(name for name in found if f'omp {construct} @' in name)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    bad = 0
    for way in WAYS:
        with tempfile.TemporaryDirectory() as name:
            for fault in faults(options.tracer, way, pathlib.Path(name)):
                bad += 1
                print(f"{' '.join(way)}: {fault}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
