#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer what-if --balanced` says of a job in which one rank waits for another what it takes when that one's loop is balanced: against
the same job so written. Made of sleeps. Usage:
  balance.py --tool libtracer.so --tracer tracer --clang clang"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from machine import unless_stolen  # noqa: E402
from mpi_jobs import environment, installed, launch  # noqa: E402
from traced import clean, run  # noqa: E402

LOOP = 1 + next(n for n, line in enumerate((HERE / "balance.c").read_text().splitlines()) if line.startswith("#pragma omp"))
RANKS, ATTEMPTS, TOLERANCE = 2, 5, 0.05
STEP = 36 - 20  # ms by which a step of the even job is shorter, at 12 steps and one before


def milliseconds(text):
    number, unit = re.match(r"([0-9.e+]+) (ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[unit]


def elapsed(done):
    if done.returncode != 0:
        raise SystemExit(f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}")
    return int(done.stdout.split()[0]) * 1e-6


def attempt(options, family, program, directory):
    """What is wrong, and what was measured."""
    archive = pathlib.Path(directory, "job")
    # Who waits for MPI needs a processor; threads that wait for work must not need the others.
    settings = environment(TRACER_LIBRARY=options.tool, OMP_WAIT_POLICY="passive")
    uneven = elapsed(run([*launch(family, RANKS), options.tracer, "run", "-q", "-o", str(archive), "--", program, "uneven"], settings))
    # A rank that waits in MPI now and then takes the processor of one that wakes up: sleeps become longer, never shorter.
    even = min(elapsed(run([*launch(family, RANKS), program, "even"], settings)) for _ in range(5))
    said = run([options.tracer, "what-if", str(archive), "--balanced", f"balance.c:{LOOP}"], clean())
    shutil.rmtree(archive)
    if said.returncode != 0:
        return f"tracer what-if: {said.stderr}"
    recorded, replayed, predicted = (milliseconds(re.search(rf"{word} +(.*?)  ", said.stdout).group(1)) for word in ("recorded", "replayed", "what if"))
    # The loop before the clock begins is balanced as well.
    predicted_steps = predicted - (recorded - uneven) + STEP
    print(f"{family}: uneven {uneven:.1f} ms, replayed {replayed - recorded:+.1f} ms; balanced {predicted_steps:.1f} ms, really {even:.1f} ms")
    if abs(replayed - recorded) > TOLERANCE * recorded:
        return f"{family}: replayed as {replayed} ms, recorded {recorded} ms"
    if abs(predicted_steps - even) > TOLERANCE * even + 5:
        return f"{family}: {predicted_steps:.1f} ms, really {even:.1f} ms: {said.stdout}"
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
            for _ in range(ATTEMPTS):
                wrong = attempt(options, family, program, directory)
                if not wrong:
                    break
                print(wrong)
            failed = failed or bool(wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    unless_stolen(main)
