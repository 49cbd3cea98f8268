#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Front ends begin a trace, join one and outlive the runtime: front_ends.py --tool libtracer.so --tracer tracer speaker"""
import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402

# What the speaker does, ranges said in the first archive, in the second (of a child; None: there is none), exit status.
CASES = {
    "a program without OpenMP": ("cs", 1, None, 0),
    "a thread that never meets OpenMP": ("cst", 2, None, 0),
    "a front end first, then the runtime": ("csos", 2, None, 0),
    "the runtime first, then a front end": ("ocst", 2, None, 0),
    "names, facts and counters": ("cis", 1, None, 0),
    "a function at the end, after the runtime's": ("oces", 2, None, 0),
    "a child that says little": ("csf", 1, 1, 0),
    "a child of a program with OpenMP that says little": ("ocsf", 1, 1, 0),
    "exit in the middle": ("csx", 1, None, 7),
}


def properties_of(options, archive):
    report = json.loads(run([options.tracer, "report", "--json", str(archive)], clean()).stdout)
    return report["trace"]["properties"], report["callbacks"]


def check(options, title, directory):
    order, first, second, status = CASES[title]
    output = pathlib.Path(directory, "trace")
    environment = clean(TRACER_OUTPUT=str(output), OMP_NUM_THREADS="2")
    if "o" in order:
        environment["OMP_TOOL_LIBRARIES"] = options.tool
    done = run([options.speaker, options.tool, order], environment)
    if done.returncode != status:
        yield f"ends with {done.returncode}: {done.stderr}"
    said = [line for line in done.stderr.splitlines() if "error" in line or "warning" in line]
    if [line for line in said if "is not empty; using" not in line]:  # that is a child's
        yield done.stderr
    archives = sorted(pathlib.Path(directory).iterdir())
    if len(archives) != (1 if second is None else 2):
        return (yield f"{len(archives)} archives; {done.stderr}")
    for archive, expected in zip(archives, (first, second)):
        faults, contents = judge(archive / "traces.otf2", options.tracer)
        yield from faults
        if contents is None:
            continue
        properties, callbacks = properties_of(options, archive)
        pushes, pops = (callbacks.get(f"range_{kind}", 0) for kind in ("push", "pop"))
        if (pushes, pops) != (expected, expected):
            yield f"{archive.name}: {pushes} begins and {pops} ends instead of {expected}"
        if "o" in order and second is None and contents.enters["parallel"] == 0:
            yield "no parallel region"
        if "o" in order and second is None and not properties.get("TRACER::RUNTIME::LIBRARY"):
            yield "the runtime's identity is missing"
        if "t" in order and "Thread 1" not in contents.locations:
            yield f"no Thread 1 among {contents.locations}"
        if "i" in order and (properties.get("TRACER::SPEAKER"), properties.get("TRACER::COUNTER::SPEAKER_COUNTED")) != ("second", "5"):
            yield f"facts and counters are not there: {properties}"


def check_off(options, directory):
    done = run([options.speaker, options.tool, "csoi"], clean(TRACER="off", TRACER_OUTPUT=str(pathlib.Path(directory, "trace"))))
    if done.returncode != 0 or done.stderr or done.stdout != "said 0\n" or list(pathlib.Path(directory).iterdir()):
        yield f"TRACER=off: {done}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("speaker")
    options = parser.parse_args()
    failed = False
    for title in CASES:
        with tempfile.TemporaryDirectory() as directory:
            for fault in check(options, title, directory):
                print(f"{title}: {fault}")
                failed = True
    with tempfile.TemporaryDirectory() as directory:
        for fault in check_off(options, directory):
            print(fault)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
