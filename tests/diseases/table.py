#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""table.py TRACER LIBRARY [--need] [--load] PROGRAM[:NAME,NAME...]...: traces programs of known disease and
compares what the report says with what each says of itself: disease, thread-seconds true and found, rank of the right finding,
line, wrong findings. Also: every account adds up to threads x (end - begin), and every number of a finding is a sum of its cells.
--need: fails unless the right finding is first, with its seconds and its line, and none is wrong. --load: beside a busy loop on each processor."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from account import account_faults  # noqa: E402
from cells import cell_faults  # noqa: E402
from machine import unless_stolen  # noqa: E402

ATTEMPTS = 3
CLOSE = 0.15  # of the seconds

# What else is true of a program, beside its disease.
ALSO = {
    "few-tasks": {"single"},
    "slow-producer": {"single"},
    "tied-wait": {"starvation"},
    "critical": {"imbalance", "ordered"},
    "lock": {"imbalance"},
    "nested-lock": {"imbalance"},
    "one-lock-of-two": {"imbalance"},
    "slow-holder": {"imbalance"},
    "ordered": {"imbalance"},
    "doacross-chain": {"imbalance"},
    "doacross-half": {"imbalance"},
    "late-workers": {"imbalance"},  # who came late is late at the end
    "recursive-tasks": {"serial"},
    "flat-tasks": {"serial"},
    "critical-in-tasks": {"starvation"},
    "few-tasks-of-a-taskloop": {"single"},
    "device-wait": {"serial"},  # the device's start
}

# Waiting that the program measures as one, and that the report has in two findings: the disease's and this one.
TOGETHER = {"slow-producer": "queued-tasks", "long-last-task": "queued-tasks", "one-lock-of-two": "imbalance", "slow-holder": "imbalance"}

# Passive threads need no processors. Where they sleep at a barrier, LLVM's runtime wakes nobody for a task: a disease of its own.
POLICIES = {name: "active" for name in (
    "tied-wait", "few-tasks-of-a-taskloop", "taskwait-after-two", "taskgroup-of-one", "two-chains", "healthy-tasks", "healthy-waves")}

# These compute, and measure by the clock of the wall: what others took from their work is in it, and in a place of its own in the account.
BY_THE_WALL = {"critical-fine", "flat-tasks", "recursive-tasks"}

# Beside load threads that need a processor each time they meet wait for it: these are told as what they are, or not at all.
NOT_BESIDE_LOAD = {"oversubscribed", "false-sharing", "late-workers"}


