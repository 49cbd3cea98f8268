#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of GCC on their own libgomp: output and status are as without the tool, archives are valid, and what they hold is what an
independent library counted between the tool and libgomp (oracle.c).

counted.py --tracer tracer [--threads 1,2,4] PROGRAM..."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from account import archive_account_faults  # noqa: E402
from traced import clean, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}


def counts_of(report):
    """The same as the oracle's, from the archive."""
    sums = {}
    for row in report["constructs"]:
        sums[row["construct"]] = sums.get(row["construct"], 0) + row["count"]
    events = report["callbacks"]

    def of(*names):
        return sum(sums.get(name, 0) for name in names)

    return {
        "regions": events.get("parallel_begin", 0) - of("teams"),
        "members": of("parallel"),
        "barriers": of("barrier"),
        "workshare_barriers": of("implicit barrier") - of("parallel"),
        "tasks": of("task", "task untied"),
        "dependences": events.get("dependences", 0),
        "criticals": of("critical sblock"),
        "atomics": of("atomic"),
        "ordered": of("ordered sblock"),
        "locks": sum(count for name, count in sums.items() if name.startswith(("omp_set_lock", "omp_test_lock"))),
        "loops": of("for"),
        "chunks": of("loop chunk"),
        "section": events.get("dispatch", 0) - of("loop chunk"),
        "sections": of("sections"),
        "singles": of("single"),
        "executors": of("single sblock"),
        "taskwaits": of("taskwait"),
        "taskgroups": of("taskgroup"),
    }


def build(source, directory):
    """The program, or None where there is no such compiler."""
    compiler = shutil.which(COMPILERS[source.suffix])
    if compiler is None:
        return None
    program = directory / source.stem
    subprocess.run([compiler, "-O2", "-g", "-fopenmp", "-w", str(source.resolve()), "-o", str(program), "-lm", *SANITIZED], check=True, cwd=directory)
    return program


def faults(options, source, program, threads, directory):
    environment = clean(OMP_NUM_THREADS=str(threads), OMP_SCHEDULE="dynamic,3", OMP_CANCELLATION="true")
    trace, counted = directory / f"{source.stem}.{threads}", directory / f"{source.stem}.{threads}.counts"
    alone = run([str(program)], environment)
    more = dict(environment, LD_PRELOAD=str(directory / "oracle.so"), ORACLE_OUTPUT=str(counted), TRACER_RECORD="+chunks")
    done = run([options.tracer, "run", "-o", str(trace), "--", str(program)], more)
    said = (done.returncode, done.stdout), (alone.returncode, alone.stdout)
    if said[0] != said[1]:
        yield f"ends with {said[0]}, alone with {said[1]}: {done.stderr}"
    checked = run([options.tracer, "check", str(trace)], clean())
    if checked.returncode != 0:
        return (yield checked.stdout + checked.stderr)
    yield from archive_account_faults(options.tracer, trace / "traces.otf2")
    if not counted.exists():
        return
    found = counts_of(json.loads(run([options.tracer, "report", "--json", str(trace)], clean()).stdout))
    expected = {name: int(count) for name, count in (line.split() for line in counted.read_text().splitlines())}
    for name, count in found.items():
        if count != expected[name]:
            yield f"{count} {name}, libgomp was asked for {expected[name]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--threads", default="1,2,4")
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    bad = compared = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", HERE / "oracle.c", "-o", directory / "oracle.so", "-ldl"], check=True)
        for source in options.sources:
            program = build(source, directory)
            if program is None:
                print(f"skipped: {source.name}: no {COMPILERS[source.suffix]}")
                continue
            for threads in options.threads.split(","):
                compared += 1
                for fault in faults(options, source, program, int(threads), directory):
                    bad += 1
                    print(f"{source.stem} with {threads} threads: {fault}")
    print(f"{compared} runs, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
