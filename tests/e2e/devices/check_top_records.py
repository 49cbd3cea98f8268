#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_top_records.py TRACER LIBTRACER FAKE_OFFLOAD: tracer top on a runtime whose device records come a buffer at a time, as AMD's
do: each look shows what the host asked for since the last one, and memory that was allocated before top began counts as in use."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STEPS, PAUSE_US, KERNEL_US = 400, 4000, 1000
TO, FROM, COPIES = 256, 128, 2  # of each step (fake_offload.cpp)
KEPT, STEP = 1 << 20, 256       # bytes of the device's memory: for the whole run, in each step


def faults_of(number, looks, done):
    mine = [device for look in looks for device in look["devices"] if device["device"] == number]
    if not mine or {device["source"] for device in mine} != {"host"}:
        yield f"device {number}: {mine[:2]}"
        return
    seen = {key: sum(device[key] for device in mine) for key in ("kernels", "copies", "to_device_bytes", "from_device_bytes")}
    if not 0 < seen["kernels"] <= done:
        yield f"device {number}: {seen} of {done} steps"
    if abs(seen["copies"] - COPIES * seen["kernels"]) > COPIES:
        yield f"device {number}: {seen}, not {COPIES} copies for each kernel"
    for way, size in (("to_device_bytes", TO), ("from_device_bytes", FROM)):
        if seen[way] % size or abs(seen[way] // size - seen["kernels"]) > 1:
            yield f"device {number}: {seen}, not {size} {way} for each kernel"
    running = [device["kernels_running"] for device in mine]
    if not 0 < max(running) < 1.05:
        yield f"device {number}: one thread has at most one kernel running, not {running}"
    memory = [device["memory_bytes"] for device in mine]
    while memory and memory[-1] == 0:  # the program has freed it and is about to end
        memory.pop()
    memory = set(memory)
    if not memory or not memory <= {KEPT, KEPT + STEP}:
        yield f"device {number}: {sorted(memory)} bytes in use, not {KEPT} and in a step {STEP} more"


def main():
    tracer, library, program = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as directory:
        # Buffers that fill a few times in the run, and rings that do not keep its beginning.
        env = {**os.environ, "OMP_TOOL_LIBRARIES": library, "TRACER_OUTPUT": str(pathlib.Path(directory, "trace")),
               "TRACER_DEVICE_BUFFER": "16K", "TRACER_RING_SIZE": "32K"}
        process = subprocess.Popen([program, str(STEPS), str(PAUSE_US), str(KERNEL_US)], env=env, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()  # half of the steps
        top = subprocess.Popen([tracer, "top", "--json", "--interval", "0.1", str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        looks = [json.loads(top.stdout.readline())]
        process.communicate("\n", timeout=120)
        looks += [json.loads(line) for line in top.communicate(timeout=60)[0].splitlines()]
    faults = [] if process.returncode == 0 else [f"the program ended with {process.returncode}"]
    for number in (0, 1):
        faults += faults_of(number, looks[1:], STEPS)
    print("\n".join(faults) or f"ok: {len(looks)} looks")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
