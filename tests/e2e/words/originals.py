#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program built with the original headers of an interface, run by `tracer run` as it is: the archive is sound and has
what the program prints that it said. originals.py --tool libtracer.so --tracer tracer PROGRAM"""
import argparse
import pathlib
import sys
import tempfile

from said import Words
from traced import clean, judge, run


def faults(options, directory):
    plain = run(options.program, clean())
    done = run([options.tracer, "run", "-o", f"{directory}/trace", "--", *options.program], clean(TRACER_LIBRARY=options.tool))
    if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
        return (yield f"ends with {done.returncode} instead of {plain.returncode}: {done.stdout}{done.stderr}")
    if "error" in done.stderr or "warning" in done.stderr.lower():
        yield done.stderr
    wrong, contents = judge(pathlib.Path(directory, "trace/traces.otf2"), options.tracer)
    yield from wrong
    if contents is not None:
        yield from Words(pathlib.Path(directory, "trace/traces.otf2")).faults(done.stdout)


VARIABLES = ("NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64", "KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY")


def wrong_names(options):
    """Variables that name no library, or one that does not know the interface, change nothing for the program."""
    for wrong in ("/nowhere/libtracer-annotations.so", options.tool):
        for variable in VARIABLES:
            done = run(options.program, clean(**{variable: wrong, "TRACER": "off"}))
            if done.returncode != 0:
                yield f"{variable}={wrong}: ends with {done.returncode}: {done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = [*faults(options, directory), *wrong_names(options)]
    for fault in found:
        print(fault[:3000])
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
