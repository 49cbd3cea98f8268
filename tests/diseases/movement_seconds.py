#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""movement_seconds.py TRACER LIBRARY [--rounds N] [--only NAME] PROGRAM...: the seconds that programs of needless data movement and
of costly use of devices lose by their own clock, and those of the report's rows and finding: medians of N rounds (5), in which each
program runs once untraced and once traced. They are compared within a round (off_by). A table, no test: exit status 0."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from data_movement import NEEDS_CONTENT, wanted_of

CLOSE = 0.15


def run(command, environment=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def one_round(tracer, library, program, name, content, directory):
    """The program's seconds untraced and traced by its own clock, the rows' and the finding's of the first pattern, and ids of all."""
    wanted, untraced = wanted_of(run([program, name]))
    archive = pathlib.Path(tempfile.mkdtemp(dir=directory), name)
    traced = wanted_of(run([tracer, "run", "-q", "-o", archive] + (["--transfer-content"] if content else []) + ["--", program, name],
                           {**os.environ, "TRACER_LIBRARY": library}))[1]
    report = json.loads(run([tracer, "report", "--json", archive]))
    ids = [finding["id"] for finding in report["verdict"]["findings"]]
    if not untraced:
        return wanted, None, ids
    pattern = next(iter(untraced))
    rows = sum(row["ns"] for row in report["data_movement"] if row["pattern"] == pattern) * 1e-9
    found = sum(finding["lost_ns"] for finding in report["verdict"]["findings"] if finding["id"] == pattern) * 1e-9
    return wanted, (untraced[pattern], traced[pattern], rows, found), ids


def off_by(of, content):
    """What a program measures of itself while it is traced includes what recording adds to each operation: right is what lies between
    that and what it measures untraced, as in table.py. What hashes contents is no part of an operation: then only untraced is right."""
    untraced, traced, rows, found = of
    low, high = (untraced, untraced) if content else sorted((untraced, traced))
    found = found or rows
    return 0.0 if low <= found <= high else found / (low if found < low else high) - 1


def main():
    words = sys.argv[1:]
    options = {"--rounds": "5", "--only": ""}
    for option in options:
        if option in words:
            at = words.index(option)
            options[option] = words[at + 1]
            del words[at:at + 2]
    tracer, library, *programs = (os.path.abspath(word) for word in words)
    print(f"{'program':20s}{'pattern':22s}{'untraced':>10s}{'traced':>10s}{'row':>10s}{'finding':>10s}  beside the program's, rank, and what else is found")
    close = diseases = 0
    with tempfile.TemporaryDirectory() as directory:
        for program in programs:
            for name in run([program]).split():
                if options["--only"] not in name:
                    continue
                content = any(p in NEEDS_CONTENT for p, *_ in wanted_of(run([program, name]))[0])
                rounds = [one_round(tracer, library, program, name, content, directory) for _ in range(int(options["--rounds"]))]
                ids = sorted({one for _, _, found in rounds for one in found})
                if rounds[0][1] is None:
                    print(f"{name:20s}{'-':22s}{'':40s}  {', '.join(ids) or 'nothing found'}", flush=True)
                    continue
                pattern = rounds[0][0][0][0]
                untraced, traced, rows, found = (statistics.median(values) for values in zip(*(of for _, of, _ in rounds)))
                # Where others have the processors most of the time a finding may be left out, and its row is not.
                off = statistics.median(off_by(of, content) for _, of, _ in rounds)
                is_close = abs(off) <= CLOSE
                ranks = sorted({found.index(pattern) + 1 if pattern in found else 0 for _, _, found in rounds})
                diseases += 1
                close += is_close
                print(f"{name:20s}{pattern:22s}{untraced:10.4f}{traced:10.4f}{rows:10.4f}{found:10.4f}  {off:+5.0%}{'' if is_close else '  OFF'}"
                      f"  rank {'/'.join(map(str, ranks))}  {', '.join(one for one in ids if one != pattern)}", flush=True)
    print(f"{close} of {diseases} within {CLOSE:.0%}")


if __name__ == "__main__":
    main()
