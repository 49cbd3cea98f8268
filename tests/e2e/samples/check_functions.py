#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Functions that samples used to lose have their names and shares: what the kernel does for one, and loops that a compiler has put
into functions of its own. Status 77 where nobody may sample. check_functions.py --tracer tracer --tool libtracer.so PROGRAM..."""
import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, run  # noqa: E402

POINTS = 10.0  # percent of all


def faults(options, program, directory):
    done = run([options.tracer, "run", "-o", str(directory / "trace"), "--sample", "--", program],
               clean(TRACER_LIBRARY=options.tool, OMP_WAIT_POLICY="passive"))
    if done.returncode != 0:
        return (yield f"status {done.returncode}: {done.stderr}")
    if "no samples are taken" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    burnt = {name: int(ns) for name, ns in (line.split() for line in done.stdout.splitlines())}
    samples = json.loads(run([options.tracer, "samples", "--form", "json", str(directory / "trace")], clean()).stdout)
    if "kernel" in pathlib.Path(program).name and samples["lacks"]:  # a user whom the system does not show the kernel: it is said where samples are
        text = run([options.tracer, "samples", str(directory / "trace")], clean()).stdout
        if "without the kernel's time (kernel.perf_event_paranoid is " not in " ".join(text.split()):
            yield f"samples lack {samples['lacks']}, and nobody says so: {text[:300]}"
        print(f"{pathlib.Path(program).name}: not compared, samples are without {samples['lacks']}")
        return
    inside = {name: sum(row["inside"] for row in samples["functions"] if row["name"].split("(")[0].strip() == name) for name in burnt}
    total = sum(inside.values())
    if total < 100:
        return (yield f"{total} samples have the functions {sorted(burnt)}: {[row['function'] for row in samples['functions']][:12]}")
    for name, ns in burnt.items():
        expected, found = 100 * ns / sum(burnt.values()), 100 * inside[name] / total
        print(f"{pathlib.Path(program).name}: {name} {found:.1f} %, by the thread's clock {expected:.1f} %")
        if abs(expected - found) > POINTS:
            yield f"{name} has {found:.1f} % of {total} samples, and used {expected:.1f} % of the time"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    found = []
    for program in options.programs:
        with tempfile.TemporaryDirectory() as directory:
            found += [f"{pathlib.Path(program).name}: {fault}" for fault in faults(options, program, pathlib.Path(directory))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
