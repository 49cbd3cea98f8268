#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Launchers below one `tracer run`, alone or in a script: what their ranks say to MPI is recorded; the ranks of two jobs are not taken for each
other's; a launcher of another MPI than the program's is told of, and each of its processes has its calls. Whatever the number of ranks, two lines are said of the job. Usage: below.py --tool libtracer.so --tracer tracer"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, fails_alone, installed, job_options, launch  # noqa: E402
from traced import clean, lines_of, run  # noqa: E402

STRANGE = "processes of one job report rank 0 of 1"


def sessions(directory):
    """Where Open MPI keeps what is open: ranks that begin at once, each alone, must not make and remove the same directory (one of thirty fails)."""
    host = os.uname().nodename.split(".")[0]
    (directory / f"ompi.{host}.{os.getuid()}" / "stays").mkdir(parents=True)
    return {"OMPI_MCA_orte_tmpdir_base": str(directory)}


def recorded(options, job, command, worlds=1, **more):
    """What `tracer run` says, and what is told of MPI: each rank's number and calls by function; pairs of ranks with their messages."""
    done = run([options.tracer, "run", "-o", str(job), "--", *command], environment(TRACER_LIBRARY=options.tool, **more))
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {command} ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        raise SystemExit(f"FAILED: {command}: {checked.stdout[-1500:]}{checked.stderr[-500:]}")
    mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout).get("mpi", {})
    if mpi.get("worlds") != worlds:
        raise SystemExit(f"FAILED: {command}: {mpi.get('worlds')} worlds, not {worlds}")
    ranks = [{one["function"]: one["count"] for one in rank["calls"]} for rank in mpi.get("by_rank", [])]
    return done.stderr, ranks, mpi.get("matched"), mpi.get("unmatched")


def of_gcc(family, program, options, directory, expect):
    """A program that GCC compiled is recorded on its own runtime, also where a script starts it."""
    done = run([options.tracer, "run", "-o", str(directory / f"alone-{family}"), "--", "env", "OMP_NUM_THREADS=1", program], environment(TRACER_LIBRARY=options.tool))
    expect(f"{family}, GCC, below env: env is said to have no OpenMP", "not linked with an OpenMP" in done.stderr, False)
    done = run([options.tracer, "run", "-o", str(directory / f"unused-{family}"), "--", *launch(family, 2), program, "none"], environment(TRACER_LIBRARY=options.tool))
    expect(f"{family}, GCC, without a team: OpenMP is said to be missing", "used OpenMP of GCC's runtime" in done.stderr, False)
    for name, command in {"named": [*launch(family, 2), program], "script": ["sh", "-c", " ".join([*launch(family, 2), program]) + "; true"]}.items():
        job = directory / f"gcc-{name}-{family}"
        done = run([options.tracer, "run", "-o", str(job), "--", *command], environment(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2"))
        report = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)
        expect(f"{family}, GCC, {name}: threads", len(report["threads"]), 4)
        expect(f"{family}, GCC, {name}: it is said that OpenMP is missing", "used OpenMP of GCC's runtime" in done.stderr, False)
        expect(f"{family}, GCC, {name}: the report says so", "not-recorded" in json.dumps(report), False)


def main():
    options = job_options()
    families, faults = installed(), []

    def expect(what, found, wanted):
        if found != wanted:
            faults.append(f"{what}: {found}, not {wanted}")

    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        programs = {family: compiled(family, HERE / "below.c", directory / family) for family in families}
        for family, program in programs.items():
            said, ranks, *messages = recorded(options, directory / f"job-{family}", [*launch(family, 3), program])
            expect(f"{family}: sends and receives of ranks", [(r.get("MPI_Sendrecv"), r.get("MPI_Finalize")) for r in ranks], [(4, 1)] * 3)
            expect(f"{family}: messages with both ends and with one", messages, [12, 0])
            expect(f"{family}: the strange launcher is named", STRANGE in said, False)
            expect(f"{family}: lines of what became parts", said.count("/parts/"), 0)
            done = run([*launch(family, 2), options.tracer, "run", "-o", str(directory / f"each-{family}"), "--", program], environment(TRACER_LIBRARY=options.tool))
            expect(f"{family}: lines, each rank with a `tracer run`", [line.split()[1:3] for line in lines_of(done.stderr)],
                   [["2", "processes,"], ["to", "analyse"]])
            if shutil.which("gcc"):
                of_gcc(family, compiled(family, HERE / "team.c", directory / f"team-{family}", "-fopenmp"), options, directory, expect)
            else:
                print(f"not tested: {family}: a program of GCC: no gcc")
        script = "; ".join(" ".join([*launch(family, 2), program]) for family, program in programs.items())
        _, ranks, *messages = recorded(options, directory / "script", ["sh", "-c", script], len(families))
        expect("a script: sends and receives of ranks", [r.get("MPI_Sendrecv") for r in ranks], [4] * 2 * len(families))
        names = [process["name"] for process in json.loads(run([options.tracer, "report", "--json", str(directory / "script")], clean()).stdout)["processes"]]
        worlds = [f" of world {n + 1}" for n in range(len(families))] if len(families) > 1 else [""]
        expect("a script: ranks are named by their worlds, which are in the script's order", names, [f"MPI Rank {rank}{world}" for world in worlds for rank in range(2)])
        listed = run([options.tracer, "info", str(directory / "script")], clean()).stdout
        expect("a script: processes that are listed", [name for name in names if f"  {name}: 2 threads" not in listed and f"  {name}: 1 thread" not in listed], [])
        expect("a script: messages", messages, [8 * len(families), 0])
        for family in families if len(families) == 2 else []:
            other = programs[next(f for f in families if f != family)]
            if why := fails_alone([*launch(family, 2), other], environment(**sessions(directory / f"alone-{family}"))):  # MPICH 5 refuses PMIx
                print(f"not tested: another MPI's program below {family}'s launcher, where it fails without the tool: {why}")
                continue
            said, ranks, *messages = recorded(options, directory / f"other-{family}", [*launch(family, 2), other], 2, **sessions(directory / f"sessions-{family}"))
            expect(f"below the other's {family}: it is said", f"2 {STRANGE}" in said, True)
            expect(f"below the other's {family}: sends and receives", [r.get("MPI_Sendrecv") for r in ranks], [4, 4])
            expect(f"below the other's {family}: messages", messages, [8, 0])
    print("\n".join(faults) or f"ok: {', '.join(families)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
