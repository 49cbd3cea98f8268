# SPDX-License-Identifier: BSD-3-Clause
"""What a virtual machine's host does to the measurements of tests."""
import os
import pathlib
import sys
import time

ATTEMPTS = 3
TOLERATED = 0.02  # of the processors' time
SKIPPED = 77


def stolen():
    """Nanoseconds that the host has taken from all processors: no thread ran then, and none was told to stop."""
    line = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    return int(line[8]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK") if len(line) > 8 else 0


def unless_stolen(measure):
    """What measure() returns. It fails by SystemExit: that counts where the host took next to nothing meanwhile, else it
    is asked again; where the host never leaves the machine alone, the test is skipped."""
    for _ in range(ATTEMPTS):
        before, began = stolen(), time.monotonic_ns()
        try:
            return measure()
        except SystemExit as end:
            taken = (stolen() - before) / ((time.monotonic_ns() - began) * os.cpu_count())
            if taken < TOLERATED or not end.code or end.code == SKIPPED:
                raise
            print(end.code if isinstance(end.code, str) else "", f"once more: the machine's host took {100 * taken:.0f} % of the processors' time", flush=True)
    print(f"skipped: in each of {ATTEMPTS} attempts the machine's host took {100 * TOLERATED:.0f} % of the processors' time or more")
    sys.exit(SKIPPED)
