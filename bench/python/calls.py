#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""calls.py TRACER PYTHON...: what a call of a Python function, of a C function and of a function of the standard library cost, in ns of processor time:
plain, with `tracer run --python`, with --python of other modules, named for samples (PYTHONPERFSUPPORT), and under cProfile. The least of seven."""
import os
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time
from json import loads
def f(n): return n
def calls(n):
    for i in range(n): f(i)
def lengths(n):
    x = []
    for i in range(n): len(x)
def library(n):
    for i in range(n): loads("1")
def cost(g, n):
    best = 1e9
    for _ in range(7):
        begin = time.process_time()
        g(n)
        best = min(best, time.process_time() - begin)
    return best / n * 1e9
if "cProfile" in sys.argv:
    import cProfile
    profile = cProfile.Profile()
    profile.enable()
print(f"{cost(calls, 200000):8.0f} {cost(lengths, 200000):8.0f} {cost(library, 20000):8.0f}")
"""


def main():
    tracer = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "program.py")
        with open(program, "w") as file:
            file.write(PROGRAM)
        print(f"{'':42} call of f   len(x)  json.loads")
        for python in sys.argv[2:]:
            run = [tracer, "run", "-q", "-o", os.path.join(directory, "trace-%p")]
            ways = {"plain": ([python, program], {}), "--python": ([*run, "--python", "--", python, program], {}),
                    "--python=other": ([*run, "--python=other", "--", python, program], {}),
                    "PYTHONPERFSUPPORT=1": ([python, program], {"PYTHONPERFSUPPORT": "1"}), "cProfile": ([python, program, "cProfile"], {})}
            for name, (command, variables) in ways.items():
                done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=True, cwd=directory)
                print(f"{os.path.basename(os.path.dirname(os.path.dirname(python)))[:18]:20} {name:20} {done.stdout.splitlines()[0]}")


main()
