#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that GCC compiled on libomp, traced, and holds its archive against the rules; its output must be as on
its own runtime.

check_gcc.py --tool libtracer.so --dump dump_events --tracer tracer --like CLANG_PROGRAM PROGRAM [ARGUMENT...]"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from account import archive_account_faults  # noqa: E402
from runtimes import runtime_of  # noqa: E402


def run(command, env):
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)


def faults(options, libomp, directory):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    env["OMP_NUM_THREADS"] = "4"
    # ThreadSanitizer does not see how libgomp orders its threads.
    silent = {"TSAN_OPTIONS": os.environ["TSAN_OPTIONS"] + ":report_bugs=0"} if "TSAN_OPTIONS" in os.environ else {}
    own = run(options.command, dict(env, **silent))
    traced = run(options.command, dict(env, LD_PRELOAD=libomp, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=directory + "/trace"))
    if (own.returncode, own.stdout) != (traced.returncode, traced.stdout):
        yield f"exit status {traced.returncode}, on GCC's runtime {own.returncode}; output:\n{traced.stdout}\n{own.stdout}\n{traced.stderr}"
    checked = run([options.tracer, "check", directory + "/trace"], env)
    if checked.returncode != 0:
        yield checked.stdout + checked.stderr
    yield from archive_account_faults(options.tracer, directory + "/trace")
    counts = dict(re.findall(r"^(.+) (\d+)$", run([options.dump, directory + "/trace", "--counts"], env).stdout, re.MULTILINE))
    for event in ("ThreadFork", "Enter !$omp parallel", "Enter !$omp implicit barrier"):
        if int(counts.get(event, 0)) == 0:
            yield f"no {event} in the archive"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--tool", "--dump", "--tracer", "--like"):
        parser.add_argument(name, required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    runtime = runtime_of(options.like)
    if runtime is None:
        print("no libomp to run on")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        found = list(faults(options, os.path.join(runtime.directory, "libomp.so.5"), directory))
    print("\n".join(found) or f"valid, on {runtime}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
