#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs under samples by signals: they run as without, and the trace is whole."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from failing import fail
from samples_file import SamplesFile


def run(options, name, command, rate="5000", expected_line=None, least=1, seconds=300):
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace")
        environment = {**os.environ, "OMP_TOOL_LIBRARIES": options.tool, "TRACER_OUTPUT": str(trace), "TRACER_SAMPLE": rate,
                       "TRACER_SAMPLE_SOURCE": "signal", "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}
        try:
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            fail(f"{name}: does not end")
        if ran.returncode != 0:
            fail(f"{name}: ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
        lines = [line for line in ran.stderr.splitlines() if " events, " not in line]
        if expected_line is None and lines or expected_line is not None and (len(lines) != 1 or expected_line not in lines[0]):
            fail(f"{name}: said is {lines}")
        checked = subprocess.run([options.tracer, "check", trace], capture_output=True, text=True)
        if checked.returncode != 0:
            fail(f"{name}: tracer check: " + checked.stdout + checked.stderr)
        file = SamplesFile(trace / "samples.bin")
        print(f"{name}: {len(file.samples)} samples, {file.lost} lost. {ran.stdout.strip()} {' '.join(lines)}")
        if len(file.samples) < least:
            fail(f"{name}: less than {least} samples")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("--tool", "--tracer"):
        arguments.add_argument(name, required=True)
    arguments.add_argument("--storm", help="the library that the program opens and closes")
    arguments.add_argument("program")
    options = arguments.parse_args()
    if options.storm:
        seconds = 3 * int(os.environ.get("TRACER_STRESS", "1"))
        run(options, "storm", [options.program, str(1000 * seconds), options.storm], rate="20000", least=20, seconds=120 + 20 * seconds)
        return 0
    run(options, "plain", [options.program], least=5)
    run(options, "own", [options.program, "own"], least=5)
    run(options, "later", [options.program, "later"], expected_line="the program itself uses signal", least=5)
    run(options, "default", [options.program, "default"], expected_line="the program itself uses signal", least=5)
    return 0


if __name__ == "__main__":
    sys.exit(main())
