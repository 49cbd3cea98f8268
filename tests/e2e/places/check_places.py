#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces a program whose threads are bound to places, on every runtime, and compares the archive's properties with what the
program says of itself.

check_places.py --tool libtracer.so --runtimes DIR PROGRAM"""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
import otf2  # noqa: E402
from runtimes import all_runtimes  # noqa: E402
from traced import clean, run, traced  # noqa: E402

SKIPPED = 77


def properties_of(anchor):
    """({name: value} of the archive, [{name: value} of a location])."""
    with otf2.reader.open(str(anchor)) as trace:
        locations = []
        for location in trace.definitions.locations:
            locations.append({p.name: p.value for p in trace.definitions.location_properties if p.location == location})
    lines = run(["otf2-print", "-I", str(anchor)], clean()).stdout.splitlines()
    words = [line.split(None, 2)[2] for line in lines if line.startswith(("Property name", "Property value"))]
    return dict(zip(words[::2], words[1::2])), locations


def check(options, runtime, processors, directory):
    output = pathlib.Path(directory, "trace")
    places = [f"{{{p}}}" for p in processors]
    done = run([options.program], traced(options, output, LD_LIBRARY_PATH=runtime.directory, OMP_NUM_THREADS=str(len(places)),
                                         OMP_PLACES=",".join(places), OMP_PROC_BIND="close", OMP_DYNAMIC="false"))
    bound = {thread: int(place) for place, thread in (line.split() for line in done.stdout.splitlines())}
    if done.returncode != 0 or sorted(bound.values()) != list(range(len(places))):
        return [f"status {done.returncode}, places {bound}: {done.stderr}"]
    archive, locations = properties_of(output / "traces.otf2")
    faults = []
    for number, processor in enumerate(processors):
        if archive.get(f"TRACER::PLACE::{number}") != str(processor):
            faults.append(f"TRACER::PLACE::{number} is {archive.get(f'TRACER::PLACE::{number}')}, not {processor}")
    for location in locations:
        thread = location.get("TRACER::THREAD_ID")
        place = bound.pop(thread, None)
        if place is None:
            faults.append(f"location of thread {thread}, which the program has not")
        elif [location.get(f"TRACER::{name}") for name in ("PLACE", "PROCESSOR", "PROCESSORS")] != [str(place), *[str(processors[place])] * 2]:
            faults.append(f"thread {thread} at place {place}: {location}")
    return faults + [f"no location of thread {thread}" for thread in bound]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--runtimes", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    processors = sorted(os.sched_getaffinity(0))[:4]
    runtimes = all_runtimes(options.runtimes, options.program)
    if len(processors) < 2 or not runtimes:
        print("skipped: one processor or no runtime: nothing to bind to")
        return SKIPPED
    failures = 0
    for runtime in runtimes:
        with tempfile.TemporaryDirectory() as directory:
            faults = check(options, runtime, processors, directory)
        print("\n".join(f"{runtime}: {fault}" for fault in faults) or f"{runtime}: as bound")
        failures += bool(faults)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
