#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of GCC that call what libomp does not have keep their own runtime: output and status are as without the tool, the
archive is valid, has what the program has counted itself, and the name that is missing is said. A program whose names only look like
OpenMP's does not keep it. kept_runtime.py --tracer tracer"""
import argparse
import json
import os
import re
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from counted import counts_of  # noqa: E402
from traced import clean, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()

# Program, what is compiled, the name that libomp lacks.
CASES = (
    ("scope_reduction", [["gcc", "-fopenmp", "scope_reduction.c"]], "GOMP_scope_start"),
    ("integer8", [["gfortran", "-fopenmp", "-fdefault-integer-8", "integer8.f90"]], "omp_set_num_threads_8_"),
    ("asks_libgomp", [["gcc", "-shared", "-fPIC", "asks_libgomp_lib.c", "-o", "libasks.so"],
                      ["gcc", "-fopenmp", "asks_libgomp.c", "-L.", "-lasks", "-Wl,-rpath,$ORIGIN"]], "GOMP_loop_static_worksharing_like"),
    ("openacc", [["gcc", "-fopenmp", "-fopenacc", "openacc.c"]], "GOACC_parallel_keyed"),
)


def build(commands, program, directory):
    """Whether there is such a compiler."""
    for command in commands:
        if shutil.which(command[0]) is None:
            return False
        words = [str(HERE / word) if (HERE / word).is_file() else word for word in command]
        target = [] if "-o" in command else ["-o", program]
        subprocess.run([*words, "-g", "-O2", *target, *SANITIZED], cwd=directory, check=True)
    return True


def kept_faults(tracer, trace, output):
    """What the program has counted is in its archive."""
    words = re.search(r"^kept (.*)", output, re.MULTILINE)[1].split()
    found = counts_of(json.loads(run([tracer, "report", "--json", str(trace)], clean()).stdout))
    for name, count in zip(words[::2], words[1::2]):
        if found[name] != int(count):
            yield f"{found[name]} {name}, the program has counted {count}"


def faults(tracer, name, commands, missing, directory):
    program = str(directory / name)
    if not build(commands, program, directory):
        print(f"not tested: {name}: no {commands[0][0]}")
        return
    environment = clean(OMP_NUM_THREADS="2")
    alone = run([program], environment)
    for options in ([], ["--runtime", "auto"]):
        done = run([tracer, "run", *options, "-o", str(directory / ("trace" + "".join(options))), "--", program], environment)
        if "no LLVM runtime was found" in done.stderr:
            print(f"not tested: {name} {' '.join(options)}: no libomp")
            continue
        if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
            yield f"{name} {options}: status {done.returncode} and {done.stdout!r}, alone {alone.returncode} and {alone.stdout!r}: {done.stderr}"
        checked = run([tracer, "check", str(directory / ("trace" + "".join(options)))], clean())
        if checked.returncode != 0:
            yield f"{name} {options}: no valid archive: {checked.stdout}{checked.stderr}"
        if name != "openacc":
            trace = directory / ("trace" + "".join(options))
            yield from (f"{name} {options}: {fault}" for fault in kept_faults(tracer, trace, alone.stdout))
        if name == "openacc" and ("uses OpenACC" not in done.stderr or "calls are counted" in done.stderr):
            yield f"{options}: it is not said that OpenACC is not recorded: {done.stderr}"
        counter = f"TRACER::COUNTER::LIBGOMP_UNSEEN_{missing.upper()}"
        if name == "openacc" and counter.encode() not in (directory / ("trace" + "".join(options)) / "traces.otf2").read_bytes():
            yield f"{options}: the archive does not name {missing}"
        named = [line for line in done.stderr.splitlines() if missing in line]
        if options and len(named) != 1:
            yield f"{name} {options}: {missing} is named in {len(named)} lines: {done.stderr}"


def replaced_faults(tracer, directory):
    build([["gcc", "-shared", "-fPIC", "-DIN_LIBRARY", "own_name.c", "-o", "libown.so"],
           ["gcc", "-fopenmp", "own_name.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"]], "own_name", directory)
    program, trace = str(directory / "own_name"), directory / "trace"
    alone = run([program], clean())
    done = run([tracer, "run", "--runtime", "auto", "-o", str(trace), "--", program], clean())
    if "no LLVM runtime was found" in done.stderr:
        return
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"own_name: status {done.returncode} and {done.stdout!r}, alone {alone.returncode} and {alone.stdout!r}: {done.stderr}"
    if "keeps its own OpenMP runtime" in done.stderr:
        yield f"own_name: its runtime is not replaced: {done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    found = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as directory:
            found += faults(options.tracer, *case, pathlib.Path(directory))
    with tempfile.TemporaryDirectory() as directory:
        found += replaced_faults(options.tracer, pathlib.Path(directory))
    print("\n".join(found) or f"{len(CASES) + 1} programs, no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
