#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer top` says of a job that hangs which rank waits in which call, in which line, and who is at work.
Usage: hangs.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, launch, status_of_each  # noqa: E402
from traced import clean, run  # noqa: E402


def seen(options, program, *words):
    """What `tracer top` says of the program's ranks at one look."""
    lines = run([options.tracer, "top", "--json", "--interval", "0.2", "--times", "1", *words], clean()).stdout.splitlines()
    return {line["rank"]: line for line in map(json.loads, lines) if line["program"] == program and "rank" in line}


def faults_of(options, family, directory):
    program = compiled(family, HERE / "hangs.c", directory / "hangs")
    line = next(n for n, text in enumerate((HERE / "hangs.c").read_text().splitlines(), 1) if "/* waits */" in text)
    go = directory / "go"
    job = subprocess.Popen([*launch(family, 2), options.tracer, "run", "-q", "-o", str(directory / "job"), "--", program, str(go)],
                           env=environment(TRACER_LIBRARY=options.tool), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ranks = {}
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:  # until both are where they stay
            ranks = seen(options, program)
            threads = {rank: one["threads"][0] for rank, one in ranks.items() if one["threads"]}
            if threads.keys() == {0, 1} and threads[0]["in"] == "MPI_Recv" and threads[1]["in"] == "running" and ranks[0]["records"] == ranks[1]["records"] == 0:
                break
        else:
            yield f"the ranks are never where they wait: {ranks}"
            return
        if threads[0]["at"] != f"hangs.c:{line}":
            yield f"rank 0 waits in line {line}: {threads[0]}"
        for rank, share in ((0, 1), (1, 0)):
            if ranks[rank]["mpi_share"] != share or threads[rank]["mpi_share"] != share:
                yield f"rank {rank} is in MPI for {share} of its time: {ranks[rank]}"
            if threads[rank]["for_s"] < 0.2:
                yield f"rank {rank} has been there for a while: {threads[rank]}"
        if seen(options, program, str(ranks[1]["process"])).keys() != {1}:
            yield "the rank that is named is the only one shown"
    finally:
        go.touch()
        said = job.communicate(timeout=120)[0]
    if job.returncode != 0:
        yield f"the job ends with {job.returncode}: {said}"


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
