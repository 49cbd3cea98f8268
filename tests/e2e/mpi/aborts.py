#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""After MPI_Abort launchers kill every rank, and the `tracer run`s: the archive of all ranks is there soon after nevertheless, nobody need ask for it, it is valid, has what
was recorded, and says who aborted. So it is where MPI ends ranks that made an error; where `tracer run` began the launcher it is there at its end. Usage: aborts.py --tool libtracer.so --tracer tracer"""
import itertools
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, installed, is_one_archive, job_options, launch  # noqa: E402
from traced import clean, forget_the_killed, run  # noqa: E402

RANKS, ABORTING, CODE = 4, 2, 7


def faults_of(options, family, program, job, code, outside):
    tracer = [options.tracer, "run", "-q", "-o", str(job), "--"]
    command = [*tracer, *launch(family, RANKS)] if outside else [*launch(family, RANKS), *tracer]
    done = run([*command, program, str(ABORTING), str(code)], environment(TRACER_LIBRARY=options.tool))
    if done.returncode == 0:
        return (yield f"the launcher ends with 0: {done.stdout[-500:]}{done.stderr[-500:]}")
    if "still being recorded" in done.stderr or "tracer: error" in done.stderr:
        yield f"said: {done.stderr[-1000:]}"
    if not (any(job.glob("traces.otf2")) if outside else is_one_archive(job)):
        return (yield f"no archive: {sorted(str(path.relative_to(job)) for path in job.rglob('*'))[:40]} {done.stderr[-1000:]}")
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    report = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)
    for row in report["mpi"]["by_rank"]:
        if (barriers := sum(call["count"] for call in row["calls"] if call["function"] == "MPI_Barrier")) < 10:
            yield f"rank {row['rank']} has {barriers} barriers"
    if len(report["processes"]) != RANKS:
        yield f"{len(report['processes'])} processes"
    if code == 0:
        return
    if report["run"]["mpi_abort"] != str(code):
        yield f"of the run is said: {report['run']}"
    notes = " ".join(note["text"] for note in report["verdict"]["notes"])
    if report["verdict"]["state"] != "killed" or f"MPI Rank {ABORTING} was ended by its MPI_Abort with error code {code}" not in notes:
        yield f"the verdict: {report['verdict']['state']}: {notes}"


def main():
    options = job_options()
    failed, families = False, installed()
    with tempfile.TemporaryDirectory() as directory:
        for family in families:
            program = compiled(family, HERE / "aborts.c", f"{directory}/aborts.{family}")
            for code, outside in itertools.product((CODE, 0), (False, True)):
                faults = list(faults_of(options, family, program, pathlib.Path(directory, f"{family}.{code}.{outside}"), code, outside))
                print(f"{family}, {'MPI_Abort' if code else 'an error'}, {'tracer run mpirun' if outside else 'mpirun tracer run'}: {'; '.join(faults) or 'as it should be'}")
                failed = failed or bool(faults)
    forget_the_killed()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
