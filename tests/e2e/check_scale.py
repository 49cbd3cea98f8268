#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces a program of size and compares the archive's counts with what the program says it did.

check_scale.py --tool libtracer.so --dump dump_events [--tracer tracer] [--spool] PROGRAM [ARGUMENT...]"""
import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from traced import faults_of, run, traced  # noqa: E402

EVENTS = {"fork": "ThreadFork", "task": "ThreadTaskComplete", "acquire": "ThreadAcquireLock"}


def counts_of(text, pattern):
    return {name: int(count) for name, count in re.findall(pattern, text, re.MULTILINE)}


def differences(said, found):
    """Lines about what the archive counts otherwise than the program."""
    for name, count in said.items():
        seen = found.get(EVENTS.get(name, f"Enter !$omp {name}"), 0)
        if seen != count:
            yield f"{name}: {seen} in the archive, the program counts {count}"
    for one, other in (("Enter", "Leave"), ("ThreadFork", "ThreadJoin"), ("ThreadTeamBegin", "ThreadTeamEnd"),
                       ("ThreadTaskCreate", "ThreadTaskComplete"), ("ThreadAcquireLock", "ThreadReleaseLock")):
        if found.get(one, 0) != found.get(other, 0):
            yield f"{found.get(one, 0)} {one}, {found.get(other, 0)} {other}"
    if found.get("ThreadTeamBegin", 0) != said["parallel"]:
        yield f"{found.get('ThreadTeamBegin', 0)} ThreadTeamBegin, {said['parallel']} memberships"


def check(options, directory):
    rings = {"TRACER_SPOOL": directory} if options.spool else {}
    done = run(options.command, traced(options, directory + "/trace", OMP_NUM_THREADS="4", OMP_WAIT_POLICY="passive", **rings))
    if done.returncode != 0 or len(done.stderr.splitlines()) != 1:
        yield f"exit status {done.returncode}: {done.stderr}"
        return
    if re.search(r"lost|repaired", done.stderr):
        yield done.stderr
    anchor = directory + "/trace/traces.otf2"
    counted = subprocess.run([options.dump, anchor, "--counts"], capture_output=True, text=True, timeout=240)
    if counted.returncode != 0:
        yield counted.stderr
        return
    said = counts_of(done.stdout, r"^count (.+) (\d+)$")
    yield from differences(said, counts_of(counted.stdout, r"^(.+) (\d+)$"))
    if options.tracer:
        checked = subprocess.run([options.tracer, "check", anchor], capture_output=True, text=True, timeout=240)
        if checked.returncode != 0:
            yield f"tracer check:\n{checked.stdout}{checked.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--tracer")
    parser.add_argument("--spool", action="store_true", help="rings in a directory of their own: /dev/shm may be too small for them")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    faults = faults_of(check, options)
    print("\n".join(faults) or "as the program counts")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
