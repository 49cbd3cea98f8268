#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads that test one request at a time: whichever call completes it, its receive is in the trace once. MPI forbids this, and Open MPI
now and then frees such a request twice and aborts, without a tool too: one of five runs must come to its end.
Usage: shared.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402

ABORTED = (128 + signal.SIGABRT, 128 + signal.SIGSEGV)
MESSAGES = 800  # 400 data, 400 that ask for them


def faults_of(options, family, directory):
    program = compiled(family, HERE / "shared_request.c", directory / "shared")
    for recorded in ("", "-polls"):
        of = f"TRACER_RECORD={recorded}"
        for attempt in range(5):
            job = directory / f"job{recorded}{attempt}"
            done = run([*launch(family, 2), options.tracer, "run", "-q", "-o", str(job), "--", program], environment(TRACER_LIBRARY=options.tool, TRACER_RECORD=recorded))
            if family != "openmpi" or done.returncode not in ABORTED:
                break
        if done.returncode != 0:
            yield f"{of} ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
            continue
        checked = run([options.tracer, "check", str(job)], clean())
        if checked.returncode != 0:
            yield f"{of}: tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
        mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)["mpi"]
        if (mpi["matched"], mpi["unmatched"]) != (MESSAGES, 0):
            yield f"{of}: {mpi['matched']} messages, {mpi['unmatched']} unmatched"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
