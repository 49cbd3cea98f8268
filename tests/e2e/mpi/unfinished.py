#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that ends without MPI_Finalize leaves a valid archive: what it left open ends with it. Usage: unfinished.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, is_one_archive, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402


def launched(family, words, file, settings, **how):
    """A job of one process, and that one's own status: the launcher's depends on whether Hydra sees the end of the process or of its
    connection first. It comes through the file: what is printed last may be lost where Open MPI aborts the job."""
    done = run([*launch(family, 1), "sh", "-c", 'trap : TERM; "$@"; echo $? >"$0"', str(file), *words], settings, **how)
    return done, file.read_text().strip() if file.exists() else ""


def faults_of(options, family, directory):
    program, job = compiled(family, HERE / "unfinished.c", directory / "unfinished"), directory / "job"
    alone, its_status = launched(family, [program], directory / "alone", environment(), timeout=60)
    if "all is open" not in alone.stdout or not its_status:
        return print(f"not tested: {family}, where the program does not run untraced")
    recorder = [options.tracer, "run", "-q", "-o", str(job), "--"]
    done, status = launched(family, [*recorder, program], directory / "traced", environment(TRACER_LIBRARY=options.tool))
    if "all is open" not in done.stdout or status != its_status:
        yield f"prints {done.stdout!r} and ends with {status}, without the tool {alone.stdout!r} and {its_status}: {done.stderr[-500:]}"
    if not is_one_archive(job):
        return (yield f"no archive: {done.stderr[-1500:]}")
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)["mpi"]
    if mpi["never_completed"] != 1:
        yield f"{mpi['never_completed']} requests were never completed, not 1"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
