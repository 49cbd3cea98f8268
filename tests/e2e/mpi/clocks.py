#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks whose clocks are those of as many hosts: far apart, of other rates, wandering. In the job's archive no message goes
back in time, and what each rank did stands at its true time, as near as the archive says. Usage:
  clocks.py --tool libtracer.so --tracer tracer [--ranks N] [--rounds N]
All ranks run on one kernel, whose clock the program writes down itself: the truth. Two ways: clocks of the system that other_clock.c
changes (drift and wander, wall clocks too), and the processor's counter with lines that TRACER_TEST_CLOCK changes."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, installed, launch  # noqa: E402
from traced import clean, run  # noqa: E402

RANK = 'r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; eval "export $1=\\"\\$CLOCK_$r\\""; export TRACER_TEST_CLOCK="${TRACER_TEST_CLOCK:-0 0 $r}"; ' \
       'export LD_PRELOAD="$LAYER"; shift; exec "$@"'


def clocks_of(ranks):
    """Away by up to a second, up to 50 ppm off, to and fro by microseconds; the first one is the kernel's."""
    yield 0, 0, 0, 1
    for rank in range(1, ranks):
        part = rank / (ranks - 1) if ranks > 1 else 0
        yield round((2 * part - 1) * 1e9), round(50 * (1 - 2 * part), 3), 1000 + 200 * rank % 1500, 3 + rank % 4


def record(options, family, directory, by_system, layer=""):
    settings = environment(TRUTH=str(directory / "truth"), TRACER_LIBRARY=options.tool, LAYER=str(directory / "other_clock.so") if by_system else layer)
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    for rank, (away, ppm, wander, period) in enumerate(clocks_of(options.ranks)):
        settings[f"CLOCK_{rank}"] = f"{begin} {away} {ppm} {wander} {period}" if by_system else f"{away} {ppm} {rank}"
    if by_system:
        settings["TRACER_CLOCK"] = "system"
    return run([*launch(family, options.ranks), "sh", "-c", RANK, "rank", "OTHER_CLOCK" if by_system else "TRACER_TEST_CLOCK",
                options.tracer, "run", "-o", str(directory / "job"), "--", str(directory / "clocks"), str(options.rounds)], settings)


def marks_of(anchor):
    """By rank: the times at which MPI_Pcontrol begins."""
    import otf2
    marks = {}
    with otf2.reader.open(str(anchor)) as trace:
        for location, event in trace.events:
            if type(event).__name__ == "Enter" and event.region.name.startswith("MPI_Pcontrol @"):
                marks.setdefault(int(location.group.name.rpartition(" ")[2]), []).append(event.time)
    return marks


def outside(time_of_mark, before, after):
    return max(before - time_of_mark, time_of_mark - after, 0)


def errors_of(marks, directory, ranks):
    """By rank, the largest distance of a mark from when it really was. The first rank's own line is the measure."""
    truth = {rank: [tuple(map(int, line.split())) for line in (directory / f"truth.{rank}").read_text().splitlines()] for rank in range(ranks)}
    # Of the marks that were told quickly: the others may be anywhere between.
    quick = [(mark, before, after) for mark, (before, after) in zip(marks[0], truth[0]) if after - before < 20000]
    shift = sum(mark - (before + after) / 2 for mark, before, after in quick) / len(quick) if quick else 0
    return {rank: max(outside(mark - shift, *when) for mark, when in zip(marks[rank], truth[rank])) for rank in range(ranks)}


def faults_of(options, family, directory, by_system):
    done = record(options, family, directory, by_system)
    if done.returncode != 0:
        return (yield f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}")
    job = directory / "job"
    said = dict(line.strip().split(": ", 1) for line in run([options.tracer, "info", "--all", str(job)], clean()).stdout.splitlines() if "TRACER::CLOCK::" in line)
    if said.get("TRACER::CLOCK::DOMAINS", "").strip() != str(options.ranks):
        return (yield f"{options.ranks} clocks, and the archive says {said}: {done.stderr[-1500:]}")
    stated = int(said["TRACER::CLOCK::UNCERTAINTY_NS"])
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    mpi = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)["mpi"]
    halves = (options.ranks + 1) // 2, options.ranks // 2  # in which there is nobody to write to where they are one
    expected = options.rounds * (options.ranks + sum(half for half in halves if half > 1))
    if (mpi["reversed"], mpi["unmatched"], said["TRACER::CLOCK::REVERSED"].strip()) != (0, 0, "0"):
        yield f"messages are reversed: {mpi['reversed']} ({mpi['unmatched']} unmatched), the archive says {said}"
    if int(said["TRACER::CLOCK::MESSAGES"]) != expected:
        yield f"{said['TRACER::CLOCK::MESSAGES']} messages between clocks, not {expected}"
    marks = marks_of(job / "traces.otf2")
    if [len(marks.get(rank, [])) for rank in range(options.ranks)] != [options.rounds] * options.ranks:
        return (yield f"{ {rank: len(times) for rank, times in marks.items()} } marks")
    errors = errors_of(marks, directory, options.ranks)
    print(f"{family}, {'system clocks' if by_system else 'counters'}: {options.ranks} clocks, {expected} messages, largest error {max(errors.values()):.0f} ns, "
          f"stated {stated} ns")
    if max(errors.values()) > stated:
        yield f"the archive says that its times are right to {stated} ns, and they are wrong by {errors}"
    compared = run(["otf2-print", "-A", str(job / "traces.otf2")], clean()).stdout.count("MPI::CLOCK")
    if compared:
        yield "what was measured stands in the archive of the whole"


def faults_of_loss(options, family, directory):
    """Where a rank is lost before MPI_Finalize, the comparison there is left out, and the job ends as it does without the tool."""
    layer = compiled(family, HERE / "lost_rank.c", directory / "lost_rank.so", "-fPIC", "-shared")
    done = record(options, family, directory, False, layer)
    if done.returncode != 0 or done.stderr.count("goes on without a rank") != options.ranks:
        return (yield f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}")
    if "has compared clocks without a rank" in done.stderr:
        yield "the comparison is not left out"
    checked = run([options.tracer, "check", str(directory / "job")], clean())
    if checked.returncode != 0:
        yield f"tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    failed = False
    for family in installed("otf2-print"):
        for by_system in (True, False):
            with tempfile.TemporaryDirectory() as name:
                directory = pathlib.Path(name)
                compiled(family, HERE / "clocks.c", directory / "clocks")
                subprocess.run(["cc", "-w", "-O1", "-fPIC", "-shared", str(HERE / "other_clock.c"), "-o", str(directory / "other_clock.so"), "-lm"], check=True)
                for fault in faults_of(options, family, directory, by_system):
                    print(f"{family}, {'system clocks' if by_system else 'counters'}: {fault}")
                    failed = True
        with tempfile.TemporaryDirectory() as name:
            directory = pathlib.Path(name)
            compiled(family, HERE / "clocks.c", directory / "clocks")
            for fault in faults_of_loss(options, family, directory):
                print(f"{family}, a rank is lost: {fault}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
