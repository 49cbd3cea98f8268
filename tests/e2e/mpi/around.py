#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls before MPI_Init are not in the trace, which the report states; those behind MPI_Finalize are. Usage: around.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402

RECORDED = {"MPI_Init": 1, "MPI_Barrier": 1, "MPI_Finalize": 1, "MPI_Get_version": 1, "MPI_Finalized": 1}
STATED = "Calls before MPI_Init or MPI_Session_init (MPI_Initialized, MPI_Get_version and the like) are not recorded."


def faults_of(options, family, directory):
    program, job = compiled(family, HERE / "around.c", directory / "around"), str(directory / "job")
    done = run([*launch(family, 2), options.tracer, "run", "-q", "-o", job, "--", program], environment(TRACER_LIBRARY=options.tool))
    if done.returncode != 0:
        return (yield f"ends with {done.returncode}: {done.stderr[-500:]}")
    report = json.loads(run([options.tracer, "report", "--json", job], clean()).stdout)
    for row in report["mpi"]["by_rank"]:
        if (calls := {call["function"]: call["count"] for call in row["calls"]}) != RECORDED:
            yield f"rank {row['rank']} has {calls} instead of {RECORDED}"
    text = " ".join(run([options.tracer, "report", job], clean()).stdout.split())
    if STATED not in text:
        yield f"the report does not state what is not recorded: {text[-1000:]}"
    if STATED not in run([options.tracer, "report", "--html", "-", job], clean()).stdout:
        yield "nor does the page"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
