#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes whose threads fork while others are inside of the OpenMP runtime or of the tool: output and status are those without the
tool, no child hangs, and the archive of all is valid. check_forks.py --tracer tracer --tool libtracer.so --pool POOL --library LIBRARY"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from traced import clean, judge, lines_of, run  # noqa: E402

CHILDREN = "24"
# Those that have regions.
PROCESSES = {"computes": 25, "computes in a library": 25, "Python processes": 2, "Python threads": 7}


def programs(options):
    """(name, command, environment)"""
    for kind in ("leaves", "looks", "exits", "speaks", "computes"):
        for name, settings in (("", {}), (" with small rings", {"TRACER_RING_SIZE": "16K"})):
            yield kind + name, [options.pool, kind, CHILDREN], settings
    yield "computes in a library", [options.pool, "computes", CHILDREN, options.library], {}
    for how in ("processes", "pool", "threads"):
        yield "Python " + how, [sys.executable, str(HERE / "children.py"), options.library, how], {}


def ends_of(options, archive):
    rows = json.loads(run([options.tracer, "report", "--json", str(archive)], clean()).stdout)["processes"]
    return [row["run"] for row in rows]


def faults_of_ends(options, name, archive):
    """Children of Python end by os._exit, which is no crash. Of a pool's workers one may be killed, by its parent."""
    if name not in PROCESSES:
        return
    ends = ends_of(options, archive)
    killed = [end for end in ends if end.get("known") and end.get("signal")]
    if killed:
        yield f"{name}: {len(killed)} of {len(ends)} processes were killed: {killed[0]}"
    if len(ends) != PROCESSES[name]:
        yield f"{name}: {len(ends)} processes are in the archive instead of {PROCESSES[name]}"


def faults(options, name, command, settings, directory):
    alone = run(command, clean(OMP_WAIT_POLICY="passive"), timeout=120)
    if alone.hung:
        print(f"not tested: {name}, which hangs without the tool")
        return
    archive = directory / "trace"
    done = run([options.tracer, "run", "-o", str(archive), "--", *command],
               clean(OMP_WAIT_POLICY="passive", TRACER_LIBRARY=options.tool, **settings))
    if done.hung:
        yield f"{name}: hangs"
        return
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"{name}: status {done.returncode} and {done.stdout!r}, alone {alone.returncode} and {alone.stdout!r}: {done.stderr[-1000:]}"
    if any("error" in line for line in lines_of(done.stderr)):
        yield f"{name}: {done.stderr[-1000:]}"
    found, _ = judge(archive / "traces.otf2", options.tracer)
    yield from (f"{name}: {fault}" for fault in found)
    if not found:
        yield from faults_of_ends(options, name, archive)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("tracer", "tool", "pool", "library"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    options.library = os.path.abspath(options.library)
    found = []
    for name, command, settings in programs(options):
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as directory:
            found += faults(options, name, command, settings, pathlib.Path(directory))
        print(f"{name}: done", flush=True)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
