#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Fortran program's regions are named by file, line and procedure as its source has them.

check_fortran.py --tool libtracer.so --tracer tracer COMPILER SOURCE [FLAG...]     examples/fortran/integral.f90
Status 77 where the compiler builds no program with OpenMP: its runtime is a package of its own."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge  # noqa: E402

PROCEDURE = "quadrature::integral"
SMALLEST = "!$omp parallel\n!$omp end parallel\nend\n"


def lines_of(source):
    """Of the procedure with the construct."""
    text = source.read_text().splitlines()
    return range(next(i for i, line in enumerate(text, 1) if "function integral" in line),
                 next(i for i, line in enumerate(text, 1) if "end function" in line) + 1)


def build(options, source, program):
    return subprocess.run([options.compiler, "-g", "-O2", "-fopenmp", source, "-o", program, *options.flags], capture_output=True, text=True, cwd=program.parent)


def check(options, directory):
    program, output = directory / "integral", directory / "trace"
    built = build(options, options.source, program)
    if built.returncode != 0:
        yield f"{options.compiler} ends with {built.returncode}: {built.stderr}"
        return
    environment = clean(TRACER_LIBRARY=options.tool, OMP_NUM_THREADS="2")
    plain = subprocess.run([program], capture_output=True, text=True, env=environment, timeout=60)
    done = subprocess.run([options.tracer, "run", "-o", output, "-r", "--", program], capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode != plain.returncode or plain.stdout not in done.stdout:
        yield f"traced: {done.returncode} {done.stdout} {done.stderr}"
    faults, contents = judge(output / "traces.otf2", options.tracer)
    yield from faults
    if contents is None:
        return
    constructs = {name for name in contents.regions if name.startswith("!$omp")}
    positions = {name: re.search(r"@integral\.f90:(\d+)$", name) for name in constructs}
    wrong = [name for name, found in positions.items() if not found or int(found[1]) not in lines_of(options.source)]
    if wrong or not any(name.startswith("!$omp parallel") for name in constructs):
        yield f"constructs elsewhere than in the procedure: {wrong} of {sorted(constructs)}"
    functions = {definition.description for definition in contents.definitions.regions}
    if PROCEDURE not in str(functions):
        yield f"no region names {PROCEDURE}: {functions}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("compiler")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("flags", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        smallest = pathlib.Path(directory, "smallest.f90")
        smallest.write_text(SMALLEST)
        built = build(options, smallest, smallest.with_suffix(""))
        if built.returncode != 0:
            print(f"skipped: {options.compiler} builds no program with OpenMP: {built.stderr.splitlines()[0] if built.stderr else built.returncode}")
            return 77
        faults = list(check(options, pathlib.Path(directory)))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
