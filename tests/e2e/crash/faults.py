#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes from a traced program what the tracer needs - disk, memory, descriptors, threads, shared memory, its directory -
by real means. The program's output and exit status stay; what is said is one line or two; what was recorded until then
is a sound archive where there is one.

faults.py --tool libtracer.so --tracer tracer PROGRAM [FAULT...]"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from fault_conditions import FAULTS, Skip, SmallDisk  # noqa: E402
from traced import clean, judge  # noqa: E402


def run(command, environment, before=None):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, preexec_fn=before)


def sound(anchor):
    faults, contents = judge(anchor)
    yield from faults
    if contents and contents.enters["parallel"] == 0:
        yield "no parallel region in the archive"


def check(options, fault):
    sanitizer = os.environ.get("TRACER_TEST_SANITIZE", "")
    if any(name in sanitizer for name in fault.not_with.split()):
        raise Skip(f"the program has a sanitizer ({sanitizer}), which needs that itself")
    plain = clean(OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    fault.prepare()
    command = [fault.place(options.program), fault.argument, str(fault.rounds)]
    plain.update(getattr(fault, "environment", {}))
    without = run(command, plain, fault.limit)
    if without.returncode != 3:
        raise Skip(f"the program does not run so without the tool either: {without.stderr.strip()[:200]}")
    traced = run([*command, *fault.more_arguments(without.stdout)], dict(plain, OMP_TOOL_LIBRARIES=fault.first + fault.place(options.tool), TRACER_OUTPUT=str(fault.output), **fault.settings), fault.limit)
    if (without.returncode, without.stdout) != (traced.returncode, traced.stdout):
        yield f"ends with {traced.returncode}, {traced.stdout!r}; without the tool {without.returncode}, {without.stdout!r}; {traced.stderr}"
    said = [line for line in traced.stderr.splitlines() if line not in without.stderr.splitlines()]
    if any(not line.startswith("tracer: ") for line in said) or not fault.least <= len(said) <= fault.lines:
        yield f"the tool says {len(said)} lines: {traced.stderr}"
    if fault.said not in traced.stderr:
        yield f"it does not say {fault.said!r}: {traced.stderr}"
    if fault.false and fault.false in traced.stderr:
        yield f"that is not why: {traced.stderr}"
    anchor = fault.output / "traces.otf2"
    if fault.archive == "none":
        return
    if fault.archive == "later":
        if "; to build the archive: tracer convert" not in traced.stderr or anchor.exists():
            yield f"not put off: {traced.stderr}"
        done = run([options.tracer, "convert", str(fault.output)], plain)
        if done.returncode != 0 or not anchor.exists():
            yield f"tracer convert: {done.stderr}"
        return
    if not anchor.exists():
        if isinstance(fault, SmallDisk):
            subprocess.run(["mount", "-o", "remount,size=200m", str(fault.disk)], check=True)
        raw = fault.output / "raw"
        if fault.archive == "any" and not raw.exists():
            return
        recovered = subprocess.run([options.tracer, "recover", str(fault.output)], capture_output=True, text=True, timeout=120)
        if recovered.returncode != 0:
            yield f"recover: {recovered.stderr}; {traced.stderr}"
            return
    if fault.archive == "complete" and (fault.output / "raw").exists():
        yield "the raw trace is left"
    yield from sound(anchor)
    if options.verbose:
        print("   ", "\n    ".join(said))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("program")
    parser.add_argument("faults", nargs="*")
    options = parser.parse_args()
    failures = 0
    for name in options.faults or FAULTS:
        with tempfile.TemporaryDirectory() as directory:
            fault = FAULTS[name](directory)
            try:
                faults = list(check(options, fault))
                print("\n".join(f"{fault.__doc__}: {f}" for f in faults) or f"{fault.__doc__}: the program is not disturbed")
                failures += bool(faults)
            except Skip as reason:
                print(f"not tested: {fault.__doc__}: {reason}")
            finally:
                fault.clean()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
