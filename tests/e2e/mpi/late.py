#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parts of ranks that come after the job's archive was made take their places in it, as if all had come at once.
Usage: late.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402

RANKS = 4


def record(options, family, job):
    """A job whose parts are still apart."""
    program = compiled(family, HERE / "collectives.c", job.parent / "collectives")
    done = run([*launch(family, RANKS), options.tracer, "run", "-q", "--separate", "-o", str(job), "--", program], environment(TRACER_LIBRARY=options.tool))
    if done.returncode != 0:
        raise SystemExit(f"{family}: {done.stdout}{done.stderr}")


def contents(archive):
    """What otf2-print says, without the anchor."""
    return run(["otf2-print", str(archive / "traces.otf2")], clean()).stdout


def merged(options, job, missing):
    """Merges once, and says what is wrong while so many ranks are missing."""
    said = run([options.tracer, "merge", str(job)], clean()).stderr
    if (f"of {RANKS} ranks {missing} left no trace" in said) != (missing > 0):
        yield f"{missing} ranks are missing, and it is said: {said!r}"
    complete = json.loads(run([options.tracer, "info", "--json", str(job)], clean()).stdout)["properties"]["OTF2::MPI_COMMUNICATION_COMPLETE"]
    if (complete == "true") != (missing == 0):
        yield f"{missing} ranks are missing, and that MPI's communication is complete is {complete}"
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"{missing} ranks are missing: tracer check: {checked.stdout}{checked.stderr}"
    places = run(["otf2-print", "-G", str(job / "traces.otf2")], clean()).stdout.count("(no trace)")
    if (places > 0) != (missing > 0):
        yield f"{missing} ranks are missing, and {places} times the definitions say so"


def faults_of(options, family, directory):
    job, away = directory / "job", directory / "away"
    away.mkdir()
    record(options, family, job)
    told = run([options.tracer, "report", str(job)], clean()).stderr
    if "tracer merge" not in told:
        yield f"a job that is not one archive yet is said to be {told!r}"
    shutil.copytree(job, directory / "whole")
    yield from merged(options, directory / "whole", 0)
    parts = sorted((job / "parts").iterdir())
    for part in parts[1:3]:
        part.rename(away / part.name)
    for late in ([], parts[1:2], parts[2:3]):
        for part in late:
            (away / part.name).rename(part)
        yield from merged(options, job, len(list(away.iterdir())))
    if contents(job) != contents(directory / "whole"):
        yield "the archive is not the one of all at once"
    if left := sorted(path.name for path in job.iterdir() if path.name not in ("traces", "traces.def", "traces.otf2")):
        yield f"{left} are left"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of, "otf2-print"))
