#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_what_if.py TRACER LIBRARY PROGRAM [--table [ROUNDS]]: from a trace of two threads, what five kinds of programs take on 1, 2, 4
and 8, against the programs' own clock. They are made of sleeps, so that two processors do. --table: medians of so many traces and runs, in turns."""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from machine import unless_stolen  # noqa: E402

THREADS = (1, 2, 4, 8)
KINDS = ("loop", "uneven", "serial", "tasks", "chains")
ATTEMPTS = 6
TOLERANCE = 0.05


class Refused(Exception):
    """The model replays the run as it was too badly: on a loaded machine that happens."""


def milliseconds(text):
    number, unit = re.match(r"([0-9.e+]+) (ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[unit]


def predicted(tracer, archive, *options):
    done = subprocess.run([tracer, "what-if", archive, *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr)
    said = done.stdout
    return milliseconds(re.search(r"recorded +(.*?)  ", said).group(1)), [milliseconds(line) for line in re.findall(r"what if +(.*?)  ", said)]


def predict(tracer, program, kind, archive, environment):
    """Traces `program kind` on two threads: what was recorded, and what is predicted for each of THREADS, both in milliseconds."""
    done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", program, kind], check=True, capture_output=True, text=True,
                          env={**environment, "OMP_NUM_THREADS": "2"})
    recorded, times = predicted(tracer, archive, "--threads", ",".join(map(str, THREADS)))
    beside = recorded - int(done.stdout) * 1e-6  # what the program does not measure: making threads
    return recorded, [time - beside for time in times]


def measured(program, kind, threads, environment):
    alone = subprocess.run([program, kind], check=True, capture_output=True, text=True, env={**environment, "OMP_NUM_THREADS": str(threads)})
    return int(alone.stdout) * 1e-6


def compare(tracer, program, kind, archive, environment):
    """A line for each number of threads for which the prediction is off."""
    wrong = []
    try:
        recorded, times = predict(tracer, program, kind, archive, environment)
    except Refused as refused:
        return [f"{kind:8s} {refused}"]
    for threads, said in zip(THREADS, times):
        for _ in range(ATTEMPTS):
            truth = measured(program, kind, threads, environment)
            line = f"{kind:8s} {threads} threads: {said:7.1f} ms, really {truth:7.1f} ms: {100 * (said / truth - 1):+.1f} %"
            if abs(said - truth) <= TOLERANCE * truth + 5:
                break
        else:
            wrong.append(line)
    if kind == "uneven":  # 36 of 48 units of time on one thread, 12 on the other
        _, even = predicted(tracer, archive, "--balanced", "what_if.c:33")
        if abs(even[0] - (recorded - 120)) > TOLERANCE * recorded:
            wrong.append(f"uneven   balanced: {even[0]} ms of {recorded}, not 120 less")
    return wrong


def show_medians(tracer, program, rounds, environment):
    with tempfile.TemporaryDirectory() as temporary:
        for kind in KINDS:
            said, truth = [], []
            for number in range(rounds):
                said.append(predict(tracer, program, kind, pathlib.Path(temporary, f"{kind}-{number}"), environment)[1])
                truth.append([measured(program, kind, threads, environment) for threads in THREADS])
            for threads, mine, real in zip(THREADS, map(statistics.median, zip(*said)), map(statistics.median, zip(*truth))):
                print(f"{kind:8s} {threads} threads: {mine:7.1f} ms, really {real:7.1f} ms: {100 * (mine / real - 1):+.1f} %")


def main():
    tracer, library, program = (os.path.abspath(path) for path in sys.argv[1:4])
    failures = []
    # The default wait policy: where threads sleep at once, libomp leaves some of them asleep beside queued tasks, as it happens.
    environment = {**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false"}
    environment.pop("OMP_WAIT_POLICY", None)
    if "--table" in sys.argv:
        return show_medians(tracer, program, int(sys.argv[5]) if len(sys.argv) > 5 else 5, environment)
    with tempfile.TemporaryDirectory() as temporary:
        for kind in KINDS:
            # What else the machine does may delay a run: what is right once is right.
            for attempt in range(ATTEMPTS):
                archive = pathlib.Path(temporary) / (kind if attempt == 0 else f"{kind}-{attempt}")
                wrong = compare(tracer, program, kind, archive, environment)
                if not wrong:
                    break
            failures += wrong
        unknown = subprocess.run([tracer, "what-if", archive, "--balanced", "nowhere.c:1"], capture_output=True, text=True)
        if unknown.returncode != 1 or "nowhere.c:1" not in unknown.stderr:
            failures.append("a construct that is not there is not refused")
    if failures:
        raise SystemExit("FAILED:\n" + "\n".join(failures))
    print("ok: five programs on 1, 2, 4 and 8 threads, from traces of 2")


unless_stolen(main)
