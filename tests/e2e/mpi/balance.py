#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer what-if --balanced` of a job in which one rank waits for another takes from the run what the trace itself says that the other's uneven loop
costs: all is in relation to what was recorded, however loaded the machine is. Made of sleeps. Usage:
  balance.py --tool libtracer.so --tracer tracer --clang clang"""
import argparse
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import environment, installed, launch  # noqa: E402
from traced import clean, run  # noqa: E402

LOOP = 1 + next(n for n, line in enumerate((HERE / "balance.c").read_text().splitlines()) if line.startswith("#pragma omp"))
RANKS, TOLERANCE = 2, 0.15  # of what was recorded


def milliseconds(text):
    number, unit = re.match(r"([0-9.e+]+) (ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[unit]


def saved_by_the_trace(options, archive):
    """What the loops of each step took longer than with their threads' work shared evenly, in ms: of the rank that the step waits for."""
    tables = archive.with_suffix(".sqlite")
    subprocess.run([options.tracer, "export", "-f", "sqlite", "-o", str(tables), str(archive)], check=True, capture_output=True)
    database = sqlite3.connect(tables)
    steps = {}  # by rank, thread: durations of the loop, one after the other
    for group, location, ns in database.execute("""SELECT l."group", s.location, s.end_ns - s.begin_ns FROM named_slices s JOIN locations l USING (location)
            WHERE region_name LIKE '!$omp for%' ORDER BY s.location, s.begin_ns"""):
        steps.setdefault(group, {}).setdefault(location, []).append(ns * 1e-6)
    database.close()
    if len(steps) != RANKS or any(len(threads) != 2 for threads in steps.values()):
        raise SystemExit(f"the loops of {RANKS} ranks with two threads each are not in the trace: {steps.keys()}")
    saved = 0
    for step in zip(*(zip(*threads.values()) for threads in steps.values())):
        saved += max(max(threads) for threads in step) - max(sum(threads) / len(threads) for threads in step)
    return saved


def attempt(options, family, program, directory):
    """What is wrong."""
    archive = pathlib.Path(directory, "job")
    settings = environment(TRACER_LIBRARY=options.tool, OMP_WAIT_POLICY="passive")
    done = run([*launch(family, RANKS), options.tracer, "run", "-q", "-o", str(archive), "--", program, "uneven"], settings)
    if done.returncode != 0:
        return f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"
    said = run([options.tracer, "what-if", str(archive), "--balanced", f"balance.c:{LOOP}"], clean())
    if said.returncode != 0:
        return f"tracer what-if: {said.stderr}"
    recorded, replayed, predicted = (milliseconds(re.search(rf"{word} +(.*?)  ", said.stdout).group(1)) for word in ("recorded", "replayed", "what if"))
    saved = saved_by_the_trace(options, archive)
    print(f"{family}: recorded {recorded:.1f} ms, replayed {replayed - recorded:+.1f} ms; balanced {predicted:.1f} ms, by the trace {recorded - saved:.1f} ms")
    if abs(replayed - recorded) > TOLERANCE * recorded:
        return f"{family}: replayed as {replayed} ms, recorded {recorded} ms"
    if abs(predicted - (recorded - saved)) > TOLERANCE * recorded or predicted > recorded:
        return f"{family}: {predicted:.1f} ms, by the trace {recorded - saved:.1f} ms: {said.stdout}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer", "clang"):
        parser.add_argument(f"--{option}")
    options = parser.parse_args()
    failed = False
    for family in installed():
        with tempfile.TemporaryDirectory() as directory:
            program = f"{directory}/balance"
            subprocess.run([f"mpicc.{family}", "-w", "-g", "-O1", "-fopenmp", str(HERE / "balance.c"), "-o", program], check=True,
                           env=clean(OMPI_CC=options.clang, MPICH_CC=options.clang))
            wrong = attempt(options, family, program, directory)
            print(wrong)
            failed = failed or bool(wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