def traced(tracer, library, program, name, directory):
    """What the program said of itself, and the report."""
    archive = directory / f"{os.path.basename(program)}.{name}"
    environment = {**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": POLICIES.get(name, "passive")}
    done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", program, name], capture_output=True, text=True, env=environment)
    if not done.stdout.strip():
        raise SystemExit(f"FAILED: {name} said nothing: {done.stderr}")
    first, *more = done.stdout.splitlines()
    finding, lost, line = first.rsplit(" ", 2)
    held = [int(one.removeprefix("held at ")) for one in more if one.startswith("held at ")]
    report = subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout
    return (finding.split("|"), float(lost), int(line), held), json.loads(report)


def judge(name, truth, report):
    right, lost, line, held = truth
    verdict = report["verdict"]
    ids = [one["id"] for one in verdict["findings"]]
    if right[0].startswith("state:"):
        return {"found": None, "rank": int(verdict["state"] == right[0][6:]), "wrong": ids, "place": True}
    if right == ["none"]:
        return {"found": None, "rank": int(not ids), "wrong": ids, "place": True}
    rank = next((place for place, one in enumerate(ids, 1) if one in right), 0)
    found = verdict["findings"][rank - 1] if rank else None
    mine = {*right, TOGETHER.get(name)}
    wrong = [one for one in ids if one not in mine and one not in ALSO.get(name, set())]
    seconds = sum(one["lost_ns"] for one in verdict["findings"] if one["id"] in mine) * 1e-9
    if found and name in BY_THE_WALL:
        seconds += sum(cell["ns"] for cell in report["account"]["details"] if cell["place"] == "descheduled" and cell["of"] == "work") * 1e-9
    place = not line or bool(found and abs(found["line"] - line) <= 2)
    if found and held:
        # "held at lock @x.c:20 in f (1 s)": who had it longest comes first.
        told = re.search(r"held at [^(]*:(\d+)", found["text"])
        place = place and bool(told) and abs(int(told[1]) - held[0]) <= 2
    return {"found": seconds if found else None, "rank": rank, "wrong": wrong, "place": place}


def lost_untraced(program, name):
    """What it loses without being recorded, by its own clock: the least of three runs, which others on the machine disturb."""
    environment = {**os.environ, "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": POLICIES.get(name, "passive")}
    runs = [subprocess.run([program, name], capture_output=True, text=True, env=environment).stdout for _ in range(ATTEMPTS)]
    return min(float(said.splitlines()[0].rsplit(" ", 2)[1]) for said in runs)


def is_close(truth, result, untraced=None):
    """Where recording slows a program down, as the report says then, a part of what it measures is the recording's: right is
    what lies between that and what it measures untraced."""
    least, most = sorted((truth[1], truth[1] if untraced is None else untraced))
    return result["found"] is None or least * (1 - CLOSE) - 0.01 <= result["found"] <= most * (1 + CLOSE) + 0.01


def faults_of(name, truth, result, report, is_right):
    yield from (f"{name}: {fault}" for fault in account_faults(report))
    yield from (f"{name}: {fault}" for fault in cell_faults(report))
    if result["rank"] != 1:
        yield f"{name}: {truth[0]} is not first: {[one['id'] for one in report['verdict']['findings']]}"
    if result["wrong"]:
        yield f"{name}: {'healthy, but' if truth[0] == ['none'] else 'wrong are'} {result['wrong']}"
    if not is_right:
        yield f"{name}: {result['found']:.3f} s instead of {truth[1]:.3f} s"
    if not result["place"]:
        yield f"{name}: not at line {truth[2]}"


class Load:
    """A busy loop on each processor that may be used."""

    def __init__(self, wanted):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(len(os.sched_getaffinity(0)) if wanted else 0)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def programs_of(words, load):
    for word in words:
        program, _, names = word.partition(":")
        program = os.path.abspath(program)
        wanted = names.split(",") if names else subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        yield from ((program, name) for name in wanted if not (load and name in NOT_BESIDE_LOAD))


def main():
    words = sys.argv[1:]
    need, load = "--need" in words, "--load" in words
    words = [word for word in words if word not in ("--need", "--load")]
    tracer, library = (os.path.abspath(path) for path in words[:2])
    failures, diseases, first, close, lines, healthy, invented = [], 0, 0, 0, 0, 0, 0
    print(f"{'disease':26s}{'finding':18s}{'true s':>8s}{'found s':>8s}  rank  line  wrong findings", flush=True)
    with tempfile.TemporaryDirectory() as temporary, Load(load):
        programs = list(programs_of(words[2:], load))
        traced(tracer, library, *programs[0], pathlib.Path(temporary, "first"))  # what a first run reads from the disk is no disease
        for program, name in programs:
            # What else the machine does may delay a run, and is a disease of it: what is right once is right.
            for attempt in range(ATTEMPTS if need else 1):
                truth, report = traced(tracer, library, program, name, pathlib.Path(temporary, str(attempt)))
                result = judge(name, truth, report)
                state = report["verdict"]["state"]
                untraced = lost_untraced(program, name) if state == "perturbed" and result["found"] is not None else None
                is_right = is_close(truth, result, untraced)
                faults = list(faults_of(name, truth, result, report, is_right))
                if not faults:
                    break
            failures += faults
            found = f"{result['found']:8.3f}" if result["found"] is not None else "       -"
            lost = f"{truth[1]:8.3f}" if truth[1] else "       -"
            if untraced is not None:
                state += f", {untraced:.3f} s untraced"
            print(f"{name:26s}{'|'.join(truth[0]):18s}{lost}{found}  {result['rank'] or '-':>4}  {'yes' if result['place'] else 'NO':4s}  {', '.join(result['wrong']) or '-'}"
                  + (f" ({state})" if state != "ok" else "") + ("" if is_right else "  seconds!"), flush=True)
            if truth[0] == ["none"]:
                healthy += 1
                invented += bool(result["wrong"])
                continue
            diseases += 1
            first += result["rank"] == 1
            close += result["rank"] == 1 and is_right
            lines += result["rank"] == 1 and result["place"]
    print(f"of {diseases} diseases: right first {first}, seconds within {CLOSE:.0%} (and 10 ms) {close}, right line {lines}; of {healthy} healthy: findings in {invented}")
    for failure in failures:
        print(failure)
    if need and failures:
        raise SystemExit(1)


if __name__ == "__main__":
    unless_stolen(main)
