#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs with more than one MPI_COMM_WORLD, with sessions beside it or alone, or at the edges of what MPI allows: archives are valid, messages that can be told have both their
ends, and the others are counted and matched with nothing. Usage: worlds.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, fails_alone, installed, job_options, launch  # noqa: E402
from traced import clean, run  # noqa: E402

# Program and its arguments: ranks, messages that have both ends, messages that no receive had room for or that could not be sent, messages' ends with
# another world, collective operations that failed, requests that nobody completes, communicators (with WORLD and SELF).
PROGRAMS = {"spawn": (2, 2, 0, 8, 0, 0, None), "sessions": (4, 8, 0, 0, 0, 0, 6), "sessions alone": (4, 8, 0, 0, 0, 0, 5), "edges": (2, 7, 0, 0, 0, 2, 42), "failures": (2, 6, 7, 0, 4, 0, 4), "thrown": (2, 6, 0, 0, 0, 0, 2)}


def faults_of(options, family, command, name, job):
    ranks, matched, failed, foreign, refused, lost, comms = PROGRAMS[name]
    words, settings = launch(family, ranks), environment(TRACER_LIBRARY=options.tool)
    if why := fails_alone([*words, *command], settings, seconds=20, tries=2):
        return print(f"not tested: {family} {name}, which fails without the tool: {why}")
    done = run([*words, options.tracer, "run", "-q", "-o", str(job), "--", *command], settings)
    if done.returncode != 0:
        return (yield f"ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)["mpi"]
    if (mpi["matched"], mpi["unmatched"]) != (matched, failed):
        yield f"{mpi['matched']} messages have both ends and {mpi['unmatched']} one, not {matched} and {failed}"
    if mpi["never_completed"] != lost:
        yield f"{mpi['never_completed']} requests were never completed, not {lost}"
    said = run([options.tracer, "info", "--all", str(job)], clean()).stdout
    for what, expected in (("MESSAGES_WITH_ANOTHER_WORLD", foreign), ("COLLECTIVE_OPERATIONS_THAT_FAILED", refused)):
        counted = re.search(rf"MPI_NOT_TOLD_{what}: +(\d+)", said)
        if (int(counted[1]) if counted else 0) != expected:
            yield f"of {expected} {what} the archive says {counted and counted[1]}"
    if mpi["out_of_step"] != 0:
        yield f"{mpi['out_of_step']} communicators and windows have operations that do not match"
    defined = re.findall(r"^(?:INTER_)?COMM +\d+ .*", run(["otf2-print", "-G", str(job / "traces.otf2")], clean()).stdout, re.MULTILINE)
    if comms and len(defined) != comms:
        yield f"{len(defined)} communicators, not {comms}: {defined}"


def main():
    options = job_options()
    failed = False
    for family in installed("otf2-print"):
        for name in PROGRAMS:
            with tempfile.TemporaryDirectory() as directory:
                source, *arguments = name.split()
                program = compiled(family, next(HERE.glob(f"{source}.c*")), pathlib.Path(directory, source))
                for fault in faults_of(options, family, [program, *arguments], name, pathlib.Path(directory, "job")):
                    print(f"{family} {name}: {fault}")
                    failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
