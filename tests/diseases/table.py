#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""table.py TRACER LIBRARY PROGRAM [--need] [NAME...]: traces the programs of known disease and compares what the report says
with what each says of itself: disease, thread-seconds true and said, rank of the right finding, wrong findings. Also:
every account adds up to threads x (end - begin). --need: fails unless the right finding is first, and none is wrong."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from account import account_faults  # noqa: E402
from machine import unless_stolen  # noqa: E402

ATTEMPTS = 3

# What else is true of a program, beside its disease.
ALSO = {
    "few-tasks": {"single"},
    "slow-producer": {"single"},
    "tied-wait": {"starvation"},
    "critical": {"imbalance", "ordered"},
    "lock": {"imbalance"},
    "ordered": {"imbalance"},
    "short-regions": {"serial", "imbalance"},
    "frequent-barriers": {"serial", "imbalance"},
    "late-workers": {"imbalance"},  # who came late is late at the end
    "recursive-tasks": {"serial"},
    "flat-tasks": {"serial"},
}

# Waiting that the program measures as one, and that the report has in two findings: the disease's and this one.
TOGETHER = {"slow-producer": "queued-tasks", "long-last-task": "queued-tasks"}

# Passive threads need no processors. Where they sleep at a barrier, LLVM's runtime wakes nobody for a task: a disease of its own.
POLICIES = {"tied-wait": "active", "healthy-tasks": "active"}


def traced(tracer, library, program, name, directory):
    """What the program said of itself, and the report."""
    archive = directory / name
    environment = {**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": POLICIES.get(name, "passive")}
    done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", program, name], capture_output=True, text=True, env=environment)
    if not done.stdout.strip():
        raise SystemExit(f"FAILED: {name} said nothing: {done.stderr}")
    finding, lost, line = done.stdout.split("\n")[0].rsplit(" ", 2)
    report = subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout
    return (finding, float(lost), int(line)), json.loads(report)


def judge(name, truth, report):
    finding, lost, line = truth
    verdict = report["verdict"]
    ids = [one["id"] for one in verdict["findings"]]
    if finding.startswith("state:"):
        right = verdict["state"] == finding[6:]
        return {"said": None, "rank": 1 if right else 0, "wrong": ids, "place": True}
    if finding == "none":
        return {"said": None, "rank": 1 if not ids else 0, "wrong": ids, "place": True}
    rank = ids.index(finding) + 1 if finding in ids else 0
    found = verdict["findings"][rank - 1] if rank else None
    wrong = [one for one in ids if one not in (finding, TOGETHER.get(name)) and one not in ALSO.get(name, set())]
    said = sum(one["lost_ns"] for one in verdict["findings"] if one["id"] in (finding, TOGETHER.get(name)))
    return {"said": said * 1e-9 if found else None, "rank": rank, "wrong": wrong, "place": not line or bool(found and abs(found["line"] - line) <= 2)}


def faults_of(name, truth, result, report):
    yield from (f"{name}: {fault}" for fault in account_faults(report))
    if result["rank"] != 1:
        yield f"{name}: {truth[0]} is not first: {[one['id'] for one in report['verdict']['findings']]}"
    if truth[0] == "none" and result["wrong"]:
        yield f"{name}: healthy, but {result['wrong']}"
    if not result["place"]:
        yield f"{name}: not at line {truth[2]}"


def main():
    words = sys.argv[1:]
    need = "--need" in words
    words = [word for word in words if word != "--need"]
    tracer, library, program = (os.path.abspath(path) for path in words[:3])
    names = words[3:] or subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    failures, first, close = [], 0, 0
    print(f"{'disease':26s}{'finding':18s}{'true s':>8s}{'said s':>8s}  rank  place  wrong findings")
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            # What else the machine does may delay a run, and is a disease of it: what is right once is right.
            for attempt in range(ATTEMPTS if need else 1):
                truth, report = traced(tracer, library, program, name, pathlib.Path(temporary, str(attempt)))
                result = judge(name, truth, report)
                faults = list(faults_of(name, truth, result, report))
                if not faults:
                    break
            failures += faults
            said = f"{result['said']:8.3f}" if result["said"] is not None else "       -"
            lost = f"{truth[1]:8.3f}" if truth[1] else "       -"
            state = report["verdict"]["state"]
            print(f"{name:26s}{truth[0]:18s}{lost}{said}  {result['rank'] or '-':>4}  {'yes' if result['place'] else 'NO':5s}  {', '.join(result['wrong']) or '-'}"
                  + (f" ({state})" if state != "ok" else ""))
            first += result["rank"] == 1
            close += result["said"] is None or abs(result["said"] - truth[1]) <= 0.1 * truth[1] + 0.01
    print(f"right first: {first} of {len(names)}; seconds within 10 % (and 10 ms): {close} of {len(names)}")
    for failure in failures:
        print(failure)
    if need and failures:
        raise SystemExit(1)


if __name__ == "__main__":
    unless_stolen(main)
