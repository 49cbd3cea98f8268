#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""job.py TRACER PROGRAM [argument...]: two processes at once that use devices, and number what they ask these for each
from the same number on. What belongs to one is not taken for the other's: the archive is valid, and each arrow of the
timeline begins and ends once, as often as in a run of one process."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

AT_ONCE = '"$@" & "$@"; wait'


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def arrows(tracer, archive):
    """How often an arrow's beginning, end or both are there."""
    out = archive / "trace.json"
    run(tracer, "export", "--format", "chrome", "-o", out, archive)
    flows = collections.defaultdict(str)
    for event in json.loads(out.read_text())["traceEvents"]:
        if event["ph"] in "sf":
            flows[event["name"], event["id"]] += event["ph"]
    return collections.Counter("".join(sorted(ends)) for ends in flows.values())


def main():
    tracer, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        one, two = pathlib.Path(scratch) / "one", pathlib.Path(scratch) / "two"
        run(tracer, "run", "-o", one, "--", *program)
        run(tracer, "run", "-o", two, "--", "sh", "-c", AT_ONCE, "sh", *program)
        print(run(tracer, "check", two).strip())
        of_one, of_two = arrows(tracer, one), arrows(tracer, two)
        if of_one["fs"] == 0 or of_two != {ends: 2 * n for ends, n in of_one.items()}:
            raise SystemExit(f"FAILED: arrows of one process {dict(of_one)}, of two {dict(of_two)}")
        devices = [len(json.loads(run(tracer, "report", "--json", archive))["devices"]) for archive in (one, two)]
        if devices[1] != 2 * devices[0]:
            raise SystemExit(f"FAILED: {devices} devices")
        said = run(tracer, "info", two)
        if said.count(" 2 threads, 2 device streams") != 2:
            raise SystemExit(f"FAILED: info does not say what processes there are: {said}")
        for rank in ("0", "1"):
            cut = pathlib.Path(scratch) / ("only-" + rank)
            number = json.loads(run(tracer, "report", "--json", two))["processes"][int(rank)]["name"].split()[1]
            run(tracer, "export", "--format", "otf2", "--ranks", number, "-o", cut, two)
            run(tracer, "check", cut)
        for number, cut in enumerate((["--exclude", "*"], ["--exclude", "target*"], ["--exclude", "parallel"], ["--include", "task"])):
            left = pathlib.Path(scratch) / f"filtered-{number}"
            run(tracer, "export", "--format", "otf2", *cut, "-o", left, two)
            run(tracer, "check", left)
        print(f"ok: {dict(of_two)} arrows, {devices[1]} devices")


main()
