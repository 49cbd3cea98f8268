#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills programs at random moments and recovers their traces: each must be sound and hold everything that the program
had proven to have happened before.

kill_loop.py --tool libtracer.so --tracer tracer [--runs N] CONSTRUCT=PROGRAM...

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


def count_of(archive, construct):
    return archive.events["ThreadTaskCreate"] if construct == "task" else archive.enters[construct]


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
    # Tasks that were created and had not begun when the program was killed are in the archive as that.
    faults, archive = judge(output / "traces.otf2", options.tracer, but=" tasks created, ")
    yield from faults
    said = run([options.tracer, "info", "--json", str(output)], clean())
    lost = json.loads(said.stdout)["properties"]["TRACER::EVENTS_LOST"] if said.returncode == 0 else said.stderr
    if lost != "0":
        yield f"events lost: {lost}"
    if archive and count_of(archive, construct) < proven:
        yield f"{construct}: {proven} were proven, the archive has {count_of(archive, construct)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
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
