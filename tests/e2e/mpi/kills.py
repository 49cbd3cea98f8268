#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills one rank of a job at a random time: the job's archive has all ranks, is valid, and holds every step that a rank had proven to have
done. Usage: kills.py --tool libtracer.so --tracer tracer [--runs N] [--seed S] (TRACER_STRESS=n: n times as many runs)."""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, installed, is_one_archive, launch  # noqa: E402
from traced import clean, forget_the_killed, run  # noqa: E402

RANKS = 4


def proofs(file):
    """(steps, process id) of each rank."""
    return list(struct.iter_unpack("QQ", file.read_bytes()[:16 * RANKS]))


def start(options, family, program, directory):
    proof = directory / "proof"
    proof.write_bytes(bytes(4096))
    return proof, subprocess.Popen(
        [*launch(family, RANKS), options.tracer, "run", "-q", "-o", str(directory / "job"), "--", program, str(proof)],
        env=environment(TRACER_LIBRARY=options.tool), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def one_run(options, family, program, directory):
    proof, launcher = start(options, family, program, directory)
    began = time.monotonic()
    while min(steps for steps, _ in proofs(proof)) < 3 and launcher.poll() is None and time.monotonic() - began < 60:
        time.sleep(0.005)
    time.sleep(random.uniform(0, 0.3))
    victim = random.randrange(RANKS)
    process = proofs(proof)[victim][1]
    if process == 0:
        launcher.kill()
        return [f"the job did not begin: {launcher.communicate()[0][-2000:]}"]
    os.kill(process, signal.SIGKILL)
    said = launcher.communicate(timeout=120)[0]
    # A launcher does not wait for the `tracer run` of ranks that it ends, or ends those as well: their guards go on.
    job = directory / "job"
    is_one_archive(job)
    return list(faults_of_job(options, job, proof, victim, said))


def faults_of_job(options, job, proof, victim, said):
    if not (job / "traces.otf2").exists():
        return [f"no archive: {said[-1500:]}"]
    faults = []
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        faults.append(f"tracer check: {checked.stdout[-1500:]} {checked.stderr[-500:]}")
    found = steps_of(options, job)
    for rank, (steps, _) in enumerate(proofs(proof)):
        if found.get(rank, 0) < steps:
            faults.append(f"rank {rank} had proven {steps} steps, the archive has {found.get(rank, 0)} (rank {victim} was killed)")
    if faults:
        left = sorted(str(path.relative_to(job)) for path in job.rglob("*"))
        faults.append(f"the launcher said {said[-1000:]!r}, there is {left}")
    return faults


def steps_of(options, job):
    """Sums that each rank has done, or what it has written before them where that is less, by MPI rank."""
    reported = run([options.tracer, "report", "--json", str(job)], clean())
    ranks = json.loads(reported.stdout)["mpi"]["by_rank"] if reported.returncode == 0 else []
    return {row["rank"]: min(sum(call["count"] for call in row["calls"] if call["function"] == function) for function in ("MPI_File_write_at", "MPI_Allreduce")) for row in ranks}


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    random.seed(options.seed)
    runs, failed, families = options.runs * int(os.environ.get("TRACER_STRESS", "1")), 0, installed()
    with tempfile.TemporaryDirectory() as directory:
        programs = {family: compiled(family, HERE / "steps.c", f"{directory}/steps.{family}") for family in families}
        for number in range(runs):
            family = families[number % len(families)]
            place = pathlib.Path(directory, f"run{number}")
            place.mkdir()
            faults = one_run(options, family, programs[family], place)
            for fault in faults:
                print(f"run {number} with {family} (--seed {options.seed}): {fault}")
            failed += bool(faults)
            shutil.rmtree(place)
    forget_the_killed()
    print(f"{runs} jobs of which a rank was killed, {runs - failed} archives whole and valid")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
