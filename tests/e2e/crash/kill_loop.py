#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills programs at random moments and recovers their traces: each must be sound and hold everything that the program
had proven to have happened before.

kill_loop.py --tool libtracer.so --tracer tracer [--runs N] CONSTRUCT=PROGRAM...

TRACER_STRESS=N multiplies the number of runs."""
import argparse
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
from archive import Archive, otf2_print  # noqa: E402


def count_of(archive, construct):
    return archive.events["ThreadTaskCreate"] if construct == "task" else archive.enters[construct]


def one_run(options, construct, program, directory, number):
    witness, output = pathlib.Path(directory, f"witness{number}"), pathlib.Path(directory, f"trace{number}")
    witness.write_bytes(bytes(4096))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    environment.update(OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(output), TRACER_TEST_WITNESS=str(witness),
                       OMP_WAIT_POLICY="passive")
    if number % 4 == 3:
        environment["TRACER_RING_SIZE"] = "16K"  # the drainer is at work all the time
    if options.preload:
        environment["LD_PRELOAD"] = options.preload
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
    recovered = subprocess.run([options.tracer, "recover", str(output)], capture_output=True, text=True, timeout=120)
    if recovered.returncode != 0:
        yield f"recover: {recovered.stderr}"
        return
    if " missing" in recovered.stderr or "not recovered" in recovered.stderr:
        yield f"not all is recovered: {recovered.stderr}"
    anchor = output / "traces.otf2"
    archive = Archive(anchor)
    # Tasks that were created and had not begun when the program was killed are in the archive as that.
    yield from (p for p in archive.problems if " tasks created, " not in p)
    if count_of(archive, construct) < proven:
        yield f"{construct}: {proven} were proven, the archive has {count_of(archive, construct)}"
    if number % 10 == 0:
        noise = otf2_print(anchor)
        if noise:
            yield f"otf2-print: {noise[:500]}"
    if options.check:
        checked = subprocess.run([options.tracer, "check", str(output)], capture_output=True, text=True, timeout=120)
        if checked.returncode != 0:
            yield f"tracer check: {checked.stdout}{checked.stderr}"


def has_check(tracer):
    words = subprocess.run([tracer, "--help"], capture_output=True, text=True).stdout.split()
    return "check" in words


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--preload")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    options.check = has_check(options.tracer)
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
    print(f"{runs} programs killed, {runs - failures} traces sound and complete" + ("" if options.check else " (no tracer check)"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
