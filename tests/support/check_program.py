#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program without and with the tool and compares: output, exit status, the trace's counts with the program's
own, and the source lines of its regions with the source. Prints what is wrong; exit status 1 then.

check_program.py --tool libtracer.so --threads N [option...] PROGRAM [ARGUMENT...]"""
import argparse
import pathlib
import re
import sys

from archive import REGION
from traced import clean, faults_of, judge, run, traced


def program_counts(output):
    """{'for': 44} of the lines 'count for 44'."""
    return {m.group(1): int(m.group(2)) for m in re.finditer(r"^count (\S.*) (\d+)$", output, re.MULTILINE)}


def trace_counts(archive):
    counts = dict(archive.enters)
    counts["fork"] = archive.events["ThreadFork"]
    counts["task"] = archive.events["ThreadTaskComplete"]
    counts["acquire"] = archive.events["ThreadAcquireLock"]
    return counts


# What the source line holds that a construct's region points at, where it is not the construct's name.
LINES = {"create task": "task", "implicit barrier": "#pragma omp", "implementation barrier": "#pragma omp", "loop chunk": "for",
         "reduction": r"#pragma omp|for \(",  # the loop it ends, or the region where the runtime names itself
         "single sblock": "single", "critical sblock": "critical", "task dependence": "task"}


def wrong_lines(archive, sources, need):
    """Regions whose line of the source does not hold their construct; `need` of them must have one."""
    texts = {pathlib.Path(s).name: pathlib.Path(s).read_text(encoding="utf-8").splitlines() for s in sources}
    found = set()
    for region in sorted(archive.regions):
        match = REGION.match(region)
        if not match:
            continue
        construct = match.group("construct")
        if construct not in LINES:
            construct = re.sub(r" wait$", "", construct)
        if match.group("line") is None or match.group("file") not in texts:
            yield f"{region}: not in {', '.join(texts)}"
            continue
        line = texts[match.group("file")][int(match.group("line")) - 1]
        if not re.search(LINES.get(construct, construct), line):
            yield f"{region}: the line is '{line.strip()}'"
        found.add(construct)
    for construct in need:
        if construct not in found:
            yield f"no region '{construct}' with a source line"


def wrong_addresses(archive, program):
    """Without debug information each region is named by its address in the program's file, the same in every run, and its function."""
    found = 0
    size = pathlib.Path(program).stat().st_size
    for region in sorted(archive.regions):
        match = REGION.match(region)
        if match:
            place = re.fullmatch(r"0x([0-9a-f]+) in (.+) \(\w+\)", match.group("file"))
            if not place or place.group(2) != pathlib.Path(program).name or not 0 < int(place.group(1), 16) < size:
                yield f"{region}: an address in the file of {program} was expected"
        found += bool(match)
    if not found:
        yield "no regions"


def settings(options):
    """Of both runs."""
    return dict((setting.split("=", 1) for setting in options.env), OMP_NUM_THREADS=str(options.threads))


def check(options, directory):
    output = pathlib.Path(directory, "trace")
    without, with_tool = run(options.command, clean(**settings(options))), run(options.command, traced(options, output, **settings(options)))
    if without.returncode != with_tool.returncode:
        yield f"exit status {with_tool.returncode}, without the tool {without.returncode}: {with_tool.stderr}"
    if without.returncode != options.status:
        yield f"exit status {without.returncode} of the untraced program, {options.status} was expected: {without.stderr}"
    if without.stdout != with_tool.stdout:
        yield f"the output differs:\n{with_tool.stdout}\nwithout the tool:\n{without.stdout}"
    said = [line for line in with_tool.stderr.splitlines() if line.startswith("tracer:")]
    if len(said) != options.lines:
        yield f"the tool says {len(said)} lines instead of {options.lines}: {with_tool.stderr}"
    checker = pathlib.Path(options.tool).parents[1] / "bin" / "tracer"
    faults, archive = judge(output / "traces.otf2", checker if checker.exists() else None)
    yield from faults
    if archive is None:
        yield with_tool.stderr
        return
    counts, expected = trace_counts(archive), program_counts(with_tool.stdout)
    if not expected and not options.no_counts:
        yield "the program says no counts"
    for name, number in expected.items():
        if counts.get(name, 0) != number:
            yield f"{name}: {counts.get(name, 0)} in the trace, the program counts {number} (trace: {dict(sorted(counts.items()))})"
    if not options.no_counts and len(archive.locations) < options.threads:
        yield f"locations: {archive.locations}, with {options.threads} threads"
    if options.source:
        yield from wrong_lines(archive, options.source, options.need)
    if options.addresses:
        yield from wrong_addresses(archive, options.command[0])


def make_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tool", required=True, help="libtracer.so")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--status", type=int, default=0, help="exit status of the program")
    parser.add_argument("--no-counts", action="store_true", help="the program prints no counts")
    parser.add_argument("--source", action="append", default=[], help="check the regions' lines in this file")
    parser.add_argument("--need", action="append", default=[], help="a construct that must be found in the source")
    parser.add_argument("--addresses", action="store_true", help="regions are named by addresses")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE for both runs")
    parser.add_argument("--lines", type=int, default=1, help="lines that the tool says")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def main():
    options = make_parser(__doc__).parse_args()
    faults = faults_of(check, options)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
