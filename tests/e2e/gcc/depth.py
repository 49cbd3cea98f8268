#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tasks, regions and other constructs that a program nests in themselves reach nearly as many levels of a stack with the tool as without
(depth.cpp), by what a level takes, and by a recursion that fills most of a stack alone. depth.py --tracer tracer"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
STACK = 1 << 20
# Of the levels that a program reaches alone, by the begins of names. A region by itself takes next to nothing.
LEAST = {"region": 0.65, "taskloop": 0.83, "copied": 0.79, "large": 0.85, "": 0.81}
CANCELLATION = ("false", "true")


def least_of(name):
    return next(share for begin, share in LEAST.items() if name.startswith(begin))


def by_name(text):
    return {name: int(count) for name, count in (line.split() for line in text.splitlines())}


def faults(tracer, program, directory):
    for cancellation in CANCELLATION:
        environment = clean(OMP_CANCELLATION=cancellation)

        def traced(*words):
            return run([tracer, "run", "-q", "-o", str(directory / f"trace.{cancellation}.{'.'.join(words)}"), "--", str(program), *words], environment)

        alone, done = run([str(program)], environment), traced()
        if alone.returncode != 0 or done.returncode != 0:
            return (yield f"ends with {done.returncode}, alone with {alone.returncode}: {done.stderr}")
        found = by_name(done.stdout)
        for name, size in by_name(alone.stdout).items():
            least = least_of(name)
            if size < least * found[name]:
                yield f"{name}, cancellation {cancellation}: a level takes {found[name]} bytes, alone {size}"
            words = (name, str(int(STACK * (least - 0.05) / size)), str(STACK))
            deep, deep_alone = traced(*words), run([str(program), *words], environment)
            if (deep.returncode, deep_alone.returncode) != (0, 0):
                yield f"{' '.join(words)}, cancellation {cancellation}: ends with {deep.returncode}, alone with {deep_alone.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        program = pathlib.Path(name) / "depth"
        subprocess.run(["g++", "-O2", "-fopenmp", HERE / "depth.cpp", "-o", program], check=True)
        for fault in faults(options.tracer, program, pathlib.Path(name)):
            bad += 1
            print(fault, flush=True)
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
