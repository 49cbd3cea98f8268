#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several processes under `tracer run`: beside each other in one directory, in one job, in a script.

check_jobs.py --tool libtracer.so --tracer tracer PROGRAM [CASE...]

TRACER_STRESS=N: N times as many."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge  # noqa: E402

STRESS = int(os.environ.get("TRACER_STRESS", "1"))


def start(options, directory, *words, **more):
    environment = clean(TRACER_LIBRARY=options.tool, **more)
    return subprocess.Popen([options.tracer, "run", *map(str, words)], cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process, name, status, output):
    said, errors = process.communicate(timeout=240)
    if process.returncode != status or said != output:
        yield f"{name}: status {process.returncode} instead of {status}, {said!r} {errors!r}"


def sections_of(options, archive, faults):
    """The critical sections that an archive has; its faults go to `faults`."""
    found, contents = judge(archive / "traces.otf2", options.tracer)
    faults += found
    return contents.enters["critical"] if contents else 0


def leftovers(directory):
    return [str(p) for p in directory.rglob("*") if p.name in ("raw", "job", "runs", "parts")]


def eight_at_once(options, directory):
    """Without a name, and with the same for all."""
    for arguments in ([], ["-o", "out"]):
        for round_ in range(3 * STRESS):
            place = directory / f"{len(arguments)}-{round_}"
            place.mkdir()
            regions = [3 + number for number in range(8)]
            runs = [start(options, place, "-q", *arguments, "--", options.program, n, n) for n in regions]
            for n, process in zip(regions, runs):
                yield from ended(process, f"one of eight {arguments}", n, f"{2 * n}\n")
            faults = []
            sections = sorted(sections_of(options, anchor.parent, faults) for anchor in place.glob("*/traces.otf2"))
            yield from faults
            if sections != [2 * n for n in regions]:
                yield f"eight at once {arguments}: the archives have {sections} critical sections"
            if left := leftovers(place):
                yield f"eight at once {arguments}: {left} are left"


CASES = {"eight at once": eight_at_once}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    failures = 0
    for name in options.cases or CASES:
        with tempfile.TemporaryDirectory() as directory:
            faults = list(CASES[name](options, pathlib.Path(directory)))
        print("\n".join(f"{name}: {fault}" for fault in faults) or f"{name}: as it should be", flush=True)
        failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
