#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Calls that ask MPI whether something is there are in the trace; with TRACER_RECORD=-polls only those are that found something, how many others there were is said, and
messages are the same. Usage: polls.py --tool libtracer.so --tracer tracer"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from mpi_jobs import compiled, environment, installed, job_options, launch  # noqa: E402
from traced import clean, run  # noqa: E402

MESSAGES = 13 + 10  # of data, and those that ask for them


def faults_of(options, family, program, job, polls):
    settings = {} if polls else {"TRACER_RECORD": "-polls"}
    done = run([*launch(family, 2), options.tracer, "run", "-q", "-o", str(job), "--", program], environment(TRACER_LIBRARY=options.tool, **settings))
    if done.returncode != 0:
        return (yield f"ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    said = {function: (int(calls), int(found)) for function, calls, found in (line.split() for line in done.stdout.splitlines() if line.startswith("MPI_"))}
    checked = run([options.tracer, "check", str(job)], clean())
    if checked.returncode != 0 or len(said) != 7:
        yield f"{len(said)} functions; tracer check: {checked.stdout[-1500:]}{checked.stderr[-500:]}"
    report = json.loads(run([options.tracer, "report", "--json", str(job)], clean()).stdout)
    recorded = {call["function"]: call["count"] for call in report["mpi"]["by_rank"][0]["calls"]}
    for function, (calls, found) in said.items():
        if (count := recorded.get(function, 0)) != (calls if polls else found):
            yield f"{function}: {count} calls, of {calls} of which {found} found something"
    if (report["mpi"]["matched"], report["mpi"]["unmatched"]) != (MESSAGES, 0):
        yield f"{report['mpi']['matched']} messages, {report['mpi']['unmatched']} unmatched"
    missing = sum(calls - found for calls, found in said.values())
    notes = [note["text"] for note in report["verdict"]["notes"] if note["id"] == "polls-left-out"]
    if notes != ([] if polls else [f"{missing:,} calls of MPI that found nothing are not in the trace (TRACER_RECORD): their time counts as the program's own work."]):
        yield f"{missing} calls are not in the trace, and it is said: {notes}"


def main():
    options = job_options()
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        for family in installed():
            program = compiled(family, HERE / "polls.c", f"{directory}/polls.{family}")
            for polls in (True, False):
                faults = list(faults_of(options, family, program, pathlib.Path(directory, f"{family}.{polls}"), polls))
                print(f"{family}, {'all' if polls else 'without polls'}: {'; '.join(faults) or 'as it should be'}")
                failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
