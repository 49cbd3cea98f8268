#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that asks by weak references whether OpenMP or MPI is there gets the same answer with the tool as without, though the tool's
libraries have these names, without libgomp and with it. weak.py --tracer tracer"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
WAYS = ([], ["-no-pie", "-fno-pie"], ["-Wl,-z,now"], ["-Wl,-z,lazy"], ["-fno-plt"], ["-Wl,-z,norelro"], ["-Wl,--hash-style=sysv"])
WITH = ([], ["-Wl,--no-as-needed", "-lgomp"])


def faults(tracer, way, libraries, directory):
    library, program = directory / "libask.so", directory / "weak"
    subprocess.run(["gcc", "-O1", "-g", "-fPIC", "-shared", "-DIN_LIBRARY", "-Dask=ask_in_library", HERE / "weak.c", "-o", library,
                    *(word for word in way if "pie" not in word)], check=True)
    subprocess.run(["gcc", "-O1", "-g", HERE / "weak.c", library, *way, *libraries, "-Wl,-rpath,$ORIGIN", "-ldl", "-o", program, *SANITIZED], check=True)
    alone = run([str(program)], clean())
    done = run([tracer, "run", "-o", str(directory / "trace"), "--", str(program)], clean())
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode} and {alone.stdout!r}: {done.stderr}"
    if ("program: 1 1 1 1" in alone.stdout) != bool(libraries) or alone.returncode != 0:
        yield f"alone it ends with {alone.returncode} and {alone.stdout!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    bad = runs = 0
    for way in WAYS:
        for libraries in WITH:
            runs += 1
            with tempfile.TemporaryDirectory() as name:
                bad += print_faults(' '.join(way + libraries), faults(options.tracer, way, libraries, pathlib.Path(name)))
    print(f"{runs} runs, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
