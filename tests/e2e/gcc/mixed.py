#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Regions of libgomp and libomp, one inside the other, on the same threads: each of mixed_half.c's constructs of one compiler inside each of
the other's, to three levels. The output is as alone, the archive is valid and without repairs, and has as many of each construct as the
program counted; a critical is held as long as the program measured, with the other runtime's region inside and without.
mixed.py --tracer tracer [--clang clang]"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, judge, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
MEMBERS = ("members", "criticals", "locks", "loops", "tasks", "barriers", "taskwaits")
CONSTRUCTS = ("parallel", "critical sblock", "omp_set_lock", "for", "task", "barrier", "taskwait")


def build(directory, clang):
    runtime = subprocess.run([clang, "-print-file-name=libomp.so"], capture_output=True, text=True, check=False).stdout.strip()
    done = subprocess.run([clang, "-O2", "-g", "-fopenmp", "-fPIC", "-shared", "-DHALF=clang_half", HERE / "mixed_half.c", "-o", "libhalf.so",
                           f"-Wl,-rpath,{os.path.dirname(os.path.realpath(runtime))}"], cwd=directory, capture_output=True)
    if done.returncode != 0:
        return False
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-DHALF=gcc_half", HERE / "mixed.c", HERE / "mixed_half.c", "-o", "mixed", "./libhalf.so",
                    *SANITIZED], cwd=directory, check=True)
    return True


def sum_of(report, construct, what):
    """`construct` of locks is the begin of a name."""
    return sum(row[what] for row in report["constructs"] if row["construct"] == construct or construct.startswith("omp_") and row["construct"].startswith(construct))


def faults(options, words, settings, directory):
    environment = clean(OMP_NUM_THREADS="2", **settings)
    command = [str(directory / "mixed"), *words.split()]
    trace = directory / words.replace(" ", "-")
    done = run([options.tracer, "run", "-o", str(trace), "--", *command], environment, cwd=directory)
    if done.returncode != 0:
        return (yield f"ends with {done.returncode}: {done.stderr}")
    if "repaired" in done.stderr:
        yield f"the records contradict each other: {done.stderr}"
    wrong, _ = judge(trace / "traces.otf2", options.tracer)
    yield from wrong
    shown = run([options.tracer, "report", "--json", str(trace)], clean())
    if shown.returncode != 0:
        return (yield f"tracer report ends with {shown.returncode}: {shown.stderr}")
    report = json.loads(shown.stdout)
    counts = [int(word) for word in done.stdout.split()]
    found = [report["callbacks"].get("parallel_begin", 0), *(sum_of(report, name, "count") for name in CONSTRUCTS)]
    for name, counted, recorded in zip(("regions", *MEMBERS), counts, found):
        if counted != recorded:
            yield f"{recorded} {name}, the program counted {counted}"
    if "held" in words:
        held = next(float(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("held "))
        recorded = sum_of(report, "critical sblock", "total_ns") / 1e9
        if abs(recorded - held) > 0.2 * held:
            yield f"the critical is held for {recorded} s, the program measured {held}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--clang", default="clang")
    options = parser.parse_args()
    options.tracer = os.path.abspath(options.tracer)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        if not build(directory, options.clang):
            print("skipped: no clang with OpenMP")
            return 77
        apart, nested = ["g. c.", "held g1", "held c1"], ["g..", "c..", "g...", "c...", "held g10", "held c10", "held g102"]
        for words, settings in [*((words, {}) for words in apart + nested), ("g... c...", {"OMP_MAX_ACTIVE_LEVELS": "3"})]:
            bad += print_faults(words, faults(options, words, settings, directory))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
