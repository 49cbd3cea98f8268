#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a job as archives of their own: valid wherever they are cut, also where a rank is many collective operations ahead of the others, and in
epochs of one-sided communication; of some ranks the report is that of these ranks of the whole. Usage: cuts.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, fails_alone, installed, job_options, launch  # noqa: E402
from traced import clean, run  # noqa: E402
from windows import compare  # noqa: E402

PIECES = 7
PROGRAMS = ("ahead", "windows")


def said(options, *command):
    done = run([options.tracer, *map(str, command)], clean())
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {command} ends with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}")
    return done.stdout


def report(options, *command):
    """Without what tells one file from another, and what is of no part."""
    of = json.loads(said(options, "report", "--json", *command))
    return {key: of[key] for key in ("threads", "constructs", "account", "verdict", "wall_ns")}


def check(options, job, directory):
    wall = json.loads(said(options, "report", "--json", job))["wall_ns"]
    for piece in range(PIECES):
        cut = directory / f"{job.name}-{piece}"
        said(options, "export", "--format", "otf2", "-o", cut, job, "--from", f"{wall * piece // PIECES}ns", "--to", f"{wall * (piece + 1) // PIECES}ns")
        said(options, "check", cut)
    for ranks in ("0", "1-2"):
        cut = directory / f"{job.name}-of-{ranks}"
        said(options, "export", "--format", "otf2", "-o", cut, job, "--ranks", ranks)
        said(options, "check", cut)
        if report(options, cut) != report(options, job, "--ranks", ranks):
            raise SystemExit(f"FAILED: {job.name}: the archive of ranks {ranks} says something else than the whole does of them")


def main():
    options = job_options()
    families = installed()
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        for family in families:
            for name in PROGRAMS:
                program, job = compiled(family, HERE / f"{name}.c", directory / f"{family}-{name}"), directory / f"job-{family}-{name}"
                if why := fails_alone([*launch(family, 3), program], environment()):
                    print(f"not tested: parts of {name} with {family}: without Tracer it ends with {why}")
                    continue
                done = run([options.tracer, "run", "-q", "-o", str(job), "--", *launch(family, 3), program], environment(TRACER_LIBRARY=options.tool))
                if done.returncode != 0:
                    raise SystemExit(f"FAILED: {family}: {name}: {done.stderr[-1500:]}")
                check(options, job, directory)
                compare(options.tracer, job, directory / f"out-{name}")  # with an index and without one
    print(f"ok: {', '.join(families)}")


if __name__ == "__main__":
    main()
