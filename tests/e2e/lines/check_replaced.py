#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A plug-in that is loaded where a closed one was has its own names, at once and later, also constructs outside any region of
its own: in the region of who calls it, and in none.

check_replaced.py --tool libtracer.so PROGRAM FIRST SECOND"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import judge, traced  # noqa: E402

HERE = pathlib.Path(__file__).parent
TIMES = 4


def lines_of(name, pragma):
    return [number for number, line in enumerate((HERE / name).read_text().splitlines(), 1) if line.startswith(f"#pragma omp {pragma}")]


def expected(function):
    constructs = {"region": ["parallel"], "orphaned": ["for", "critical"], "alone": ["taskgroup"]}[function]
    return {f"!$omp {construct} @{source}:{line}" for source in ("replaced_a.c", "replaced_b.c") for construct in constructs
            for line in lines_of(source, construct)}


class Run:
    def __init__(self, options, directory, function, *wait):
        self.function, self.wait, self.output = function, wait, pathlib.Path(directory, function + "".join(wait))
        self.process = subprocess.Popen([options.program, options.first, options.second, function, *wait],
                                        env=traced(options, self.output, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def faults(self):
        said, errors = self.process.communicate(timeout=240)
        if self.process.returncode != 0 or "replaced" not in said:
            yield f"{self.function} {self.wait}: {self.process.returncode} {said} {errors}"
        faults, contents = judge(self.output / "traces.otf2")
        yield from faults
        if contents and (missing := expected(self.function) - contents.regions):
            yield f"{self.function} {self.wait}: not named: {sorted(missing)}; there are {sorted(contents.regions)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    for name in ("program", "first", "second"):
        parser.add_argument(name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        places = [pathlib.Path(directory, str(time)) for time in range(TIMES)]
        for place in places:
            place.mkdir()
        cases = [(place, function) for function in ("region", "orphaned", "alone") for place in places]
        waiting = [Run(options, *case, "later") for case in cases]  # they sleep beside the others
        faults = [fault for case in cases for fault in Run(options, *case).faults()]
        faults += [fault for run in waiting for fault in run.faults()]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
