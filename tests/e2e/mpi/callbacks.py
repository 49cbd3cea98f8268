#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI called from functions that MPI calls (callbacks.c, callbacks_mpifh.f90) is recorded as often as the program says that it called it, also where
calls that find nothing are left out, and the archive is valid. And what is the common communicator of two groups. Usage: callbacks.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402


def programs(family, directory):
    """At two levels of optimisation: with and without jumps instead of last calls."""
    for level in ("-O0", "-O2"):
        yield f"callbacks {level}", compiled(family, HERE / "callbacks.c", directory / f"callbacks{level}", level)
    fortran = f"mpif90.{family}"
    if shutil.which("gfortran") and shutil.which(fortran):
        program = directory / "callbacks_mpifh"
        subprocess.run([fortran, "-w", "-O2", "-fallow-argument-mismatch", str(HERE / "callbacks_mpifh.f90"), "-o", str(program)], check=True)
        yield "callbacks in Fortran", str(program)
    else:
        print(f"not tested: {family}: callbacks in Fortran: no Fortran compiler")


def faults_of_intercommunicators(options, family, directory):
    """What both groups were in is the communicator in which their leaders found each other; of a duplicate, what it was made of."""
    program, job = compiled(family, HERE / "intercomm.c", directory / "intercomm"), directory / "between"
    done = run([*launch(family, 4), options.tracer, "run", "-q", "-o", str(job), "--", program], environment(TRACER_LIBRARY=options.tool))
    printed = run(["otf2-print", "-G", str(job / "traces.otf2")], clean()).stdout
    between = re.findall(r"^INTER_COMM +(\d+) .*Common Communicator: (.*?) <(\d+)>", printed, re.M)
    if len(between) != 2 or between[0][1] != '"peer"' or between[1][2] != between[0][0]:
        yield f"two intercommunicators have as their common one {between}: {done.stderr[-500:]}"


def faults_of(options, family, directory):
    yield from faults_of_intercommunicators(options, family, directory)
    for name, program in programs(family, directory):
        for record in ("all", "-polls"):
            for fault in faults_of_job(options, family, program, directory / f"{name}{record}".replace(" ", "_"), record):
                yield f"{name}, TRACER_RECORD={record}: {fault}"


def faults_of_job(options, family, program, job, record):
    done = run([*launch(family, 2), options.tracer, "run", "-q", "-o", str(job), "--", program], environment(TRACER_LIBRARY=options.tool, TRACER_RECORD=record))
    if done.returncode != 0 or "WRONG" in done.stdout:
        return (yield f"ends with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}")
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)["mpi"]
    counted = {(row["rank"], call["function"]): call["count"] for row in mpi["by_rank"] for call in row["calls"]}
    said = [(int(rank), function, int(count)) for rank, function, count in re.findall(r"rank (\d) called (MPI_\w+) (\d+)", done.stdout)]
    for rank, function, count in said:
        if counted.get((rank, function), 0) != count:
            yield f"rank {rank} has called {function} {count} times, the archive has {counted.get((rank, function), 0)}"
    if not said:
        yield f"the program says nothing: {done.stdout}"
    if mpi["never_completed"] != 0:
        yield f"{mpi['never_completed']} requests were never completed"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of, "otf2-print"))
