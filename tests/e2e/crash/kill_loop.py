#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills programs at random moments and recovers their traces: each must be sound and hold everything that the program
had proven to have happened before. Of every fourth dozen of runs, which has each program with each setting, other readers
say that too: OTF2's own, otf2-print, and the account of the report.

kill_loop.py --tool libtracer.so --tracer tracer --dump dump_events [--runs N] CONSTRUCT=PROGRAM...

TRACER_STRESS=N multiplies the number of runs."""
import argparse
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, forget_the_killed, judge, recover, run, traced  # noqa: E402


DOZEN = 12  # three programs, four settings


def read_by_others(options, anchor, construct):
    """What is wrong with the archive, and how often it has the construct."""
    # Tasks that were created and had not begun when the program was killed are in the archive as that.
    faults, archive = judge(anchor, options.tracer, but=" tasks created, ")
    if archive is None:
        return faults, 0
    return faults, archive.events["ThreadTaskCreate"] if construct == "task" else archive.enters[construct]


def read_by_us(options, anchor, construct):
    """The same by `tracer check` and by our reader alone."""
    checked, dumped = run([options.tracer, "check", str(anchor)], clean()), run([options.dump, str(anchor), "--counts"], clean())
    faults = [f"{done.args[0]}: {done.stdout[-1500:]}{done.stderr[-500:]}" for done in (checked, dumped) if done.returncode != 0]
    counts = dict(line.rsplit(" ", 1) for line in dumped.stdout.splitlines())
    return faults, int(counts.get("ThreadTaskCreate" if construct == "task" else f"Enter !$omp {construct}", 0))


def one_run(options, construct, program, directory, number):
    witness, output = pathlib.Path(directory, f"witness{number}"), pathlib.Path(directory, f"trace{number}")
    witness.write_bytes(bytes(4096))
    environment = traced(options, output, TRACER_TEST_WITNESS=str(witness), OMP_WAIT_POLICY="passive")
    if number % 4 == 3:
        environment["TRACER_RING_SIZE"] = "16K"  # the drainer is at work all the time
    if number % 4 == 1:
        environment["TRACER_SAMPLE"] = "2000"
    process = subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    start = time.monotonic()
    while struct.unpack("Q", witness.read_bytes()[:8])[0] == 0 and time.monotonic() - start < 60:
        time.sleep(0.001)
    time.sleep(random.uniform(0, 0.06))
    process.send_signal(signal.SIGKILL)
    _, said = process.communicate()
    proven = struct.unpack("Q", witness.read_bytes()[:8])[0]
    if process.returncode != -signal.SIGKILL:
        yield f"ended with {process.returncode}: {said}"
        return
    if faults := recover(options, output):
        yield from faults
        return
    read = read_by_others if number // DOZEN % 4 == 0 else read_by_us
    faults, found = read(options, output / "traces.otf2", construct)
    yield from faults
    said = run([options.tracer, "info", "--json", str(output)], clean())
    lost = json.loads(said.stdout)["properties"]["TRACER::EVENTS_LOST"] if said.returncode == 0 else said.stderr
    if lost != "0":
        yield f"events lost: {lost}"
    if found < proven:
        yield f"{construct}: {proven} were proven, the archive has {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    random.seed(options.seed)
    runs = options.runs * int(os.environ.get("TRACER_STRESS", "1"))
    failures = 0
    for number in range(runs):
        construct, program = options.programs[number % len(options.programs)].split("=", 1)
        with tempfile.TemporaryDirectory() as directory:
            faults = list(one_run(options, construct, program, directory, number))
        for fault in faults:
            print(f"run {number} of {pathlib.Path(program).name} (--seed {options.seed}): {fault}")
        failures += bool(faults)
    forget_the_killed()
    print(f"{runs} programs killed, {runs - failures} traces sound and complete")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
