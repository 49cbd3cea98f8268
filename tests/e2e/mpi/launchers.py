#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that ends a job by its time limit, or is killed itself: the job's archive has all ranks, is valid and holds every step
that a rank had proven to have done, and no process is left. Usage: launchers.py --tool libtracer.so --tracer tracer"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "support"))
from kills import RANKS, faults_of_job, proofs  # noqa: E402
from mpi_jobs import compiled, environment, is_one_archive, launch, status_of_each  # noqa: E402
from waiting import wait_until  # noqa: E402

SECONDS_LIMIT = 6


def processes_of(directory):
    """Those whose command names the directory."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(directory) in command and int(process.name) != os.getpid():
            found.append(f"{process.name}: {command}")
    return found


def start(options, family, program, directory, limited):
    proof = directory / "proof"
    proof.write_bytes(bytes(4096))
    command = [*launch(family, RANKS), options.tracer, "run", "-q", "-o", str(directory / "job"), "--", program, str(proof)]
    settings = {"MPIEXEC_TIMEOUT": str(SECONDS_LIMIT)} if limited else {}  # Open MPI's and MPICH's launchers read it
    # Whoever lives on keeps the pipe: what the launcher says goes into a file.
    with open(directory / "said", "wb") as said:
        return proof, subprocess.Popen(command, env=environment(TRACER_LIBRARY=options.tool, **settings), stdout=said, stderr=said)


def one_end(options, family, program, directory, limited):
    proof, launcher = start(options, family, program, directory, limited)
    if not wait_until(lambda: min(steps for steps, _ in proofs(proof)) >= 3 or launcher.poll() is not None, 60):
        launcher.kill()
        return ["the job did not begin"]
    if not limited:
        time.sleep(random.uniform(0, 0.3))
        os.kill(launcher.pid, signal.SIGKILL)
    try:
        launcher.wait(60)
    except subprocess.TimeoutExpired:
        launcher.kill()
        return [f"the launcher's limit of {SECONDS_LIMIT} s has not ended it"]
    faults = []
    if not wait_until(lambda: not processes_of(directory), 60):
        faults.append(f"still running a minute later: {processes_of(directory)}")
        for line in processes_of(directory):
            os.kill(int(line.split(":")[0]), signal.SIGKILL)
    is_one_archive(directory / "job")
    said = (directory / "said").read_text(errors="replace")
    return faults + faults_of_job(options, directory / "job", proof, "none", said)


def faults_of(options, family, directory):
    program = compiled(family, HERE / "steps.c", directory / "steps")
    for limited in (True, False):
        place = directory / ("limited" if limited else "killed")
        place.mkdir()
        yield from (f"{place.name}: {fault}" for fault in one_end(options, family, program, place, limited))


if __name__ == "__main__":
    sys.exit(status_of_each(faults_of))
