#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs waits.c under each MPI that is there; the wait states that the report names are those that follow from the times at which
the program's own calls began: to 1 %, with the lines of both sides. Usage:
  waits.py --tool libtracer.so --tracer tracer
On a loaded machine a rank may lose its processor between reading the clock and calling: what is wrong is measured again, twice."""
import argparse
import collections
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from machine import unless_stolen  # noqa: E402
from mpi_jobs import compiled, environment, installed, launch  # noqa: E402
from traced import clean, run  # noqa: E402

RANKS = 4
TOLERANCE = 0.01


def last(calls, but=None):
    return max(time for rank, time in calls.items() if rank != but)


def pair(waiting, late):
    """One rank waits for another, each in a call of its own."""
    return lambda calls: {waiting: calls[late] - calls[waiting]}


def for_all(calls):
    return {rank: last(calls) - time for rank, time in calls.items()}


def for_those_before(calls):
    return {rank: max(calls[r] for r in range(rank + 1)) - time for rank, time in calls.items()}


# Scenario: the state, and what each rank waits by the times at which it called; None: until the last one came, from another call on.
SCENARIOS = {
    "late_sender": ("late_sender", pair(1, 0)),
    "late_sender_of_request": ("late_sender", pair(2, 0)),
    "two_late_senders": ("late_sender", lambda calls: {3: last(calls, 3) - calls[3]}),
    "late_receiver": ("late_receiver", pair(0, 2)),
    "late_receiver_of_request": ("late_receiver", pair(1, 3)),
    "late_exchange": ("late_sender", pair(0, 1)),
    "late_sender_of_probe": ("late_sender", pair(1, 0)),
    "late_exchange_of_requests": ("late_sender", None),
    "barrier": ("wait_at_barrier", for_all),
    "allreduce": ("wait_at_nxn", for_all),
    "reduce": ("early_reduce", lambda calls: {1: last(calls, 1) - calls[1]}),
    "broadcast": ("late_broadcast", lambda calls: {rank: calls[3] - time for rank, time in calls.items()}),
    "ibarrier": ("wait_at_barrier", None),
    "scan": ("early_scan", for_those_before),
    "fence": ("wait_at_fence", for_all),
    "lock_contention": ("lock_contention", pair(0, 3)),
    "late_post": ("late_post", lambda calls: {0: last(calls, 0) - calls[0]}),
    "early_wait": ("early_wait", lambda calls: {1: last(calls, 1) - calls[1]}),
}


def expected(scenario, lines):
    """What is waited in all rounds; lines: line -> round -> rank -> time of the call."""
    state, waits = SCENARIOS[scenario]
    rounds = collections.defaultdict(dict)
    total = 0
    if waits is None:  # the first call is the coming, the second the waiting
        come, wait = (lines[line] for line in sorted(lines))
        for number in come:
            total += sum(max(0, last(come[number]) - time) for time in wait[number].values())
        return state, total
    for of_line in lines.values():
        for number, calls in of_line.items():
            rounds[number].update(calls)
    for calls in rounds.values():
        total += sum(max(0, wait) for wait in waits(calls).values())
    return state, total


def faults(output, report):
    begun = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for line in output.splitlines():
        if line.startswith("call "):
            _, scenario, number, rank, source, time = line.split()
            begun[scenario][int(source)][int(number)][int(rank)] = int(time)
    if set(begun) != set(SCENARIOS):
        yield f"the program told of {sorted(begun)}"
        return
    mpi = report["mpi"]
    if (mpi["unmatched"], mpi["reversed"], mpi["incomplete_collectives"]) != (0, 0, 0):
        yield f"{mpi['unmatched']} unmatched, {mpi['reversed']} reversed, {mpi['incomplete_collectives']} incomplete"
    for scenario, lines in begun.items():
        state, ns = expected(scenario, lines)
        found = [row for row in mpi["wait_states"] if row["state"] == state and row["at"]["line"] in lines]
        measured = sum(row["ns"] for row in found)
        print(f"{scenario}: {state} {measured / 1e9:.6f} s, by the program's clock {ns / 1e9:.6f} s")
        if abs(measured - ns) > TOLERANCE * ns:
            yield f"{scenario}: {state} of {measured} ns, not {ns}"
        if any(row["for"]["line"] not in lines for row in found if row["ns"] > TOLERANCE * ns):
            yield f"{scenario}: the other side is not in {sorted(lines)}: {found}"
        others = [row for row in mpi["wait_states"] if row["state"] != state and row["at"]["line"] in lines]
        if sum(row["ns"] for row in others) > TOLERANCE * ns:
            yield f"{scenario}: other states as well: {others}"


def measure(options, family, program, directory):
    archive = pathlib.Path(directory, "job")
    done = run([*launch(family, RANKS), options.tracer, "run", "-q", "-o", str(archive), "--", program], environment(TRACER_LIBRARY=options.tool))
    if done.returncode != 0:
        return [f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"]
    reported = run([options.tracer, "report", "--json", str(archive)], clean())
    if reported.returncode != 0:
        return [f"tracer report: {reported.stderr[-2000:]}"]
    result = list(faults(done.stdout, json.loads(reported.stdout)))
    shutil.rmtree(archive)
    return result


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer"):
        parser.add_argument(f"--{option}")
    options = parser.parse_args()
    failed = False
    for family in installed():
        with tempfile.TemporaryDirectory() as directory:
            program = compiled(family, HERE / "waits.c", f"{directory}/waits")
            for _ in range(3):
                print(f"{family}:")
                wrong = measure(options, family, program, directory)
                if not wrong:
                    break
                print(*wrong, sep="\n")
            failed = failed or bool(wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    unless_stolen(main)
