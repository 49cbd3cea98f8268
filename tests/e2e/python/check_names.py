#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_names.py TRACER shares|workers: samples name functions of Python, in the shares in which the program used the processor, also after a kill
and whatever stands in the place of the interpreter's map; in processes of multiprocessing. Exit status 77: no Python 3.12 or newer here, or no
samples."""
import glob
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from pythons import find_pythons

HERE = pathlib.Path(__file__).resolve().parent
WITH_NAMES = {**os.environ, "PYTHONPERFSUPPORT": "1"}


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what[:300])


def traced(tracer, place, python, *arguments, options=()):
    done = subprocess.run([tracer, "run", "--sample", *options, "-o", place, "--", python, HERE / "burn.py", *arguments], capture_output=True, text=True,
                          timeout=300, env=WITH_NAMES)
    report = json.loads(subprocess.run([tracer, "report", "--json", place], capture_output=True, text=True, check=True).stdout)
    return done, report


def burnt(tracer, python, version, place, seconds):
    """What a program says that burns so many seconds, and its report; None where there are hardly samples."""
    done, report = traced(tracer, place, python, str(seconds))
    need(done.returncode == 0, f"{python} {version} runs: {done.stderr[-300:]}")
    if "samples" not in report or report["samples"]["samples"] < 20 * seconds:
        print(f"not tested: {python} {version}: {report['samples']['samples'] if 'samples' in report else 'no'} samples here: {done.stderr[-300:]}")
        return None
    return json.loads(done.stdout), report


def check_shares(tracer, python, version, directory):
    place = directory / "plain"
    found = burnt(tracer, python, version, place, 5)
    if found is None:
        return False
    used, report = found
    functions = {f["name"]: f for f in report["samples"]["functions"]}
    inside = {name: functions[name]["inside"] if name in functions else 0 for name in used}
    total = sum(inside.values())
    need(total > 100, f"samples name functions: {inside} of {report['samples']['samples']}")
    share, truth = inside["Solver.solve"] / total, used["Solver.solve"] / sum(used.values())
    far = 0.03 + 3 * math.sqrt(truth * (1 - truth) / total)
    need(abs(share - truth) < far, f"Solver.solve has {100 * share:.1f} % of the two functions' {total} samples, and {100 * truth:.1f} % of their time")
    need(functions["Solver.solve"]["file"] == str(HERE / "burn.py"), "functions have their file")
    need(functions["spin"]["self"] > 0.8 * total, f"the innermost function is the one that works: {functions['spin']}")
    spoken = subprocess.run([tracer, "samples", "--form", "folded", place], capture_output=True, text=True)
    need("main;Solver.solve;spin" in spoken.stdout, f"paths are the program's {spoken.stdout[:300]}{spoken.stderr}")

    # The trace ends with the last call that is recorded, and samples with it.
    done, report = traced(tracer, directory / "killed", python, "2", "kill", options=["--python"])
    names = {f["name"] for f in report["samples"]["functions"] if f["file"].endswith("burn.py")}
    need(done.returncode == 137 and "Solver.solve" in names, f"names are there after a kill: {done.returncode} {names}")

    done, report = traced(tracer, directory / "fifo", python, "2", "fifo")
    names = {f["name"] for f in report["samples"]["functions"] if f["file"].endswith("burn.py")}
    need(done.returncode == 0 and "Solver.solve" in names, f"names that were there before a FIFO stay: {names}")
    need(done.stderr.count("it is a FIFO") == 1, f"which is said once: {done.stderr}")
    return True


def check_workers(tracer, python, version, directory):
    """A forked child has the code of its parent, and the names that the parent wrote for it."""
    if burnt(tracer, python, version, directory / "plain", 1) is None:
        return False
    for method in ("fork", "forkserver", "spawn"):
        place = directory / method
        done = subprocess.run([tracer, "run", "--sample", "-o", place, "--", python, HERE / "workers.py", method], capture_output=True, text=True,
                              timeout=300, env=WITH_NAMES)
        need((done.returncode, done.stdout) == (0, "[0, 0]\n"), f"{method}: the program does what it does without: {done.returncode} {done.stdout} {done.stderr[-300:]}")
        report = json.loads(subprocess.run([tracer, "samples", "--form", "json", place], capture_output=True, text=True, check=True).stdout)
        inside = {f["name"]: f["inside"] for f in report["functions"]}
        first, second = inside.get("first_part", 0), inside.get("second_part", 0)
        # How many they are is the machine's: a loaded one has few ticks, at which signals come.
        need(first > 0 and second > 0 and first + second >= 10, f"{method}: {first} samples lie in the first part of the workers' jobs, {second} in the second, three times as long")
        need(report["outside"] <= 0.05 * report["samples"] + 2, f"{method}: {report['outside']} samples lie outside of the trace, {report['samples']} inside")
        paths = [row["path"] for row in report["paths"] if "second_part" in row["path"]]
        need(any("BaseProcess._bootstrap" in path[:path.index("second_part")] and "job" in path for path in paths), f"{method}: paths lead there: {paths[:1]}")
        checked = subprocess.run([tracer, "check", place], capture_output=True, text=True)
        need(checked.returncode == 0, f"{method}: the archive is valid {checked.stdout}{checked.stderr}")
    return True


def main():
    tracer, check = os.path.abspath(sys.argv[1]), {"shares": check_shares, "workers": check_workers}[sys.argv[2]]
    before = set(glob.glob("/tmp/perf-*.map"))
    looked_at = 0
    try:
        for python, version in find_pythons((3, 12)):
            with tempfile.TemporaryDirectory() as directory:
                looked_at += check(tracer, python, version, pathlib.Path(directory))
    finally:
        for left in set(glob.glob("/tmp/perf-*.map")) - before:  # the interpreters' own; those of other tests still run
            if not pathlib.Path("/proc", left.removeprefix("/tmp/perf-").removesuffix(".map")).exists():
                os.unlink(left)
    if not looked_at:
        print("skipped: no Python 3.12 or newer here, or no samples")
        return 77
    return 0


sys.exit(main())
