#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""States and wait ids of samples against what the runtime answered in the same signals."""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

from failing import fail
from samples_file import SamplesFile

WAIT_LOCK, WORK_PARALLEL, UNKNOWN = 0x041, 0x001, 0xffff
WAIT_BARRIERS = range(0x010, 0x020)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("program")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace")
        environment = {**os.environ, "TRACER_TEST_TOOL": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": "5000",
                       "TRACER_SAMPLE_SOURCE": "signal", "OMP_WAIT_POLICY": "active", "OMP_DYNAMIC": "false",
                       "KMP_USE_YIELD": "0"}  # who waits computes: a thread that yields is in the kernel, where nobody samples
        ran = subprocess.run([options.program], env=environment, capture_output=True, text=True, timeout=200)
        if ran.returncode != 0:
            fail(f"the program ended with {ran.returncode}: {ran.stderr}")
        file = SamplesFile(trace / "samples.bin")
    asked = collections.defaultdict(list)
    for line in ran.stdout.splitlines():
        what, *numbers = line.split()
        if what == "asked":
            asked[int(numbers[0])].append((int(numbers[1]), int(numbers[2])))
    compared = different = 0
    states = collections.Counter()
    for thread, answers in asked.items():
        own = [(s.state, s.wait_id) for s in file.samples if s.thread == thread and s.state != UNKNOWN]
        # The last may have come while the program was writing down what it has.
        if not len(answers) <= len(own) <= len(answers) + 1000:
            fail(f"thread {thread}: {len(own)} samples, asked {len(answers)} times")
        compared += len(answers)
        different += sum(a != b for a, b in zip(own, answers))
        states.update(own)
    print(f"{compared} samples, {different} with another state or wait id than was answered")
    for (state, wait), count in states.most_common():
        print(f"  state {state:#x} wait {wait:#x}: {count}")
    if compared < 100 or different > 0.001 * compared:
        fail("too few, or too many of them differ")
    waits = {wait: count for (state, wait), count in states.items() if state == WAIT_LOCK}
    # libomp's wait id is its own lock's, which the program's names (kmp_lock.h, "indirect locks").
    if sum(waits.values()) < 20 or len(waits) != 1 or 0 in waits:
        fail(f"threads waited for locks {waits}, there is one")
    if not any(state == WORK_PARALLEL for state, _ in states):
        fail("no thread worked in parallel")
    if not any(state in WAIT_BARRIERS for state, _ in states):
        fail("no thread waited at a barrier")
    return 0


if __name__ == "__main__":
    sys.exit(main())
